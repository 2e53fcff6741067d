//! Minimality (Wong, Fu, Wang, Pei 2007): a reader who knows all keys and the method runs it again
//! and asks why the release differs from what keys alone would have given.
//!
//! The attack is on groupings that start from MDAV and join groups that have one value only. Of a
//! released group that is the union of two groups of MDAV one must have had a single value. With
//! `merge` the other one holds the row nearest to it that has another value, so that all nearer
//! rows have the same value as well; values that do not fit the released counts are ruled out.

use crate::assign::mdav;
use crate::data::Members;
use crate::neighbours::{Point, Remaining, TopK, Tree, centroid_of};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Categories, Error, Monitor, Partition, Phase, Result, Space};

/// What the reader knows about how a group that has one value finds another one to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joining {
    /// the group of the nearest row with another value (`merge`)
    NearestHelper,
    /// a group that keys alone determine, and either of both may have been the one (`symmetric`)
    ByKeys,
}

/// What the attack finds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Findings {
    /// released groups that are one group of MDAV, as it was
    pub single: usize,
    /// released groups that are two of them
    pub double: usize,
    /// persons whose value the reader takes for certain
    pub certain: usize,
    /// those of them whose value it is
    pub right: usize,
}

/// Attacks a release with p = 2 whose groups are known, person by person. Of `sensitive` the reader
/// uses the values of each group only; whose they are says whether he is right.
pub fn attack(
    space: &Space,
    k: usize,
    released: &Partition,
    sensitive: &Categories,
    joining: Joining,
    monitor: &mut dyn Monitor,
) -> Result<Findings> {
    let rows = sensitive.codes().len();
    if released.rows() != rows || space.rows() != rows {
        let (first, other) = (space.rows(), released.rows().min(rows));
        return Err(Error::UnequalColumns { first, other });
    }
    let base = mdav(space, k, monitor)?;
    let meter = &mut Meter::start(monitor, Phase::Grouping, released.groups());
    let mut reader = Reader {
        space,
        tree: Tree::new(space, &[], meter)?,
        base: base.members()?,
        released,
        groups: released.members()?,
        sensitive: sensitive.codes(),
        joining,
        claims: allocation::filled(rows, Claim::None)?,
    };
    let mut findings = Findings::default();
    for group in 0..released.groups() {
        match reader.parts(&base, group)?[..] {
            [_] => findings.single += 1,
            [a, b] => {
                findings.double += 1;
                reader.look_at(group, [a, b], meter)?;
            }
            _ => {}
        }
        meter.grouped(1);
        meter.spend(1)?;
    }
    for (claim, &value) in reader.claims.iter().zip(sensitive.codes()) {
        if let Claim::Value(claimed) = *claim {
            findings.certain += 1;
            findings.right += usize::from(claimed == value);
        }
    }
    Ok(findings)
}

/// What the reader thinks of a person.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    None,
    Value(u32),
    /// two groups lead to different values
    Contradictory,
}

struct Reader<'a> {
    space: &'a Space,
    tree: Tree,
    base: Members,
    released: &'a Partition,
    groups: Members,
    sensitive: &'a [u32],
    joining: Joining,
    claims: Vec<Claim>,
}

/// That one part of a group had only one value, and the other part the rest.
struct Explanation {
    /// the part with one value, and the value
    uniform: u32,
    value: u32,
    /// the value of all rows of the other part, if they have one
    rest: Option<u32>,
    /// rows elsewhere that must have the value as well
    nearer: Vec<u32>,
}

impl Reader<'_> {
    /// The groups of MDAV that a released group consists of; none if it is not a union of such.
    fn parts(&self, base: &Partition, group: usize) -> Result<Vec<u32>> {
        let rows = self.groups.of(group);
        let mut parts =
            allocation::collected(rows.iter().map(|&row| base.group_of()[row as usize]))?;
        parts.sort_unstable();
        parts.dedup();
        let size: usize = parts
            .iter()
            .map(|&part| self.base.of(part as usize).len())
            .sum();
        if size != rows.len() {
            parts.clear();
        }
        Ok(parts)
    }

    /// Whatever all explanations of a group have in common is certain.
    fn look_at(&mut self, group: usize, parts: [u32; 2], meter: &mut Meter) -> Result<()> {
        let counts = self.counts(self.groups.of(group))?;
        let mut explanations = Vec::new();
        for [uniform, other] in [parts, [parts[1], parts[0]]] {
            for &(value, _) in &counts {
                explanations.extend(self.explanation(&counts, value, uniform, other, meter)?);
            }
        }
        for part in parts {
            let value = common(explanations.iter().map(|explanation| {
                let uniform = explanation.uniform == part;
                if uniform {
                    Some(explanation.value)
                } else {
                    explanation.rest
                }
            }));
            if let Some(value) = value {
                for place in 0..self.base.of(part as usize).len() {
                    let row = self.base.of(part as usize)[place];
                    self.claim(row, value);
                }
            }
        }
        let Some(first) = explanations.first() else {
            return Ok(());
        };
        for row in allocation::collected(first.nearer.iter().copied())? {
            let value = common(explanations.iter().map(|explanation| {
                let known = explanation.nearer.binary_search(&row).is_ok();
                known.then_some(explanation.value)
            }));
            if let Some(value) = value {
                self.claim(row, value);
            }
        }
        Ok(())
    }

    fn claim(&mut self, row: u32, value: u32) {
        let claim = &mut self.claims[row as usize];
        *claim = match *claim {
            Claim::None => Claim::Value(value),
            Claim::Value(other) if other == value => Claim::Value(value),
            _ => Claim::Contradictory,
        };
    }

    /// Values and how many of these rows have them.
    fn counts(&self, rows: &[u32]) -> Result<Vec<(u32, usize)>> {
        let value = |&row: &u32| self.sensitive[row as usize];
        let mut values = allocation::collected(rows.iter().map(value))?;
        values.sort_unstable();
        let runs = values.chunk_by(|a, b| a == b);
        Ok(runs.map(|run| (run[0], run.len())).collect())
    }

    /// Whether it may be that all rows of one part have this value; and what follows.
    fn explanation(
        &mut self,
        counts: &[(u32, usize)],
        value: u32,
        uniform: u32,
        other: u32,
        meter: &mut Meter,
    ) -> Result<Option<Explanation>> {
        let size = self.base.of(uniform as usize).len();
        let count = |value: u32| {
            let found = counts.iter().find(|&&(other, _)| other == value);
            found.map_or(0, |&(_, count)| count)
        };
        if count(value) < size {
            return Ok(None);
        }
        let left = |&(v, count): &(u32, usize)| count - if v == value { size } else { 0 };
        let rest: Vec<u32> = counts.iter().filter(|c| left(c) > 0).map(|c| c.0).collect();
        let nearer = match self.joining {
            Joining::ByKeys => Vec::new(),
            Joining::NearestHelper => self.nearer(uniform, other, meter)?,
        };
        Ok(self.fits(&nearer, value)?.then_some(Explanation {
            value,
            uniform,
            rest: <[u32; 1]>::try_from(rest).ok().map(|[only]| only),
            nearer,
        }))
    }

    /// The rows elsewhere that are nearer to the centroid of a part than any of the other part.
    fn nearer(&mut self, uniform: u32, other: u32, meter: &mut Meter) -> Result<Vec<u32>> {
        let centroid = centroid_of(self.space, self.base.of(uniform as usize))?;
        let own = [uniform, other].map(|part| self.base.of(part as usize));
        let nearest = own[1].iter().map(|&row| self.distance(&centroid, row));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        let mut many = 4 * own[0].len();
        loop {
            let mut found = TopK::new(many.min(self.space.rows()))?;
            self.tree.nearest(&centroid, None, &mut found, meter)?;
            let hits = found.hits();
            let all = hits.len() < many || hits.last().is_none_or(|hit| hit.distance >= nearest);
            if all {
                let elsewhere = hits.iter().filter(|hit| hit.distance < nearest);
                let elsewhere = elsewhere.filter(|hit| !own[0].contains(&hit.row));
                let mut rows: Vec<u32> = elsewhere.map(|hit| hit.row).collect();
                rows.sort_unstable();
                return Ok(rows);
            }
            many *= 4;
        }
    }

    fn distance(&self, point: &Point, row: u32) -> f64 {
        let numbers = self.space.numeric().iter().zip(&point.numbers);
        let square = |(values, number): (&Vec<f64>, &f64)| (values[row as usize] - number).powi(2);
        let codes = self.space.categorical().iter().zip(&point.codes);
        let differ = |(column, code): &(&Categories, &u32)| column.codes()[row as usize] != **code;
        numbers.map(square).sum::<f64>() + codes.filter(differ).count() as f64
    }

    /// Whether the released groups hold the value as often as these rows need it.
    fn fits(&self, rows: &[u32], value: u32) -> Result<bool> {
        let group = |&row: &u32| self.released.group_of()[row as usize];
        let mut groups = allocation::collected(rows.iter().map(group))?;
        groups.sort_unstable();
        let holds = |run: &[u32]| {
            let members = self.groups.of(run[0] as usize).iter();
            let with = members.filter(|&&row| self.sensitive[row as usize] == value);
            with.count() >= run.len()
        };
        Ok(groups.chunk_by(|a, b| a == b).all(holds))
    }
}

/// The value that all agree on.
fn common(mut values: impl Iterator<Item = Option<u32>>) -> Option<u32> {
    let first = values.next()??;
    values.all(|value| value == Some(first)).then_some(first)
}
