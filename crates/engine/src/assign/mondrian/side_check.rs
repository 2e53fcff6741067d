//! What the sides of a cut must keep.

use super::cut_axis::Placed;
use crate::lattice::Condition;
use crate::model::Group;
use crate::run::allocation;
use crate::{Categories, Result};

/// Counts distinct sensitive values up to p.
pub(super) struct Diversity<'a> {
    columns: Vec<Seen<'a>>,
    p: usize,
}

/// A sensitive column and the count in which each of its values was last seen.
struct Seen<'a> {
    codes: &'a [u32],
    last: Vec<u64>,
    count: u64,
}

impl<'a> Diversity<'a> {
    pub fn new(sensitive: &'a [Categories], p: usize) -> Result<Self> {
        let column = |column: &'a Categories| {
            Ok(Seen {
                codes: column.codes(),
                last: allocation::filled(column.cardinality(), 0)?,
                count: 0,
            })
        };
        let columns = sensitive.iter().map(column).collect::<Result<_>>()?;
        Ok(Diversity { columns, p })
    }

    /// How many of the first rows it takes to have p values of each column, if all have them.
    pub fn shortest(&mut self, rows: impl Iterator<Item = u32> + Clone) -> Option<usize> {
        let mut longest = 0;
        for column in &mut self.columns {
            longest = column.shortest(rows.clone(), self.p)?.max(longest);
        }
        Some(longest)
    }
}

impl Seen<'_> {
    fn shortest(&mut self, rows: impl Iterator<Item = u32>, p: usize) -> Option<usize> {
        self.count += 1;
        let mut distinct = 0;
        for (place, row) in rows.enumerate() {
            let last = &mut self.last[self.codes[row as usize] as usize];
            if *last != self.count {
                *last = self.count;
                distinct += 1;
            }
            if distinct == p {
                return Some(place + 1);
            }
        }
        None
    }
}

/// Further conditions, which a side may meet or not whatever its size.
pub(super) struct SideCheck<'a> {
    conditions: &'a [Condition<'a>],
    columns: Vec<&'a [u32]>,
    /// for each column how often each value occurs in the side at hand
    counts: Vec<Vec<u64>>,
    values: Vec<(u32, u64)>,
}

impl<'a> SideCheck<'a> {
    pub fn new(sensitive: &'a [Categories], conditions: &'a [Condition<'a>]) -> Result<Self> {
        let counts = sensitive.iter().map(|column| match conditions {
            [] => Ok(Vec::new()),
            _ => allocation::filled(column.cardinality(), 0),
        });
        Ok(SideCheck {
            conditions,
            columns: sensitive.iter().map(Categories::codes).collect(),
            counts: counts.collect::<Result<_>>()?,
            values: Vec::new(),
        })
    }

    /// Whether nothing further is asked.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Whether both sides meet everything.
    pub fn hold(&mut self, sides: (&[Placed], &[Placed])) -> bool {
        self.is_empty() || (self.side_holds(sides.0) && self.side_holds(sides.1))
    }

    fn side_holds(&mut self, rows: &[Placed]) -> bool {
        let columns = 0..self.columns.len();
        let rows = || rows.iter().map(|placed| placed.row);
        columns
            .into_iter()
            .all(|column| self.column_holds(column, rows()))
    }

    /// Whether rows meet everything as one group.
    pub fn rows_hold(&mut self, rows: &[u32]) -> bool {
        let mut columns = 0..self.columns.len();
        self.is_empty() || columns.all(|column| self.column_holds(column, rows.iter().copied()))
    }

    /// Counts the values of a side in one column and asks the conditions on it.
    fn column_holds(&mut self, column: usize, rows: impl ExactSizeIterator<Item = u32>) -> bool {
        let (codes, counts) = (self.columns[column], &mut self.counts[column]);
        self.values.clear();
        let size = rows.len() as u64;
        for row in rows {
            let code = codes[row as usize];
            counts[code as usize] += 1;
            if counts[code as usize] == 1 {
                self.values.push((code, 0));
            }
        }
        self.values.sort_unstable();
        for (code, count) in &mut self.values {
            *count = std::mem::take(&mut counts[*code as usize]);
        }
        let group = Group {
            rows: size,
            values: &self.values,
        };
        let of_column = |condition: &&Condition<'_>| condition.column == Some(column);
        let mut asked = self.conditions.iter().filter(of_column);
        asked.all(|asked| asked.model.holds(asked.model.figure(group), asked.required))
    }
}
