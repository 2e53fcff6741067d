//! Minimality against generalization (Wong, Fu, Wang, Pei 2007): a reader who knows all keys, the
//! hierarchies and that the least loss was wanted asks why a node that loses less was not chosen.
//!
//! Where nothing may be suppressed and p = 2, each such node that keys alone allow must have a
//! group of one single value. If the released values allow that of one group only, and with one
//! value only, then everybody of that group has this value.

use crate::lattice::{Combinations, Figures, Requirement, every_node, group_numbers};
use crate::run::Meter;
use crate::run::allocation::{collected, filled};
use crate::{ColumnTally, Error, Monitor, Phase, Result};

/// What the attack finds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecodingFindings {
    /// nodes that would have lost less, and that keys alone allow
    pub better: usize,
    /// of these, nodes of which it is known which group fails
    pub explained: usize,
    /// persons whose value the reader takes for certain
    pub certain: u64,
    /// those of them whose value it is
    pub right: u64,
}

/// Attacks the release of a node with p = 2 and nothing suppressed, for its first sensitive column.
/// The reader uses sizes of all groups, and values of the released ones only.
pub fn attack_recoding(
    combinations: &Combinations,
    k: usize,
    node: usize,
    monitor: &mut dyn Monitor,
) -> Result<RecodingFindings> {
    let Some(truth) = combinations.tally().columns().first() else {
        return Err(Error::Broken("no sensitive column to attack".into()));
    };
    let keys_alone = Requirement {
        k,
        p: 1,
        max_suppressed: 0,
        conditions: Vec::new(),
    };
    let nodes = every_node(combinations, &keys_alone, monitor)?;
    let chosen = nodes[node].loss;
    let mut reader = RecodingReader::new(combinations, truth, node, monitor)?;
    let better = |figures: &&Figures| figures.satisfied && figures.loss < chosen;
    let mut findings = RecodingFindings::default();
    for figures in nodes.iter().filter(better) {
        findings.better += 1;
        let meter = &mut Meter::start(monitor, Phase::Checking, combinations.len());
        findings.explained += usize::from(reader.look_at(figures.node, meter)?);
    }
    for (combination, claim) in reader.claims.iter().enumerate() {
        if let Some(value) = *claim {
            let cells = truth.of(combination);
            findings.certain += cells.iter().map(|cell| cell.1).sum::<u64>();
            let own = cells.iter().filter(|cell| cell.0 == value);
            findings.right += own.map(|cell| cell.1).sum::<u64>();
        }
    }
    Ok(findings)
}

struct RecodingReader<'a> {
    combinations: &'a Combinations,
    /// the released group of each combination, and the values of each
    released: Vec<u32>,
    values: ColumnTally,
    /// the value that everybody of a combination is taken to have
    claims: Vec<Option<u32>>,
}

impl<'a> RecodingReader<'a> {
    fn new(
        combinations: &'a Combinations,
        truth: &ColumnTally,
        node: usize,
        monitor: &mut dyn Monitor,
    ) -> Result<Self> {
        let meter = &mut Meter::start(monitor, Phase::Checking, combinations.len());
        let (released, groups) = group_numbers(combinations, node, meter)?;
        let cells = truth.iter().zip(&released);
        let cells = cells.flat_map(|(cells, &group)| {
            cells
                .iter()
                .map(move |&(value, count)| (group, value, count))
        });
        let triples: Vec<_> = cells.collect();
        Ok(RecodingReader {
            combinations,
            values: ColumnTally::new(groups, &triples)?,
            claims: filled(released.len(), None)?,
            released,
        })
    }

    /// Looks for the group of a node that must have one value; whether it is known.
    fn look_at(&mut self, node: usize, meter: &mut Meter) -> Result<bool> {
        let (group_of, groups) = group_numbers(self.combinations, node, meter)?;
        let mut order = collected(0..group_of.len() as u32)?;
        order.sort_unstable_by_key(|&combination| {
            let place = combination as usize;
            (group_of[place], self.released[place])
        });
        let mut only: Option<(&[u32], Vec<u32>)> = None;
        let mut seen = 0;
        for members in order.chunk_by(|&a, &b| group_of[a as usize] == group_of[b as usize]) {
            meter.spend(members.len())?;
            seen += 1;
            let possible = self.possible_values(members);
            if possible.is_empty() {
                continue;
            }
            if only.is_some() {
                return Ok(false);
            }
            only = Some((members, possible));
        }
        debug_assert_eq!(seen, groups);
        let Some((members, possible)) = only else {
            return Ok(false);
        };
        if let [value] = possible[..] {
            for &member in members {
                self.claims[member as usize] = Some(value);
            }
        }
        Ok(true)
    }

    /// The values that all rows of these combinations may have: each released group has them as
    /// often as it has rows of these. The combinations are in the order of released groups.
    fn possible_values(&self, members: &[u32]) -> Vec<u32> {
        let sizes = self.combinations.tally().sizes();
        let mut possible: Option<Vec<u32>> = None;
        let same = |&a: &u32, &b: &u32| self.released[a as usize] == self.released[b as usize];
        for part in members.chunk_by(same) {
            let rows: u64 = part.iter().map(|&member| sizes[member as usize]).sum();
            let cells = self.values.of(self.released[part[0] as usize] as usize);
            let often = |value: u32| {
                let found = cells.binary_search_by_key(&value, |cell| cell.0);
                found.is_ok_and(|place| cells[place].1 >= rows)
            };
            possible = Some(match possible {
                Some(mut values) => {
                    values.retain(|&value| often(value));
                    values
                }
                None => {
                    let values = cells.iter().map(|cell| cell.0);
                    values.filter(|&value| often(value)).collect()
                }
            });
        }
        possible.unwrap_or_default()
    }
}
