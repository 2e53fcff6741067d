//! How a column is distributed before and after, where texts of the release are read back.

use crate::compare::comparison::{TableVersions, Versions};
use crate::compare::label_meanings::NumberScale;
use crate::pg::errors::known;
use sdc_engine::measure::Bins;
use sdc_engine::measure::utility::{Meaning, masses};

const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// A range or value of a column with the rows that have it, before and after.
pub struct SharedValue {
    pub of: SharedOf,
    pub rows: [f64; 2],
}

/// What rows have in common.
pub enum SharedOf {
    /// numbers, or days since 2000-01-01, from here on
    Range {
        from: f64,
        width: f64,
    },
    /// a category, or NULL
    Value(Option<String>),
    OtherValues,
    /// nothing that is known
    Nothing,
}

/// A column of both versions on one scale.
pub struct ColumnDistribution {
    pub column: String,
    /// `None` for categories; times of day are left out of timestamps
    pub scale: Option<NumberScale>,
    pub values: Vec<SharedValue>,
}

impl TableVersions {
    /// The columns of which the release shows ranges or sets, if all of these can be read back, in
    /// at most so many ranges or values.
    pub fn distributions(&self, most: usize) -> Vec<ColumnDistribution> {
        let columns = self.columns().iter();
        let columns = columns.filter(|column| column.is_coarser() && column.is_legible());
        columns
            .filter_map(|column| {
                let values = match column.scale {
                    None => column.shared_categories(most),
                    Some(NumberScale::Span) => return None,
                    Some(scale) => column.shared_ranges(scale, most)?,
                };
                Some(ColumnDistribution {
                    column: column.name.clone(),
                    scale: column.scale,
                    values,
                })
            })
            .collect()
    }
}

impl Versions {
    /// Whether the release shows what the original does not: the text of a range or of a set.
    fn is_coarser(&self) -> bool {
        let mut texts = self.released.texts.iter();
        self.scale.is_some() || texts.any(|text| self.original.texts.find(text).is_none())
    }

    /// Whether each text of the release stands for something that the original has.
    fn is_legible(&self) -> bool {
        let released = self.released.texts().zip(&self.released_meanings);
        let mut texts = released.filter(|(text, _)| text.is_some());
        texts.all(|(_, meaning)| *meaning != Meaning::Lost)
    }

    fn shared_ranges(&self, scale: NumberScale, most: usize) -> Option<Vec<SharedValue>> {
        let days = |seconds: f64| (seconds / SECONDS_OF_A_DAY).floor();
        let placed = |meanings: &[Meaning]| -> Vec<Meaning> {
            let placed = meanings.iter().map(|meaning| match (meaning, scale) {
                (&Meaning::Range { low, high }, NumberScale::Seconds) => Meaning::Range {
                    low: days(low),
                    high: days(high),
                },
                _ => meaning.clone(),
            });
            placed.collect()
        };
        let before = placed(&self.original_meanings);
        let after = placed(&self.released_meanings);
        let bins = Bins::over(
            before.iter().chain(&after),
            most,
            scale != NumberScale::Real,
        )?;
        let before = known(bins.rows(&self.original.labels, &before));
        let after = known(bins.rows(&self.released.labels, &after));
        let values = before.into_iter().zip(after).enumerate();
        let values = values.map(|(place, (before, after))| SharedValue {
            of: match place < bins.count {
                true => SharedOf::Range {
                    from: bins.low + place as f64 * bins.width,
                    width: bins.width,
                },
                false => SharedOf::Nothing,
            },
            rows: [before, after],
        });
        let shown = |value: &SharedValue| match value.of {
            SharedOf::Nothing => value.rows != [0.0; 2],
            _ => true,
        };
        Some(values.filter(shown).collect())
    }

    /// The most frequent categories of both, then all others together.
    fn shared_categories(&self, most: usize) -> Vec<SharedValue> {
        let rows = |(labels, meanings, categories): (&[u32], &[Meaning], usize)| {
            let masses = known(masses(labels, meanings, categories));
            let rows = labels.len() as f64;
            masses.into_iter().map(move |mass| mass * rows)
        };
        let counted = rows(self.before()).zip(rows(self.after()));
        let mut values: Vec<(Option<String>, [f64; 2])> = self
            .original
            .texts()
            .zip(counted)
            .map(|(text, (before, after))| (text, [before, after]))
            .collect();
        let both = |rows: &[f64; 2]| rows[0] + rows[1];
        values.sort_by(|a, b| both(&b.1).total_cmp(&both(&a.1)).then(a.0.cmp(&b.0)));
        let known = values.iter().map(|(_, rows)| rows[1]).sum::<f64>();
        let unknown = self.released.labels.len() as f64 - known;
        let others = values.split_off(most.min(values.len()));
        let mut shown: Vec<SharedValue> = values
            .into_iter()
            .map(|(text, rows)| SharedValue {
                of: SharedOf::Value(text),
                rows,
            })
            .collect();
        if !others.is_empty() {
            let sum = |side: usize| others.iter().map(|(_, rows)| rows[side]).sum();
            shown.push(SharedValue {
                of: SharedOf::OtherValues,
                rows: [sum(0), sum(1)],
            });
        }
        // shares are sums of fractions: less than a row is an error of rounding
        if unknown > 0.5 {
            shown.push(SharedValue {
                of: SharedOf::Nothing,
                rows: [0.0, unknown],
            });
        }
        shown
    }
}
