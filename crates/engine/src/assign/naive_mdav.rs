//! Microaggregation straight from its definitions, without any structure: what the fast
//! methods are tested against. Only compiled for tests.

use crate::{Categories, Column, Partition, Space, Table};
use proptest::prelude::*;
use std::cmp::Reverse;

/// A table as lists of rows: no blocks, no trees, no running sums.
pub(super) struct Rows {
    numbers: Vec<Vec<f64>>,
    codes: Vec<Vec<u32>>,
}

pub(super) type Place = (Vec<f64>, Vec<u32>);

impl Rows {
    pub(super) fn new(space: &Space) -> Self {
        let row = |row: usize| space.numeric().iter().map(|column| column[row]).collect();
        let codes = |row: usize| {
            let columns = space.categorical().iter();
            columns.map(|column| column.codes()[row]).collect()
        };
        Rows {
            numbers: (0..space.rows()).map(row).collect(),
            codes: (0..space.rows()).map(codes).collect(),
        }
    }

    pub(super) fn place(&self, row: usize) -> Place {
        (self.numbers[row].clone(), self.codes[row].clone())
    }

    pub(super) fn distance(&self, row: usize, to: &Place) -> f64 {
        let numbers = self.numbers[row].iter().zip(&to.0);
        let squares = numbers.fold(0.0, |sum, (x, q)| sum + (x - q) * (x - q));
        let codes = self.codes[row].iter().zip(&to.1);
        codes.fold(squares, |sum, (x, q)| sum + f64::from(u8::from(x != q)))
    }

    /// Mean (of multiples of 2⁻⁴⁰, as the engine defines it) and most frequent codes.
    pub(super) fn centroid(&self, rows: &[usize]) -> Place {
        let unit = 2f64.powi(40);
        let mean = |column: usize| {
            let whole = |&row: &usize| (self.numbers[row][column] * unit) as i128;
            rows.iter().map(whole).sum::<i128>() as f64 / (unit * rows.len() as f64)
        };
        let mode = |column: usize| {
            let codes = || rows.iter().map(|&row| self.codes[row][column]);
            let count = |code: u32| codes().filter(|&other| other == code).count();
            codes().max_by_key(|&code| (count(code), Reverse(code)))
        };
        let columns = |row: Option<&usize>| {
            row.map_or((0, 0), |&row| {
                (self.numbers[row].len(), self.codes[row].len())
            })
        };
        let (numeric, categorical) = columns(rows.first());
        (
            (0..numeric).map(mean).collect(),
            (0..categorical).filter_map(mode).collect(),
        )
    }

    pub(super) fn farthest(&self, rows: &[usize], from: &Place) -> usize {
        let better = |&a: &usize, &b: &usize| {
            let distances = self.distance(a, from).total_cmp(&self.distance(b, from));
            distances.then(b.cmp(&a))
        };
        rows.iter().copied().max_by(better).unwrap()
    }

    /// Rows by distance, ties by number.
    pub(super) fn by_distance(&self, rows: &[usize], to: &Place) -> Vec<usize> {
        let mut sorted = rows.to_vec();
        sorted.sort_by(|&a, &b| {
            let distances = self.distance(a, to).total_cmp(&self.distance(b, to));
            distances.then(a.cmp(&b))
        });
        sorted
    }
}

/// MDAV as DFS07 words it.
pub(super) fn mdav(space: &Space, k: usize) -> Partition {
    let rows = Rows::new(space);
    let mut left: Vec<usize> = (0..space.rows()).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let take = |left: &mut Vec<usize>, place: &Place| {
        let group = rows.by_distance(left, place)[..k].to_vec();
        left.retain(|row| !group.contains(row));
        group
    };
    while left.len() >= 3 * k {
        let r = rows.place(rows.farthest(&left, &rows.centroid(&left)));
        let s = rows.place(rows.farthest(&left, &r));
        groups.push(take(&mut left, &r));
        groups.push(take(&mut left, &s));
    }
    if left.len() >= 2 * k {
        let r = rows.place(rows.farthest(&left, &rows.centroid(&left)));
        groups.push(take(&mut left, &r));
    }
    groups.push(left);
    partition(space.rows(), &groups)
}

pub(super) fn partition(rows: usize, groups: &[Vec<usize>]) -> Partition {
    let mut group_of = vec![u32::MAX; rows];
    for (number, group) in groups.iter().enumerate() {
        group.iter().for_each(|&row| group_of[row] = number as u32);
    }
    Partition::new(group_of, groups.len()).unwrap()
}

/// Tables of up to 400 rows: spread out, clustered, tied, doubled, constant, mixed.
pub(super) fn spaces() -> impl Strategy<Value = Space> {
    let column = |rows: usize| {
        prop_oneof![
            prop::collection::vec(-1.0..1.0f64, rows).prop_map(Column::Numeric),
            prop::collection::vec((0..3u8, -0.01..0.01f64), rows).prop_map(clusters),
            prop::collection::vec((0..4u8).prop_map(f64::from), rows).prop_map(Column::Numeric),
            Just(Column::Numeric(vec![7.0; rows])),
            prop::collection::vec(0..3u32, rows).prop_map(codes),
            prop::collection::vec(0..1000u32, rows).prop_map(codes),
        ]
    };
    let columns = (1..400usize, 1..10usize)
        .prop_flat_map(move |(rows, columns)| prop::collection::vec(column(rows), columns));
    (columns, any::<bool>(), 1..4usize).prop_map(|(columns, standardize, copies)| {
        let columns = columns.into_iter().map(|column| repeat(column, copies));
        Space::new(&Table::new(columns.collect()).unwrap(), standardize).unwrap()
    })
}

fn clusters(values: Vec<(u8, f64)>) -> Column {
    let value = |(cluster, offset)| f64::from(cluster) + offset;
    Column::Numeric(values.into_iter().map(value).collect())
}

fn codes(codes: Vec<u32>) -> Column {
    Column::Categorical(Categories::new(codes))
}

/// Every row several times over, at half the length and more.
fn repeat(column: Column, copies: usize) -> Column {
    match column {
        Column::Numeric(values) => {
            let part = values.len().div_ceil(copies);
            Column::Numeric(values[..part].repeat(copies))
        }
        Column::Categorical(categories) => {
            let part = categories.codes().len().div_ceil(copies);
            codes(categories.codes()[..part].repeat(copies))
        }
    }
}
