//! Local recoding by Mondrian: its laws, a plain reference, and Adult beside the lattice.

mod lattice_data;

use lattice_data::{ADULT_KEYS, Data, Named, adult, adult_hierarchies, count};
use proptest::{collection::vec, prelude::*};
use sdc_engine::{
    Categories, Column, Error, Partition, Table, Unwatched,
    assign::mondrian,
    lattice::{Requirement, minimal_generalizations},
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

    /// Groups when numeric keys are taken times `scale` plus `shift`.
    fn scaled(&self, scale: f64, shift: f64) -> Partition {
        let number = |&value: &u32| f64::from(value) * scale + shift;
        let numeric = self.numeric.iter();
        let numeric = numeric.map(|column| Column::Numeric(column.iter().map(number).collect()));
        let categorical = self.categorical.iter();
        let categorical =
            categorical.map(|codes| Column::Categorical(Categories::new(codes.clone())));
        let table = Table::new(numeric.chain(categorical).collect()).unwrap();
        let sensitive: Vec<_> = self
            .sensitive
            .iter()
            .cloned()
            .map(Categories::new)
            .collect();
        mondrian(&table, &sensitive, self.k, self.p, &mut Unwatched).unwrap()
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

    /// The definition, cut by cut: the widest column that can be cut, and of all its cuts the
    /// one nearest to the median.
    fn groups(&self, rows: Vec<usize>, groups: &mut Vec<Vec<usize>>) {
        let extent = |column: &Vec<u32>, rows: &[usize]| {
            let values = rows.iter().map(|&row| column[row]);
            f64::from(values.clone().max().unwrap() - values.min().unwrap())
        };
        let all: Vec<usize> = (0..self.rows()).collect();
        let width = |column: &Vec<u32>| extent(column, &rows) / extent(column, &all).max(1.0);
        let mut columns: Vec<_> = self.keys().filter(|column| width(column) > 0.0).collect();
        columns.sort_by(|a, b| width(b).total_cmp(&width(a)));
        for column in columns {
            let mut sorted = rows.clone();
            sorted.sort_by_key(|&row| (column[row], row));
            let allowed = |&at: &usize| self.holds(&sorted[..at]) && self.holds(&sorted[at..]);
            let cuts = (1..sorted.len()).filter(allowed);
            if let Some(cut) = cuts.min_by_key(|cut| cut.abs_diff(sorted.len() / 2)) {
                let right = sorted.split_off(cut);
                self.groups(sorted, groups);
                return self.groups(right, groups);
            }
        }
        groups.push(rows);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn groups_are_those_of_the_definition(case in case()) {
        let mut groups = Vec::new();
        case.groups((0..case.rows()).collect(), &mut groups);
        prop_assert!(groups.iter().all(|rows| case.holds(rows)));
        let mut expected = vec![0; case.rows()];
        for (number, rows) in groups.iter().enumerate() {
            rows.iter().for_each(|&row| expected[row] = number as u32);
        }
        let found = case.scaled(1.0, 0.0);
        prop_assert_eq!(found.group_of(), expected);
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

/// The places of a key's values in the order of its hierarchy.
fn places(adult: &Data, key: &Named) -> Vec<u32> {
    let (at, places) = (adult.column(&key.0), key.1.places().unwrap());
    let place = |row: &Vec<String>| places[key.2[&row[at]] as usize];
    adult.rows.iter().map(place).collect()
}

/// What the lattice calls loss: the mean share of other values that a cell stands for, here
/// those that occur in its group.
fn loss(columns: &[Vec<u32>], keys: &[Named], partition: &Partition) -> f64 {
    let column_loss = |(column, key): (&Vec<u32>, &Named)| {
        let cells = |rows: &[u32]| {
            let values: BTreeSet<u32> = rows.iter().map(|&row| column[row as usize]).collect();
            rows.len() as f64 * (values.len() - 1) as f64 / (key.1.values() - 1) as f64
        };
        partition.members().unwrap().iter().map(cells).sum::<f64>()
    };
    let total: f64 = columns.iter().zip(keys).map(column_loss).sum();
    total / (columns.len() * partition.rows()) as f64
}

#[test]
fn adult_loses_less_than_on_the_best_node_of_the_lattice() {
    let Some(adult) = adult() else { return };
    let keys = adult_hierarchies(&ADULT_KEYS);
    let columns: Vec<_> = keys.iter().map(|key| places(&adult, key)).collect();
    let ordered = columns.iter().cloned().map(Categories::new);
    let table = Table::new(ordered.map(Column::Categorical).collect()).unwrap();
    let mut numbers = HashMap::new();
    let income = adult.rows.iter().map(|row| {
        let next = numbers.len() as u32;
        *numbers.entry(&row[adult.column("income")]).or_insert(next)
    });
    let income = Categories::new(income.collect());
    let partition = mondrian(&table, &[income], 5, 2, &mut Unwatched).unwrap();
    let local = loss(&columns, &keys, &partition);

    let (combinations, _) = count(&adult, adult.rows.iter(), &keys, &["income"]);
    let requirement = Requirement {
        k: 5,
        p: 2,
        max_suppressed: 600,
        conditions: vec![],
    };
    let minimal = minimal_generalizations(&combinations, &requirement, &mut Unwatched).unwrap();
    let full_domain = minimal.nodes[0].loss;
    println!(
        "Adult, 8 keys, k = 5, p = 2: {} groups by Mondrian, loss {local:.4}; \
         best node of the lattice, 600 rows may be suppressed, {full_domain:.4}",
        partition.groups()
    );
    assert!(local < full_domain / 2.0);
}
