//! SUDA scores: a row with many small minimal uniques is special, and so likely to be unique in the
//! population as well (Elliot, Manning and Ford 2002; DIS-SUDA after Elliot and Manning 2003).

use super::minimal_uniques::{KeyCodes, minimal_uniques};
use super::population::SamplingFraction;
use crate::run::allocation::{collected, filled};
use crate::{Monitor, Result};

/// What one key adds to the scores of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct KeyShare {
    /// the part of the score that comes from minimal uniques with this key
    pub score: f64,
    /// the minimal uniques with this key
    pub minimal_uniques: u64,
}

/// The score of each row, and what each key adds.
#[derive(Debug, Clone)]
pub struct SudaScores {
    scores: Vec<f64>,
    keys: Vec<KeyShare>,
}

impl SudaScores {
    /// Looks for minimal uniques of at most `max_size` keys.
    pub fn new(keys: &KeyCodes<'_>, max_size: usize, monitor: &mut dyn Monitor) -> Result<Self> {
        let weights: Vec<f64> = (0..=keys.len())
            .map(|size| weight(size, keys.len()))
            .collect();
        let mut scores = filled(keys.rows(), 0.0)?;
        let mut shares = vec![KeyShare::default(); keys.len()];
        minimal_uniques(keys, max_size, monitor, &mut |row, set| {
            let score = weights[set.count_ones() as usize];
            scores[row] += score;
            for (key, share) in shares.iter_mut().enumerate() {
                if set >> key & 1 == 1 {
                    share.score += score;
                    share.minimal_uniques += 1;
                }
            }
        })?;
        let keys = shares;
        Ok(SudaScores { scores, keys })
    }

    /// The score of each row; 0 for a row without minimal unique.
    pub fn into_scores(self) -> Vec<f64> {
        self.scores
    }

    /// What each key adds.
    pub fn keys(&self) -> &[KeyShare] {
        &self.keys
    }

    /// The sum of all rows' scores.
    pub fn total(&self) -> f64 {
        self.scores.iter().sum()
    }

    /// The scores as chances that a match is right. `uniques` rows are unique on all keys, and
    /// `pairs` rows share them with one other row: from these and the fraction DIS estimates the
    /// chance of any unique, which is then spread over rows by their scores.
    pub fn risks(&self, uniques: u64, pairs: u64, fraction: SamplingFraction) -> Result<Vec<f64>> {
        let (u, p, share) = (uniques as f64, pairs as f64, fraction.get());
        let dis = u * share / (u * share + p * (1.0 - share));
        let power = 1.0 + (8.0 - self.keys.len() as f64) / 20.0;
        let special = self.scores.iter().filter(|&&score| score > 0.0);
        let inverse: f64 = special.map(|score| score.powf(-power)).sum();
        let risk = |&score: &f64| match score > 0.0 {
            true => 1.0 / (1.0 + (u / dis - u) / (score.powf(power) * inverse)),
            false => 0.0,
        };
        collected(self.scores.iter().map(risk))
    }
}

/// The weight of a minimal unique of `size` of `keys` keys: the product of (keys − i) for i from
/// size to keys − 1, so smaller sets weigh more.
fn weight(size: usize, keys: usize) -> f64 {
    (size..keys).map(|i| (keys - i) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;

    fn scored(columns: &[&[u32]], max_size: usize) -> SudaScores {
        let keys = KeyCodes::new(columns.to_vec()).unwrap();
        SudaScores::new(&keys, max_size, &mut Unwatched).unwrap()
    }

    #[test]
    fn weights_are_factorials() {
        let weights: Vec<f64> = (1..=4).map(|size| weight(size, 4)).collect();
        assert_eq!(weights, [6.0, 2.0, 1.0, 1.0]);
    }

    /// Rows 0 and 1 are alike on the first key, rows 1 and 2 on the second.
    #[test]
    fn a_row_adds_up_its_minimal_uniques() {
        let scores = scored(&[&[0, 0, 1], &[0, 1, 1]], 2);
        // row 0: {second}, row 1: {both}, row 2: {first}
        assert_eq!(scores.total(), 3.0);
        let expected = KeyShare {
            score: 2.0,
            minimal_uniques: 2,
        };
        assert_eq!(scores.keys(), [expected, expected]);
        assert_eq!(scores.into_scores(), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn only_small_sets_are_searched() {
        let scores = scored(&[&[0, 0, 1], &[0, 1, 1]], 1);
        assert_eq!(scores.into_scores(), [1.0, 0.0, 1.0]);
    }

    /// Equal scores σ of all U uniques: Σσ^−Q · σ^Q = U, so DIS-SUDA is DIS itself.
    #[test]
    fn equal_scores_share_the_average() {
        let scores = scored(&[&[0, 1, 2, 3, 3]], 1);
        let fraction = SamplingFraction::new(0.1).unwrap();
        let dis = 3.0 * 0.1 / (3.0 * 0.1 + 2.0 * 0.9);
        let risks = scores.risks(3, 2, fraction).unwrap();
        for (row, risk) in risks.into_iter().enumerate() {
            let expected = if row < 3 { dis } else { 0.0 };
            assert!((risk - expected).abs() < 1e-12);
        }
    }
}
