//! Inference (deFinetti attack: Kifer 2009): a model learnt from the release says which of a
//! group's values is whose.
//!
//! A release that separates keys from values within groups shows, group by group, which keys
//! and which values occur together. Over all groups that is enough to learn how keys and
//! values go together, and the model breaks the tie within each group. The model is naive
//! Bayes: log P(v) + Σ log P(x | v) over the keys, learnt from every pair of a row and a value
//! of its group weighted by the value's share, with Laplace's 1. Sinkhorn rounds then make the
//! beliefs of a group consistent: each row has one value, and each value its count of rows.

use super::Score;
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, reserved};
use crate::{Categories, ColumnTally, Error, Monitor, Partition, Phase, Result};

/// Rounds of scaling rows to 1 and values to their counts.
const ROUNDS: usize = 30;
/// What a pair of a row and a value costs in all rounds, in rows merely looked at.
const PAIR: usize = 16;

/// The value that is believed in most, and how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guess {
    pub value: u32,
    pub belief: f64,
}

/// The guess about each row: the attacker knows its keys and its group, and the values of the
/// group with their counts. Ties go to the lower value.
pub fn guesses(
    keys: &[Categories],
    partition: &Partition,
    values: &ColumnTally,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Guess>> {
    for key in keys {
        partition.require_rows(key.codes().len())?;
    }
    if values.groups() != partition.groups() || values.iter().any(<[_]>::is_empty) {
        return Err(Error::Broken("a group without values".into()));
    }
    let members = partition.members()?;
    let mut meter = Meter::start(monitor, Phase::Checking, partition.rows());
    let columns = keys.iter().map(|key| (key.codes(), key.cardinality()));
    let model = LearntModel::learn(&collected(columns)?, partition, values, &mut meter)?;
    let nothing = Guess {
        value: 0,
        belief: 0.0,
    };
    let mut guesses = filled(partition.rows(), nothing)?;
    let mut beliefs = Beliefs::default();
    for (rows, values) in members.iter().zip(values.iter()) {
        beliefs.begin(&model, keys, rows, values)?;
        beliefs.make_consistent(values, rows.len());
        for (&row, beliefs) in rows.iter().zip(beliefs.of_rows(values.len())) {
            guesses[row as usize] = best(beliefs, values);
        }
        meter.grouped(rows.len());
        meter.spend(PAIR * rows.len() * values.len())?;
    }
    Ok(guesses)
}

/// How many guesses with at least this belief are right.
pub fn score(guesses: &[Guess], truth: &Categories, belief: f64) -> Score {
    let mut score = Score::default();
    for (guess, &value) in guesses.iter().zip(truth.codes()) {
        score.persons += 1;
        if guess.belief >= belief {
            score.claimed += 1;
            score.right += u64::from(guess.value == value);
        }
    }
    score
}

fn best(beliefs: &[f64], values: &[(u32, u64)]) -> Guess {
    let mut best = Guess {
        value: 0,
        belief: -1.0,
    };
    for (&belief, &(value, _)) in beliefs.iter().zip(values) {
        if belief > best.belief {
            best = Guess { value, belief };
        }
    }
    best
}

/// What was learnt, in logarithms.
pub(super) struct LearntModel {
    values: usize,
    prior: Vec<f64>,
    /// for each key: P(x | v) at `x * values + v`
    given: Vec<Vec<f64>>,
}

impl LearntModel {
    /// Learns from the codes of each key, of which there are so many.
    pub(super) fn learn(
        keys: &[(&[u32], usize)],
        partition: &Partition,
        tally: &ColumnTally,
        meter: &mut Meter,
    ) -> Result<Self> {
        let top = tally.iter().flatten().map(|cell| cell.0 as usize + 1).max();
        let values = top.unwrap_or(0);
        let mut prior = filled(values, 0.0)?;
        let mut given = reserved(keys.len())?;
        for (group, &size) in partition.sizes().iter().enumerate() {
            for (value, share) in shares(tally.of(group)) {
                prior[value] += share * f64::from(size);
            }
        }
        for &(codes, cardinality) in keys {
            let mut counts = filled(cardinality.saturating_mul(values), 1.0)?;
            for (&code, &group) in codes.iter().zip(partition.group_of()) {
                let counts = &mut counts[code as usize * values..][..values];
                let cells = tally.of(group as usize);
                shares(cells).for_each(|(value, share)| counts[value] += share);
                meter.spend(cells.len())?;
            }
            for (place, count) in counts.iter_mut().enumerate() {
                *count = (*count / (prior[place % values] + cardinality as f64)).ln();
            }
            given.push(counts);
        }
        let rows = partition.rows() as f64;
        prior
            .iter_mut()
            .for_each(|count| *count = (*count / rows).ln());
        Ok(LearntModel {
            values,
            prior,
            given,
        })
    }

    fn score(&self, codes: impl Iterator<Item = u32>, value: u32) -> f64 {
        let mut score = self.prior[value as usize];
        for (code, given) in codes.zip(&self.given) {
            score += given[code as usize * self.values + value as usize];
        }
        score
    }

    /// How likely each value is for somebody with these key values; the largest is 1.
    pub(super) fn likelihoods(&self, codes: impl Iterator<Item = u32> + Clone, to: &mut [f64]) {
        for (value, likelihood) in (0..).zip(to.iter_mut()) {
            *likelihood = self.score(codes.clone(), value);
        }
        exponentiate(to);
    }
}

/// The values of a group with their shares of it.
fn shares(cells: &[(u32, u64)]) -> impl Iterator<Item = (usize, f64)> {
    let size: u64 = cells.iter().map(|cell| cell.1).sum();
    let share = move |&(value, count): &(u32, u64)| (value as usize, count as f64 / size as f64);
    cells.iter().map(share)
}

/// The beliefs about a group: a line for each row, a place in it for each value.
#[derive(Default)]
struct Beliefs {
    cells: Vec<f64>,
    sums: Vec<f64>,
}

impl Beliefs {
    fn begin(
        &mut self,
        model: &LearntModel,
        keys: &[Categories],
        rows: &[u32],
        values: &[(u32, u64)],
    ) -> Result<()> {
        self.cells.clear();
        make_room(&mut self.cells, rows.len() * values.len())?;
        self.sums.clear();
        make_room(&mut self.sums, values.len())?;
        self.sums.resize(values.len(), 0.0);
        for &row in rows {
            let start = self.cells.len();
            let codes = keys.iter().map(|key| key.codes()[row as usize]);
            let score = |&(value, _): &(u32, u64)| model.score(codes.clone(), value);
            self.cells.extend(values.iter().map(score));
            let line = &mut self.cells[start..];
            exponentiate(line);
            scale_to_one(line);
        }
        Ok(())
    }

    fn make_consistent(&mut self, values: &[(u32, u64)], rows: usize) {
        // a group whose values are fewer or more than its rows keeps their proportions
        let total: u64 = values.iter().map(|value| value.1).sum();
        let unit = rows as f64 / total as f64;
        for _ in 0..ROUNDS {
            self.sums.fill(0.0);
            for line in self.cells.chunks_exact(values.len()) {
                self.sums
                    .iter_mut()
                    .zip(line)
                    .for_each(|(sum, cell)| *sum += cell);
            }
            for (sum, &(_, count)) in self.sums.iter_mut().zip(values) {
                *sum = count as f64 * unit / sum.max(f64::MIN_POSITIVE);
            }
            for line in self.cells.chunks_exact_mut(values.len()) {
                line.iter_mut()
                    .zip(&self.sums)
                    .for_each(|(cell, factor)| *cell *= factor);
                scale_to_one(line);
            }
        }
    }

    fn of_rows(&self, values: usize) -> impl Iterator<Item = &[f64]> {
        self.cells.chunks_exact(values)
    }
}

/// Scores become likelihoods, of which the largest is 1.
fn exponentiate(scores: &mut [f64]) {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores
        .iter_mut()
        .for_each(|score| *score = (*score - top).exp());
}

fn scale_to_one(line: &mut [f64]) {
    let sum: f64 = line.iter().sum();
    if sum > 0.0 {
        line.iter_mut().for_each(|cell| *cell /= sum);
    }
}
