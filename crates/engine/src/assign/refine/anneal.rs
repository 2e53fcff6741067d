//! Annealing: exchanges drawn at random are made even if they cost a little, ever less as it
//! cools down, so that the search leaves the valleys in which a descent would end.
//!
//! What is little depends on where in the table it is: a cost is weighed against the mean
//! square of the groups concerned, so that dense and sparse parts cool at the same time.

use super::near_rows::Near;
use super::regroup::Regroup;
use crate::Result;
use crate::local_search::changing_groups::Groups;
use crate::run::Meter;
use rand::{Rng, RngExt};

/// Temperatures at the beginning and at the end, in mean squares. Measured on Census, where
/// half or twice as much makes no difference beyond chance.
const HOT: f64 = 0.7;
const COLD: f64 = 0.1;

/// A change of this many times the heat is made once in 10⁸ times: not worth the drawing.
const OUT_OF_REACH: f64 = 20.0;

/// Every group is offered to be dissolved, or one beside it to be founded, once in so many sweeps.
const REGROUPING: u32 = 4;

/// Sweeps after which centroids are recomputed, before rounding errors add up.
const DRIFT: u32 = 8;

/// Offers every row an exchange in each of so many sweeps, hot at first, cold at last.
pub(super) fn anneal(
    groups: &mut Groups,
    near: &Near,
    sweeps: u32,
    rng: &mut impl Rng,
    meter: &mut Meter,
) -> Result<()> {
    let mut annealing = Annealing {
        regroup_one_in: REGROUPING.saturating_mul(groups.k() as u32),
        regroup: Regroup::new(groups)?,
        groups,
        near,
        rng,
        temperature: HOT,
    };
    for sweep in 0..sweeps {
        let cooled = f64::from(sweep) / f64::from(sweeps);
        annealing.temperature = HOT * (COLD / HOT).powf(cooled);
        annealing.sweep(meter)?;
        if sweep % DRIFT == 0 {
            annealing.groups.recompute_all(meter)?;
        }
    }
    Ok(())
}

struct Annealing<'a, 'b, R> {
    groups: &'a mut Groups<'b>,
    near: &'a Near,
    rng: &'a mut R,
    regroup: Regroup,
    regroup_one_in: u32,
    temperature: f64,
}

impl<R: Rng> Annealing<'_, '_, R> {
    /// Rows take their turns in the order in which they stand in memory, which is faster than
    /// at random, and as good: what each is offered is random.
    fn sweep(&mut self, meter: &mut Meter) -> Result<()> {
        let rows = self.groups.rows().len();
        for row in 0..rows as u32 {
            if self.rng.random_ratio(1, self.regroup_one_in) {
                let size = self.groups.size(self.groups.group_of(row));
                self.offer_regrouping(row)?;
                meter.spend(size)?;
            } else {
                self.offer_exchange(row)?;
                meter.spend(1)?;
            }
        }
        meter.grouped(rows);
        Ok(())
    }

    /// Offers a row to join the group of a neighbour, in the place of one of its rows or, if
    /// its own group is larger than k, as one more.
    fn offer_exchange(&mut self, row: u32) -> Result<()> {
        let near = self.near.of(row);
        let neighbour = near[self.rng.random_range(0..near.len() as u32) as usize];
        let (home, away) = (self.groups.group_of(row), self.groups.group_of(neighbour));
        if home == away {
            return Ok(());
        }
        let (size, others) = (self.groups.size(home), self.groups.members(away));
        let choices = others.len() + usize::from(size > self.groups.k());
        let choice = self.rng.random_range(0..choices as u32) as usize;
        let squares = self.groups.within(home) + self.groups.within(away);
        let mean_square = squares / (size + others.len()) as f64;
        match others.get(choice) {
            Some(&other) => self.offer_swap(row, other, mean_square),
            None => self.offer_shift(row, away, mean_square),
        }
    }

    fn offer_swap(&mut self, row: u32, other: u32, mean_square: f64) -> Result<()> {
        let change = self.groups.change_by_swapping(row, other);
        if self.accepts(change, mean_square) && self.groups.may_swap(row, other) {
            self.groups.swap(row, other)?;
        }
        Ok(())
    }

    fn offer_shift(&mut self, row: u32, to: u32, mean_square: f64) -> Result<()> {
        let change = self.groups.change_by_leaving(row) + self.groups.change_by_joining(row, to);
        if self.accepts(change, mean_square) && self.groups.may_leave(row) {
            self.groups.shift(row, to)?;
        }
        Ok(())
    }

    /// Offers to dissolve the group of a row, or to found one around the row.
    fn offer_regrouping(&mut self, row: u32) -> Result<()> {
        let home = self.groups.group_of(row);
        let mean_square = self.groups.within(home) / self.groups.size(home) as f64;
        let change = if self.rng.random() {
            self.regroup.dissolve(self.groups, self.near, home)?
        } else {
            self.regroup.establish(self.groups, self.near, row)?
        };
        if !change.is_some_and(|change| self.accepts(change, mean_square)) {
            self.regroup.undo(self.groups)?;
        }
        Ok(())
    }

    /// Whether a change of the sum of squares is made: always if it is for the better, and
    /// with probability exp(−change/heat) if it is not (Metropolis).
    fn accepts(&mut self, change: f64, mean_square: f64) -> bool {
        let heat = self.temperature * mean_square;
        change <= 0.0
            || (change < OUT_OF_REACH * heat
                && change < -heat * (1.0 - self.rng.random::<f64>()).ln())
    }
}
