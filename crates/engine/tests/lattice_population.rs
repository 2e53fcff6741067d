//! k-map and delta-presence of generalizations, against their definitions on small tables.

mod lattice_search;

use proptest::prelude::*;
use sdc_engine::Unwatched;
use sdc_engine::lattice::{
    Combinations, Counter, Hierarchy, PopulationLimits, Requirement, every_node, population_figures,
};
use std::collections::BTreeMap;

/// Age in four values, halves and one; place in three and one.
fn hierarchies() -> Vec<Hierarchy> {
    let age = Hierarchy::new(4, &[vec![0, 0, 1, 1], vec![0; 4]]).unwrap();
    let place = Hierarchy::new(3, &[vec![0; 3]]).unwrap();
    vec![age, place]
}

fn counted(table: &[[u32; 2]], others: &[[u32; 2]], limits: PopulationLimits) -> Combinations {
    let mut counter = Counter::new(hierarchies(), 0).unwrap();
    table.iter().for_each(|row| {
        counter.add(row, &[]).unwrap();
    });
    // everybody of the table is in the population
    let population = table.iter().chain(others);
    population.for_each(|person| counter.add_person(person).unwrap());
    counter
        .combinations()
        .unwrap()
        .in_population(limits)
        .unwrap()
}

fn recoded(row: &[u32; 2], levels: &[usize]) -> Vec<u32> {
    let keys = hierarchies();
    let codes = keys.iter().zip(row).zip(levels);
    codes
        .map(|((hierarchy, &code), &level)| hierarchy.code_of(level)[code as usize])
        .collect()
}

/// Rows and persons of each group of a node that has rows.
fn groups(table: &[[u32; 2]], others: &[[u32; 2]], levels: &[usize]) -> Vec<(u64, u64)> {
    let mut groups: BTreeMap<Vec<u32>, (u64, u64)> = BTreeMap::new();
    for row in table {
        let group = groups.entry(recoded(row, levels)).or_default();
        *group = (group.0 + 1, group.1 + 1);
    }
    for row in others {
        groups.entry(recoded(row, levels)).or_default().1 += 1;
    }
    groups.into_values().filter(|group| group.0 > 0).collect()
}

fn meets((rows, persons): (u64, u64), k: usize, limits: PopulationLimits) -> bool {
    let share = rows as f64 / persons as f64;
    rows >= k as u64 && persons >= limits.k_map && limits.delta.is_none_or(|delta| share <= delta)
}

fn rows(most: usize) -> impl Strategy<Value = Vec<[u32; 2]>> {
    prop::collection::vec(
        (0..4u32, 0..3u32).prop_map(|(age, place)| [age, place]),
        1..most,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..Default::default() })]

    #[test]
    fn nodes_are_judged_by_their_groups_in_the_population(
        table in rows(12), others in rows(20), k in 1..4usize, k_map in 0..9u64,
        delta in prop::option::of((1..9u32).prop_map(|eighths| f64::from(eighths) / 8.0)),
        max_suppressed in 0..5u64,
    ) {
        prop_assume!(k <= table.len());
        let limits = PopulationLimits { k_map, delta };
        let combinations = counted(&table, &others, limits);
        let requirement = Requirement { k, p: 1, max_suppressed, conditions: Vec::new() };
        let nodes = every_node(&combinations, &requirement, &mut Unwatched).unwrap();
        for node in &nodes {
            let levels = combinations.lattice().levels(node.node);
            let groups = groups(&table, &others, &levels);
            let (kept, failed): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|&group| meets(group, k, limits));
            let suppressed: u64 = failed.iter().map(|group| group.0).sum();
            prop_assert_eq!((node.groups, node.suppressed), (kept.len() as u64, suppressed));
            prop_assert_eq!(node.satisfied, suppressed <= max_suppressed);
            let found = population_figures(&combinations, &requirement, node.node, &mut Unwatched);
            let found = found.unwrap();
            prop_assert_eq!(found.map(|found| found.k_map), kept.iter().map(|group| group.1).min());
            let largest = kept.iter().map(|group| group.0 as f64 / group.1 as f64).reduce(f64::max);
            prop_assert_eq!(found.map(|found| found.delta), largest);
        }
        lattice_search::assert_found(&nodes, &combinations, &requirement);
    }
}

#[test]
fn limits_need_a_population() {
    let mut counter = Counter::new(hierarchies(), 0).unwrap();
    counter.add(&[0, 0], &[]).unwrap();
    assert!(counter.add_person(&[4, 0]).is_err());
    let combinations = counter.combinations().unwrap();
    assert!(combinations.population().is_none());
    assert!(
        combinations
            .in_population(PopulationLimits::default())
            .is_err()
    );
}
