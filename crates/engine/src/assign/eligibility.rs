//! l-diversity as anatomy and permutation promise it (Xiao and Tao 2006, LHCC15): no value
//! has more than |G|/l of a group's rows. What both need before and after grouping.

use crate::model::{LDiversity, verify};
use crate::run::allocation::{collected, filled};
use crate::{Categories, Error, Partition, Result, Table, Tally};
use rand::{Rng, seq::SliceRandom};

/// How often each value occurs, if the rows can be grouped at all: eligible is a table in
/// which no value has more than n/l rows. LHCC15's Algorithm 1 refuses equality; its Theorem 3
/// allows it, and so do we.
pub(super) fn eligible_counts(sensitive: &Categories, l: usize) -> Result<Vec<u32>> {
    if l == 0 {
        return Err(Error::TooSmall {
            name: "l",
            least: 1,
            actual: 0,
        });
    }
    let rows = sensitive.codes().len();
    let limit = Table::MAX_ROWS;
    if rows > limit {
        return Err(Error::TooManyRows { limit });
    }
    let mut counts = filled(sensitive.cardinality(), 0u32)?;
    for &value in sensitive.codes() {
        counts[value as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0) as usize;
    if !is_eligible(rows, most, l) {
        let largest = rows / most;
        return Err(Error::NotEligible { l, largest });
    }
    Ok(counts)
}

/// Whether `rows` rows, `most` of them with the most frequent value, can be l-diverse.
pub(super) fn is_eligible(rows: usize, most: usize, l: usize) -> bool {
    most <= rows / l
}

/// The finished grouping under shuffled numbers, checked: the order in which groups were made
/// follows the values' frequencies and the keys, and must not show.
pub(super) fn finished(
    group_of: Vec<u32>,
    groups: usize,
    sensitive: &Categories,
    l: usize,
    rng: &mut (impl Rng + ?Sized),
) -> Result<Partition> {
    let partition = shuffled(Partition::new(group_of, groups)?, rng)?;
    let tally = Tally::new(&partition, &[sensitive])?;
    verify(&LDiversity, &tally, Some(0), l as f64)?;
    Ok(partition)
}

/// The same groups under shuffled numbers.
pub fn shuffled(partition: Partition, rng: &mut (impl Rng + ?Sized)) -> Result<Partition> {
    let mut numbers = collected(0..partition.groups() as u32)?;
    numbers.shuffle(rng);
    let number = |&group: &u32| numbers[group as usize];
    let group_of = collected(partition.group_of().iter().map(number))?;
    Partition::new(group_of, partition.groups())
}
