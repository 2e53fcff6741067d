//! The values of persons in the order of their positions: which other values are nearest.

use crate::Result;
use crate::run::allocation::{filled, make_room};

/// Nobody is left.
const NOBODY: u32 = u32::MAX;
/// Those who are left have several values.
const SEVERAL: u32 = u32::MAX - 1;

/// A binary tree over persons, so that many neighbours with the same value are passed in one step.
#[derive(Default)]
pub(super) struct ValuesInOrder {
    positions: Vec<u64>,
    /// from the root on, each level from left to right; the value that all below have who are left
    nodes: Vec<u32>,
}

/// What a search found, and how many nodes it looked at.
pub(super) struct NearestValues {
    pub(super) values: Vec<usize>,
    pub(super) looked: usize,
}

impl ValuesInOrder {
    /// Of persons with these positions, which rise, and values.
    pub(super) fn new(persons: &[(u64, u32)]) -> Result<Self> {
        let mut positions = Vec::new();
        make_room(&mut positions, persons.len())?;
        positions.extend(persons.iter().map(|of| of.0));
        let leaves = persons.len().next_power_of_two();
        let mut nodes = filled(2 * leaves, NOBODY)?;
        for (node, &(_, value)) in nodes[leaves..].iter_mut().zip(persons) {
            *node = value;
        }
        for node in (1..leaves).rev() {
            nodes[node] = joined(nodes[2 * node], nodes[2 * node + 1]);
        }
        Ok(ValuesInOrder { positions, nodes })
    }

    /// The person at a position leaves: nobody else is there.
    pub(super) fn remove(&mut self, position: u64) {
        let mut node = self.nodes.len() / 2 + self.place(position);
        self.nodes[node] = NOBODY;
        while node > 1 {
            node /= 2;
            self.nodes[node] = joined(self.nodes[2 * node], self.nodes[2 * node + 1]);
        }
    }

    fn place(&self, position: u64) -> usize {
        self.positions.partition_point(|&other| other < position)
    }

    /// The values of the persons nearest to a position, but for one value: fewer than are wanted
    /// if there are no more, or if more than `most` nodes would have to be looked at.
    pub(super) fn nearest(
        &self,
        position: u64,
        other_than: usize,
        wanted: usize,
        most: usize,
    ) -> Result<NearestValues> {
        let (mut values, mut looked) = (Vec::new(), 0);
        make_room(&mut values, wanted)?;
        let place = self.place(position);
        let search = |from: Option<usize>, upwards, values: &[usize], looked: &mut usize| {
            let passed = |value: usize| value == other_than || values.contains(&value);
            self.next(from?, upwards, passed, (looked, most))
        };
        let mut below = search(place.checked_sub(1), false, &values, &mut looked);
        let mut above = search(Some(place), true, &values, &mut looked);
        let distance = |place: &usize| self.positions[*place].abs_diff(position);
        while values.len() < wanted
            && let Some(nearest) = below.into_iter().chain(above).min_by_key(distance)
        {
            let value = self.nodes[self.nodes.len() / 2 + nearest] as usize;
            if !values.contains(&value) {
                values.push(value);
            }
            match below == Some(nearest) {
                true => below = search(nearest.checked_sub(1), false, &values, &mut looked),
                false => above = search(Some(nearest + 1), true, &values, &mut looked),
            }
        }
        Ok(NearestValues { values, looked })
    }

    /// The first person from a place on, in one direction, with a value that is not passed.
    fn next(
        &self,
        from: usize,
        upwards: bool,
        is_passed: impl Fn(usize) -> bool,
        (looked, most): (&mut usize, usize),
    ) -> Option<usize> {
        let leaves = self.nodes.len() / 2;
        let forward = usize::from(upwards);
        let mut node = (from < leaves).then_some(leaves + from)?;
        while *looked < most {
            *looked += 1;
            let value = self.nodes[node];
            if value == SEVERAL {
                // the child that comes first in this direction
                node = 2 * node + 1 - forward;
                continue;
            }
            if value != NOBODY && !is_passed(value as usize) {
                return Some(self.end_of(node, upwards));
            }
            // the next node beside this one, or beside one above
            while node > 1 && node % 2 == forward {
                node /= 2;
            }
            if node <= 1 {
                return None;
            }
            node = node + 2 * forward - 1;
        }
        None
    }

    /// The first person below a node, from one end, where all who are left have one value.
    fn end_of(&self, mut node: usize, upwards: bool) -> usize {
        let leaves = self.nodes.len() / 2;
        while node < leaves {
            let first = 2 * node + usize::from(!upwards);
            node = if self.nodes[first] == NOBODY {
                first ^ 1
            } else {
                first
            };
        }
        node - leaves
    }
}

fn joined(one: u32, other: u32) -> u32 {
    match (one, other) {
        (NOBODY, value) | (value, NOBODY) => value,
        _ if one == other => one,
        _ => SEVERAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn the_nearest_values_are_those_of_a_sort(
            persons in prop::collection::btree_map(0..99u64, 0..5u32, 0..40),
            gone in prop::collection::vec(0..99u64, 0..40),
            from in 0..99u64,
            other_than in 0..5usize,
            wanted in 0..6usize,
        ) {
            let mut left: BTreeMap<u64, u32> = persons;
            let all: Vec<(u64, u32)> = left.clone().into_iter().collect();
            let mut values = ValuesInOrder::new(&all).unwrap();
            for gone in gone {
                if left.remove(&gone).is_some() {
                    values.remove(gone);
                }
                let mut sorted: Vec<(u64, u32)> = left.clone().into_iter().collect();
                sorted.sort_by_key(|of| (of.0.abs_diff(from), of.0));
                let mut expected = Vec::new();
                for (_, value) in sorted {
                    let value = value as usize;
                    if value != other_than && !expected.contains(&value) {
                        expected.push(value);
                    }
                }
                expected.truncate(wanted);
                let found = values.nearest(from, other_than, wanted, usize::MAX).unwrap();
                prop_assert_eq!(found.values, expected);
                let few = values.nearest(from, other_than, wanted, 9).unwrap();
                prop_assert!(few.looked <= 9);
            }
        }
    }

    #[test]
    fn many_persons_of_one_value_are_passed_quickly() {
        let value = |person: u64| if person < 90_000 { 7 } else { person as u32 };
        let persons: Vec<(u64, u32)> = (0..100_000).map(|person| (person, value(person))).collect();
        let found = ValuesInOrder::new(&persons).unwrap();
        let found = found.nearest(10, 7, 2, usize::MAX).unwrap();
        assert_eq!(found.values, [90_000, 90_001]);
        assert!(found.looked < 100, "{}", found.looked);
    }
}
