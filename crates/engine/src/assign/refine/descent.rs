//! Descent: exchanges between near groups, and fewer or more groups, as long as that lowers
//! the sum of squares.

use super::exchange::Exchanges;
use super::near_rows::Near;
use super::regroup::{Regroup, choice};
use crate::Result;
use crate::local_search::Exchange;
use crate::local_search::changing_groups::Groups;
use crate::run::Meter;
use crate::run::allocation::{filled, make_room};

/// The least gain worth a change, as a share of the sum of squares at stake and at all. The
/// columns of a space vary by about 1: less than this may be rounding, which must never keep
/// the descent going.
const LEAST_SHARE: f64 = 1e-9;
const LEAST_GAIN: f64 = 1e-10;

/// What finding and making an exchange costs, in rows merely looked at.
const PRICE: usize = 256;

/// Goes down until nothing helps any more.
pub(super) fn descend(groups: &mut Groups, near: &Near, meter: &mut Meter) -> Result<()> {
    let count = groups.count() as usize;
    let mut descent = Descent {
        exchanges: Exchanges::default(),
        regroup: Regroup::new(groups)?,
        groups,
        near,
        clock: 1,
        changed: filled(count, 1)?,
        searched: filled(count, 0)?,
        regrouped: 0,
        found: Vec::new(),
        seeds: Vec::new(),
    };
    loop {
        // Groups first: exchanges are dear where groups are large.
        let regrouped = descent.regroup_all(meter)?;
        let exchanged = descent.exchange_all(meter)?;
        if !regrouped && !exchanged {
            return Ok(());
        }
    }
}

struct Descent<'a, 'b> {
    groups: &'a mut Groups<'b>,
    near: &'a Near,
    clock: u64,
    /// when a group last changed
    changed: Vec<u64>,
    /// when a group was last searched
    searched: Vec<u64>,
    /// when groups were last dissolved and founded
    regrouped: u64,
    exchanges: Exchanges,
    regroup: Regroup,
    found: Vec<u32>,
    seeds: Vec<(f64, u32)>,
}

impl Descent<'_, '_> {
    /// Lets every group make exchanges with the near groups; says whether there were any.
    fn exchange_all(&mut self, meter: &mut Meter) -> Result<bool> {
        let mut gained = false;
        for group in 0..self.groups.count() {
            if self.changed[group as usize] <= self.searched[group as usize] {
                continue;
            }
            self.searched[group as usize] = self.clock;
            self.near.groups(self.groups, group, &mut self.found)?;
            meter.spend(self.groups.size(group))?;
            for place in 0..self.found.len() {
                gained |= self.exchange(group, self.found[place], meter)?;
            }
        }
        Ok(gained)
    }

    /// Makes the best exchanges of two groups, one after the other; says whether there were any.
    fn exchange(&mut self, home: u32, away: u32, meter: &mut Meter) -> Result<bool> {
        let mut gained = false;
        meter.spend(self.exchanges.turn_to(self.groups, self.near, home, away))?;
        while let Some(exchange) = self.exchanges.best(self.groups, home, away)
            && self.make(exchange)?
        {
            gained = true;
            meter.spend(PRICE)?;
        }
        Ok(gained)
    }

    /// Makes an exchange; says whether it was worth it.
    fn make(&mut self, (change, exchange): (f64, Exchange)) -> Result<bool> {
        let (home, away) = match exchange {
            Exchange::Shift { row, to } => (self.groups.group_of(row), to),
            Exchange::Swap { a, b } => (self.groups.group_of(a), self.groups.group_of(b)),
        };
        let stake = self.groups.within(home) + self.groups.within(away);
        if !is_worth_it(change, stake) {
            return Ok(false);
        }
        match exchange {
            Exchange::Shift { row, to } => self.groups.shift(row, to)?,
            Exchange::Swap { a, b } => self.groups.swap(a, b)?,
        }
        for group in [home, away] {
            self.groups.settle(group);
            self.note_change(group);
        }
        Ok(true)
    }

    /// Dissolves and founds groups where that helps and something has changed since the last
    /// time; says whether it did.
    fn regroup_all(&mut self, meter: &mut Meter) -> Result<bool> {
        self.groups.recompute_all(meter)?;
        let last = self.regrouped;
        self.regrouped = self.clock;
        let mut gained = false;
        for group in 0..self.groups.count() {
            if self.changed[group as usize] > last {
                gained |= self.dissolve(group)?;
                meter.spend(self.groups.k())?;
                gained |= self.split(group, meter)?;
            }
        }
        self.groups.recompute_all(meter)?;
        Ok(gained)
    }

    fn dissolve(&mut self, group: u32) -> Result<bool> {
        let stake = self.groups.within(group);
        let change = self.regroup.dissolve(self.groups, self.near, group)?;
        self.judge(change, stake)
    }

    /// Founds groups around rows of a group that has more than k: around any of them if it is
    /// large enough for two, otherwise around the one that it would gain most by losing.
    fn split(&mut self, group: u32, meter: &mut Meter) -> Result<bool> {
        let leaving = |&row: &u32| (self.groups.change_by_leaving(row), row);
        self.seeds.clear();
        if self.groups.size(group) > self.groups.k() {
            make_room(&mut self.seeds, self.groups.size(group))?;
            self.seeds
                .extend(self.groups.members(group).iter().map(leaving));
        }
        self.seeds
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if self.groups.size(group) < 2 * self.groups.k() {
            self.seeds.truncate(1);
        }
        let mut gained = false;
        for place in 0..self.seeds.len() {
            let seed = self.seeds[place].1;
            if self.groups.group_of(seed) == group {
                gained |= self.establish(seed)?;
                meter.spend(choice(self.groups.k()))?;
            }
        }
        Ok(gained)
    }

    fn establish(&mut self, seed: u32) -> Result<bool> {
        let stake = self.groups.within(self.groups.group_of(seed));
        let change = self.regroup.establish(self.groups, self.near, seed)?;
        self.judge(change, stake)
    }

    /// Keeps a trial that is worth it, and takes back one that is not.
    fn judge(&mut self, change: Option<f64>, stake: f64) -> Result<bool> {
        let gained = change.is_some_and(|change| is_worth_it(change, stake));
        if !gained {
            self.regroup.undo(self.groups)?;
            return Ok(false);
        }
        for place in 0..self.regroup.moved().len() {
            let (row, home) = self.regroup.moved()[place];
            self.note_change(home);
            self.note_change(self.groups.group_of(row));
        }
        Ok(true)
    }

    fn note_change(&mut self, group: u32) {
        self.clock += 1;
        self.changed[group as usize] = self.clock;
    }
}

fn is_worth_it(change: f64, stake: f64) -> bool {
    change < -(LEAST_SHARE * stake).max(LEAST_GAIN)
}
