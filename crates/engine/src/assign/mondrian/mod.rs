//! Mondrian: multidimensional local recoding (LeFevre, DeWitt, Ramakrishnan 2006). Rows are
//! cut in two, again and again, as long as both sides keep what is asked of a group.

mod cut_axis;
mod cut_cost;
mod pattern_parts;
mod side_check;

use super::group_numbers::GroupNumbers;
use super::null_groups::by_pattern;
use super::p_sensitive::{check, require};
use crate::data::patterns;
use crate::lattice::Condition;
use crate::run::Meter;
use crate::run::allocation;
use crate::run::sorting;
use crate::{Categories, Monitor, Partition, Phase, Result, Table};
use cut_axis::{CutAxis, Placed};
use cut_cost::CutCost;
use pattern_parts::PatternParts;
use side_check::{Diversity, SideCheck};
use std::ops::Range;

/// What is asked of groups, and where cuts may be.
pub struct Cutting<'a> {
    /// rows of a group
    pub k: usize,
    /// distinct values of each sensitive column in a group
    pub p: usize,
    /// whether rows of equal value stay on one side of a cut through their column
    pub strict: bool,
    /// what else a group must meet, with regard to the sensitive columns
    pub conditions: &'a [Condition<'a>],
}

/// Cuts rows into groups of at least k rows with at least p distinct values of each sensitive
/// column; rows of equal value may be parted.
pub fn mondrian(
    table: &Table,
    sensitive: &[Categories],
    k: usize,
    p: usize,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let cutting = Cutting {
        k,
        p,
        strict: false,
        conditions: &[],
    };
    cut_apart(table, sensitive, &cutting, monitor)
}

/// Cuts rows into groups that meet what is asked. Categorical keys are ordered by code, so codes
/// that follow a hierarchy's [`places`](crate::lattice::Hierarchy::places) keep related values
/// together. No rows give no groups.
///
/// Of all cuts through all columns that one is taken after which the two sides together span
/// least, by the certainty penalty that [`ncp`](crate::measure::ncp()) sums. Where cuts at the
/// median would waste up to half of each group, relaxed ones part whole multiples of k, and only
/// one group of all has rows left over. Cuts of large parts leave each side a quarter of the
/// rows wherever they can, so n rows take O(n log² n).
///
/// Rows that lack the same numbers are cut among themselves wherever what is asked lets them.
pub fn cut_apart(
    table: &Table,
    sensitive: &[Categories],
    cutting: &Cutting<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    require(table.rows(), sensitive, cutting.k, cutting.p)?;
    match patterns(table.columns(), table.rows())? {
        None => cut(table, sensitive, cutting, monitor),
        Some(patterns) => {
            let mut parts = PatternParts::new(table, sensitive, cutting)?;
            by_pattern(&patterns, &mut parts, monitor)
        }
    }
}

fn cut(
    table: &Table,
    sensitive: &[Categories],
    cutting: &Cutting<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let meter = Meter::start(monitor, Phase::Grouping, table.rows());
    let partition = Mondrian::new(table, sensitive, cutting, meter)?.run()?;
    check(&partition, sensitive, cutting.k, cutting.p)?;
    Ok(partition)
}

/// Below so many groups' worth of rows a cut may be anywhere, and is chosen by what becomes of
/// both sides.
const SMALL: usize = 16;
/// So many cuts of a column are tried where further conditions may forbid them.
const TRIES: usize = 8;

/// So many cuts of a small part, of all columns and of one, are followed to their end.
const AHEAD_TRIES: usize = 8;
const AHEAD_OF_AXIS: usize = 2;

struct Mondrian<'a> {
    axes: Vec<CutAxis<'a>>,
    cost: CutCost,
    diversity: Diversity<'a>,
    sides: SideCheck<'a>,
    k: usize,
    strict: bool,
    /// the rows, those of one side of a cut before those of the other
    rows: Vec<u32>,
    /// the rows of the part at hand in the order of a column
    placed: Vec<Placed>,
    groups: GroupNumbers,
    meter: Meter<'a>,
}

/// A cut that could be made.
#[derive(Clone, Copy)]
struct Choice {
    cost: f64,
    axis: usize,
    at: usize,
}

impl<'a> Mondrian<'a> {
    fn new(
        table: &'a Table,
        sensitive: &'a [Categories],
        cutting: &Cutting<'a>,
        meter: Meter<'a>,
    ) -> Result<Self> {
        let axes = table.columns().iter().map(CutAxis::new);
        let axes = axes.collect::<Result<Vec<_>>>()?;
        Ok(Mondrian {
            cost: CutCost::new(&axes)?,
            axes,
            diversity: Diversity::new(sensitive, cutting.p)?,
            sides: SideCheck::new(sensitive, cutting.conditions)?,
            k: cutting.k,
            strict: cutting.strict,
            rows: allocation::collected(0..table.rows() as u32)?,
            placed: allocation::reserved(table.rows())?,
            groups: GroupNumbers::new(table.rows())?,
            meter,
        })
    }

    fn run(mut self) -> Result<Partition> {
        let mut open = Vec::new();
        if !self.rows.is_empty() {
            open.push(0..self.rows.len());
        }
        while let Some(part) = open.pop() {
            if let Some(cut) = self.cut(part.clone())? {
                open.push(cut..part.end);
                open.push(part.start..cut);
            } else {
                self.meter.grouped(part.len());
                self.groups.add(self.rows[part].iter().copied());
            }
        }
        self.meter.report()?;
        self.groups.finish()
    }

    /// Orders a part of the rows so that it can be cut in two, and says where; `None` where
    /// no cut is allowed.
    fn cut(&mut self, part: Range<usize>) -> Result<Option<usize>> {
        let ahead = part.len() < SMALL * self.k;
        let of_axis = if ahead { AHEAD_OF_AXIS } else { 1 };
        let choices = self.choices(part.clone(), of_axis)?;
        if !ahead || choices.len() < 2 {
            return self.first_that_holds(part, &choices);
        }
        let before = allocation::collected(self.rows[part.clone()].iter().copied())?;
        let mut best: Option<(f64, Choice)> = None;
        for &choice in choices.iter().take(AHEAD_TRIES) {
            if let Some(at) = self.first_that_holds(part.clone(), &[choice])? {
                let cost = self.cost_of(part.start..at)? + self.cost_of(at..part.end)?;
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, choice));
                }
            }
            self.rows[part.clone()].copy_from_slice(&before);
        }
        match best {
            Some((_, choice)) => self.first_that_holds(part, &[choice]),
            None => self.first_that_holds(part, &choices),
        }
    }

    /// What the groups of a part lose if each is cut where that is best for itself.
    fn cost_of(&mut self, part: Range<usize>) -> Result<f64> {
        let mut cost = 0.0;
        let mut open = vec![part];
        while let Some(part) = open.pop() {
            let choices = self.choices(part.clone(), 1)?;
            if let Some(at) = self.first_that_holds(part.clone(), &choices)? {
                open.push(at..part.end);
                open.push(part.start..at);
            } else {
                cost += self.cost.whole(&self.axes, &self.rows[part]);
            }
        }
        Ok(cost)
    }

    /// The best cuts of each column, the best of all first.
    fn choices(&mut self, part: Range<usize>, of_axis: usize) -> Result<Vec<Choice>> {
        let mut choices: Vec<Choice> = Vec::new();
        if part.len() < 2 * self.k {
            return Ok(choices);
        }
        for axis in 0..self.axes.len() {
            if self.axes[axis].varies(&self.rows[part.clone()]) {
                self.place(axis, part.clone())?;
                self.meter.spend(2 * part.len() * self.axes.len())?;
                self.weigh(axis, of_axis, &mut choices)?;
            }
        }
        // ties go to the earlier column, and to the earlier cut
        choices.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        Ok(choices)
    }

    /// Orders a part of the rows for the first cut that further conditions allow.
    fn first_that_holds(
        &mut self,
        part: Range<usize>,
        choices: &[Choice],
    ) -> Result<Option<usize>> {
        for choice in choices {
            self.place(choice.axis, part.clone())?;
            let sides = self.placed.split_at(choice.at);
            if self.sides.hold(sides) {
                for (row, placed) in self.rows[part.clone()].iter_mut().zip(&self.placed) {
                    *row = placed.row;
                }
                return Ok(Some(part.start + choice.at));
            }
            self.meter.spend(part.len())?;
        }
        Ok(None)
    }

    /// Places the rows of a part in the order of a column; rows of equal value stay in the order
    /// of the cuts before, so that they part where these would part them.
    fn place(&mut self, axis: usize, part: Range<usize>) -> Result<()> {
        let axis = &self.axes[axis];
        self.placed.clear();
        let rows = self.rows[part].iter();
        self.placed
            .extend((0..).zip(rows).map(|(place, &row)| axis.placed(place, row)));
        sorting::sort_by(&mut self.placed, Placed::order)
    }

    /// Adds the best allowed cuts of the placed rows to the choices.
    fn weigh(&mut self, axis: usize, of_axis: usize, choices: &mut Vec<Choice>) -> Result<()> {
        let Some((first, last)) = self.reach() else {
            return Ok(());
        };
        let (placed, strict) = (&self.placed, self.strict);
        let step = if strict { 1 } else { self.k };
        let cuts = (first.div_ceil(step)..=last / step).map(|group| group * step);
        let fits = |&at: &usize| !strict || placed[at - 1].value < placed[at].value;
        let cuts = cuts.filter(fits);
        let margin = match placed.len() > SMALL * self.k {
            true => placed.len() / 4,
            false => 0,
        };
        let inner = margin..=placed.len() - margin;
        self.cost.clear();
        for at in cuts.clone().filter(|at| inner.contains(at)) {
            self.cost.ask(at)?;
        }
        if self.cost.is_empty() {
            // many rows of equal value fill the middle, or few have the values that p asks for
            let middle = |at: &usize| at.abs_diff(placed.len() / 2);
            if let Some(at) = cuts.min_by_key(middle) {
                self.cost.ask(at)?;
            }
        }
        self.cost.weigh(&self.axes, placed);
        let tries = if self.sides.is_empty() {
            of_axis
        } else {
            TRIES
        };
        for (cost, at) in self.cost.least(tries) {
            choices.push(Choice { cost, axis, at });
        }
        Ok(())
    }

    /// Between which places cuts leave both sides k rows and p values. A side that has p values
    /// keeps them as it grows.
    fn reach(&mut self) -> Option<(usize, usize)> {
        let rows = self.placed.iter().map(|placed| placed.row);
        let left = self.diversity.shortest(rows.clone())?.max(self.k);
        let right = self.diversity.shortest(rows.rev())?.max(self.k);
        let last = self.placed.len().checked_sub(right)?;
        (left <= last).then_some((left, last))
    }
}
