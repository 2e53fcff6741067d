//! Which sensitive values a group has and still lacks, and which ones remain to be had.

use crate::neighbours::ValueBits;
use crate::run::allocation;
use crate::{Categories, Result};

/// The values that the group in the making has, of each sensitive column.
pub(super) struct Quota<'a> {
    p: usize,
    columns: Vec<Held<'a>>,
    /// whether only columns count that still lack values
    lean: bool,
    group: u32,
    /// for each column the bits of values that do not contribute
    covered: Vec<u64>,
}

struct Held<'a> {
    column: &'a Categories,
    bits: ValueBits,
    /// the last group that had each value
    holder: Vec<u32>,
    distinct: usize,
}

impl<'a> Quota<'a> {
    pub(super) fn new(sensitive: &'a [Categories], p: usize, lean: bool) -> Result<Self> {
        let held = |column: &'a Categories| {
            Ok(Held {
                bits: ValueBits::new(column)?,
                holder: allocation::filled(column.cardinality(), 0)?,
                distinct: 0,
                column,
            })
        };
        Ok(Quota {
            p,
            columns: sensitive.iter().map(held).collect::<Result<_>>()?,
            lean,
            group: 0,
            covered: vec![0; sensitive.len()],
        })
    }

    /// A new group begins, without rows.
    pub(super) fn start(&mut self) {
        self.group += 1;
        self.columns.iter_mut().for_each(|held| held.distinct = 0);
        self.covered.fill(0);
    }

    /// A row joins the group.
    pub(super) fn add(&mut self, row: u32) {
        for (held, covered) in self.columns.iter_mut().zip(&mut self.covered) {
            let code = held.column.codes()[row as usize];
            let holder = &mut held.holder[code as usize];
            if *holder != self.group {
                *holder = self.group;
                held.distinct += 1;
                let full = self.lean && held.distinct >= self.p;
                *covered |= if full {
                    u64::MAX
                } else {
                    held.bits.exactly(code)
                };
            }
        }
    }

    /// Whether the group lacks values of some column.
    pub(super) fn is_short(&self) -> bool {
        self.columns.iter().any(|held| held.distinct < self.p)
    }

    /// Whether a row brings the group a value that counts.
    pub(super) fn contributes(&self, row: u32) -> bool {
        let new = |held: &Held| {
            let code = held.column.codes()[row as usize];
            self.counts(held) && held.holder[code as usize] != self.group
        };
        self.columns.iter().any(new)
    }

    fn counts(&self, held: &Held) -> bool {
        !self.lean || held.distinct < self.p
    }

    /// For each column the bits of values that do not contribute.
    pub(super) fn covered(&self) -> &[u64] {
        &self.covered
    }
}

/// How often each value of the sensitive columns occurs among the rows that remain.
pub(super) struct Supply<'a> {
    columns: Vec<Stock<'a>>,
}

struct Stock<'a> {
    column: &'a Categories,
    counts: Vec<u64>,
    distinct: usize,
}

impl<'a> Supply<'a> {
    /// All rows, with the counts of their values.
    pub(super) fn new(sensitive: &'a [Categories], counts: &[Vec<u64>]) -> Result<Self> {
        let stock = |(column, counts): (&'a Categories, &Vec<u64>)| {
            Ok(Stock {
                column,
                distinct: counts.iter().filter(|&&count| count > 0).count(),
                counts: allocation::collected(counts.iter().copied())?,
            })
        };
        let columns = sensitive.iter().zip(counts).map(stock);
        Ok(Supply {
            columns: columns.collect::<Result<_>>()?,
        })
    }

    /// A row is taken.
    pub(super) fn remove(&mut self, row: u32) {
        for stock in &mut self.columns {
            let code = stock.column.codes()[row as usize];
            let count = &mut stock.counts[code as usize];
            *count -= 1;
            stock.distinct -= usize::from(*count == 0);
        }
    }

    /// Whether p distinct values of every column remain.
    pub(super) fn suffices(&self, p: usize) -> bool {
        self.columns.iter().all(|stock| stock.distinct >= p)
    }
}
