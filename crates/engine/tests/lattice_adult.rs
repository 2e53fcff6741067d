//! The lattice search on Adult: ARX's hierarchies, and those of TV06's experiment.

mod lattice_data;

use lattice_data::{
    ADULT_KEYS, Data, Named, adult, adult_hierarchies, adult_with_hierarchies, count, hierarchy,
};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use sdc_engine::{
    Unwatched,
    lattice::{Combinations, Figures, Requirement, every_node, kept, minimal_generalizations},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

const TV06_KEYS: [&str; 4] = ["age", "marital-status", "race", "sex"];
const TV06_SENSITIVE: [&str; 4] = ["income", "capital_gain", "capital_loss", "hours_per_week"];

fn requirement(k: usize, p: usize, max_suppressed: u64) -> Requirement<'static> {
    Requirement {
        k,
        p,
        max_suppressed,
        conditions: vec![],
    }
}

/// The minimal nodes; prints what they took.
fn search(title: &str, combinations: &Combinations, requirement: &Requirement<'_>) -> Vec<Figures> {
    let start = Instant::now();
    let minimal = minimal_generalizations(combinations, requirement, &mut Unwatched).unwrap();
    println!(
        "{title}, k = {}, p = {}, {} rows may be suppressed: {} of {} nodes minimal, \
         {} evaluated, {:.1} ms",
        requirement.k,
        requirement.p,
        requirement.max_suppressed,
        minimal.nodes.len(),
        combinations.lattice().nodes(),
        minimal.evaluated,
        start.elapsed().as_secs_f64() * 1e3,
    );
    minimal.nodes
}

/// The minimal nodes as a look at every node shows them.
fn minimal_of_all(combinations: &Combinations, requirement: &Requirement<'_>) -> Vec<Figures> {
    let all = every_node(combinations, requirement, &mut Unwatched).unwrap();
    let fails_below = |figures: &&Figures| {
        let mut below = combinations.lattice().predecessors(figures.node);
        below.all(|node| !all[node].satisfied)
    };
    let satisfied = all.iter().filter(|figures| figures.satisfied);
    let mut minimal: Vec<_> = satisfied.filter(fails_below).copied().collect();
    minimal.sort_by(|a, b| a.loss.total_cmp(&b.loss).then(a.node.cmp(&b.node)));
    minimal
}

#[test]
fn eight_keys() {
    let Some(adult) = adult_with_hierarchies() else {
        return;
    };
    let keys = adult_hierarchies(&ADULT_KEYS);
    let (combinations, _) = count(&adult, adult.rows.iter(), &keys, &["income"]);
    assert_eq!(
        (combinations.rows(), combinations.lattice().nodes()),
        (30_162, 6_480)
    );
    for max_suppressed in [0, 600] {
        let requirement = requirement(5, 2, max_suppressed);
        let minimal = search("Adult, 8 keys", &combinations, &requirement);
        assert_eq!(minimal, minimal_of_all(&combinations, &requirement));
        assert!(minimal.iter().all(|node| node.suppressed <= max_suppressed));
    }
}

#[test]
fn four_keys_of_tv06() {
    let Some(adult) = adult_with_hierarchies() else {
        return;
    };
    let keys = adult_hierarchies(&TV06_KEYS);
    let (combinations, _) = count(&adult, adult.rows.iter(), &keys, &["income"]);
    for k in [2, 3] {
        for max_suppressed in [0, 300] {
            let requirement = requirement(k, 2, max_suppressed);
            let minimal = search("Adult, 4 keys", &combinations, &requirement);
            assert_eq!(minimal, minimal_of_all(&combinations, &requirement));
        }
    }
}

/// The hierarchies of TV06's experiment: 96 nodes.
fn tv06_hierarchies(adult: &Data) -> Vec<Named> {
    let build = |key: &&str| {
        let at = adult.column(key);
        let values: BTreeSet<&String> = adult.rows.iter().map(|row| &row[at]).collect();
        let lines = values.into_iter().map(|value| tv06_labels(key, value));
        hierarchy(key, &lines.collect::<Vec<_>>())
    };
    TV06_KEYS.iter().map(build).collect()
}

/// What becomes of a value from level to level.
fn tv06_labels(key: &str, value: &str) -> Vec<String> {
    let either = |first: bool, a: &str, b: &str| if first { a } else { b }.to_owned();
    let (white, black) = (value == "White", value == "Black");
    let between = match key {
        "age" => {
            let young = value.parse::<u32>().unwrap() < 50;
            vec![value[..1].into(), either(young, "<50", ">=50")]
        }
        "marital-status" => vec![either(value.starts_with("Married"), "married", "single")],
        "race" => vec![
            either(white || black, value, "Other"),
            either(white, value, "Other"),
        ],
        _ => vec![],
    };
    [vec![value.into()], between, vec!["*".into()]].concat()
}

fn sample<'a>(adult: &'a Data, size: usize, random: &mut impl Rng) -> Vec<&'a Vec<String>> {
    let mut rows: Vec<_> = adult.rows.iter().collect();
    for at in 0..size {
        let other = random.random_range(at..rows.len());
        rows.swap(at, other);
    }
    rows.truncate(size);
    rows
}

/// The (group, sensitive column) pairs with one single value among rows that are kept at a
/// node, counted from the rows themselves.
fn disclosures(adult: &Data, rows: &[&Vec<String>], keys: &[Named], levels: &[usize]) -> usize {
    let mut groups: BTreeMap<Vec<u32>, Vec<&Vec<String>>> = BTreeMap::new();
    for row in rows {
        let code = |(key, &level): (&Named, &usize)| {
            let value = key.2[&row[adult.column(&key.0)]];
            key.1.code_of(level)[value as usize]
        };
        let group = keys.iter().zip(levels).map(code).collect();
        groups.entry(group).or_default().push(row);
    }
    let single = |rows: &Vec<&Vec<String>>| {
        let one_value = |name: &&&str| {
            let at = adult.column(name);
            rows.iter().all(|row| row[at] == rows[0][at])
        };
        TV06_SENSITIVE.iter().filter(one_value).count()
    };
    groups.values().map(single).sum()
}

/// The disclosures that remain at the minimal nodes, printed node by node and summed.
fn remaining(adult: &Data, size: usize, k: usize, p: usize) -> usize {
    let keys = tv06_hierarchies(adult);
    let rows = sample(adult, size, &mut ChaCha20Rng::seed_from_u64(2006));
    let (combinations, numbers) = count(adult, rows.iter().copied(), &keys, &TV06_SENSITIVE);
    assert_eq!(combinations.lattice().nodes(), 96);
    let requirement = requirement(k, p, size as u64 / 100);
    let remaining = |node: &Figures| {
        let levels = combinations.lattice().levels(node.node);
        let kept = kept(&combinations, &requirement, node.node, &mut Unwatched).unwrap();
        let rows = rows.iter().zip(&numbers);
        let rows = rows.filter(|&(_, &number)| kept[number as usize]);
        let rows: Vec<_> = rows.map(|(row, _)| *row).collect();
        let remain = disclosures(adult, &rows, &keys, &levels);
        println!("  levels {levels:?}: {remain} disclosures remain");
        remain
    };
    let minimal = search(
        &format!("{size} rows of Adult"),
        &combinations,
        &requirement,
    );
    minimal.iter().map(remaining).sum()
}

/// Table 8 of TV06 in kind, with samples of our own: the paper's are unknown.
#[test]
fn p_sensitivity_removes_the_disclosures_that_k_anonymity_leaves() {
    let Some(adult) = adult() else { return };
    for (size, k) in [(400, 2), (400, 3), (4_000, 2), (4_000, 3)] {
        let under_k = remaining(&adult, size, k, 1);
        assert!(under_k > 0 || size > 400);
        assert_eq!(remaining(&adult, size, k, 2), 0);
    }
}
