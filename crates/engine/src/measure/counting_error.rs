//! How well a masked table answers counting queries: random queries, counted in the original and
//! estimated from what stands for it (LHCC15's experiment).

use super::utility::Meaning;
use crate::random::Generator;
use crate::run::Meter;
use crate::run::allocation;
use crate::{Error, Monitor, Phase, Result};
use rand::RngExt;

/// A column of both versions: for each row the number of its label, and what labels stand for.
#[derive(Debug, Clone, Copy)]
pub struct ColumnVersions<'a> {
    pub original: &'a [u32],
    pub original_meanings: &'a [Meaning],
    pub released: &'a [u32],
    pub released_meanings: &'a [Meaning],
    /// how many categories there are; 0 for numbers
    pub categories: usize,
}

/// A query asks for so many columns at once,
const COLUMNS: usize = 3;
/// is met by about this share of rows if columns are independent,
const SELECTIVITY: f64 = 0.1;
/// and is never counted as met by fewer than this share: one row more or less says nothing.
const LEAST: f64 = 0.001;

/// The mean relative error of random counting queries.
pub fn counting_error(
    columns: &[ColumnVersions<'_>],
    queries: usize,
    generator: &mut Generator,
    monitor: &mut dyn Monitor,
) -> Result<f64> {
    let rows = columns.first().ok_or(Error::NoColumns)?.original.len();
    let mut meter = Meter::start(monitor, Phase::Checking, queries);
    let mut total = 0.0;
    for _ in 0..queries {
        let query = CountingQuery::draw(columns, generator)?;
        let actual = query.count(|column| column.original, |asked| &asked.original)?;
        let estimate = query.count(|column| column.released, |asked| &asked.released)?;
        let least = (LEAST * rows as f64).max(1.0);
        total += (estimate - actual).abs() / actual.max(least);
        meter.grouped(1);
        meter.spend(COLUMNS * rows * 2)?;
    }
    Ok(total / queries.max(1) as f64)
}

/// What a query asks for in each of its columns.
struct CountingQuery<'a> {
    asked: Vec<Asked<'a>>,
}

/// One column: how much of each label meets the query.
struct Asked<'a> {
    column: ColumnVersions<'a>,
    original: Vec<f64>,
    released: Vec<f64>,
}

impl<'a> CountingQuery<'a> {
    fn draw(columns: &[ColumnVersions<'a>], generator: &mut Generator) -> Result<Self> {
        let count = COLUMNS.min(columns.len());
        let share = SELECTIVITY.powf(1.0 / count as f64);
        let mut left: Vec<usize> = (0..columns.len()).collect();
        let mut asked = Vec::new();
        for _ in 0..count {
            let place = generator.random_range(0..left.len());
            let column = columns[left.swap_remove(place)];
            let wanted = WantedValues::draw(&column, share, generator)?;
            let met = |meanings: &[Meaning]| {
                allocation::collected(meanings.iter().map(|meaning| wanted.share_of(meaning)))
            };
            asked.push(Asked {
                column,
                original: met(column.original_meanings)?,
                released: met(column.released_meanings)?,
            });
        }
        Ok(CountingQuery { asked })
    }

    /// The rows that meet the query, or what is expected of them.
    fn count(
        &self,
        labels: impl Fn(&ColumnVersions<'a>) -> &'a [u32],
        met: impl for<'b> Fn(&'b Asked<'a>) -> &'b Vec<f64>,
    ) -> Result<f64> {
        let rows = self
            .asked
            .first()
            .map_or(0, |asked| labels(&asked.column).len());
        let mut weights = allocation::filled(rows, 1.0)?;
        for asked in &self.asked {
            let met = met(asked);
            for (weight, &label) in weights.iter_mut().zip(labels(&asked.column)) {
                *weight *= met[label as usize];
            }
        }
        Ok(weights.iter().sum())
    }
}

/// Values that a query wants.
enum WantedValues {
    Between(f64, f64),
    OneOf { wanted: Vec<bool>, share: f64 },
}

impl WantedValues {
    fn draw(column: &ColumnVersions<'_>, share: f64, generator: &mut Generator) -> Result<Self> {
        if column.categories > 0 {
            let count = (share * column.categories as f64).round().max(1.0) as usize;
            let mut wanted = allocation::filled(column.categories, false)?;
            let mut codes: Vec<usize> = allocation::collected(0..column.categories)?;
            for _ in 0..count.min(column.categories) {
                let place = generator.random_range(0..codes.len());
                wanted[codes.swap_remove(place)] = true;
            }
            let share = count as f64 / column.categories as f64;
            return Ok(WantedValues::OneOf { wanted, share });
        }
        let ends = column.original_meanings.iter().filter_map(Meaning::ends);
        let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), ends| {
            (low.min(ends.0), high.max(ends.1))
        });
        let width = (high - low) * share;
        let start = low + (high - low - width) * generator.random::<f64>();
        Ok(WantedValues::Between(start, start + width))
    }

    /// How much of a label meets the query, 0 to 1.
    fn share_of(&self, meaning: &Meaning) -> f64 {
        match (self, meaning) {
            (WantedValues::Between(from, to), Meaning::Range { low, high }) => {
                if low == high {
                    return f64::from(from <= low && low <= to);
                }
                ((high.min(*to) - low.max(*from)) / (high - low)).clamp(0.0, 1.0)
            }
            (WantedValues::OneOf { wanted, share }, Meaning::Shares(shares)) => {
                let met = shares.iter().filter(|(code, _)| wanted[*code as usize]);
                let met: f64 = met.map(|&(_, share)| share).sum();
                let known: f64 = shares.iter().map(|&(_, share)| share).sum();
                met + (1.0 - known) * share
            }
            // nothing is known of the cell
            (WantedValues::OneOf { share, .. }, _) => *share,
            (WantedValues::Between(..), _) => SELECTIVITY.cbrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;

    fn numbers(rows: usize) -> (Vec<u32>, Vec<Meaning>) {
        let range = |row| Meaning::Range {
            low: f64::from(row),
            high: f64::from(row),
        };
        (
            (0..rows as u32).collect(),
            (0..rows as u32).map(range).collect(),
        )
    }

    fn error(released: &[u32], meanings: &[Meaning]) -> f64 {
        let (original, original_meanings) = numbers(released.len());
        let column = ColumnVersions {
            original: &original,
            original_meanings: &original_meanings,
            released,
            released_meanings: meanings,
            categories: 0,
        };
        let mut generator = crate::random::generator(Some(7)).unwrap();
        counting_error(&[column], 200, &mut generator, &mut Unwatched).unwrap()
    }

    #[test]
    fn what_is_unchanged_has_no_error() {
        let (labels, meanings) = numbers(1000);
        assert_eq!(error(&labels, &meanings), 0.0);
    }

    #[test]
    fn wider_ranges_have_larger_errors() {
        let coarse = |width: u32| {
            let labels: Vec<u32> = (0..1000).map(|row| row / width).collect();
            let range = |group: u32| Meaning::Range {
                low: f64::from(group * width),
                high: f64::from((group + 1) * width - 1),
            };
            error(&labels, &(0..1000 / width).map(range).collect::<Vec<_>>())
        };
        assert!(coarse(10) < 0.02 && coarse(250) > 2.0 * coarse(10));
        let lost = vec![0; 1000];
        assert!(error(&lost, &[Meaning::Lost]) > coarse(10));
    }
}
