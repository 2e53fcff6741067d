//! Bytes become a table, every method gets it, and whatever comes back must keep the method's
//! laws: groups large and diverse enough, figures that agree with the definition, no panic. A
//! refusal is an answer too. PROPTEST_CASES sets how many tables are tried (make fuzz: many).

mod random_case;

use proptest::prelude::*;
use random_case::Case;
use sdc_engine::assign::refine::{Limits, refine};
use sdc_engine::assign::{self, Method};
use sdc_engine::lattice::{
    Condition, Counter, Hierarchy, Requirement, figures, minimal_generalizations,
};
use sdc_engine::measure::{self, Squares};
use sdc_engine::model::{LDiversity, SensitivityCategories};
use sdc_engine::{
    Categories, Column, Error, GroupCounts, Partition, Result, Space, Table, Unwatched, mask,
    permute, predicate,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a method may say instead of groups.
fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::TooSmall { .. }
            | Error::PAboveK { .. }
            | Error::TooFewRows { .. }
            | Error::TooFewValues { .. }
            | Error::NotEligible { .. }
            | Error::NotPositive { .. }
            | Error::WeightTooLarge { .. }
    )
}

/// The groups of a result, or nothing where the method refused for a good reason.
fn groups(what: &str, result: Result<Partition>) -> Option<Partition> {
    match result {
        Ok(partition) => Some(partition),
        Err(error) => {
            assert!(is_refusal(&error), "{what}: {error}");
            None
        }
    }
}

fn rows_of(partition: &Partition) -> Vec<Vec<u32>> {
    let members = partition.members().unwrap();
    members.iter().map(<[u32]>::to_vec).collect()
}

fn distinct(rows: &[u32], column: &Categories) -> usize {
    let values: BTreeSet<u32> = rows
        .iter()
        .map(|&row| column.codes()[row as usize])
        .collect();
    values.len()
}

fn most(rows: &[u32], column: &Categories) -> usize {
    let mut counts = BTreeMap::new();
    for &row in rows {
        *counts.entry(column.codes()[row as usize]).or_insert(0) += 1;
    }
    counts.into_values().max().unwrap_or(0)
}

fn assert_groups(what: &str, partition: &Partition, k: usize, p: usize, sensitive: &[Categories]) {
    for rows in rows_of(partition) {
        assert!(
            rows.len() >= k,
            "{what}: a group of {} for k = {k}",
            rows.len()
        );
        for column in sensitive {
            assert!(
                distinct(&rows, column) >= p,
                "{what}: too few values for p = {p}"
            );
        }
    }
}

/// Loss is no share of nothing, and masked columns keep their range and their values.
fn assert_figures(table: &Table, space: &Space, partition: &Partition) {
    let squares = Squares::new(space, partition).unwrap();
    let loss = squares.information_loss();
    assert!((0.0..=100.000_001).contains(&loss), "a loss of {loss}");
    let ncp = measure::ncp(table, partition).unwrap();
    let cells = (table.rows() * table.columns().len()) as f64;
    assert!((0.0..=cells * 1.000_001).contains(&ncp), "{ncp} of {cells}");
    for column in table.columns() {
        match column {
            Column::Numeric(values) => {
                let means = mask::means(values, partition).unwrap();
                for (rows, mean) in rows_of(partition).iter().zip(means) {
                    let own = || rows.iter().map(|&row| values[row as usize]);
                    let (least, greatest) = (own().reduce(f64::min), own().reduce(f64::max));
                    assert!(least <= Some(mean) && Some(mean) <= greatest, "{mean}");
                }
            }
            Column::Categorical(values) => {
                let modes = mask::modes(values, partition).unwrap();
                for (rows, mode) in rows_of(partition).iter().zip(modes) {
                    let count = rows
                        .iter()
                        .filter(|&&row| values.codes()[row as usize] == mode);
                    assert_eq!(count.count(), most(rows, values));
                }
            }
        }
    }
}

fn microaggregation_keeps_its_laws(case: &Case) {
    let Ok(table) = Table::new(case.keys.clone()) else {
        return;
    };
    let space = Space::new(&table, true).unwrap();
    let (k, p, sensitive) = (case.k, case.p, &case.sensitive[..]);
    if let Some(found) = groups("mdav", assign::mdav(&space, k, &mut Unwatched)) {
        assert_eq!(
            found,
            assign::mdav_by_scan(&space, k, &mut Unwatched).unwrap()
        );
        assert_groups("mdav", &found, k, 0, &[]);
        assert_figures(&table, &space, &found);
    }
    if let Column::Numeric(values) = &case.keys[0]
        && let Some(found) = groups("univariate", assign::univariate(values, k, &mut Unwatched))
    {
        assert_groups("univariate", &found, k, 0, &[]);
    }
    let mondrian = assign::mondrian(&table, sensitive, k, p, &mut Unwatched);
    if let Some(found) = groups("mondrian", mondrian) {
        assert_groups("mondrian", &found, k, p, sensitive);
    }
    if let Some(found) = groups("v_mdav", assign::v_mdav(&space, k, None, &mut Unwatched)) {
        assert_groups("v_mdav", &found, k, 0, &[]);
        assert!(rows_of(&found).iter().all(|rows| rows.len() < 3 * k));
        assert_figures(&table, &space, &found);
    }
    for method in Method::P_SENSITIVE {
        let found = assign::p_sensitive(
            &space,
            sensitive,
            k,
            p,
            method,
            &mut case.rng(),
            &mut Unwatched,
        );
        let Some(found) = groups("p_sensitive", found) else {
            continue;
        };
        assert_groups("p_sensitive", &found, k, p, sensitive);
        assert_figures(&table, &space, &found);
        if k > 0 && p > 0 && table.rows() > 0 {
            let limits = Limits { k, p, sensitive };
            let before = measure::within(&space, &found).unwrap();
            let refined = refine(&space, limits, found, 1, &mut case.rng(), &mut Unwatched);
            let refined = refined.unwrap();
            assert_groups("refine", &refined, k, p, sensitive);
            assert!(measure::within(&space, &refined).unwrap() <= before);
        }
    }
}

/// Each method under the name that users know it by, so that none is left out of the laws.
fn every_name_keeps_its_laws(case: &Case) {
    let Ok(table) = Table::new(case.keys.clone()) else {
        return;
    };
    let space = Space::new(&table, true).unwrap();
    for name in Method::NAMES {
        let method = Method::named(name).unwrap();
        let p = if method.is_p_sensitive() { case.p } else { 1 };
        let sensitive = &case.sensitive[..];
        let found = method.group(
            &space,
            sensitive,
            case.k,
            p,
            &mut case.rng(),
            &mut Unwatched,
        );
        if matches!(found, Err(Error::NotUnivariate { .. })) {
            assert_eq!(method, Method::Univariate);
            continue;
        }
        let Some(found) = groups(name, found) else {
            continue;
        };
        assert_groups(name, &found, case.k, p, sensitive);
        assert_figures(&table, &space, &found);
    }
}

/// Values of a column as sensitivity categories, the first the most sensitive; a unit for each
/// of k rows is asked for.
fn categories_keep_their_laws(case: &Case) {
    let (Ok(table), [column, ..]) = (Table::new(case.keys.clone()), &case.sensitive[..]) else {
        return;
    };
    let space = Space::new(&table, true).unwrap();
    let (k, p, count) = (case.k, case.p, column.cardinality() as u32 + 1);
    let categories = SensitivityCategories::new((0..count).collect(), count).unwrap();
    let alpha = k as f64 / f64::from((count - 1).max(1));
    let found = assign::p_alpha_sensitive(&space, column, &categories, k, p, alpha, &mut Unwatched);
    let Some(found) = groups("p_alpha", found) else {
        return;
    };
    assert_groups("p_alpha", &found, k, p, std::slice::from_ref(column));
    for rows in rows_of(&found) {
        let units = rows
            .iter()
            .map(|&row| u64::from(column.codes()[row as usize]));
        assert!(units.sum::<u64>() >= k as u64, "p_alpha: too little weight");
    }
    assert_figures(&table, &space, &found);
}

fn separation_keeps_its_laws(case: &Case) {
    let Ok(table) = Table::new(case.keys.clone()) else {
        return;
    };
    let (sensitive, l) = (&case.sensitive[0], case.p);
    let anatomy = assign::anatomy(sensitive, l, &mut case.rng(), &mut Unwatched);
    let permutation = assign::permutation(
        &table,
        sensitive,
        l,
        case.k % 4,
        &mut case.rng(),
        &mut Unwatched,
    );
    for (what, found) in [("anatomy", anatomy), ("permutation", permutation)] {
        let Some(found) = groups(what, found) else {
            continue;
        };
        for rows in rows_of(&found) {
            assert!(
                most(&rows, sensitive) * l <= rows.len(),
                "{what} is not {l}-diverse"
            );
        }
        let places = permute::permute(&found, &mut case.rng(), &mut Unwatched).unwrap();
        let moved: BTreeSet<u32> = places.iter().copied().collect();
        assert_eq!(moved.len(), found.rows(), "{what}: a row went missing");
        let stays = |(row, &place): (usize, &u32)| {
            found.group_of()[row] == found.group_of()[place as usize]
        };
        assert!(places.iter().enumerate().all(stays));
        let error = measure::reconstruction_error(&found, sensitive, Some(&table)).unwrap();
        assert!(error >= -1e-9, "{error}");
    }
}

/// A key column as base values of a hierarchy: numbers are told apart, as categories are.
fn base_values(column: &Column) -> Vec<u32> {
    match column {
        Column::Categorical(categories) => categories.codes().to_vec(),
        Column::Numeric(values) => {
            let mut known = BTreeMap::new();
            let code = |value: &f64| {
                let next = known.len() as u32;
                *known.entry(value.to_bits()).or_insert(next)
            };
            values.iter().map(code).collect()
        }
    }
}

/// The labels of each level of a hierarchy of three: values, threes of them, all of them.
fn labels(values: &[u32]) -> [Vec<u32>; 3] {
    let count = values.iter().max().map_or(0, |&top| top + 1);
    [1, 3, count.max(1)].map(|width| (0..count).map(|value| value / width).collect())
}

/// The groups left and the rows suppressed at a node, from the rows themselves.
fn judged(
    case: &Case,
    keys: &[Vec<u32>],
    levels: &[usize],
    requirement: &Requirement,
) -> (u64, u64) {
    let sensitive = &case.sensitive[0];
    let mut groups: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for row in 0..keys[0].len() {
        let label = |(key, &level): (&Vec<u32>, &usize)| labels(key)[level][key[row] as usize];
        let group = keys.iter().zip(levels).map(label).collect();
        groups.entry(group).or_default().push(row as u32);
    }
    let meets = |rows: &Vec<u32>| {
        let diversity = rows.len() as f64 / most(rows, sensitive) as f64;
        let mut conditions = requirement.conditions.iter();
        rows.len() >= requirement.k
            && distinct(rows, sensitive) >= requirement.p
            && conditions.all(|condition| diversity >= condition.required)
    };
    let (kept, failed): (Vec<_>, Vec<_>) = groups.values().partition(|&rows| meets(rows));
    let suppressed = failed.iter().map(|rows| rows.len() as u64).sum();
    (kept.len() as u64, suppressed)
}

/// The lattice's figures for the least general nodes that satisfy, against the rows themselves:
/// k, p and, in half of the cases, l-diversity.
fn lattices_keep_their_laws(case: &Case) {
    let keys: Vec<Vec<u32>> = case.keys.iter().take(2).map(base_values).collect();
    let hierarchies: Result<Vec<Hierarchy>> = keys
        .iter()
        .map(|key| Hierarchy::new(labels(key)[0].len() as u32, &labels(key)[1..]))
        .collect();
    let Ok(mut counter) = hierarchies.and_then(|levels| Counter::new(levels, 1)) else {
        return;
    };
    for (row, value) in case.sensitive[0].codes().iter().enumerate() {
        let codes: Vec<u32> = keys.iter().map(|key| key[row]).collect();
        counter.add(&codes, &[&value.to_le_bytes()]).unwrap();
    }
    let combinations = counter.combinations().unwrap();
    let condition = Condition {
        model: &LDiversity,
        column: Some(0),
        required: 1.5,
    };
    let requirement = Requirement {
        k: case.k.max(1),
        p: case.p.max(1),
        max_suppressed: case.seed % 8,
        conditions: Vec::from_iter(case.seed.is_multiple_of(2).then_some(condition)),
    };
    match minimal_generalizations(&combinations, &requirement, &mut Unwatched) {
        Ok(minimal) => {
            for node in &minimal.nodes {
                let again =
                    figures(&combinations, &requirement, node.node, &mut Unwatched).unwrap();
                assert_eq!(node, &again);
                assert!(node.satisfied && node.suppressed <= requirement.max_suppressed);
                let levels = combinations.lattice().levels(node.node);
                let judged = judged(case, &keys, &levels, &requirement);
                assert_eq!((node.groups, node.suppressed), judged);
            }
        }
        Err(error) => assert!(is_refusal(&error), "lattice: {error}"),
    }
}

/// Counts of groups gathered in pieces are those gathered at once, through bytes as well.
fn counts_keep_their_laws(case: &Case, bytes: &[u8]) {
    let gather = |rows: &mut dyn Iterator<Item = usize>| {
        let mut counts = GroupCounts::new(1);
        for row in rows {
            let key = case.sensitive[0].codes()[row].to_le_bytes();
            let value = case.sensitive[case.sensitive.len() - 1].codes()[row].to_le_bytes();
            let group = counts.add_group(&key, 1).unwrap();
            counts.add_value(0, group, &value, 1).unwrap();
        }
        counts
    };
    let rows = case.sensitive[0].codes().len();
    let whole = gather(&mut (0..rows));
    let mut pieces = gather(&mut (0..rows).step_by(2));
    let other = gather(&mut (1..rows).step_by(2));
    let copy = |bytes: &[u8], out: &mut Vec<u8>| out.extend_from_slice(bytes);
    pieces
        .merge(&other, copy, |_, bytes, out| copy(bytes, out))
        .unwrap();
    let mut sizes = [whole.sizes().to_vec(), pieces.sizes().to_vec()];
    sizes.iter_mut().for_each(|sizes| sizes.sort());
    assert_eq!(sizes[0], sizes[1]);
    // predicates come from users: any text is read or refused
    let _ = predicate::parse(&String::from_utf8_lossy(bytes));
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    })]
    #[test]
    fn every_method_keeps_its_laws(bytes in proptest::collection::vec(any::<u8>(), 0..900)) {
        let case = Case::new(&bytes);
        microaggregation_keeps_its_laws(&case);
        every_name_keeps_its_laws(&case);
        categories_keep_their_laws(&case);
        separation_keeps_its_laws(&case);
        lattices_keep_their_laws(&case);
        counts_keep_their_laws(&case, &bytes);
    }
}
