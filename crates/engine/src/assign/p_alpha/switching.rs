//! Groups that lack weight switch rows with groups that have some to spare, and merge where
//! that does not help (SWTLL08).
//!
//! The *shortfall* of a group is the units of weight that it lacks; the total shortfall is
//! the sum over all groups. Rows and categories are never lacking: the grouping to begin with
//! has k and p of them in every group, and no switch is made that would change that.
//!
//! It ends for every input: a switch lowers the total shortfall; a merger lowers the number of
//! groups, and never raises the total shortfall, because the rows of both weigh together what
//! they weigh apart. So every step lowers the sum of these two whole numbers. And it ends
//! well: while a group fails and another one exists, there is a step, and one single group of
//! all rows does not fail, or the request had been refused.

use super::group_tree::GroupTree;
use super::switch_price::{Pair, Priced, Switches, cost_of_merging, units};
use super::weight_requirement::{WeightRequirement, greatest_divisor};
use crate::local_search::Exchange;
use crate::local_search::changing_groups::Groups;
use crate::local_search::cheapest::Cheapest;
use crate::run::Meter;
use crate::run::allocation::{filled, granted};
use crate::{Error, Result};
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// In a table of more groups or rows than this a switch is not searched for among all groups …
const FEW_GROUPS: usize = 256;
const FEW_ROWS: usize = 10_000;

/// … but among the nearest that can help, so many of them …
const PARTNERS: usize = 8;

/// … and not among more groups with weight to spare than this many.
const LOOKS: usize = 1024;

/// So many steps for each group are enough. More are needed only where there are very many
/// categories and near rows are in nearly the same one: then each switch helps very little.
const STEPS_PER_GROUP: usize = 8;

/// The groups, and the failing ones among them in the order of their turns.
pub(super) struct Switching<'a> {
    pub(super) groups: Groups<'a>,
    requirement: &'a WeightRequirement<'a>,
    /// the units of each group
    held: Vec<i128>,
    tree: GroupTree,
    switches: Switches,
    turns: BinaryHeap<Turn>,
    /// the latest turn of each group; earlier ones are void
    latest: Vec<u64>,
    /// when each group last changed
    changed: Vec<u64>,
    clock: u64,
    /// what all steps have added to the sum of squares
    added: f64,
    /// what each failing group asks for, and all together
    asked: Vec<f64>,
    outlook: f64,
    /// how many groups were asked at least once
    asked_of: usize,
    /// how many more steps may be made
    steps: usize,
}

/// A failing group waits for its turn with the switch that was its best when it was asked. The
/// cheapest comes first; groups that have no switch and must merge come last.
type Turn = Cheapest<u32, (Option<Priced>, u64)>;

impl<'a> Switching<'a> {
    pub fn new(groups: Groups<'a>, requirement: &'a WeightRequirement<'a>) -> Result<Self> {
        let count = groups.count() as usize;
        let mut held = filled(count, 0)?;
        for row in 0..groups.rows().len() as u32 {
            held[groups.group_of(row) as usize] += units(&groups, requirement, row);
        }
        let spare = |group: u32| held[group as usize] - requirement.required;
        Ok(Switching {
            tree: GroupTree::new(&groups, spare)?,
            groups,
            requirement,
            held,
            switches: Switches::default(),
            turns: BinaryHeap::new(),
            latest: filled(count, 0)?,
            changed: filled(count, 0)?,
            clock: 0,
            added: 0.0,
            asked: filled(count, 0.0)?,
            outlook: 0.0,
            asked_of: 0,
            steps: STEPS_PER_GROUP * count.max(STEPS_PER_GROUP),
        })
    }

    /// The units that all failing groups lack together.
    #[cfg(test)]
    pub fn shortfall(&self) -> i128 {
        let groups = (0..self.groups.count()).filter(|&group| self.fails(group));
        groups.map(|group| -self.spare(group)).sum()
    }

    /// Switches and merges until no group fails. Returns whether it got there: it stops as
    /// soon as what that has added to the sum of squares, together with the best switches of
    /// all groups that still fail, exceeds `most`, or after very many steps. It may be called
    /// again with more.
    pub fn run(&mut self, most: f64, meter: &mut Meter) -> Result<bool> {
        self.ask_all(most, meter)?;
        while self.added + self.outlook <= most && self.steps > 0 {
            if !self.step(meter)? {
                return Ok(true);
            }
            self.steps -= 1;
        }
        Ok(false)
    }

    /// Gives every failing group its turn, or so many as show that all of them would exceed
    /// `most`. Groups are asked from all over the table, so that some speak for all.
    pub(super) fn ask_all(&mut self, most: f64, meter: &mut Meter) -> Result<()> {
        let count = self.groups.count() as usize;
        let stride = scattering(count);
        while self.asked_of < count && self.outlook <= most {
            self.await_turn((self.asked_of * stride % count) as u32, meter)?;
            self.asked_of += 1;
        }
        Ok(())
    }

    /// What the best switches of all failing groups would add to the sum of squares, judged by
    /// the groups that were asked.
    pub fn outlook(&self) -> f64 {
        let share = self.asked_of as f64 / f64::from(self.groups.count());
        self.added + self.outlook / share
    }

    /// Lets the failing group whose turn it is make the switch that costs least, or merge if
    /// none helps; `false` if no group fails.
    ///
    /// Groups take their turns by what their best switch cost when they were last asked. It is
    /// searched for again if either group has changed since, but then made at once: to wait
    /// for others would have groups ask again and again where many want the same rows.
    pub(super) fn step(&mut self, meter: &mut Meter) -> Result<bool> {
        let Some(turn) = self.next_turn() else {
            return Ok(false);
        };
        let (group, (priced, asked)) = (turn.tie, turn.item);
        let fresh = priced.filter(|priced| {
            let since = |group: u32| self.changed[group as usize] <= asked;
            since(group) && since(priced.partner)
        });
        let best = match fresh {
            Some(priced) => Some(priced),
            None => self.best_switch(group, meter)?,
        };
        let other = match best {
            Some(priced) => self.make(priced)?,
            None => self.merge(group, meter)?,
        };
        for group in [group, other] {
            self.await_turn(group, meter)?;
        }
        Ok(true)
    }

    fn next_turn(&mut self) -> Option<Turn> {
        loop {
            let turn = self.turns.pop()?;
            if self.latest[turn.tie as usize] == turn.item.1 {
                return Some(turn);
            }
        }
    }

    /// Voids the turn of a group, and gives it a new one if it fails.
    fn await_turn(&mut self, group: u32, meter: &mut Meter) -> Result<()> {
        self.clock += 1;
        let asked = self.clock;
        self.latest[group as usize] = asked;
        let mut cost = 0.0;
        if self.fails(group) {
            let priced = self.best_switch(group, meter)?;
            cost = priced.map_or(0.0, |priced| priced.cost);
            if self.turns.len() == self.turns.capacity() {
                let more = self.turns.len().max(16);
                let bytes = more.saturating_mul(size_of::<Turn>());
                granted(bytes, || self.turns.try_reserve(more))?;
            }
            self.turns.push(Turn {
                cost: priced.map_or(f64::INFINITY, |priced| priced.cost),
                tie: group,
                item: (priced, asked),
            });
        }
        let before = std::mem::replace(&mut self.asked[group as usize], cost);
        self.outlook += cost - before;
        Ok(())
    }

    fn fails(&self, group: u32) -> bool {
        self.groups.size(group) > 0 && self.spare(group) < 0
    }

    /// The units that a group has beyond those it needs.
    fn spare(&self, group: u32) -> i128 {
        self.held[group as usize] - self.requirement.required
    }

    /// The switch of a failing group that costs least among those that lower the total
    /// shortfall. Only a group with weight to spare can help: any other would lack as much
    /// more as this one lacks less.
    pub(super) fn best_switch(&mut self, group: u32, meter: &mut Meter) -> Result<Option<Priced>> {
        let Switching {
            groups,
            requirement,
            held,
            tree,
            switches,
            ..
        } = self;
        let spare = |group: u32| held[group as usize] - requirement.required;
        let (mut best, mut work) = (None, 0);
        let few = are_few(groups);
        let (mut partners, mut looks) = (0, 0);
        let visited = tree.visit(group, Some(1), |partner| {
            let pair = Pair {
                failing: group,
                partner,
                lacking: -spare(group),
                spare: spare(partner),
            };
            partners += usize::from(switches.price(groups, requirement, pair, &mut best)?);
            looks += 1;
            work += switches.looks();
            Ok(match few || (partners < PARTNERS && looks < LOOKS) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        })?;
        meter.spend(work + visited)?;
        Ok(best)
    }

    /// Makes a switch; the group it is made with.
    fn make(&mut self, priced: Priced) -> Result<u32> {
        let row_units = |row| units(&self.groups, self.requirement, row);
        let (group, gain) = match priced.switch {
            Exchange::Shift { row, to } => (to, row_units(row)),
            Exchange::Swap { a, b } => (self.groups.group_of(a), row_units(b) - row_units(a)),
        };
        match priced.switch {
            Exchange::Shift { row, to } => self.groups.shift(row, to)?,
            Exchange::Swap { a, b } => self.groups.swap(a, b)?,
        }
        self.added += priced.cost;
        self.held[group as usize] += gain;
        self.held[priced.partner as usize] -= gain;
        self.note_change(group);
        self.note_change(priced.partner);
        Ok(priced.partner)
    }

    /// Merges a group with the one among the nearest for which that costs least; the other
    /// of the two numbers. The larger one stays, so that fewer rows move.
    fn merge(&mut self, group: u32, meter: &mut Meter) -> Result<u32> {
        let (cost, other) = self.neighbour(group, meter)?;
        let (from, to) = match self.groups.size(group) > self.groups.size(other) {
            true => (other, group),
            false => (group, other),
        };
        while let Some(&row) = self.groups.members(from).last() {
            self.groups.shift(row, to)?;
        }
        self.added += cost;
        self.held[to as usize] += self.held[from as usize];
        self.held[from as usize] = 0;
        self.note_change(from);
        self.note_change(to);
        meter.spend(self.groups.size(to))?;
        Ok(other)
    }

    /// The group that costs least to merge with, among the nearest, and what it costs.
    fn neighbour(&mut self, group: u32, meter: &mut Meter) -> Result<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        let groups = &self.groups;
        let (mut seen, few) = (0, are_few(groups));
        let looks = self.tree.visit(group, None, |other| {
            let cost = cost_of_merging(groups, group, other);
            if best.is_none_or(|best| cost < best.0) {
                best = Some((cost, other));
            }
            seen += 1;
            Ok(match few || seen < PARTNERS {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        })?;
        meter.spend(looks)?;
        best.ok_or_else(|| Error::Broken("one single group fails".into()))
    }

    fn note_change(&mut self, group: u32) {
        self.clock += 1;
        self.changed[group as usize] = self.clock;
        // small corrections of a centroid add up their rounding errors
        self.groups.recompute(group);
        self.tree.update(&self.groups, group, self.spare(group));
    }
}

/// A step that leads through all of so many numbers, and far away each time.
fn scattering(count: usize) -> usize {
    let coprime = |step: &usize| greatest_divisor(*step as i128, count as i128) == 1;
    let golden = (count as f64 * 0.618) as usize;
    (golden.max(1)..).find(coprime).unwrap_or(1)
}

/// Whether every group may be looked at for every switch.
fn are_few(groups: &Groups) -> bool {
    groups.count() as usize <= FEW_GROUPS && groups.rows().len() <= FEW_ROWS
}
