//! The first two groups of MDAV, for every size of groups at once.
//!
//! Whatever the size, the first group forms around the row that is farthest from the centroid
//! of all rows, the second around the row farthest from that one. So their rows are the first
//! of two orders that stay, and where one of them lacks values no other group need be formed.

use super::value_quota::Quota;
use crate::Result;
use crate::neighbours::{Hit, Point, Remaining, TopK};
use crate::run::Meter;
use crate::run::allocation;

/// The orders in which rows are taken into the first two groups.
pub(super) struct Opening {
    first: Vec<u32>,
    second: Vec<u32>,
    /// the place of each row in the first order
    place: Vec<u32>,
    /// the least size at which the first group has all values
    least: usize,
}

impl Opening {
    /// The opening of MDAV on all rows of the input, which are those that remain.
    pub(super) fn new(
        remaining: &mut impl Remaining,
        quota: &mut Quota,
        meter: &mut Meter,
    ) -> Result<Self> {
        let r = remaining.farthest_from_centroid(meter)?;
        let (point, first) = around(remaining, r, meter)?;
        let s = remaining.farthest_from(&point, meter)?;
        let (_, second) = around(remaining, s, meter)?;
        let mut place = allocation::filled(first.len(), 0)?;
        for (&row, number) in first.iter().zip(0..) {
            place[row as usize] = number;
        }
        let mut rows = first.iter();
        quota.start();
        while quota.is_short()
            && let Some(&row) = rows.next()
        {
            quota.add(row);
        }
        let least = first.len() - rows.len();
        Ok(Opening {
            first,
            second,
            place,
            least,
        })
    }

    /// The least size from `size` on at which both groups have all values.
    pub(super) fn next_size(
        &self,
        mut size: usize,
        quota: &mut Quota,
        meter: &mut Meter,
    ) -> Result<usize> {
        size = size.max(self.least);
        while !self.second_is_complete(size, quota, meter)? {
            size += 1;
        }
        Ok(size)
    }

    /// Whether the group that follows the first has all values, if there is one.
    fn second_is_complete(
        &self,
        size: usize,
        quota: &mut Quota,
        meter: &mut Meter,
    ) -> Result<bool> {
        let rows = self.first.len();
        if rows / 3 >= size {
            let left = |row: &&u32| self.place[**row as usize] as usize >= size;
            return is_complete(self.second.iter().filter(left).take(size), quota, meter);
        }
        if rows / 2 >= size {
            return is_complete(self.first[size..].iter(), quota, meter);
        }
        Ok(true)
    }
}

fn is_complete<'a>(
    rows: impl Iterator<Item = &'a u32>,
    quota: &mut Quota,
    meter: &mut Meter,
) -> Result<bool> {
    let mut looks = 1;
    quota.start();
    for &row in rows {
        quota.add(row);
        looks += 1;
        if !quota.is_short() {
            break;
        }
    }
    meter.spend(looks)?;
    Ok(!quota.is_short())
}

/// A row's place, and all rows by their distance from it.
fn around(
    remaining: &mut impl Remaining,
    centre: Hit,
    meter: &mut Meter,
) -> Result<(Point, Vec<u32>)> {
    let mut point = Point::default();
    remaining.read(centre.slot, &mut point);
    let mut found = TopK::new(remaining.len())?;
    remaining.nearest(&point, Some(centre.slot), &mut found, meter)?;
    let rows = allocation::collected(found.hits().iter().map(|hit| hit.row))?;
    Ok((point, rows))
}
