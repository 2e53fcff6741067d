//! Local recoding by Mondrian: its laws and a plain reference.

use proptest::{collection::vec, prelude::*};
use sdc_engine::{
    Categories, Column, Error, Partition, Table, Tally, Unwatched,
    assign::{Cutting, cut_apart, mondrian},
    lattice::Condition,
    model::{Group, LDiversity, PrivacyModel},
};
use std::collections::{BTreeSet, HashMap};

/// A table of small whole numbers, so that ties and duplicates abound.
#[derive(Debug, Clone)]
struct Case {
    numeric: Vec<Vec<u32>>,
    categorical: Vec<Vec<u32>>,
    sensitive: Vec<Vec<u32>>,
    k: usize,
    p: usize,
}

fn case() -> impl Strategy<Value = Case> {
    let column = |rows, values| vec(0..values, rows);
    let columns = move |rows, values, count| vec(column(rows, values), count);
    let shape = (1usize..60, 1u32..12, 1u32..4);
    let filled = shape.prop_flat_map(move |(rows, values, sensitive)| {
        (
            columns(rows, values, 1..=2),
            columns(rows, 4, 0..=2),
            columns(rows, sensitive, 0..=2),
        )
    });
    (filled, 1usize..6, 1usize..4).prop_map(|((numeric, categorical, sensitive), k, p)| {
        let distinct = |column: &Vec<u32>| column.iter().collect::<BTreeSet<_>>().len();
        let fewest = sensitive.iter().map(distinct).min().unwrap_or(p);
        let k = k.min(numeric[0].len());
        Case {
            p: p.min(k).min(fewest),
            numeric,
            categorical,
            sensitive,
            k,
        }
    })
}

impl Case {
    fn rows(&self) -> usize {
        self.numeric[0].len()
    }

    /// The keys, numeric ones taken times `scale` plus `shift`.
    fn table(&self, scale: f64, shift: f64) -> Table {
        let number = |&value: &u32| f64::from(value) * scale + shift;
        let numeric = self.numeric.iter();
        let numeric = numeric.map(|column| Column::Numeric(column.iter().map(number).collect()));
        let categorical = self.categorical.iter();
        let categorical =
            categorical.map(|codes| Column::Categorical(Categories::new(codes.clone())));
        Table::new(numeric.chain(categorical).collect()).unwrap()
    }

    fn cut(&self, strict: bool, scale: f64, shift: f64) -> Partition {
        let sensitive = self.sensitive.iter().cloned();
        let sensitive: Vec<_> = sensitive.map(Categories::new).collect();
        let cutting = Cutting {
            k: self.k,
            p: self.p,
            strict,
            conditions: &[],
        };
        let table = self.table(scale, shift);
        cut_apart(&table, &sensitive, &cutting, &mut Unwatched).unwrap()
    }

    /// Groups when numeric keys are taken times `scale` plus `shift`.
    fn scaled(&self, scale: f64, shift: f64) -> Partition {
        self.cut(false, scale, shift)
    }

    fn keys(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.numeric.iter().chain(&self.categorical)
    }

    fn holds(&self, rows: &[usize]) -> bool {
        let diverse = |column: &Vec<u32>| {
            let values: BTreeSet<u32> = rows.iter().map(|&row| column[row]).collect();
            values.len() >= self.p
        };
        rows.len() >= self.k && self.sensitive.iter().all(diverse)
    }

    /// What rows span of all keys together, times their number.
    fn cost(&self, rows: &[usize]) -> f64 {
        let all: Vec<usize> = (0..self.rows()).collect();
        let range = |column: &Vec<u32>, rows: &[usize]| {
            let values = rows.iter().map(|&row| column[row]);
            f64::from(values.clone().max().unwrap() - values.min().unwrap())
        };
        let distinct = |column: &Vec<u32>, rows: &[usize]| {
            let values: BTreeSet<u32> = rows.iter().map(|&row| column[row]).collect();
            values.len()
        };
        let mut penalty = 0.0;
        for column in &self.numeric {
            penalty += rows.len() as f64 * (range(column, rows) / range(column, &all).max(1.0));
        }
        for column in &self.categorical {
            // codes are numbered from 0 to the largest that occurs
            let cardinality = column.iter().max().unwrap() + 1;
            if distinct(column, rows) > 1 {
                let share = distinct(column, rows) as f64 / f64::from(cardinality);
                penalty += rows.len() as f64 * share;
            }
        }
        penalty
    }

    /// The cheapest allowed cut of rows: all columns, all places.
    fn cheapest(&self, rows: &[usize]) -> Option<f64> {
        let mut best: Option<f64> = None;
        for column in self.keys() {
            let mut sorted = rows.to_vec();
            sorted.sort_by_key(|&row| column[row]);
            for at in 1..sorted.len() {
                let (left, right) = sorted.split_at(at);
                let parts = column[sorted[at - 1]] < column[sorted[at]];
                if parts && self.holds(left) && self.holds(right) {
                    let cost = self.cost(left) + self.cost(right);
                    best = Some(best.map_or(cost, |best| best.min(cost)));
                }
            }
        }
        best
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn groups_meet_what_is_asked(case in case(), strict in any::<bool>()) {
        let partition = case.cut(strict, 1.0, 0.0);
        for rows in partition.members().unwrap().iter() {
            let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
            prop_assert!(case.holds(&rows));
        }
    }

    #[test]
    fn strict_cuts_are_made_until_none_is_left(case in case()) {
        let partition = case.cut(true, 1.0, 0.0);
        for rows in partition.members().unwrap().iter() {
            let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
            prop_assert_eq!(case.cheapest(&rows), None);
        }
    }

    #[test]
    fn strict_groups_of_two_are_those_of_the_cheapest_cut(mut case in case()) {
        // so many rows make two groups and no more
        case.k = (case.rows() / 3 + 1).max(case.p);
        let all: Vec<usize> = (0..case.rows()).collect();
        let partition = case.cut(true, 1.0, 0.0);
        let groups = partition.members().unwrap();
        let cost = groups.iter().map(|rows| {
            let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
            case.cost(&rows)
        });
        let found: f64 = cost.sum();
        let expected = case.cheapest(&all).unwrap_or_else(|| case.cost(&all));
        prop_assert!((found - expected).abs() < 1e-9, "{} and {}", found, expected);
    }

    #[test]
    fn strict_groups_never_part_equal_rows(case in case()) {
        let partition = case.cut(true, 1.0, 0.0);
        let mut group_of = HashMap::new();
        for row in 0..case.rows() {
            let key: Vec<u32> = case.keys().map(|column| column[row]).collect();
            let group = partition.group_of()[row];
            prop_assert_eq!(*group_of.entry(key).or_insert(group), group);
        }
    }

    #[test]
    fn relaxed_groups_waste_nothing(rows in 20usize..200, k in 2usize..8) {
        let values: Vec<f64> = (0..rows).map(|row| ((row * 7919) % 1009) as f64).collect();
        let table = Table::new(vec![Column::Numeric(values)]).unwrap();
        let partition = mondrian(&table, &[], k, 1, &mut Unwatched).unwrap();
        prop_assert_eq!(partition.groups(), rows / k);
    }

    #[test]
    fn groups_are_as_diverse_as_asked(case in case(), required in 1.0..2.0) {
        if let Some(codes) = case.sensitive.first() {
            let column = Categories::new(codes.clone());
            let all = Partition::new(vec![0; case.rows()], 1).unwrap();
            let tally = |partition: &Partition| Tally::new(partition, &[&column]).unwrap();
            let figure = |partition: &Partition| {
                let tally = tally(partition);
                let groups = tally.sizes().iter().zip(tally.columns()[0].iter());
                let figures = groups.map(|(&rows, values)| LDiversity.figure(Group { rows, values }));
                figures.fold(f64::INFINITY, f64::min)
            };
            let condition = Condition { model: &LDiversity, column: Some(0), required };
            let cutting = Cutting { k: case.k, p: 1, strict: false, conditions: &[condition] };
            let found = cut_apart(&case.table(1.0, 0.0), std::slice::from_ref(&column), &cutting, &mut Unwatched);
            let found = found.unwrap();
            if figure(&all) >= required {
                prop_assert!(figure(&found) >= required);
            } else {
                prop_assert_eq!(found.groups(), 1);
            }
        }
    }

    #[test]
    fn scale_and_origin_of_numbers_do_not_matter(case in case(), shift in -64i32..64) {
        prop_assert_eq!(case.scaled(0.25, shift.into()), case.scaled(1.0, 0.0));
    }

    #[test]
    fn the_order_of_rows_matters_only_to_ties(
        order in Just((0..40u32).collect::<Vec<_>>()).prop_shuffle(),
        other in Just((0..40u32).collect::<Vec<_>>()).prop_shuffle(),
        k in 1usize..6,
    ) {
        let groups = |numeric: Vec<Vec<u32>>| {
            let case = Case { numeric, categorical: vec![], sensitive: vec![], k, p: 1 };
            case.scaled(1.0, 0.0)
        };
        let moved = groups(vec![order.clone(), order.iter().map(|&row| other[row as usize]).collect()]);
        let unmoved = groups(vec![(0..40).collect(), other]);
        for (row, &from) in order.iter().enumerate() {
            prop_assert_eq!(moved.group_of()[row], unmoved.group_of()[from as usize]);
        }
    }
}

#[test]
fn equal_rows_are_not_cut() {
    let table = Table::new(vec![Column::Numeric(vec![7.0; 100])]).unwrap();
    let partition = mondrian(&table, &[], 2, 1, &mut Unwatched).unwrap();
    assert_eq!(partition.groups(), 1);
}

#[test]
fn no_rows_are_no_groups() {
    let table = Table::new(vec![Column::Numeric(vec![])]).unwrap();
    let partition = mondrian(&table, &[], 2, 1, &mut Unwatched).unwrap();
    assert_eq!(partition.groups(), 0);
}

#[test]
fn widths_of_huge_numbers_do_not_overflow() {
    let table = Table::new(vec![
        Column::Numeric(vec![1e308, -1e308, 1e308, -1e308]),
        Column::Numeric(vec![0.0, 0.0, 1.0, 1.0]),
    ]);
    let partition = mondrian(&table.unwrap(), &[], 2, 1, &mut Unwatched).unwrap();
    assert_eq!(partition.group_of(), [1, 0, 1, 0]);
}

#[test]
fn what_cannot_be_met_is_refused() {
    let table = Table::new(vec![Column::Numeric(vec![1.0, 2.0, 3.0])]).unwrap();
    let illness = Categories::new(vec![0, 1, 0]);
    let groups = |k, p| mondrian(&table, std::slice::from_ref(&illness), k, p, &mut Unwatched);
    assert_eq!(groups(1, 2), Err(Error::PAboveK { p: 2, k: 1 }));
    assert_eq!(groups(4, 1), Err(Error::TooFewRows { rows: 3, k: 4 }));
    let (p, column, distinct) = (3, 0, 2);
    let few = Error::TooFewValues {
        p,
        column,
        distinct,
    };
    assert_eq!(groups(3, 3), Err(few));
    assert!(groups(3, 2).is_ok());
}
