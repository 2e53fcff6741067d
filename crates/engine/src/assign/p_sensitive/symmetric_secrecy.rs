//! What a reader learns who knows keys and method and tries all values: of `symmetric` nothing.

use super::Input;
use super::merge::merge;
use super::symmetric::{self, Cells};
use crate::assign::{GroupConditions, mdav};
use crate::lattice::Condition;
use crate::model::{Distribution, EqualCloseness, LDiversity};
use crate::run::Meter;
use crate::{Categories, Column, Monitor, Table, Unwatched};
use crate::{Partition, Phase, Space};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use std::collections::HashMap;

/// Rows scattered in the plane.
fn scattered(rows: u32) -> Space {
    let column = |factor: u32| {
        let value = |row| f64::from((row * factor + row * row * 7) % 61);
        Column::Numeric((0..rows).map(value).collect())
    };
    Space::new(&Table::new(vec![column(17), column(29)]).unwrap(), true).unwrap()
}

/// What draws the rows that decide, where it is the same for all values.
const SEED: u64 = 1;

/// The groups, the values of each, and so all that is published beside the keys.
type Release = (Vec<u32>, Vec<Vec<u32>>);

/// Of each release how often each row has each value, over all values that lead to it.
fn fitting(
    rows: usize,
    values: u32,
    release: impl Fn(&[u32]) -> Option<Partition>,
) -> HashMap<Release, Vec<Vec<u32>>> {
    let mut fitting: HashMap<Release, Vec<Vec<u32>>> = HashMap::new();
    for number in 0..(values as usize).pow(rows as u32) {
        let digit = |row: usize| (number / (values as usize).pow(row as u32)) as u32 % values;
        let codes: Vec<u32> = (0..rows).map(digit).collect();
        let Some(partition) = release(&codes) else {
            continue;
        };
        let members = partition.members().unwrap();
        let sorted = |rows: &[u32]| {
            let mut held: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
            held.sort_unstable();
            held
        };
        let published = (partition.canonical(), members.iter().map(sorted).collect());
        let blank = || vec![vec![0; values as usize]; rows];
        let counts = fitting.entry(published).or_insert_with(blank);
        for (count, &code) in counts.iter_mut().zip(&codes) {
            count[code as usize] += 1;
        }
    }
    fitting
}

/// What is asked of groups beside k rows.
#[derive(Clone, Copy)]
struct Asked {
    k: usize,
    p: usize,
    l: f64,
    t: f64,
}

const P: Asked = Asked {
    k: 2,
    p: 2,
    l: 1.0,
    t: 1.0,
};

impl Asked {
    fn release(self, space: &Space, cells: &Cells, codes: &[u32]) -> Option<Partition> {
        let sensitive = [Categories::new(codes.to_vec())];
        let mut counts = vec![0; sensitive[0].cardinality()];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let table = Distribution::from_counts(counts).unwrap();
        let close = EqualCloseness::new(&table);
        let condition = |model, required| Condition {
            model,
            column: Some(0),
            required,
        };
        let (l, t) = (
            [condition(&LDiversity, self.l)],
            [condition(&close, self.t)],
        );
        let conditions = GroupConditions {
            on_rows: &t[..usize::from(self.t < 1.0)],
            on_persons: &l[..usize::from(self.l > 1.0)],
            sensitive: &sensitive,
            ..Default::default()
        };
        let input = Input {
            conditions,
            ..Input::new(space, &sensitive, self.k, self.p).ok()?
        };
        let blocks = cells.largest_block().unwrap();
        cells.groups(&input, &blocks, SEED, &mut Unwatched).unwrap()
    }
}

/// A reader who tries all values, knowing keys and method, ends where he began: each row of a
/// group has each of its values equally often. Rows beyond the core of a cell aside.
fn assert_nothing_is_learnt(rows: u32, values: u32, asked: Asked) {
    let space = scattered(rows);
    let base = mdav(&space, asked.k, &mut Unwatched).unwrap();
    let cells = Cells::new(&space, asked.k, &base, &mut Unwatched).unwrap();
    let cubes = cells.largest_block().unwrap();
    let home = cells.homes(
        &space,
        &cubes,
        &mut Meter::start(&mut Unwatched, Phase::Grouping, 0),
    );
    let home = home.unwrap();
    let core = cells.core(&home, SEED).unwrap();
    let is_core = |row: usize| core.contains(&(row as u32));
    let release = |codes: &[u32]| asked.release(&space, &cells, codes);
    let releases = fitting(rows as usize, values, release);
    assert!(releases.len() > 10);
    for ((group_of, _), counts) in &releases {
        for (row, group) in group_of.iter().enumerate().filter(|&(row, _)| is_core(row)) {
            let fits = |&other: &usize| group_of[other] == *group && is_core(other);
            let first = (0..group_of.len()).find(fits).unwrap();
            assert_eq!(counts[row], counts[first], "{group_of:?}");
        }
    }
}

#[test]
fn all_values_of_a_group_are_equally_likely_for_all_its_rows() {
    assert_nothing_is_learnt(16, 2, P);
    assert_nothing_is_learnt(8, 4, P);
    assert_nothing_is_learnt(12, 3, Asked { k: 3, p: 3, ..P });
    // three cubes of two cells
    assert_nothing_is_learnt(12, 2, P);
}

#[test]
fn so_they_are_where_l_and_t_decide() {
    let l = |l| Asked { p: 1, l, ..P };
    let t = |t| Asked { p: 1, t, ..P };
    assert_nothing_is_learnt(16, 2, l(2.0));
    assert_nothing_is_learnt(8, 4, l(1.5));
    assert_nothing_is_learnt(16, 2, t(0.2));
    assert_nothing_is_learnt(12, 3, t(0.3));
    // a row beyond the cells, and a cell that is dissolved
    assert_nothing_is_learnt(9, 3, t(0.25));
    assert_nothing_is_learnt(11, 3, l(1.6));
}

/// The same of `merge`: it shows what the test above would find.
#[test]
fn looking_for_the_missing_value_shows_where_it_is() {
    let (rows, k) = (12, 2);
    let space = scattered(rows);
    let release = |codes: &[u32]| {
        let sensitive = [Categories::new(codes.to_vec())];
        let input = Input::new(&space, &sensitive, k, 2).ok()?;
        merge(&input, &mut Unwatched).ok()
    };
    assert!(certain(&fitting(rows as usize, 2, release)) > 100);
}

/// What the method makes of rows with these values.
fn joined(space: &Space, codes: &[u32], k: usize, p: usize) -> Option<Partition> {
    let sensitive = [Categories::new(codes.to_vec())];
    let input = Input::new(space, &sensitive, k, p).ok()?;
    let mut base = |size, monitor: &mut dyn Monitor| mdav(space, size, monitor);
    Some(symmetric::join(&input, &mut base, &mut Unwatched).unwrap())
}

/// Any row of a cell may be one that is left over, as the values of all rows decide. In the smallest
/// tables these are so few that they can be tried, and now and then all of them agree.
#[test]
fn hardly_anybody_is_certain_where_rows_are_left_over_of_a_few() {
    // before rows were drawn: 2 and 132, 54 and 84
    for (rows, k, values, most) in [(7, 2, 2, 2), (14, 3, 2, 18), (7, 2, 3, 12), (8, 3, 3, 42)] {
        let space = scattered(rows);
        let release = |codes: &[u32]| joined(&space, codes, k, 2);
        let certain = certain(&fitting(rows as usize, values, release));
        assert!(certain <= most, "{rows} rows, k = {k}: {certain}");
    }
}

/// In tables of some size nobody's value is certain: values are drawn until each row has had
/// different ones that fit the release.
#[test]
fn nobody_is_certain_where_rows_are_left_over() {
    for (rows, k) in [(23, 2), (25, 3), (29, 3), (31, 4), (47, 3)] {
        for table in 0..20 {
            let (space, mut rng) = (scattered(rows), ChaCha20Rng::seed_from_u64(table));
            let value = |_| u32::from(rng.random_range(0..4) == 0);
            let codes: Vec<u32> = (0..rows).map(value).collect();
            let Some(released) = joined(&space, &codes, k, 2) else {
                continue;
            };
            let (groups, members) = (released.canonical(), released.members().unwrap());
            let mut seen = vec![[false; 2]; rows as usize];
            for _ in 0..200_000 {
                if seen.iter().all(|seen| *seen == [true; 2]) {
                    break;
                }
                let mut shuffled = codes.clone();
                for rows in members.iter() {
                    for place in 1..rows.len() {
                        let other = rng.random_range(0..=place);
                        shuffled.swap(rows[place] as usize, rows[other] as usize);
                    }
                }
                let again = joined(&space, &shuffled, k, 2);
                if again.is_some_and(|again| again.canonical() == groups) {
                    for (seen, &code) in seen.iter_mut().zip(&shuffled) {
                        seen[code as usize] = true;
                    }
                }
            }
            let certain = seen.iter().filter(|seen| **seen != [true; 2]).count();
            assert_eq!(
                certain, 0,
                "{rows} rows, k = {k}, table {table}: {groups:?}"
            );
        }
    }
}

/// How often a value is certain, over all releases. Values of groups that have one only are
/// published.
fn certain(releases: &HashMap<Release, Vec<Vec<u32>>>) -> usize {
    let one = |values: &&Vec<u32>| values.iter().filter(|&&n| n > 0).count() == 1;
    let certain = |counts: &Vec<Vec<u32>>| counts.iter().filter(one).count();
    releases.values().map(certain).sum()
}
