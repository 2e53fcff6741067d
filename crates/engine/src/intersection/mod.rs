//! What releases of the same rows give away together.
//!
//! The attacker knows a person's key values, and that the person is in several releases. Of
//! an anatomy that leaves the groups in which these key values stand in one row; of a
//! permutation the groups in whose columns each of them occurs, for their rows are torn
//! apart. The person's sensitive value is one of the values of these groups: the candidates.
//! It is a candidate in every release, so the attacker intersects them. Each group being
//! l-diverse, a single release leaves at least l candidates; their intersection may not.

mod memo;
mod shown;
mod survivors;

pub use shown::Shown;

use crate::run::Meter;
use crate::run::allocation::{collected, filled, reserved};
use crate::run::limits::Pulse;
use crate::{Categories, Error, Interner, Monitor, Partition, Phase, Result};
use survivors::{Person, Survivors};

/// The groups of `partition` that hold a row whose candidates, over all `releases` in which
/// its keys are found, are fewer than `l`. `known` are the columns the attacker knows, and the
/// releases' columns are among them.
pub fn shrunk_groups(
    known: &[Categories],
    partition: &Partition,
    releases: &[Shown],
    l: usize,
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    let persons = Persons::new(known, partition.rows())?;
    let mut meter = Meter::start(monitor, Phase::Checking, persons.examples.len());
    let mut survivors = Survivors::new(releases, known, &persons.examples, l)?;
    let mut shrunk = filled(persons.examples.len(), false)?;
    for (number, &row) in persons.examples.iter().enumerate() {
        let key = |column: usize| known[column].codes()[row as usize];
        shrunk[number] = survivors.shrink(&Person { number, key }, &mut meter)?;
        meter.grouped(1);
    }
    let mut hit = filled(partition.groups(), false)?;
    for (&group, &person) in partition.group_of().iter().zip(&persons.of_row) {
        hit[group as usize] |= shrunk[person as usize];
    }
    let mut groups = reserved(hit.iter().filter(|&&hit| hit).count())?;
    groups.extend(
        (0..)
            .zip(hit)
            .filter_map(|(group, hit)| hit.then_some(group)),
    );
    Ok(groups)
}

/// What looking up a person costs, in rows merely looked at.
const LOOK_UP: usize = 16;

/// Rows with equal known values, which an attacker cannot tell apart.
struct Persons {
    of_row: Vec<u32>,
    /// a row of each
    examples: Vec<u32>,
}

impl Persons {
    fn new(known: &[Categories], rows: usize) -> Result<Self> {
        if let Some(other) = known.iter().find(|column| column.codes().len() != rows) {
            let other = other.codes().len();
            return Err(Error::UnequalColumns { first: rows, other });
        }
        let mut seen = Interner::new();
        let mut of_row = filled(rows, 0)?;
        let mut bytes = Vec::new();
        let mut pulse = Pulse::default();
        for (row, person) in of_row.iter_mut().enumerate() {
            pulse.spend(LOOK_UP)?;
            bytes.clear();
            for column in known {
                bytes.extend_from_slice(&column.codes()[row].to_le_bytes());
            }
            *person = seen.intern(&bytes)?;
        }
        let mut examples = collected(0..seen.len() as u32)?;
        for (row, &person) in of_row.iter().enumerate() {
            examples[person as usize] = row as u32;
        }
        Ok(Persons { of_row, examples })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;
    use crate::run::monitor::Calls;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A row: two known values, a sensitive one, and its group in each of two releases.
    type Row = (u32, u32, u32, [u32; 2]);

    #[derive(Debug, Clone, Copy)]
    struct Method {
        torn: bool,
        second_key: bool,
    }

    fn keys(rows: &[Row], method: Method) -> Vec<(usize, Vec<u32>)> {
        let mut keys = vec![(0, rows.iter().map(|row| row.0).collect())];
        if method.second_key {
            keys.push((1, rows.iter().map(|row| row.1).collect()));
        }
        keys
    }

    fn shown(rows: &[Row], release: usize, method: Method) -> Shown {
        let groups: Vec<u32> = rows.iter().map(|row| row.3[release]).collect();
        let values: Vec<u32> = rows.iter().map(|row| row.2).collect();
        let keys = keys(rows, method);
        let keys: Vec<(usize, &[u32])> =
            keys.iter().map(|(place, key)| (*place, &key[..])).collect();
        let shown = if method.torn {
            Shown::permutation
        } else {
            Shown::anatomy
        };
        shown(&keys, &groups, (&groups, &values)).unwrap()
    }

    /// The candidates of a person, straight from the definition.
    fn candidates(person: &Row, rows: &[Row], release: usize, method: Method) -> BTreeSet<u32> {
        let same = |other: &Row| {
            let second = !method.second_key || other.1 == person.1;
            (other.0 == person.0, second)
        };
        let possible = |group: u32| {
            let mut members = rows.iter().filter(|row| row.3[release] == group).map(same);
            match method.torn {
                false => members.any(|same| same == (true, true)),
                true => {
                    let members: Vec<_> = members.collect();
                    members.iter().any(|same| same.0) && members.iter().any(|same| same.1)
                }
            }
        };
        let values = rows.iter().filter(|row| possible(row.3[release]));
        values.map(|row| row.2).collect()
    }

    fn method() -> impl Strategy<Value = Method> {
        (any::<bool>(), any::<bool>()).prop_map(|(torn, second_key)| Method { torn, second_key })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn groups_shrink_as_the_definition_says(
            rows in prop::collection::vec((0u32..40, 0u32..3, 0u32..6, [0u32..200, 0u32..200]), 1..60),
            // few groups, or too many for every value to be in many of them
            groups in prop_oneof![Just(4u32), Just(200)],
            gone in 0usize..10,
            methods in [method(), method()],
            l in 1usize..5,
        ) {
            // every group has a row; some rows of the earlier release are gone since
            let first = (0..groups).map(|group| (group % 40 / 7, group % 3, group % 6, [group; 2]));
            let drawn = rows.into_iter().map(|row| (row.0, row.1, row.2, row.3.map(|group| group % groups)));
            let rows: Vec<Row> = first.chain(drawn).collect();
            let now = &rows[..rows.len() - gone.min(rows.len() - groups as usize)];
            let known = [now.iter().map(|row| row.0).collect(), now.iter().map(|row| row.1).collect()];
            let partition = Partition::new(now.iter().map(|row| row.3[1]).collect(), groups as usize).unwrap();
            let releases = [shown(&rows, 0, methods[0]), shown(now, 1, methods[1])];
            let found = shrunk_groups(&known.map(Categories::new), &partition, &releases, l, &mut Unwatched);
            let shrinks = |row: &&Row| {
                let earlier = candidates(row, &rows, 0, methods[0]);
                earlier.intersection(&candidates(row, now, 1, methods[1])).count() < l
            };
            let expected: BTreeSet<u32> = now.iter().filter(shrinks).map(|row| row.3[1]).collect();
            prop_assert_eq!(found.unwrap(), Vec::from_iter(expected));
        }
    }

    #[test]
    fn who_was_not_in_the_earlier_release_loses_nothing() {
        let earlier = Shown::anatomy(&[(0, &[7, 7])], &[0, 0], (&[0, 0], &[0, 1])).unwrap();
        let now = Shown::anatomy(&[(0, &[0, 1])], &[0, 0], (&[0, 0], &[2, 3])).unwrap();
        let known = [Categories::new(vec![0, 1])];
        let partition = Partition::new(vec![0, 0], 1).unwrap();
        let shrunk = shrunk_groups(&known, &partition, &[earlier, now], 2, &mut Unwatched);
        assert_eq!(shrunk, Ok(vec![]));
    }

    #[test]
    fn three_releases_are_intersected_together() {
        let release = |values: &[u32]| {
            Shown::anatomy(&[(0, &[0, 0, 0])], &[0, 0, 0], (&[0, 0, 0], values)).unwrap()
        };
        let known = [Categories::new(vec![0, 0, 0])];
        let partition = Partition::new(vec![0, 0, 0], 1).unwrap();
        let releases = [
            release(&[0, 1, 2]),
            release(&[0, 1, 3]),
            release(&[1, 3, 2]),
        ];
        let shrunk = |releases: &[Shown]| {
            shrunk_groups(&known, &partition, releases, 2, &mut Unwatched).unwrap()
        };
        assert_eq!(shrunk(&releases[..2]), []);
        assert_eq!(shrunk(&releases), [0]);
    }

    /// An earlier release of few key values has every second group to offer to each of very
    /// many persons, none of whom ever finds all that the newer release left of them.
    #[test]
    fn work_does_not_grow_with_persons_times_groups() {
        const ROWS: u32 = 40_000;
        let rows: Vec<Row> = (0..ROWS)
            .map(|row| {
                (
                    row % 2,
                    row / 2,
                    row % 2 * 2 + row / 2 % 2,
                    [row / 8, row / 8],
                )
            })
            .collect();
        for torn in [false, true] {
            // the earlier values are none of those of the newer release
            let old: Vec<Row> = rows
                .iter()
                .map(|row| (row.0, row.1, row.2 + 4, row.3))
                .collect();
            let coarse = Method {
                torn,
                second_key: false,
            };
            let fine = Method {
                torn: false,
                second_key: true,
            };
            let releases = [shown(&old, 0, coarse), shown(&rows, 1, fine)];
            let known = [
                rows.iter().map(|row| row.0).collect(),
                rows.iter().map(|row| row.1).collect(),
            ];
            let groups = rows.iter().map(|row| row.3[1]).collect();
            let partition = Partition::new(groups, ROWS as usize / 8).unwrap();
            let mut calls = Calls::default();
            let shrunk = shrunk_groups(
                &known.map(Categories::new),
                &partition,
                &releases,
                2,
                &mut calls,
            );
            assert_eq!(shrunk.unwrap().len(), partition.groups());
            // persons times groups would be 200 million
            assert!(calls.0 < 20, "{} calls", calls.0);
        }
    }
}
