//! The generalization hierarchy of one key column.

use crate::run::{allocation, sorting};
use crate::{Error, Result};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// For each level the code of each base value; level 0 is the value itself, and every level
/// is a coarsening of the one before it.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    levels: Vec<Level>,
}

/// One level: the code of each base value and, for each code, how many values it covers.
#[derive(Debug, Clone)]
struct Level {
    codes: Vec<u32>,
    covered: Vec<u32>,
}

impl Hierarchy {
    /// From the number of base values and, for each level from 1 on, one label per base value.
    /// Labels are any numbers: values share a code where they share a label.
    pub fn new(values: u32, labels: &[Vec<u32>]) -> Result<Self> {
        let mut levels = vec![Level {
            codes: allocation::collected(0..values)?,
            covered: allocation::filled(values as usize, 1)?,
        }];
        for (above, labels) in labels.iter().enumerate() {
            let level = Level::new(values as usize, labels)?;
            let values = levels[above].broken_by(&level)?;
            if values > 0 {
                let level = above + 1;
                return Err(Error::NotCoarser { level, values });
            }
            levels.push(level);
        }
        Ok(Hierarchy { levels })
    }

    /// The same with a code of its own for one value on every level.
    pub fn with_apart(&self, value: u32) -> Result<Self> {
        let labels = self.levels[1..].iter().map(|level| {
            let mut labels: Vec<u32> = allocation::collected(level.codes.iter().copied())?;
            if let Some(label) = labels.get_mut(value as usize) {
                *label = u32::MAX;
            }
            Ok::<_, Error>(labels)
        });
        Hierarchy::new(self.values() as u32, &labels.collect::<Result<Vec<_>>>()?)
    }

    /// The number of base values.
    pub fn values(&self) -> usize {
        self.levels[0].codes.len()
    }

    /// The number of levels, level 0 included.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The number of distinct codes of a level; 1 where everything is one value.
    pub fn codes(&self, level: usize) -> usize {
        self.levels[level].covered.len()
    }

    /// The code of each base value at a level, numbered by first appearance.
    pub fn code_of(&self, level: usize) -> &[u32] {
        &self.levels[level].codes
    }

    /// How many base values each code of a level covers.
    pub fn covered(&self, level: usize) -> &[u32] {
        &self.levels[level].covered
    }

    /// What a cell with this base value loses at a level, 0 to 1: the other values that its
    /// code covers, as a share of all other values (the normalized certainty penalty).
    pub fn loss(&self, level: usize, value: u32) -> f64 {
        match self.values() {
            0 | 1 => 0.0,
            values => self.others(level, value) as f64 / (values - 1) as f64,
        }
    }

    /// The place of each base value in an order that keeps the values of every code of every
    /// level together: such places make a categorical column fit to be cut.
    pub fn places(&self) -> Result<Vec<u32>> {
        let values = self.values() as u32;
        let mut order: Vec<u32> = allocation::collected(0..values)?;
        // values that share a code above are told apart by the levels below; level 0 tells all
        let codes = |value: u32| {
            self.levels
                .iter()
                .rev()
                .map(move |l| l.codes[value as usize])
        };
        sorting::sort_by(&mut order, |&a, &b| codes(a).cmp(codes(b)))?;
        let mut places = allocation::filled(self.values(), 0)?;
        for (&value, place) in order.iter().zip(0..) {
            places[value as usize] = place;
        }
        Ok(places)
    }

    /// How many other base values share the code of `value` at a level.
    pub(super) fn others(&self, level: usize, value: u32) -> u64 {
        let level = &self.levels[level];
        u64::from(level.covered[level.codes[value as usize] as usize] - 1)
    }
}

impl Level {
    fn new(values: usize, labels: &[u32]) -> Result<Self> {
        if labels.len() != values {
            return Err(Error::UnequalColumns {
                first: values,
                other: labels.len(),
            });
        }
        let mut codes = allocation::reserved(values)?;
        let mut covered = Vec::new();
        let mut code_of_label = HashMap::with_hasher(RandomState::default());
        let bytes = allocation::table_growth(0, values, size_of::<(u32, u32)>());
        allocation::granted(bytes, || code_of_label.try_reserve(values))?;
        for &label in labels {
            let next = covered.len() as u32;
            let code = *code_of_label.entry(label).or_insert(next);
            if code == next {
                allocation::make_room(&mut covered, 1)?;
                covered.push(0);
            }
            covered[code as usize] += 1;
            codes.push(code);
        }
        Ok(Level { codes, covered })
    }

    /// How many values part here from the first value with which they share a code below.
    fn broken_by(&self, above: &Level) -> Result<usize> {
        let mut expected = allocation::filled(self.covered.len(), None)?;
        let broken = |(&below, above): (&u32, &u32)| {
            *expected[below as usize].get_or_insert(*above) != *above
        };
        let values = self.codes.iter().zip(&above.codes);
        Ok(values.map(broken).filter(|&broken| broken).count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_know_their_codes_and_what_these_cover() {
        let zip = Hierarchy::new(4, &[vec![7, 7, 9, 7], vec![0, 0, 0, 0]]).unwrap();
        assert_eq!((zip.values(), zip.levels()), (4, 3));
        assert_eq!(zip.code_of(0), [0, 1, 2, 3]);
        assert_eq!(zip.code_of(1), [0, 0, 1, 0]);
        assert_eq!(zip.covered(1), [3, 1]);
        assert_eq!(zip.codes(2), 1);
    }

    #[test]
    fn loss_is_the_share_of_other_values() {
        let zip = Hierarchy::new(4, &[vec![0, 0, 1, 0], vec![0; 4]]).unwrap();
        let losses = |level| [0, 1, 2, 3].map(|value| zip.loss(level, value));
        assert_eq!(losses(0), [0.0; 4]);
        assert_eq!(losses(1), [2.0 / 3.0, 2.0 / 3.0, 0.0, 2.0 / 3.0]);
        assert_eq!(losses(2), [1.0; 4]);
        assert_eq!(Hierarchy::new(1, &[vec![0]]).unwrap().loss(1, 0), 0.0);
    }

    #[test]
    fn places_keep_the_values_of_a_code_together() {
        let labels = [vec![0, 1, 0, 2, 1, 3], vec![0, 1, 0, 0, 1, 1]];
        let hierarchy = Hierarchy::new(6, &labels).unwrap();
        assert_eq!(hierarchy.places(), Ok(vec![0, 3, 1, 2, 4, 5]));
    }

    #[test]
    fn a_level_that_splits_is_refused_with_the_values_that_fail() {
        let labels = [vec![0, 0, 0, 1, 1], vec![0, 1, 1, 2, 2]];
        let refused = Hierarchy::new(5, &labels).unwrap_err();
        assert_eq!(
            refused,
            Error::NotCoarser {
                level: 2,
                values: 2
            }
        );
    }

    #[test]
    fn a_level_must_cover_every_value() {
        let refused = Hierarchy::new(3, &[vec![0, 0]]).unwrap_err();
        assert_eq!(refused, Error::UnequalColumns { first: 3, other: 2 });
    }
}
