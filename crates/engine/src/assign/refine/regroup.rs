//! Fewer or more groups: a group whose rows are better off elsewhere is dissolved, and rows
//! that their groups can spare found a new one. Either is made first and judged afterwards.

use super::near_rows::{NEIGHBOURS, Near};
use crate::Result;
use crate::local_search::changing_groups::Groups;
use crate::run::allocation::{filled, reserved};

/// A group is not dissolved when a first guess says that the sum of squares would rise by more
/// than this share of the group's own.
const HOPELESS: f64 = 0.5;

/// How many rows around a row are considered for a new group: this many times k and a few more.
const CHOICE: usize = 4;
const FEW: usize = 32;

/// The rows that are looked at for a new group.
pub(super) fn choice(k: usize) -> usize {
    CHOICE.saturating_mul(k).saturating_add(FEW)
}

/// Dissolves and founds groups, and takes it back if asked to.
pub(super) struct Regroup {
    /// rows moved by the last trial, with the groups they came from
    moved: Vec<(u32, u32)>,
    members: Vec<u32>,
    around: Around,
    pool: Vec<(f64, u32)>,
}

impl Regroup {
    pub fn new(groups: &Groups) -> Result<Self> {
        let (rows, k) = (groups.rows().len(), groups.k());
        // Larger groups are not dissolved.
        let trial = rows.min(k.saturating_mul(2));
        let around = rows.min(choice(k).saturating_add(NEIGHBOURS));
        Ok(Regroup {
            moved: reserved(trial)?,
            members: reserved(trial)?,
            around: Around::new(rows, around)?,
            pool: reserved(around)?,
        })
    }

    /// Moves each row of a group to the near group that takes it most cheaply. Returns the
    /// change of the sum of squares; `None` where a row has nowhere to go, where there is
    /// little hope, and for groups so large that they had better be split.
    pub fn dissolve(
        &mut self,
        groups: &mut Groups,
        near: &Near,
        group: u32,
    ) -> Result<Option<f64>> {
        self.moved.clear();
        if groups.size(group) >= 2 * groups.k() {
            return Ok(None);
        }
        self.members.clear();
        self.members.extend_from_slice(groups.members(group));
        let own = groups.within(group);
        let mut guess = -own;
        for &row in &self.members {
            match cheapest(groups, near, row) {
                Some((cost, _)) => guess += cost,
                None => return Ok(None),
            }
        }
        if guess > HOPELESS * own {
            return Ok(None);
        }
        let mut change = -own;
        for place in 0..self.members.len() {
            let row = self.members[place];
            let Some((cost, to)) = cheapest(groups, near, row) else {
                return Ok(None);
            };
            change += cost;
            self.shift(groups, row, to)?;
        }
        Ok(Some(change))
    }

    /// Makes a new group of a row and the nearest rows that their groups can spare. Returns
    /// the change of the sum of squares; `None` where too few such rows are around.
    pub fn establish(
        &mut self,
        groups: &mut Groups,
        near: &Near,
        seed: u32,
    ) -> Result<Option<f64>> {
        self.moved.clear();
        if !groups.may_leave(seed) {
            return Ok(None);
        }
        self.gather(groups, near, seed);
        let Some(new) = groups.vacant() else {
            return Ok(None);
        };
        let mut change = 0.0;
        for place in 0..self.pool.len() {
            let row = self.pool[place].1;
            let room = groups.k() - groups.size(new);
            if room == 0 {
                break;
            }
            let welcome = groups.lacking(new) < room || groups.contributes(row, new);
            if welcome && groups.may_leave(row) {
                change += groups.change_by_leaving(row) + groups.change_by_joining(row, new);
                self.shift(groups, row, new)?;
            }
        }
        let complete = groups.size(new) == groups.k() && groups.lacking(new) == 0;
        Ok(complete.then_some(change))
    }

    /// Rows around a row whose groups have more than k, nearest first.
    fn gather(&mut self, groups: &Groups, near: &Near, seed: u32) {
        let rows = self.around.look(near, seed, choice(groups.k()));
        let spare = rows
            .iter()
            .filter(|&&row| groups.size(groups.group_of(row)) > groups.k());
        self.pool.clear();
        self.pool
            .extend(spare.map(|&row| (groups.rows().distance(seed, row), row)));
        self.pool
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    fn shift(&mut self, groups: &mut Groups, row: u32, to: u32) -> Result<()> {
        self.moved.push((row, groups.group_of(row)));
        groups.shift(row, to)
    }

    /// Takes the last trial back.
    pub fn undo(&mut self, groups: &mut Groups) -> Result<()> {
        while let Some((row, home)) = self.moved.pop() {
            groups.shift(row, home)?;
        }
        Ok(())
    }

    /// The rows that the last trial has moved, with the groups they came from.
    pub fn moved(&self) -> &[(u32, u32)] {
        &self.moved
    }
}

/// The near group that takes a row most cheaply, and for what change of its sum of squares.
fn cheapest(groups: &Groups, near: &Near, row: u32) -> Option<(f64, u32)> {
    let own = groups.group_of(row);
    let others = near.of(row).iter().map(|&near| groups.group_of(near));
    let priced = others
        .filter(|&other| other != own)
        .map(|other| (groups.change_by_joining(row, other), other));
    priced.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Neighbours of neighbours, as far as it takes.
struct Around {
    rows: Vec<u32>,
    /// the number of the last look that has seen a row
    seen: Vec<u32>,
    look: u32,
}

impl Around {
    /// For looks at up to `most` of so many rows.
    fn new(rows: usize, most: usize) -> Result<Self> {
        Ok(Around {
            rows: reserved(most)?,
            seen: filled(rows, 0)?,
            look: 0,
        })
    }

    /// At least `enough` rows around a row, itself first, if so many can be reached.
    fn look(&mut self, near: &Near, seed: u32, enough: usize) -> &[u32] {
        self.look = self.look.wrapping_add(1);
        self.rows.clear();
        self.see(seed);
        let mut next = 0;
        while self.rows.len() < enough && next < self.rows.len() {
            let row = self.rows[next];
            near.of(row).iter().for_each(|&near| self.see(near));
            next += 1;
        }
        &self.rows
    }

    fn see(&mut self, row: u32) {
        let seen = &mut self.seen[row as usize];
        if *seen != self.look {
            *seen = self.look;
            self.rows.push(row);
        }
    }
}
