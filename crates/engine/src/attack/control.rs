//! The control of the inference attack: the same attack on the same keys with the sensitive
//! column shuffled over the rows. What it reaches is no leak.

use super::{Score, guesses, score};
use crate::random::Generator;
use crate::run::allocation::collected;
use crate::{Categories, ColumnTally, Monitor, Partition, Result, Tally, assign};
use rand::seq::SliceRandom;

/// How the control's rows get their groups.
#[derive(Debug, Clone, Copy)]
pub enum Regrouping<'a> {
    /// by anatomy anew, with l values in each
    Anatomy(usize),
    /// as they are: the groups do not follow the sensitive values
    Kept(&'a Partition),
}

/// The attack on shuffled values.
pub fn control(
    keys: &[Categories],
    sensitive: &Categories,
    regrouping: Regrouping<'_>,
    rng: &mut Generator,
    monitor: &mut dyn Monitor,
) -> Result<Score> {
    let mut codes = collected(sensitive.codes().iter().copied())?;
    codes.shuffle(rng);
    let shuffled = Categories::new(codes);
    match regrouping {
        Regrouping::Kept(partition) => attacked(keys, &shuffled, partition, monitor),
        Regrouping::Anatomy(l) => {
            let partition = assign::anatomy(&shuffled, l, rng, monitor)?;
            attacked(keys, &shuffled, &partition, monitor)
        }
    }
}

fn attacked(
    keys: &[Categories],
    sensitive: &Categories,
    partition: &Partition,
    monitor: &mut dyn Monitor,
) -> Result<Score> {
    let tally = Tally::new(partition, &[sensitive])?;
    let values: &ColumnTally = &tally.columns()[0];
    Ok(score(
        &guesses(keys, partition, values, monitor)?,
        sensitive,
        0.0,
    ))
}
