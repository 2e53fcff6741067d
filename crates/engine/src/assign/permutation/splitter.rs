//! Cutting the rows into sets of similar keys, each of them still eligible (LHCC15).

use super::row_slots::RowSlots;
use super::split_side::SplitSide;
use crate::Result;
use crate::assign::eligibility::is_eligible;
use crate::run::Meter;
use crate::run::allocation::{filled, reserved};
use rand::{Rng, RngExt};
use std::ops::Range;

/// What weighing a row costs, in rows merely looked at.
const WEIGHING: usize = 16;

/// Splits sets of rows in two as long as both sides stay eligible.
pub(super) struct Splitter<'a, 'w, R: ?Sized> {
    slots: &'a mut RowSlots,
    l: usize,
    rounds: usize,
    sides: [SplitSide; 2],
    /// whether the row of a slot went to the second side
    second: Vec<bool>,
    rng: &'a mut R,
    meter: &'a mut Meter<'w>,
}

impl<'a, 'w, R: Rng + ?Sized> Splitter<'a, 'w, R> {
    pub(super) fn new(
        slots: &'a mut RowSlots,
        values: usize,
        (l, rounds): (usize, usize),
        rng: &'a mut R,
        meter: &'a mut Meter<'w>,
    ) -> Result<Self> {
        let sides = [
            SplitSide::new(slots, values)?,
            SplitSide::new(slots, values)?,
        ];
        let rows = slots.rows().len();
        Ok(Splitter {
            slots,
            l,
            rounds,
            sides,
            second: filled(rows, false)?,
            rng,
            meter,
        })
    }

    /// Splits until nothing splits; where each set ends. LHCC15's O(n log n) supposes sides of
    /// like size; the limit on the depth, twice what they need, keeps it for any data.
    pub(super) fn sets(mut self) -> Result<Vec<usize>> {
        let rows = self.slots.rows().len();
        let deepest = 2 * rows.checked_ilog2().unwrap_or(0);
        let mut ends = reserved(rows / self.l)?;
        let mut open = vec![(0..rows, 0)];
        while let Some((set, depth)) = open.pop() {
            let middle = if depth < deepest {
                self.split(set.clone())?
            } else {
                None
            };
            if let Some(middle) = middle {
                open.push((middle..set.end, depth + 1));
                open.push((set.start..middle, depth + 1));
            } else if !set.is_empty() {
                ends.push(set.end);
                self.meter.grouped(set.len());
            }
        }
        Ok(ends)
    }

    /// Tries to split a set; where the second side begins if that went well.
    fn split(&mut self, set: Range<usize>) -> Result<Option<usize>> {
        // Either side needs l rows.
        if set.len() / 2 < self.l {
            return Ok(None);
        }
        for round in 0..self.rounds {
            if round > 0 {
                self.choose_at_random(&set);
            } else if !self.choose_extremes(&set)? {
                return Ok(None);
            }
            self.distribute(&set)?;
            let eligible = |side: &SplitSide| is_eligible(side.rows(), side.most(), self.l);
            if self.sides.iter().all(eligible) {
                return Ok(Some(self.separate(set)));
            }
        }
        Ok(None)
    }

    /// Puts two extreme rows to the front, as LHCC15 does: the row farthest from a random one,
    /// and the row farthest from that. False if all keys are alike: nothing to be gained.
    fn choose_extremes(&mut self, set: &Range<usize>) -> Result<bool> {
        self.slots
            .swap(set.start, self.rng.random_range(set.clone()));
        let (extreme, penalty) = self.farthest(set)?;
        if penalty == 0.0 {
            return Ok(false);
        }
        self.slots.swap(set.start, extreme);
        let (opposite, _) = self.farthest(set)?;
        self.slots.swap(set.start + 1, opposite);
        Ok(true)
    }

    /// Puts two random rows to the front: the same extremes would mostly fail in the same way,
    /// and a lone outlier would bar every split.
    fn choose_at_random(&mut self, set: &Range<usize>) {
        let (first, second) = (set.start, set.start + 1);
        self.slots.swap(first, self.rng.random_range(set.clone()));
        self.slots
            .swap(second, self.rng.random_range(second..set.end));
    }

    /// Which row is farthest from the first, by the penalty of the two together.
    fn farthest(&mut self, set: &Range<usize>) -> Result<(usize, f64)> {
        self.sides[0].seed(self.slots.of(set.start));
        let mut farthest = (set.start + 1, 0.0);
        for slot in set.start + 1..set.end {
            let penalty = self.sides[0].penalty_with(self.slots.of(slot));
            if penalty > farthest.1 {
                farthest = (slot, penalty);
            }
            self.meter.spend(WEIGHING)?;
        }
        Ok(farthest)
    }

    /// Starts the sides with the first two rows and adds the others in random order, each to
    /// the side whose penalty grows least, on a tie to the smaller one.
    fn distribute(&mut self, set: &Range<usize>) -> Result<()> {
        for (side, slot) in self.sides.iter_mut().zip(set.start..) {
            side.seed(self.slots.of(slot));
        }
        self.second[set.start] = false;
        self.second[set.start + 1] = true;
        for slot in set.start + 2..set.end {
            self.slots.swap(slot, self.rng.random_range(slot..set.end));
            let point = self.slots.of(slot);
            let [first, second] = self.sides.each_ref().map(|side| side.penalty_with(point));
            let growths = [self.sides[0].growth(first), self.sides[1].growth(second)];
            let smaller = self.sides[1].rows() < self.sides[0].rows();
            let to_second = growths[1] < growths[0] || (growths[1] == growths[0] && smaller);
            self.second[slot] = to_second;
            if to_second {
                self.sides[1].add(point, second);
            } else {
                self.sides[0].add(point, first);
            }
            self.meter.spend(WEIGHING)?;
        }
        Ok(())
    }

    /// Moves the rows of the first side to the front; where those of the second begin.
    fn separate(&mut self, set: Range<usize>) -> usize {
        let mut first = set.start;
        for slot in set {
            if !self.second[slot] {
                self.slots.swap(first, slot);
                self.second.swap(first, slot);
                first += 1;
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categories, Column, Phase, Table, Unwatched, random::generator};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_set_is_eligible(rows in prop::collection::vec((0u8..20, 0u32..3, 0u32..9), 0..200), l in 1usize..6, seed: u64) {
            let keys = Table::new(vec![
                Column::Numeric(rows.iter().map(|row| f64::from(row.0)).collect()),
                Column::Categorical(Categories::new(rows.iter().map(|row| row.1).collect())),
            ]).unwrap();
            let sensitive = Categories::new(rows.iter().map(|row| row.2).collect());
            let most = |slots: &[u32]| {
                let value = |row: &u32| sensitive.codes()[*row as usize];
                let count = |value_| slots.iter().filter(|row| value(row) == value_).count();
                (0..9).map(count).max().unwrap()
            };
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            prop_assume!(is_eligible(rows.len(), most(&all), l));
            let mut rng = generator(Some(seed)).unwrap();
            let mut slots = RowSlots::new(&keys, &sensitive, &mut rng).unwrap();
            let mut unwatched = Unwatched;
            let mut meter = Meter::start(&mut unwatched, Phase::Grouping, rows.len());
            let splitter = Splitter::new(&mut slots, 9, (l, 5), &mut rng, &mut meter);
            let ends = splitter.unwrap().sets().unwrap();
            let mut start = 0;
            for &end in &ends {
                let set = &slots.rows()[start..end];
                prop_assert!(is_eligible(set.len(), most(set), l));
                start = end;
            }
            prop_assert_eq!(start, rows.len());
            let mut slots = slots.into_rows();
            slots.sort_unstable();
            prop_assert_eq!(slots, all);
        }
    }
}
