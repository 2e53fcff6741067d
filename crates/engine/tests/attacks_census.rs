//! Linkage, intervals and dominance on Census (and Adult), with the figures that independent code
//! has measured; skipped where the data is absent.

#[allow(dead_code)]
mod census;
mod lattice_data;

use lattice_data::{Data, sizes};
use sdc_engine::assign::Method;
use sdc_engine::attack::{Linked, dominated_groups, link, within_intervals};
use sdc_engine::{Column, Partition, Space, Table, Unwatched, mask};

fn numbers(data: &Data, name: &str) -> Vec<f64> {
    let place = data.column(name);
    let number = |row: &Vec<String>| row[place].parse().unwrap();
    data.rows.iter().map(number).collect()
}

fn linked(keys: &Table, partition: &Partition, masked: &Table) -> Linked {
    let (persons, points) = Space::pair(keys, masked).unwrap();
    let own = partition.group_of();
    link(&persons, &points, &sizes(partition), own, &mut Unwatched).unwrap()
}

#[test]
fn linkage_and_intervals_of_census() {
    let Some(columns) = census::columns() else {
        return;
    };
    let keys = Table::new(columns.into_iter().map(Column::Numeric).collect()).unwrap();
    let space = Space::new(&keys, true).unwrap();
    for (k, own, expected, close) in [(3, 950, 316.67, 3), (5, 866, 173.2, 1), (10, 787, 78.7, 1)] {
        let mut rng = Method::Mdav.generator(None).unwrap();
        let partition = Method::Mdav
            .group(&space, &[], k, 1, &mut rng, &mut Unwatched)
            .unwrap();
        let means = |column: &Column| match column {
            Column::Numeric(values) => Column::Numeric(mask::means(values, &partition).unwrap()),
            Column::Categorical(_) => unreachable!(),
        };
        let masked = Table::new(keys.columns().iter().map(means).collect()).unwrap();
        let found = linked(&keys, &partition, &masked);
        assert_eq!(found.own_nearest, own);
        assert!(
            (found.expected - expected).abs() < 0.01,
            "{}",
            found.expected
        );
        let (persons, points) = Space::pair(&keys, &masked).unwrap();
        let sizes = sizes(&partition);
        let found = within_intervals(&persons, &points, &sizes, partition.group_of(), 0.1);
        assert_eq!(found, close);
    }
}

#[test]
fn dominated_groups_of_adult_and_census() {
    let dominated = |keys: &Table, k: usize, key: usize| {
        let space = Space::new(keys, true).unwrap();
        let mut rng = Method::Mdav.generator(None).unwrap();
        let partition = Method::Mdav
            .group(&space, &[], k, 1, &mut rng, &mut Unwatched)
            .unwrap();
        match &keys.columns()[key] {
            Column::Numeric(values) => (
                dominated_groups(values, &partition, 0.9).unwrap(),
                partition.groups(),
            ),
            Column::Categorical(_) => unreachable!(),
        }
    };
    if let Some(adult) = lattice_data::adult() {
        let names = ["age", "education_num", "capital_gain"];
        let columns = names.map(|name| Column::Numeric(numbers(&adult, name)));
        assert_eq!(
            dominated(&Table::new(columns.to_vec()).unwrap(), 5, 2),
            (38, 6032)
        );
    }
    if let Some(columns) = census::columns() {
        // agi, fedtax, intval, pothval
        let columns = [1, 3, 8, 7].map(|place: usize| Column::Numeric(columns[place].clone()));
        assert_eq!(
            dominated(&Table::new(columns.to_vec()).unwrap(), 3, 2),
            (11, 360)
        );
    }
}
