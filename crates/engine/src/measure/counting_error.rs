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

/// The mean relative error of random counting queries. A node of a hierarchy counts for each of its
/// categories as often as the original has them, and a cell of which nothing is known for all values
/// of its column: that much the totals of single columns tell. A set lists what its group has, so
/// that equal shares are nearer.
pub fn counting_error(
    columns: &[ColumnVersions<'_>],
    queries: usize,
    generator: &mut Generator,
    monitor: &mut dyn Monitor,
) -> Result<f64> {
    let rows = columns.first().ok_or(Error::NoColumns)?.original.len();
    let mut meter = Meter::start(monitor, Phase::Checking, queries);
    let mut counted = allocation::reserved(columns.len())?;
    for &column in columns {
        counted.push(CountedColumn::new(column)?);
    }
    let mut total = 0.0;
    for _ in 0..queries {
        let query = CountingQuery::draw(&counted, generator)?;
        let actual = query.count(|column| column.original, |asked| &asked.original)?;
        let estimate = query.count(|column| column.released, |asked| &asked.released)?;
        let least = (LEAST * rows as f64).max(1.0);
        total += (estimate - actual).abs() / actual.max(least);
        meter.grouped(1);
        meter.spend(COLUMNS * rows * 2)?;
    }
    Ok(total / queries.max(1) as f64)
}

/// A column and how often the original has each of its values.
struct CountedColumn<'a> {
    column: ColumnVersions<'a>,
    /// the rows of each label of the original
    rows: Vec<f64>,
    /// how much of a lost cell was a value, not a NULL of the original
    blanked: f64,
}

impl<'a> CountedColumn<'a> {
    fn new(column: ColumnVersions<'a>) -> Result<Self> {
        let mut rows = allocation::filled(column.original_meanings.len(), 0.0)?;
        for &label in column.original {
            rows[label as usize] += 1.0;
        }
        let lost = |labels: &[u32], meanings: &[Meaning]| {
            let lost = |&&label: &&u32| meanings[label as usize] == Meaning::Lost;
            labels.iter().filter(lost).count() as f64
        };
        let nulls = lost(column.original, column.original_meanings);
        let lost = lost(column.released, column.released_meanings);
        Ok(CountedColumn {
            column,
            rows,
            blanked: ((lost - nulls) / lost.max(1.0)).max(0.0),
        })
    }

    /// What a query asks of the column.
    fn ask(&self, wanted: &WantedValues) -> Result<Asked<'a>> {
        let column = self.column;
        let meanings = column.original_meanings.iter();
        let original = allocation::collected(meanings.map(|meaning| wanted.holds(meaning)))?;
        let values = self.rows.iter().zip(column.original_meanings);
        let (mut met, mut all) = (0.0, 0.0);
        for ((rows, meaning), share) in values.zip(&original) {
            if *meaning != Meaning::Lost {
                met += rows * share;
                all += rows;
            }
        }
        let whole = part(met, all);
        let released = column
            .released_meanings
            .iter()
            .map(|meaning| match meaning {
                Meaning::Lost => whole * self.blanked,
                Meaning::Shares(shares) => self.share_of_set(shares, wanted, (met, all)),
                Meaning::Node(shares) => self.share_of_node(shares, wanted),
                Meaning::Range { .. } => wanted.holds(meaning),
            });
        Ok(Asked {
            column,
            original,
            released: allocation::collected(released)?,
        })
    }

    /// How much of a node meets a query.
    fn share_of_node(&self, shares: &[(u32, f64)], wanted: &WantedValues) -> f64 {
        let rows = |code: u32| self.rows[code as usize];
        let met = shares.iter().filter(|(code, _)| wanted.has(*code));
        let met: f64 = met.map(|&(code, _)| rows(code)).sum();
        part(met, shares.iter().map(|&(code, _)| rows(code)).sum())
    }

    /// How much of a set meets a query, given the rows of the original that meet it and all of
    /// them: what of the set is not known is one of the other categories.
    fn share_of_set(
        &self,
        shares: &[(u32, f64)],
        wanted: &WantedValues,
        (met, all): (f64, f64),
    ) -> f64 {
        let (mut known, mut of_known) = (0.0, 0.0);
        let (mut rows, mut rows_met) = (0.0, 0.0);
        for &(code, share) in shares {
            let wants = f64::from(wanted.has(code));
            known += share;
            of_known += share * wants;
            rows += self.rows[code as usize];
            rows_met += self.rows[code as usize] * wants;
        }
        let others = part(met - rows_met, all - rows).clamp(0.0, 1.0);
        of_known + (1.0 - known).max(0.0) * others
    }
}

/// A part of all; nothing of nothing.
fn part(met: f64, all: f64) -> f64 {
    if all > 0.0 { met / all } else { 0.0 }
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
    fn draw(columns: &[CountedColumn<'a>], generator: &mut Generator) -> Result<Self> {
        let count = COLUMNS.min(columns.len());
        let share = SELECTIVITY.powf(1.0 / count as f64);
        let mut left: Vec<usize> = (0..columns.len()).collect();
        let mut asked = Vec::new();
        for _ in 0..count {
            let place = generator.random_range(0..left.len());
            let column = &columns[left.swap_remove(place)];
            let wanted = WantedValues::draw(&column.column, share, generator)?;
            asked.push(column.ask(&wanted)?);
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
    OneOf(Vec<bool>),
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
            return Ok(WantedValues::OneOf(wanted));
        }
        let ends = column.original_meanings.iter().filter_map(Meaning::ends);
        let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), ends| {
            (low.min(ends.0), high.max(ends.1))
        });
        let width = (high - low) * share;
        let start = low + (high - low - width) * generator.random::<f64>();
        Ok(WantedValues::Between(start, start + width))
    }

    fn has(&self, code: u32) -> bool {
        match self {
            WantedValues::OneOf(wanted) => wanted[code as usize],
            WantedValues::Between(..) => false,
        }
    }

    /// How much of a value or range meets the query, 0 to 1. NULL meets no query for numbers.
    fn holds(&self, meaning: &Meaning) -> f64 {
        match (self, meaning) {
            (WantedValues::Between(from, to), Meaning::Range { low, high }) => {
                if low == high {
                    return f64::from(from <= low && low <= to);
                }
                ((high.min(*to) - low.max(*from)) / (high - low)).clamp(0.0, 1.0)
            }
            (WantedValues::OneOf(_), Meaning::Shares(shares)) => {
                let met = shares.iter().filter(|(code, _)| self.has(*code));
                met.map(|&(_, share)| share).sum()
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;
    use proptest::prelude::*;

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
    }

    /// The error where the released columns are given as labels and meanings beside the original's.
    fn error_of(columns: &[(&[u32], &[Meaning], &[u32], &[Meaning])], categories: usize) -> f64 {
        let version =
            |&(original, original_meanings, released, released_meanings)| ColumnVersions {
                original,
                original_meanings,
                released,
                released_meanings,
                categories,
            };
        let columns: Vec<ColumnVersions<'_>> = columns.iter().map(version).collect();
        let mut generator = crate::random::generator(Some(7)).unwrap();
        counting_error(&columns, 500, &mut generator, &mut Unwatched).unwrap()
    }

    #[test]
    fn lost_columns_count_for_what_the_original_has() {
        let (_, values) = numbers(30);
        let lost = vec![0; 27_000];
        // three independent columns, the first of them skewed
        let column = |place: u32| -> Vec<u32> {
            let digit = |row: u32| row / 30u32.pow(place) % 30;
            let skewed = |value: u32| {
                if place == 0 {
                    value * value / 30
                } else {
                    value
                }
            };
            (0..27_000).map(|row| skewed(digit(row))).collect()
        };
        let columns = [0, 1, 2].map(column);
        for count in 1..=3 {
            let given = columns[..count].iter();
            let given =
                given.map(|labels| (&labels[..], &values[..], &lost[..], &[Meaning::Lost][..]));
            assert!(error_of(&given.collect::<Vec<_>>(), 0) < 1e-9);
        }
        // what goes together no longer does
        let both = (
            &columns[1][..],
            &values[..],
            &lost[..],
            &[Meaning::Lost][..],
        );
        assert!(error_of(&[both, both], 0) > 0.5);
    }

    #[test]
    fn nulls_of_the_original_meet_no_query() {
        let (labels, mut meanings) = numbers(1000);
        for missing in meanings.iter_mut().step_by(3) {
            *missing = Meaning::Lost;
        }
        assert_eq!(
            error_of(&[(&labels, &meanings, &labels, &meanings)], 0),
            0.0
        );
        let lost = vec![0; 1000];
        assert!(error_of(&[(&labels, &meanings, &lost, &[Meaning::Lost])], 0) < 0.1);
    }

    proptest! {
        #[test]
        fn cells_count_for_the_rows_that_they_may_stand_for(
            original in prop::collection::vec(0..5u32, 1..40), sets in prop::collection::vec(1..32u32, 1..40),
            wanted in prop::collection::vec(any::<bool>(), 5),
        ) {
            // each category occurs, as it does where the original's texts are the categories
            let original: Vec<u32> = (0..5).chain(original).collect();
            let of = |set: u32| (0..5u32).filter(move |code| set >> code & 1 == 1);
            let meaning = |&set: &u32| {
                let share = 1.0 / f64::from(set.count_ones());
                Meaning::Node(of(set).map(|code| (code, share)).collect())
            };
            let single = |code: u32| Meaning::Shares(vec![(code, 1.0)]);
            let mut released_meanings: Vec<Meaning> = sets.iter().map(meaning).collect();
            released_meanings.push(Meaning::Lost);
            let released: Vec<u32> = (0..released_meanings.len() as u32).collect();
            let original_meanings: Vec<Meaning> = (0..5).map(single).collect();
            let column = CountedColumn::new(ColumnVersions {
                original: &original,
                original_meanings: &original_meanings,
                released: &released,
                released_meanings: &released_meanings,
                categories: 5,
            }).unwrap();
            let naive = |set: u32| {
                let fits = original.iter().filter(|&&code| set >> code & 1 == 1);
                let met = fits.clone().filter(|&&code| wanted[code as usize]).count();
                met as f64 / fits.count() as f64
            };
            let asked = column.ask(&WantedValues::OneOf(wanted.clone())).unwrap();
            for (found, &set) in asked.released.iter().zip(sets.iter().chain(&[31])) {
                prop_assert!((found - naive(set)).abs() < 1e-9);
            }
        }
    }
}
