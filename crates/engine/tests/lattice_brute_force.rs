//! The lattice search against brute force, written from the definitions, on random tables.

use proptest::{collection::vec, prelude::*};
use sdc_engine::{
    Result, Unwatched,
    lattice::{
        Combinations, Condition, Counter, Hierarchy, Requirement, every_node, figures, kept,
        minimal_generalizations,
    },
    model::{Group, LDiversity, Merging, ModelKind, PrivacyModel},
};
use std::collections::{BTreeMap, BTreeSet};

/// A random table with hierarchies, and what is asked of it.
#[derive(Debug, Clone)]
struct Case {
    /// labels per key column, level (0 included) and value
    labels: Vec<Vec<Vec<u32>>>,
    keys: Vec<Vec<u32>>,
    sensitive: Vec<Vec<u32>>,
    k: usize,
    p: usize,
    max_suppressed: u64,
}

/// Up to three coarsenings of 1 to 6 values: each maps the labels of the level below.
fn labels() -> impl Strategy<Value = Vec<Vec<u32>>> {
    (1u32..=6, vec(vec(0u32..4, 6), 0..=3)).prop_map(|(values, maps)| {
        let mut levels = vec![(0..values).collect::<Vec<_>>()];
        for map in maps {
            let above = |&label: &u32| map[label as usize];
            levels.push(levels[levels.len() - 1].iter().map(above).collect());
        }
        levels
    })
}

fn case() -> impl Strategy<Value = Case> {
    let table = (vec(labels(), 1..=4), 1usize..=40, 0usize..=2, 1u32..=4);
    let filled = table.prop_flat_map(|(labels, rows, sensitive, values)| {
        let key = labels.iter().map(|levels| 0..levels[0].len() as u32);
        let key: Vec<_> = key.collect();
        let columns = vec(0..values, sensitive);
        (Just(labels), vec(key, rows), vec(columns, rows))
    });
    let asked = (1usize..=5, 1usize..=3, 0u64..=40);
    (filled, asked).prop_map(|((labels, keys, sensitive), (k, p, limit))| Case {
        k: k.min(keys.len()),
        p: p.min(k).min(keys.len()).min(fewest_values(&sensitive)),
        max_suppressed: limit.saturating_sub(20),
        labels,
        keys,
        sensitive,
    })
}

fn fewest_values(sensitive: &[Vec<u32>]) -> usize {
    let distinct = |column| {
        let values: BTreeSet<u32> = sensitive.iter().map(|row| row[column]).collect();
        values.len()
    };
    (0..sensitive[0].len())
        .map(distinct)
        .min()
        .unwrap_or(usize::MAX)
}

impl Case {
    fn combinations(&self) -> Combinations {
        let hierarchy =
            |levels: &Vec<Vec<u32>>| Hierarchy::new(levels[0].len() as u32, &levels[1..]).unwrap();
        let hierarchies = self.labels.iter().map(hierarchy).collect();
        let mut counter = Counter::new(hierarchies, self.sensitive[0].len()).unwrap();
        for (keys, values) in self.keys.iter().zip(&self.sensitive) {
            let bytes: Vec<_> = values.iter().map(|value| value.to_le_bytes()).collect();
            let bytes: Vec<_> = bytes.iter().map(|bytes| &bytes[..]).collect();
            counter.add(keys, &bytes).unwrap();
        }
        counter.combinations().unwrap()
    }

    /// The figures of a node by the definition, from the rows: groups that are left, rows
    /// suppressed, mean loss.
    fn figures(&self, levels: &[usize], conditions: &[Condition<'_>]) -> (u64, u64, f64) {
        let mut groups: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (row, keys) in self.keys.iter().enumerate() {
            let label =
                |(column, &code): (usize, &u32)| self.labels[column][levels[column]][code as usize];
            let group = keys.iter().enumerate().map(label).collect();
            groups.entry(group).or_default().push(row);
        }
        let (mut left, mut suppressed, mut loss) = (0, 0, 0.0);
        for (labels, rows) in &groups {
            if self.holds(rows, conditions) {
                left += 1;
                loss += rows.len() as f64 * self.loss(labels, levels);
            } else {
                suppressed += rows.len() as u64;
            }
        }
        let rows = self.keys.len() as f64;
        (left, suppressed, (loss + suppressed as f64) / rows)
    }

    fn loss(&self, labels: &[u32], levels: &[usize]) -> f64 {
        let columns = self.labels.iter().zip(levels).zip(labels);
        let cell = columns.map(|((column, &level), label)| {
            let covered = column[level].iter().filter(|&other| other == label);
            let others = (covered.count() - 1) as f64;
            others / (column[0].len() as f64 - 1.0).max(1.0)
        });
        cell.sum::<f64>() / self.labels.len() as f64
    }

    fn holds(&self, rows: &[usize], conditions: &[Condition<'_>]) -> bool {
        let histogram = |column: usize| {
            let mut counts = BTreeMap::new();
            for &row in rows {
                *counts.entry(self.sensitive[row][column]).or_insert(0) += 1;
            }
            counts.into_iter().collect::<Vec<(u32, u64)>>()
        };
        let diverse = |column| histogram(column).len() >= self.p;
        let met = |condition: &Condition<'_>| {
            let values = condition.column.map(histogram).unwrap_or_default();
            let rows = rows.len() as u64;
            let values = &values;
            let figure = condition.model.figure(Group { rows, values });
            condition.model.holds(figure, condition.required)
        };
        rows.len() >= self.k
            && (0..self.sensitive[0].len()).all(diverse)
            && conditions.iter().all(met)
    }

    /// Compares every node's figures and the minimal nodes with the definition.
    fn check(&self, conditions: Vec<Condition<'_>>) -> Result<()> {
        let combinations = self.combinations();
        let lattice = combinations.lattice();
        let requirement = Requirement {
            conditions,
            k: self.k,
            p: self.p,
            max_suppressed: self.max_suppressed,
        };
        let mut satisfied = BTreeSet::new();
        for found in every_node(&combinations, &requirement, &mut Unwatched)? {
            let levels = lattice.levels(found.node);
            let (groups, suppressed, loss) = self.figures(&levels, &requirement.conditions);
            assert_eq!((found.groups, found.suppressed), (groups, suppressed));
            assert!((found.loss - loss).abs() < 1e-12);
            assert_eq!(found.satisfied, suppressed <= self.max_suppressed);
            assert_eq!(found.height, levels.iter().sum());
            if found.satisfied {
                satisfied.insert(levels);
            }
        }
        let below = |levels: &Vec<usize>, other: &Vec<usize>| {
            other != levels
                && other
                    .iter()
                    .zip(levels)
                    .all(|(other, level)| other <= level)
        };
        let minimal = |levels: &&Vec<usize>| !satisfied.iter().any(|other| below(levels, other));
        let expected: BTreeSet<_> = satisfied.iter().filter(minimal).cloned().collect();
        let found = minimal_generalizations(&combinations, &requirement, &mut Unwatched)?;
        let found = found.nodes.iter().map(|found| lattice.levels(found.node));
        assert_eq!(found.collect::<BTreeSet<_>>(), expected);
        Ok(())
    }
}

/// Whether a group's rows are odd: nothing is known of what merging does to it.
struct Odd;

impl PrivacyModel for Odd {
    fn kind(&self) -> ModelKind {
        ModelKind::at_most("odd", Merging::Unknown)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        (group.rows % 2) as f64
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn figures_and_minimal_nodes_follow_the_definition(case in case()) {
        case.check(vec![])?;
    }

    #[test]
    fn nothing_suppressed_is_a_case_of_its_own(mut case in case()) {
        case.max_suppressed = 0;
        case.check(vec![])?;
    }

    #[test]
    fn diversity_as_a_condition(case in case(), required in 1.0..2.5, none in any::<bool>()) {
        let max_suppressed = if none { 0 } else { case.max_suppressed };
        let condition = |column| Condition {
            model: &LDiversity,
            column: Some(column),
            required,
        };
        let conditions = (0..case.sensitive[0].len()).map(condition).collect();
        Case { max_suppressed, ..case }.check(conditions)?;
    }

    #[test]
    fn conditions_that_nothing_is_known_of(case in case()) {
        let condition = Condition {
            model: &Odd,
            column: None,
            required: 0.0,
        };
        case.check(vec![condition])?;
    }

    #[test]
    fn kept_combinations_are_those_not_suppressed(case in case(), at in any::<prop::sample::Index>()) {
        let combinations = case.combinations();
        let node = at.index(combinations.lattice().nodes());
        let requirement = Requirement {
            k: case.k,
            p: case.p,
            max_suppressed: case.max_suppressed,
            conditions: vec![],
        };
        let kept = kept(&combinations, &requirement, node, &mut Unwatched)?;
        let (_, suppressed, _) = case.figures(&combinations.lattice().levels(node), &[]);
        let gone = (0..combinations.len()).filter(|&number| !kept[number]);
        let rows = gone.map(|number| {
            let same = |keys: &&Vec<u32>| **keys == combinations.codes(number as u32);
            case.keys.iter().filter(same).count() as u64
        });
        prop_assert_eq!(rows.sum::<u64>(), suppressed);
        let alone = figures(&combinations, &requirement, node, &mut Unwatched)?;
        let among_all = every_node(&combinations, &requirement, &mut Unwatched)?[node];
        prop_assert_eq!(alone, among_all);
    }
}
