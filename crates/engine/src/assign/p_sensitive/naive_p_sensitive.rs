//! The p-sensitive methods straight from their definitions, and the fast ones against them.
//! Only compiled for tests.

use super::group_seeds::{Frame, Lottery};
use super::seeded_groups::group;
use super::*;
use crate::assign::naive_mdav::{Place, Rows, mdav, partition, spaces};
use crate::neighbours::{Scan, Tree};
use crate::{Column, Table, Unwatched};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeSet, VecDeque};

struct Naive<'a> {
    space: &'a Space,
    rows: Rows,
    sensitive: &'a [Categories],
    k: usize,
    p: usize,
    method: Method,
}

impl<'a> Naive<'a> {
    fn new(
        space: &'a Space,
        sensitive: &'a [Categories],
        (k, p): (usize, usize),
        method: Method,
    ) -> Self {
        Naive {
            space,
            rows: Rows::new(space),
            sensitive,
            k,
            p,
            method,
        }
    }

    /// The values of each sensitive column.
    fn values(&self, rows: &[usize]) -> Vec<BTreeSet<u32>> {
        let values = |column: &Categories| rows.iter().map(|&row| column.codes()[row]).collect();
        self.sensitive.iter().map(values).collect()
    }

    fn suffice(&self, rows: &[usize]) -> bool {
        self.values(rows)
            .iter()
            .all(|values| values.len() >= self.p)
    }

    fn contributes(&self, held: &[BTreeSet<u32>], row: usize) -> bool {
        let new = |(column, held): (&Categories, &BTreeSet<u32>)| {
            let counts = !self.method.is_lean() || held.len() < self.p;
            counts && !held.contains(&column.codes()[row])
        };
        self.sensitive.iter().zip(held).any(new)
    }

    fn seed(&self, left: &[usize], lottery: &mut Lottery, rng: &mut dyn Rng) -> usize {
        match self.method {
            Method::RandomSeeds => {
                let vector = Frame::new(self.space).draw(rng);
                self.rows.by_distance(left, &(vector.numbers, vector.codes))[0]
            }
            Method::RandomRows | Method::RandomRowsLean => {
                let is_left = |row: u32| left.contains(&(row as usize));
                lottery.draw(left.len(), is_left, rng) as usize
            }
            _ => self.rows.farthest(left, &self.rows.centroid(left)),
        }
    }

    fn form(&self, left: &[usize], seed: usize) -> Vec<usize> {
        let nearest = self.rows.by_distance(left, &self.rows.place(seed));
        let mut group = vec![seed];
        while !self.suffice(&group) {
            let held = self.values(&group);
            let contributes = |row: &&usize| self.contributes(&held, **row);
            group.push(*nearest.iter().find(contributes).unwrap());
        }
        for row in nearest {
            if group.len() < self.k && !group.contains(&row) {
                group.push(row);
            }
        }
        group
    }

    fn run(&self, rng: &mut dyn Rng) -> Partition {
        let mut left: Vec<usize> = (0..self.space.rows()).collect();
        let mut lottery = Lottery::new(left.len()).unwrap();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        while left.len() >= self.k && self.suffice(&left) {
            let seed = self.seed(&left, &mut lottery, rng);
            groups.push(self.form(&left, seed));
            left.retain(|row| !groups.last().unwrap().contains(row));
        }
        let centroids = |groups: &[Vec<usize>]| -> Vec<Place> {
            groups
                .iter()
                .map(|group| self.rows.centroid(group))
                .collect()
        };
        let frozen = centroids(&groups);
        for row in left {
            let following = self.method.is_lean();
            let places = if following {
                centroids(&groups)
            } else {
                frozen.clone()
            };
            let distances = places.iter().map(|place| self.rows.distance(row, place));
            let nearest = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            groups[nearest.unwrap().0].push(row);
        }
        partition(self.space.rows(), &groups)
    }
}

fn k_first_by_definition(space: &Space, sensitive: &[Categories], k: usize, p: usize) -> Partition {
    let sizes = k..=space.rows();
    let mut tries = sizes.map(|size| mdav(space, size));
    let holds = |partition: &Partition| check(partition, sensitive, k, p).is_ok();
    tries.find(holds).unwrap()
}

/// Groups of MDAV that lack values, in turn, join the group of the nearest row that brings one.
fn merge_by_definition(space: &Space, sensitive: &[Categories], k: usize, p: usize) -> Partition {
    let naive = Naive::new(space, sensitive, (k, p), Method::PFirstLean);
    let all: Vec<usize> = (0..space.rows()).collect();
    let mdav = mdav(space, k);
    let member = |group: &[u32]| group.iter().map(|&row| row as usize).collect();
    let mut groups: Vec<Vec<usize>> = mdav.members().unwrap().iter().map(member).collect();
    let mut queue: VecDeque<usize> = (0..groups.len()).collect();
    while let Some(group) = queue.pop_front() {
        if groups[group].is_empty() || naive.suffice(&groups[group]) {
            continue;
        }
        let held = naive.values(&groups[group]);
        let centroid = naive.rows.centroid(&groups[group]);
        let nearest = naive.rows.by_distance(&all, &centroid);
        let row = nearest
            .into_iter()
            .find(|&row| naive.contributes(&held, row));
        let other = groups
            .iter()
            .position(|group| group.contains(&row.unwrap()));
        let moved = std::mem::take(&mut groups[group]);
        groups[other.unwrap()].extend(moved);
        if !naive.suffice(&groups[other.unwrap()]) {
            queue.push_back(other.unwrap());
        }
    }
    groups.retain(|group| !group.is_empty());
    partition(space.rows(), &groups)
}

const GREEDY: [Method; 5] = [
    Method::PFirst,
    Method::PFirstLean,
    Method::RandomSeeds,
    Method::RandomRows,
    Method::RandomRowsLean,
];

fn assert_all_agree(space: &Space, sensitive: &[Categories], k: usize, p: usize) {
    let input = Input::new(space, sensitive, k, p).unwrap();
    for method in GREEDY {
        let naive = Naive::new(space, sensitive, (k, p), method);
        let seeded = || ChaCha8Rng::seed_from_u64(9);
        let expected = naive.run(&mut seeded());
        let mut monitor = Unwatched;
        let meter = &mut Meter::start(&mut monitor, Phase::Grouping, 0);
        let scan = Scan::new(space, meter).unwrap();
        let by_scan = group(&input, scan, method, &mut seeded(), meter).unwrap();
        assert_eq!(by_scan, expected, "{method:?} by scan");
        let tree = Tree::new(space, sensitive, meter).unwrap();
        let by_tree = group(&input, tree, method, &mut seeded(), meter).unwrap();
        assert_eq!(by_tree, expected, "{method:?} by tree");
        let mut rng = seeded();
        let fast = p_sensitive(space, sensitive, k, p, method, &mut rng, &mut Unwatched);
        assert_eq!(fast, Ok(expected), "{method:?}");
    }
}

/// Deep enough for three levels of nodes, rebuilding, and values that are far away.
#[test]
fn tree_and_scan_agree_on_larger_tables() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut column = |rows: usize| Column::Numeric((0..rows).map(|_| rng.random()).collect());
    let columns = vec![column(5000), column(5000), column(5000)];
    let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
    let bands = space.numeric()[0]
        .iter()
        .map(|key| (key * 3.0 + 6.0) as u32);
    let many = (0..5000).map(|row| row * 7919 % 100);
    let sensitive = [
        Categories::new(bands.collect()),
        Categories::new(many.collect()),
    ];
    let input = Input::new(&space, &sensitive, 6, 4).unwrap();
    for method in GREEDY {
        let mut monitor = Unwatched;
        let meter = &mut Meter::start(&mut monitor, Phase::Grouping, 0);
        let seeded = || ChaCha8Rng::seed_from_u64(9);
        let scan = Scan::new(&space, meter).unwrap();
        let by_scan = group(&input, scan, method, &mut seeded(), meter).unwrap();
        let tree = Tree::new(&space, &sensitive, meter).unwrap();
        let by_tree = group(&input, tree, method, &mut seeded(), meter).unwrap();
        assert!(by_scan == by_tree, "{method:?}");
    }
}

/// A space, sensitive columns of few or many values, some of which follow the first key, and
/// the largest feasible p.
fn cases() -> impl Strategy<Value = (Space, Vec<Categories>, usize)> {
    spaces().prop_flat_map(|space| {
        let rows = space.rows();
        let column = prop_oneof![
            prop::collection::vec(0..4u32, rows),
            prop::collection::vec(0..200u32, rows),
            prop::collection::vec(prop::sample::select(vec![0, 0, 0, 0, 0, 0, 0, 1, 2]), rows),
            Just((0..rows as u32).map(|row| row * 5 / rows as u32).collect()),
        ];
        let columns = prop::collection::vec(column.prop_map(Categories::new), 0..4);
        (Just(space), columns).prop_map(|(space, sensitive)| {
            let counts = counts(space.rows(), &sensitive).unwrap();
            let most = feasibility::max_p(&counts).unwrap_or(5);
            (space, sensitive, most)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn tree_scan_and_definition_agree((space, sensitive, most) in cases(), k in 1..9usize, p in 1..6usize) {
        let k = k.min(space.rows());
        assert_all_agree(&space, &sensitive, k, p.min(most).min(k));
    }

    #[test]
    fn mdav_based_methods_agree((space, sensitive, most) in cases(), k in 1..9usize, p in 1..4usize) {
        prop_assume!(space.rows() <= 120);
        let k = k.min(space.rows());
        let p = p.min(most).min(k);
        let fast = |method| {
            let mut rng = ChaCha8Rng::seed_from_u64(0);
            p_sensitive(&space, &sensitive, k, p, method, &mut rng, &mut Unwatched)
        };
        let grown = k_first_by_definition(&space, &sensitive, k, p);
        prop_assert_eq!(fast(Method::KFirst), Ok(grown));
        let merged = merge_by_definition(&space, &sensitive, k, p);
        prop_assert_eq!(fast(Method::Merge), Ok(merged));
    }
}
