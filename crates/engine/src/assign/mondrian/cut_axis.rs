//! A key column as a line on which rows have their places.

use crate::run::allocation;
use crate::{Column, Result};
use std::borrow::Cow;
use std::cmp::Ordering;

/// A key column to be cut.
pub(super) struct CutAxis<'a> {
    values: Cow<'a, [f64]>,
    pub scale: Scale,
}

/// How much of a column the rows of a side take up.
#[derive(Clone, Copy)]
pub(super) enum Scale {
    /// by their range; half of the whole table's, as the whole one may overflow
    Range { extent: f64 },
    /// by their distinct values
    Values { cardinality: usize },
}

/// A row at its place along a column.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub value: f64,
    /// where it was before
    place: u32,
    pub row: u32,
}

impl Placed {
    /// By value, and rows of the same value as before.
    pub fn order(&self, other: &Self) -> Ordering {
        // -0.0 and 0.0 are the same value, so not total_cmp; missing values have a place
        let by_value = self.value.partial_cmp(&other.value);
        let by_value = by_value.unwrap_or(Ordering::Equal);
        by_value.then(self.place.cmp(&other.place))
    }
}

impl<'a> CutAxis<'a> {
    pub fn new(column: &'a Column) -> Result<Self> {
        Ok(match column {
            Column::Numeric(values) if column.has_gaps() => {
                let values = below_all(values)?;
                CutAxis {
                    scale: Scale::Range {
                        extent: extent(&values),
                    },
                    values: Cow::Owned(values),
                }
            }
            Column::Numeric(values) => CutAxis {
                scale: Scale::Range {
                    extent: extent(values),
                },
                values: Cow::Borrowed(&values[..]),
            },
            Column::Categorical(categories) => {
                let codes = categories.codes().iter();
                CutAxis {
                    values: Cow::Owned(allocation::collected(codes.map(|&code| f64::from(code)))?),
                    scale: Scale::Values {
                        cardinality: categories.cardinality(),
                    },
                }
            }
        })
    }

    /// Whether rows differ here.
    pub fn varies(&self, rows: &[u32]) -> bool {
        let first = rows.first().map(|&row| self.value(row));
        rows.iter().any(|&row| Some(self.value(row)) != first)
    }

    pub fn value(&self, row: u32) -> f64 {
        self.values[row as usize]
    }

    pub fn placed(&self, place: u32, row: u32) -> Placed {
        Placed {
            value: self.value(row),
            place,
            row,
        }
    }
}

/// Half the distance between the least and the largest value.
fn extent(values: &[f64]) -> f64 {
    let ends = values
        .iter()
        .fold(None, |ends: Option<(f64, f64)>, &value| {
            let (least, largest) = ends.unwrap_or((value, value));
            Some((least.min(value), largest.max(value)))
        });
    ends.map_or(0.0, |(least, largest)| largest / 2.0 - least / 2.0)
}

/// Missing values in a place of their own, as far below all numbers as these are wide.
fn below_all(values: &[f64]) -> Result<Vec<f64>> {
    let present = || values.iter().copied().filter(|value| !value.is_nan());
    let least = present().fold(f64::INFINITY, f64::min).min(f64::MAX);
    let largest = present().fold(f64::NEG_INFINITY, f64::max).max(least);
    let below = least - (largest - least) - (1.0 + least.abs() / 1024.0);
    let place = |value: &f64| match value.is_nan() {
        true => below.max(f64::MIN),
        false => *value,
    };
    allocation::collected(values.iter().map(place))
}
