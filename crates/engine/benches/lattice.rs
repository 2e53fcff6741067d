//! How many nodes a lattice search evaluates and how long it takes, and Mondrian's time:
//! `cargo bench --bench lattice`.

#[path = "../tests/lattice_data/mod.rs"]
mod lattice_data;
mod synthetic;

use lattice_data::{ADULT_KEYS, Data, Named, acs, adult, adult_hierarchies, count, hierarchy};
use sdc_engine::assign::mondrian;
use sdc_engine::lattice::{Combinations, Requirement, every_node, minimal_generalizations};
use sdc_engine::{Column, Table, Unwatched};
use std::collections::BTreeSet;
use synthetic::{Shape, seconds, space};

fn search(combinations: &Combinations, k: usize, p: usize, max_suppressed: u64) {
    let requirement = Requirement {
        k,
        p,
        max_suppressed,
        conditions: vec![],
    };
    let search = || minimal_generalizations(combinations, &requirement, &mut Unwatched);
    let (elapsed, minimal) = seconds(search);
    let minimal = minimal.expect("a requirement that can be met");
    println!(
        "  k = {k}, p = {p}, {max_suppressed} rows may be suppressed: {} nodes, {} evaluated, \
         {} minimal, {elapsed:.4} s",
        combinations.lattice().nodes(),
        minimal.evaluated,
        minimal.nodes.len()
    );
}

fn adult_with_eight_keys() {
    let Some(adult) = adult() else { return };
    let keys = adult_hierarchies(&ADULT_KEYS);
    let (combinations, _) = count(&adult, adult.rows.iter(), &keys, &["income"]);
    let (rows, distinct) = (combinations.rows(), combinations.len());
    println!("Adult, {rows} rows, 8 keys, {distinct} combinations");
    search(&combinations, 5, 2, 0);
    search(&combinations, 5, 2, 600);
    let requirement = Requirement {
        k: 5,
        p: 2,
        max_suppressed: 600,
        conditions: vec![],
    };
    let (elapsed, _) = seconds(|| every_node(&combinations, &requirement, &mut Unwatched));
    println!("  every node: {elapsed:.4} s");
}

/// Intervals of numbers, wider from level to level, and one value at the top.
fn intervals(data: &Data, key: &str, widths: &[u32]) -> Named {
    let at = data.column(key);
    let values: BTreeSet<&String> = data.rows.iter().map(|row| &row[at]).collect();
    let line = |value: &String| {
        let number: u32 = value.parse().expect("whole numbers");
        let between = widths.iter().map(|width| (number / width).to_string());
        let between: Vec<_> = between.collect();
        [vec![value.clone()], between, vec!["*".into()]].concat()
    };
    hierarchy(key, &values.into_iter().map(line).collect::<Vec<_>>())
}

fn a_million_rows_of_acs() {
    let Some(acs) = acs() else { return };
    let keys = [
        intervals(&acs, "age", &[5, 10, 20]),
        intervals(&acs, "gender", &[]),
        intervals(&acs, "education", &[4, 12]),
        intervals(&acs, "state", &[10]),
    ];
    let rows = acs.rows.iter().chain(&acs.rows);
    let (elapsed, (combinations, _)) = seconds(|| count(&acs, rows, &keys, &["salary50"]));
    let (rows, distinct) = (combinations.rows(), combinations.len());
    println!(
        "ACS doubled, {rows} rows, 4 keys, {distinct} combinations, looked up and counted in {elapsed:.3} s"
    );
    search(&combinations, 5, 2, 0);
    search(&combinations, 5, 2, 20_000);
}

fn mondrian_of(rows: usize) {
    for shape in [Shape::Uniform, Shape::Clustered, Shape::Integers] {
        let space = space(shape, rows, 4);
        let columns = space.numeric().iter().cloned().map(Column::Numeric);
        let table = Table::new(columns.collect()).expect("complete columns");
        let (elapsed, _) = seconds(|| mondrian(&table, &[], 5, 1, &mut Unwatched));
        println!("Mondrian, {shape:?}, {rows} rows, 4 keys, k = 5: {elapsed:.3} s");
    }
}

fn main() {
    adult_with_eight_keys();
    a_million_rows_of_acs();
    mondrian_of(100_000);
    mondrian_of(1_000_000);
}
