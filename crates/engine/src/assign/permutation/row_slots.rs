//! The rows as splitting reads them: keys and sensitive value side by side, in an order of
//! their own.

use crate::run::allocation::{collected, reserved};
use crate::{Categories, Column, Result, Table, measure::Domain};
use rand::{Rng, seq::SliceRandom};

/// Rows in slots. A set of rows is a range of slots, so that the many small sets at the end
/// are read from the cache. Numeric keys are positions in their column's range; a column that
/// does not vary is left out, it has no penalty.
pub(super) struct RowSlots {
    rows: Vec<u32>,
    values: Vec<u32>,
    numeric: usize,
    positions: Vec<f64>,
    /// distinct values of each categorical column
    cardinalities: Vec<usize>,
    codes: Vec<u32>,
}

/// Keys and sensitive value of one row.
#[derive(Clone, Copy)]
pub(super) struct SlotRow<'a> {
    pub(super) positions: &'a [f64],
    pub(super) codes: &'a [u32],
    pub(super) value: u32,
}

impl RowSlots {
    /// Takes the rows in random order: the source's must not show in the groups.
    pub(super) fn new(
        keys: &Table,
        sensitive: &Categories,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Self> {
        let mut rows = collected(0..keys.rows() as u32)?;
        rows.shuffle(rng);
        let values = rows.iter().map(|&row| sensitive.codes()[row as usize]);
        let mut slots = RowSlots {
            values: collected(values)?,
            rows,
            numeric: 0,
            positions: Vec::new(),
            cardinalities: Vec::new(),
            codes: Vec::new(),
        };
        slots.read_numeric(keys)?;
        slots.read_categorical(keys)?;
        Ok(slots)
    }

    fn read_numeric(&mut self, keys: &Table) -> Result<()> {
        let columns = keys.columns().iter().filter_map(|column| match column {
            Column::Numeric(values) => {
                let domain = Domain::of(values);
                (domain.is_some() || column.has_gaps()).then_some((values, domain))
            }
            Column::Categorical(_) => None,
        });
        let columns: Vec<_> = columns.collect();
        self.numeric = columns.len();
        self.positions = reserved(self.rows.len() * columns.len())?;
        for &row in &self.rows {
            // a missing value is as far below the least as that is below the greatest
            let position = |(values, domain): &(&Vec<f64>, Option<Domain>)| {
                let value = values[row as usize];
                let domain = domain.as_ref().filter(|_| !value.is_nan());
                let outside = if value.is_nan() { -1.0 } else { 0.0 };
                domain.map_or(outside, |domain| domain.position(value))
            };
            self.positions.extend(columns.iter().map(position));
        }
        Ok(())
    }

    fn read_categorical(&mut self, keys: &Table) -> Result<()> {
        let columns = keys.columns().iter().filter_map(|column| match column {
            Column::Categorical(categories) if categories.cardinality() > 1 => Some(categories),
            _ => None,
        });
        let columns: Vec<_> = columns.collect();
        self.cardinalities = columns.iter().map(|column| column.cardinality()).collect();
        self.codes = reserved(self.rows.len() * columns.len())?;
        for &row in &self.rows {
            let code = |column: &&Categories| column.codes()[row as usize];
            self.codes.extend(columns.iter().map(code));
        }
        Ok(())
    }

    pub(super) fn of(&self, slot: usize) -> SlotRow<'_> {
        let (numeric, categorical) = (self.numeric, self.cardinalities.len());
        SlotRow {
            positions: &self.positions[slot * numeric..(slot + 1) * numeric],
            codes: &self.codes[slot * categorical..(slot + 1) * categorical],
            value: self.values[slot],
        }
    }

    /// Exchanges two rows.
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        self.rows.swap(a, b);
        self.values.swap(a, b);
        for column in 0..self.numeric {
            self.positions
                .swap(a * self.numeric + column, b * self.numeric + column);
        }
        let categorical = self.cardinalities.len();
        for column in 0..categorical {
            self.codes
                .swap(a * categorical + column, b * categorical + column);
        }
    }

    /// The row in each slot.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub(super) fn into_rows(self) -> Vec<u32> {
        self.rows
    }

    pub(super) fn numeric(&self) -> usize {
        self.numeric
    }

    pub(super) fn cardinalities(&self) -> &[usize] {
        &self.cardinalities
    }
}
