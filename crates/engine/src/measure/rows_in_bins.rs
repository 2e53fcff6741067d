//! How many rows lie in each of several ranges, where a row itself may stand for a range.

use super::utility::Meaning;
use crate::Result;
use crate::run::allocation;

/// Ranges of equal width, side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bins {
    /// where the first one begins
    pub low: f64,
    /// 0 where all rows have the same number
    pub width: f64,
    pub count: usize,
    /// how far apart neighbouring numbers are: 1 for whole ones, 0 if there is always one between
    step: f64,
}

impl Bins {
    /// At most so many bins over all numbers that some meanings name; `None` where they name none.
    pub fn over<'a>(
        meanings: impl Iterator<Item = &'a Meaning>,
        most: usize,
        whole: bool,
    ) -> Option<Self> {
        let ends = meanings.filter_map(Meaning::ends);
        let (low, high) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let (most, step) = (most.max(1) as f64, f64::from(u8::from(whole)));
        // halves, because the whole may be infinite
        let width = ((high + step) / 2.0 - low / 2.0) / (most / 2.0);
        let width = if whole { width.ceil().max(1.0) } else { width };
        let count = match whole {
            _ if width <= 0.0 => 1.0,
            true => ((high - low + 1.0) / width).ceil().min(most),
            false => most,
        };
        Some(Bins {
            low,
            width,
            count: count as usize,
            step,
        })
    }

    /// The rows in each bin, and behind them those that stand for no number, given the label of
    /// each row and what labels stand for. A range counts evenly for what lies between its ends.
    pub fn rows(&self, labels: &[u32], meanings: &[Meaning]) -> Result<Vec<f64>> {
        let mut rows_of = allocation::filled(meanings.len(), 0u64)?;
        for &label in labels {
            rows_of[label as usize] += 1;
        }
        let mut rows = allocation::filled(self.count + 1, 0.0)?;
        for (meaning, &count) in meanings.iter().zip(&rows_of) {
            match meaning.ends() {
                None => rows[self.count] += count as f64,
                Some(ends) => self.spread(ends, count as f64, &mut rows),
            }
        }
        Ok(rows)
    }

    /// Spreads rows evenly over what lies between two numbers.
    fn spread(&self, (low, high): (f64, f64), count: f64, rows: &mut [f64]) {
        let (first, last) = (self.place(low), self.place(high));
        if first == last {
            rows[first] += count;
            return;
        }
        let length = (high + self.step) / 2.0 - low / 2.0;
        for (place, rows) in rows.iter_mut().enumerate().take(last + 1).skip(first) {
            let start = self.low + place as f64 * self.width;
            let from = start.max(low);
            let to = if place == last {
                high + self.step
            } else {
                start + self.width
            };
            *rows += count * (to / 2.0 - from / 2.0) / length;
        }
    }

    /// The bin of a number.
    fn place(&self, number: f64) -> usize {
        if self.width <= 0.0 {
            return 0;
        }
        let place = (number / 2.0 - self.low / 2.0) / (self.width / 2.0);
        (place.max(0.0) as usize).min(self.count - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(low: f64, high: f64) -> Meaning {
        Meaning::Range { low, high }
    }

    fn rows(meanings: &[Meaning], most: usize, whole: bool) -> Vec<f64> {
        let labels: Vec<u32> = (0..meanings.len() as u32).collect();
        let bins = Bins::over(meanings.iter(), most, whole).unwrap();
        bins.rows(&labels, meanings).unwrap()
    }

    #[test]
    fn ranges_count_for_what_they_cover() {
        let meanings = [range(0.0, 0.0), range(2.0, 5.0), range(9.0, 9.0)];
        // 0–4 and 5–9: three quarters of 2, 3, 4, 5 are in the first
        assert_eq!(rows(&meanings, 2, true), [1.75, 1.25, 0.0]);
        let meanings = [range(0.0, 10.0), range(10.0, 10.0), Meaning::Lost];
        assert_eq!(rows(&meanings, 4, false), [0.25, 0.25, 0.25, 1.25, 1.0]);
    }

    #[test]
    fn numbers_that_do_not_differ_have_one_bin() {
        assert_eq!(
            rows(&[range(7.0, 7.0), Meaning::Lost], 10, true),
            [1.0, 1.0]
        );
        assert_eq!(rows(&[range(0.5, 0.5)], 10, false), [1.0, 0.0]);
        assert_eq!(Bins::over([Meaning::Lost].iter(), 10, false), None);
    }

    #[test]
    fn huge_numbers_do_not_overflow() {
        let meanings = [range(-1e308, 1e308), range(1e308, 1e308)];
        let found = rows(&meanings, 2, false);
        assert!(
            (found[0] - 0.5).abs() < 1e-9 && (found[1] - 1.5).abs() < 1e-9,
            "{found:?}"
        );
    }

    proptest! {
        #[test]
        fn whole_numbers_are_counted_one_by_one(
            ranges in prop::collection::vec((-20i32..40, 0i32..15), 1..30), most in 1usize..12,
        ) {
            let meaning = |&(low, length): &(i32, i32)| range(low.into(), (low + length).into());
            let meanings: Vec<Meaning> = ranges.iter().map(meaning).collect();
            let bins = Bins::over(meanings.iter(), most, true).unwrap();
            prop_assert!(bins.count <= most);
            let mut expected = vec![0.0; bins.count + 1];
            for &(low, length) in &ranges {
                for number in low..=low + length {
                    let place = (f64::from(number) - bins.low) / bins.width;
                    expected[place as usize] += 1.0 / f64::from(length + 1);
                }
            }
            let found = rows(&meanings, most, true);
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-9, "{:?} and {:?}", found, expected);
            }
            // no bin is left over
            prop_assert!(expected[bins.count - 1] > 0.0);
        }
    }
}
