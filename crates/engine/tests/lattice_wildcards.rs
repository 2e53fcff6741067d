//! Generalization where NULL matches every value, against row-against-row brute force on small
//! random lattices: the rows that a node keeps, and that going up never loses one.

mod lattice_search;

use proptest::{collection::vec, prelude::*};
use sdc_engine::Unwatched;
use sdc_engine::lattice::{
    Combinations, Counter, Hierarchy, Requirement, every_node, kept, wildcard_figures,
};
use std::collections::BTreeSet;

/// The last value of each key is NULL.
#[derive(Debug, Clone)]
struct Case {
    /// labels per key column, level above 0 and value
    labels: Vec<Vec<Vec<u32>>>,
    keys: Vec<Vec<u32>>,
    sensitive: Vec<u32>,
    k: usize,
    p: usize,
    max_suppressed: u64,
}

/// Values of a key, NULL included.
const VALUES: u32 = 5;
const NULL: u32 = VALUES - 1;

fn labels() -> impl Strategy<Value = Vec<Vec<u32>>> {
    vec(vec(0u32..3, VALUES as usize), 0..=2).prop_map(|maps| {
        let mut levels: Vec<Vec<u32>> = vec![(0..VALUES).collect()];
        for map in maps {
            let above = |&label: &u32| map[label as usize];
            levels.push(levels[levels.len() - 1].iter().map(above).collect());
        }
        levels.split_off(1)
    })
}

fn case() -> impl Strategy<Value = Case> {
    let table = (vec(labels(), 1..=3), 1usize..=18, 1u32..=4);
    let filled = table.prop_flat_map(|(labels, rows, values)| {
        let code = prop_oneof![3 => 0..NULL, 1 => Just(NULL)];
        let key = vec(code, labels.len());
        (Just(labels), vec(key, rows), vec(0..values, rows))
    });
    let asked = (1usize..=4, 1usize..=3, 0u64..=6);
    (filled, asked).prop_map(|((labels, keys, sensitive), (k, p, max_suppressed))| {
        let distinct = sensitive.iter().collect::<BTreeSet<_>>().len();
        let k = k.min(keys.len());
        Case {
            p: p.min(k).min(distinct),
            k,
            labels,
            keys,
            sensitive,
            max_suppressed,
        }
    })
}

impl Case {
    fn hierarchies(&self) -> Vec<Hierarchy> {
        let hierarchy = |labels: &Vec<Vec<u32>>| {
            let plain = Hierarchy::new(VALUES, labels).unwrap();
            plain.with_apart(NULL).unwrap()
        };
        self.labels.iter().map(hierarchy).collect()
    }

    /// The combinations, and that of each row.
    fn combinations(&self) -> (Combinations, Vec<u32>) {
        let mut counter = Counter::new(self.hierarchies(), 1).unwrap();
        let add =
            |(keys, value): (&Vec<u32>, &u32)| counter.add(keys, &[&value.to_le_bytes()]).unwrap();
        let of_row = self.keys.iter().zip(&self.sensitive).map(add).collect();
        let wildcards = vec![Some(NULL); self.labels.len()];
        let combinations = counter.combinations().unwrap();
        (combinations.with_wildcards(wildcards).unwrap(), of_row)
    }

    fn matches(&self, levels: &[usize], a: usize, b: usize) -> bool {
        let mut columns = self.labels.iter().zip(levels).enumerate();
        columns.all(|(column, (labels, &level))| {
            let (a, b) = (self.keys[a][column], self.keys[b][column]);
            let label = |value: u32| match level {
                0 => value,
                level => labels[level - 1][value as usize],
            };
            a == NULL || b == NULL || label(a) == label(b)
        })
    }

    fn holds(&self, levels: &[usize], set: &BTreeSet<usize>, row: usize) -> bool {
        let matching = set
            .iter()
            .filter(|&&other| self.matches(levels, row, other));
        let matching: Vec<usize> = matching.copied().collect();
        let values: BTreeSet<u32> = matching.iter().map(|&row| self.sensitive[row]).collect();
        matching.len() >= self.k && values.len() >= self.p
    }

    /// The largest set by its definition: all subsets are tried where there are few rows, and
    /// their union is taken.
    fn union_of_all_sets(&self, levels: &[usize]) -> BTreeSet<usize> {
        let rows = self.keys.len();
        let sets = (0u32..1 << rows).map(|bits| {
            let inside = (0..rows).filter(|row| bits >> row & 1 == 1);
            inside.collect::<BTreeSet<usize>>()
        });
        let good = sets.filter(|set| set.iter().all(|&row| self.holds(levels, set, row)));
        good.flatten().collect()
    }

    /// The same by removing one failing row after the other.
    fn peeled(&self, levels: &[usize]) -> BTreeSet<usize> {
        let mut set: BTreeSet<usize> = (0..self.keys.len()).collect();
        while let Some(row) = set
            .iter()
            .copied()
            .find(|&row| !self.holds(levels, &set, row))
        {
            set.remove(&row);
        }
        set
    }
}

fn requirement(case: &Case) -> Requirement<'static> {
    Requirement {
        k: case.k,
        p: case.p,
        max_suppressed: case.max_suppressed,
        conditions: Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..Default::default() })]

    #[test]
    fn nodes_keep_the_largest_set_that_keeps_the_promise(case in case()) {
        let (combinations, of_row) = case.combinations();
        let requirement = requirement(&case);
        let lattice = combinations.lattice();
        let nodes = every_node(&combinations, &requirement, &mut Unwatched).unwrap();
        let mut cores = Vec::new();
        for node in &nodes {
            let levels = lattice.levels(node.node);
            let expected = case.peeled(&levels);
            if case.keys.len() <= 6 {
                prop_assert_eq!(&expected, &case.union_of_all_sets(&levels));
            }
            let kept = kept(&combinations, &requirement, node.node, &mut Unwatched).unwrap();
            let rows = of_row.iter().enumerate();
            let rows = rows.filter(|(_, combination)| kept[**combination as usize]);
            let rows: BTreeSet<usize> = rows.map(|(row, _)| row).collect();
            prop_assert_eq!(&rows, &expected);
            prop_assert_eq!(node.suppressed, (case.keys.len() - rows.len()) as u64);
            prop_assert_eq!(node.satisfied, node.suppressed <= case.max_suppressed);
            let figures =
                wildcard_figures(&combinations, node.node, &kept, &mut Unwatched).unwrap();
            let fewest = |figure: &dyn Fn(Vec<usize>) -> usize| {
                let matching = |&row: &usize| {
                    let matching = rows.iter().filter(|&&other| case.matches(&levels, row, other));
                    figure(matching.copied().collect()) as u64
                };
                rows.iter().map(matching).min()
            };
            let values = |rows: Vec<usize>| {
                rows.iter().map(|&row| case.sensitive[row]).collect::<BTreeSet<_>>().len()
            };
            prop_assert_eq!(figures.as_ref().map(|found| found.k), fewest(&|rows| rows.len()));
            prop_assert_eq!(figures.map(|found| found.p[0]), fewest(&values));
            cores.push(rows);
        }
        // what is kept at a node is kept above it
        for (low, core) in cores.iter().enumerate() {
            for above in lattice.successors(low) {
                prop_assert!(core.is_subset(&cores[above]));
            }
        }
    }

    #[test]
    fn searches_find_what_brute_force_does(case in case()) {
        let (combinations, _) = case.combinations();
        let requirement = requirement(&case);
        let nodes = every_node(&combinations, &requirement, &mut Unwatched).unwrap();
        lattice_search::assert_found(&nodes, &combinations, &requirement);
    }
}

#[test]
fn a_wildcard_must_be_alone() {
    let shared = Hierarchy::new(2, &[vec![0, 0]]).unwrap();
    let mut counter = Counter::new(vec![shared.clone()], 0).unwrap();
    counter.add(&[0], &[]).unwrap();
    let combinations = counter.combinations().unwrap();
    assert!(combinations.with_wildcards(vec![Some(1)]).is_err());
    let apart = shared.with_apart(1).unwrap();
    assert_eq!((apart.codes(1), apart.covered(1)), (2, &[1, 1][..]));
}
