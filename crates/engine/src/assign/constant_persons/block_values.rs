//! Which values a block takes: those of persons with as many rows as the largest one has, or of
//! persons whose rows add up.

use super::row_sums::RowSums;
use super::{BlockMaker, SEARCH, Seed, TRIES};
use crate::Result;
use crate::assign::eligibility::is_eligible;
use crate::run::allocation::{collected, make_room, reserved};
use std::cmp::Reverse;

/// A block may have so many times the groups that its largest person needs.
const STRETCH: usize = 4;

/// Values of a block, and of each the rows of persons who are taken.
pub(super) type Columns = Vec<(usize, Vec<usize>)>;

impl BlockMaker<'_, '_> {
    /// The values of the nearest persons with as many rows, if the others remain eligible. If
    /// not, or if nobody is nearer than others, those that most such persons have.
    pub(super) fn like_columns(&mut self, seed: &Seed) -> Result<Option<Columns>> {
        // one of so many is not among the others of the block: no value left is more frequent
        let frequent = self.frequent(self.l)?;
        if self.positions.is_none() {
            let mut others = collected(frequent.iter().copied())?;
            others.retain(|&value| value != seed.value);
            return self.columns_of(seed, &others, &frequent);
        }
        let (wanted, most) = (self.l - 1, TRIES * (TRIES + self.l));
        let nearest = self
            .largest
            .nearest(seed.position, seed.value, wanted, most)?;
        self.meter.spend(SEARCH + nearest.looked)?;
        let near = nearest.values;
        let is_near = near.len() == wanted;
        if is_near && let Some(columns) = self.columns_of(seed, &near, &frequent)? {
            return Ok(Some(columns));
        }
        let mut like = self.near_and_frequent(seed, near)?;
        if !is_near {
            like.sort_unstable();
            let values = collected(like.iter().map(|of| of.1))?;
            if let Some(columns) = self.columns_of(seed, &values, &frequent)? {
                return Ok(Some(columns));
            }
        }
        like.sort_unstable_by_key(|&(distance, value)| {
            (Reverse(self.largest.count(value)), distance, value)
        });
        let values = collected(like.iter().map(|of| of.1))?;
        self.columns_of(seed, &values, &frequent)
    }

    /// The values that most of the largest persons have.
    fn frequent(&mut self, wanted: usize) -> Result<Vec<usize>> {
        let left = &self.left;
        let values = self.largest.most_frequent(wanted, |value| left.of(value))?;
        self.meter.spend(SEARCH * values.len())?;
        Ok(values)
    }

    /// These values and the most frequent ones, and how far the nearest person of each is.
    fn near_and_frequent(&mut self, seed: &Seed, near: Vec<usize>) -> Result<Vec<(u64, usize)>> {
        let mut values = self.frequent(self.l + TRIES)?;
        values.retain(|value| *value != seed.value && !near.contains(value));
        let mut like = reserved(near.len() + values.len())?;
        for value in near.into_iter().chain(values) {
            let distance = self.stocks[value].distance(seed.rows, seed.position);
            like.extend(distance.map(|distance| (distance, value)));
        }
        self.meter.spend(SEARCH * like.len())?;
        Ok(like)
    }

    /// The person's value and the first of these others, if the rest remains eligible: the rows,
    /// and the persons with as many of them.
    fn columns_of(
        &mut self,
        seed: &Seed,
        others: &[usize],
        frequent: &[usize],
    ) -> Result<Option<Columns>> {
        let Some(others) = others.get(..self.l - 1) else {
            return Ok(None);
        };
        let left = |value: &usize| self.largest.count(*value) - usize::from(others.contains(value));
        let most = frequent.iter().map(left).max().unwrap_or(0);
        if !is_eligible(self.largest.persons() - others.len(), most, self.l) {
            return Ok(None);
        }
        let mut columns = reserved(self.l)?;
        columns.push((seed.value, Vec::new()));
        columns.extend(others.iter().map(|&value| (value, vec![seed.rows])));
        let first = self.left.first(self.l + 1)?;
        self.meter.spend(SEARCH * first.len())?;
        let eligible = self.leaves_eligible(&first, &columns, seed.rows);
        Ok(eligible.then_some(columns))
    }

    /// Whether the rest is eligible once a block has taken its rows.
    fn leaves_eligible(&self, first: &[usize], columns: &Columns, groups: usize) -> bool {
        let taken = |value: usize| columns.iter().any(|column| column.0 == value);
        self.left
            .stays_eligible(first, (columns.len(), taken), groups)
    }

    /// Values of persons with any numbers of rows, in as few groups as can be; with them how many.
    pub(super) fn mixed_columns(&mut self, seed: &Seed) -> Result<Option<(Columns, usize)>> {
        let first = self.left.first(self.l + TRIES + 2)?;
        self.meter.spend(SEARCH * first.len())?;
        // of the values that are needed the last has the fewest rows
        let Some(&least) = first.get(self.l - 1) else {
            return Ok(None);
        };
        let most = self.left.of(least).min(self.left.all() / self.l);
        let most = most.min(seed.rows * STRETCH);
        if most < seed.rows {
            return Ok(None);
        }
        let own = self.stocks[seed.value].sums(most - seed.rows, self.meter)?;
        let mut sums = Vec::new();
        for groups in seed.rows..=most {
            self.meter.spend(1)?;
            let Some(own) = own.sizes(groups - seed.rows)? else {
                continue;
            };
            let columns = vec![(seed.value, own)];
            if let Some(columns) = self.with_others(columns, &first, &mut sums, groups, most)? {
                return Ok(Some((columns, groups)));
            }
        }
        Ok(None)
    }

    /// The columns with those of the first other values that fill so many groups, until the rest
    /// is eligible. What sums their persons have, in up to `most` groups, is found out once.
    fn with_others(
        &mut self,
        mut columns: Columns,
        first: &[usize],
        sums: &mut Vec<RowSums>,
        groups: usize,
        most: usize,
    ) -> Result<Option<Columns>> {
        let seed = columns[0].0;
        let others = first.iter().filter(|&&other| other != seed);
        for (place, &other) in others.take(self.l + TRIES).enumerate() {
            if columns.len() >= self.l && self.leaves_eligible(first, &columns, groups) {
                break;
            }
            if place == sums.len() {
                make_room(sums, 1)?;
                sums.push(self.stocks[other].sums(most, self.meter)?);
            }
            self.meter.spend(SEARCH)?;
            if let Some(sizes) = sums[place].sizes(groups)? {
                make_room(&mut columns, 1)?;
                columns.push((other, sizes));
            }
        }
        let enough = columns.len() >= self.l && self.leaves_eligible(first, &columns, groups);
        Ok(enough.then_some(columns))
    }
}
