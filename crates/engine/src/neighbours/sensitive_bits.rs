//! Sensitive values folded into 64 bits, so that a node of a tree can say in one word which
//! values its rows have.

use crate::run::Meter;
use crate::run::{allocation, sorting};
use crate::{Categories, Result};
use std::cmp::Reverse;

/// Columns with more values than bits: the most frequent have a bit each, the others share
/// the last.
const BITS: usize = u64::BITS as usize;
const SHARED: u8 = BITS as u8 - 1;

/// The bit of each value of one sensitive column.
#[derive(Debug)]
pub struct ValueBits {
    of_code: Vec<u8>,
    crowded: bool,
}

impl ValueBits {
    /// The values of a column, a bit for each.
    pub fn new(column: &Categories) -> Result<Self> {
        let crowded = column.cardinality() > BITS;
        let of_code = if crowded {
            by_frequency(column)?
        } else {
            (0..column.cardinality() as u8).collect()
        };
        Ok(ValueBits { of_code, crowded })
    }

    /// The bits of rows that surely have this value: none if others share its bit.
    pub fn exactly(&self, code: u32) -> u64 {
        match self.of_code[code as usize] {
            SHARED if self.crowded => 0,
            bit => 1 << bit,
        }
    }
}

/// The most frequent values get bits of their own: those are the ones that groups have
/// already when they look for others.
fn by_frequency(column: &Categories) -> Result<Vec<u8>> {
    let mut counts = allocation::filled(column.cardinality(), 0u32)?;
    column
        .codes()
        .iter()
        .for_each(|&code| counts[code as usize] += 1);
    let mut ranking = allocation::collected(0..column.cardinality())?;
    sorting::sort_by_key(&mut ranking, |&code| (Reverse(counts[code]), code))?;
    let mut of_code = allocation::filled(column.cardinality(), SHARED)?;
    for (bit, &code) in (0..SHARED).zip(&ranking) {
        of_code[code] = bit;
    }
    Ok(of_code)
}

/// The bits of every row: one byte for each row and column.
#[derive(Debug, Default)]
pub(super) struct RowBits {
    columns: usize,
    bits: Vec<u8>,
}

impl RowBits {
    pub(super) fn new(sensitive: &[Categories], meter: &mut Meter) -> Result<Self> {
        let columns = sensitive.len();
        let rows = sensitive.first().map_or(0, |column| column.codes().len());
        let mut bits = allocation::filled(rows * columns, 0)?;
        for (number, column) in sensitive.iter().enumerate() {
            let values = ValueBits::new(column)?;
            let places = bits.iter_mut().skip(number).step_by(columns);
            for (place, &code) in places.zip(column.codes()) {
                *place = values.of_code[code as usize];
            }
            meter.spend(rows)?;
        }
        Ok(RowBits { columns, bits })
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The bit of each column for one row.
    pub(super) fn of(&self, row: u32) -> &[u8] {
        &self.bits[row as usize * self.columns..][..self.columns]
    }
}

/// What a search for a row with new sensitive values looks for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// for each sensitive column the bits of values that do not count; a row all of whose
    /// bits are in here is surely not wanted
    pub covered: &'a [u64],
    /// whether a row is wanted
    pub admits: &'a dyn Fn(u32) -> bool,
}

impl Wanted<'_> {
    /// Whether rows with these bits may be wanted.
    #[inline]
    pub(super) fn may_be_in(&self, masks: impl Iterator<Item = u64>) -> bool {
        masks
            .zip(self.covered)
            .any(|(mask, covered)| mask & !covered != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_values_have_bits_of_their_own() {
        let few = ValueBits::new(&Categories::new((0..64).collect())).unwrap();
        assert_eq!(few.exactly(63), 1 << 63);
        let codes = (0..100).chain([70, 70, 99]).collect();
        let many = ValueBits::new(&Categories::new(codes)).unwrap();
        assert_eq!(many.exactly(70), 1);
        assert_eq!(many.exactly(99), 2);
        assert_eq!(many.exactly(0), 4);
        let shared = (0..100).filter(|&code| many.exactly(code) == 0).count();
        assert_eq!(shared, 100 - 63);
    }
}
