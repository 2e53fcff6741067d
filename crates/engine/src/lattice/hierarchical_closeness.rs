//! t-closeness with hierarchical distance (Li, Li, Venkatasubramanian 2007): two values are as far
//! apart as their lowest common ancestor is high, in units of the hierarchy's height.

use super::Hierarchy;
use crate::model::{Distribution, Group, Merging, ModelKind, PrivacyModel, Property};
use crate::run::allocation::{collected, filled, reserved};
use crate::{Error, Result};
use std::cell::RefCell;

/// Closeness to a table's distribution over a hierarchy. Half a unit is moved along each edge
/// between a node and its parent, so what is moved is half the sum over all nodes of the difference of
/// their shares.
pub struct HierarchicalCloseness {
    /// for each level below the root the node of each value, and the table's rows of each node
    levels: Vec<(Vec<u32>, Vec<u64>)>,
    rows: u64,
    /// room for the nodes of a group, taken before there is one
    nodes: RefCell<Vec<(u32, u64)>>,
}

impl HierarchicalCloseness {
    /// `value_of` gives the hierarchy's number of each value of the column. A hierarchy whose
    /// highest level has several values has one root above them.
    pub fn new(table: &Distribution, hierarchy: &Hierarchy, value_of: &[u32]) -> Result<Self> {
        let counts = table.counts();
        let known = |&value: &u32| (value as usize) < hierarchy.values();
        if value_of.len() < counts.len() || !value_of.iter().all(known) {
            return Err(Error::Broken(
                "values without a place in the hierarchy".into(),
            ));
        }
        let top = hierarchy.levels() - 1;
        let below_root = match hierarchy.codes(top) {
            0 | 1 => top,
            _ => top + 1,
        };
        let mut levels = reserved(below_root)?;
        for level in 0..below_root {
            let codes = hierarchy.code_of(level);
            let node_of = value_of.iter().map(|&value| codes[value as usize]);
            let node_of: Vec<u32> = collected(node_of)?;
            let mut rows = filled(hierarchy.codes(level), 0)?;
            for (&node, count) in node_of.iter().zip(counts) {
                rows[node as usize] += count;
            }
            levels.push((node_of, rows));
        }
        Ok(HierarchicalCloseness {
            levels,
            rows: table.rows(),
            nodes: RefCell::new(reserved(counts.len())?),
        })
    }

    /// The difference of shares over all nodes of a level, on the denominator |G|·n.
    fn difference(&self, level: usize, group: Group<'_>) -> u128 {
        let (node_of, table) = &self.levels[level];
        let mut nodes = self.nodes.borrow_mut();
        nodes.clear();
        nodes.extend(
            group
                .values
                .iter()
                .map(|&(value, count)| (node_of[value as usize], count)),
        );
        nodes.sort_unstable();
        let (rows, table_rows) = (u128::from(group.rows), u128::from(self.rows));
        // nodes that the group does not have differ by the table's share
        let mut difference = 0;
        let mut elsewhere = table_rows * rows;
        for part in nodes.chunk_by(|a, b| a.0 == b.0) {
            let count: u64 = part.iter().map(|&(_, count)| count).sum();
            let of_table = u128::from(table[part[0].0 as usize]) * rows;
            difference += (u128::from(count) * table_rows).abs_diff(of_table);
            elsewhere -= of_table;
        }
        difference + elsewhere
    }
}

impl PrivacyModel for HierarchicalCloseness {
    fn kind(&self) -> ModelKind {
        Property::TCloseness.kind(Merging::BothMeet)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let height = self.levels.len() as u128;
        if height == 0 {
            return 0.0;
        }
        let moved = (0..self.levels.len()).map(|level| self.difference(level, group));
        let whole = 2 * height * u128::from(group.rows) * u128::from(self.rows);
        // one division of whole numbers, so that what is equal stays equal
        moved.sum::<u128>() as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closeness(levels: &[Vec<u32>], table: &[u64], group: &[(u32, u64)]) -> f64 {
        let hierarchy = Hierarchy::new(table.len() as u32, levels).unwrap();
        let table = Distribution::from_counts(table.to_vec()).unwrap();
        let value_of: Vec<u32> = (0..table.counts().len() as u32).collect();
        let model = HierarchicalCloseness::new(&table, &hierarchy, &value_of).unwrap();
        let rows = group.iter().map(|&(_, count)| count).sum();
        model.figure(Group {
            rows,
            values: group,
        })
    }

    /// Respiratory: flu, pneumonia, bronchitis; digestive: ulcer, gastritis, cancer (LLV07).
    const DISEASES: [[u32; 6]; 2] = [[0, 0, 0, 1, 1, 1], [0; 6]];

    #[test]
    fn near_values_cost_half_of_far_ones() {
        let levels = DISEASES.map(|level| level.to_vec());
        let table = [1; 6];
        // all within one subtree: half of the mass crosses the root, a third stays near
        let one_side = closeness(&levels, &table, &[(0, 1), (1, 1), (2, 1)]);
        assert_eq!(one_side, 0.5);
        let mixed = closeness(&levels, &table, &[(0, 1), (2, 1), (4, 1)]);
        assert!(mixed < one_side);
        let same = closeness(
            &levels,
            &table,
            &[(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1)],
        );
        assert_eq!(same, 0.0);
    }

    #[test]
    fn one_level_is_the_equal_distance() {
        // a root above all: distances are 0 and 1
        let found = closeness(&[vec![0; 4]], &[2, 1, 1, 4], &[(0, 1), (3, 1)]);
        assert_eq!(found, 0.25);
        assert_eq!(closeness(&[], &[2, 1, 1, 4], &[(0, 1), (3, 1)]), 0.25);
        assert_eq!(closeness(&[], &[3], &[(0, 2)]), 0.0);
    }

    /// By moving mass greedily from the leaves up, as the paper has it.
    fn by_the_paper(levels: &[Vec<u32>], table: &[u64], group: &[(u32, u64)]) -> f64 {
        let total: u64 = table.iter().sum();
        let rows: u64 = group.iter().map(|&(_, count)| count).sum();
        let share = |value: u32| {
            let count = group
                .iter()
                .find(|other| other.0 == value)
                .map_or(0, |other| other.1);
            count as f64 / rows as f64
        };
        let mut extra: Vec<f64> = (0..table.len())
            .map(|v| share(v as u32) - table[v] as f64 / total as f64)
            .collect();
        let mut labels: Vec<u32> = (0..table.len() as u32).collect();
        let height = levels.len() as f64;
        let mut cost = 0.0;
        for (at, level) in levels.iter().enumerate() {
            let nodes = 1 + *level.iter().max().unwrap() as usize;
            let mut sums = vec![(0.0, 0.0); nodes];
            let mut seen = vec![];
            for value in 0..table.len() {
                if !seen.contains(&labels[value]) {
                    seen.push(labels[value]);
                    let node = &mut sums[level[value] as usize];
                    let rest = extra[value];
                    if rest > 0.0 {
                        node.0 += rest
                    } else {
                        node.1 -= rest
                    }
                }
            }
            cost += sums.iter().map(|(more, less)| more.min(*less)).sum::<f64>() * (at + 1) as f64
                / height;
            for value in 0..table.len() {
                let (more, less) = sums[level[value] as usize];
                extra[value] = more - less;
                labels[value] = level[value];
            }
        }
        cost
    }

    #[test]
    fn costs_are_those_of_the_paper() {
        let levels = DISEASES.map(|level| level.to_vec());
        let table = [4, 1, 3, 2, 5, 1];
        for group in [
            vec![(0, 3), (4, 1)],
            vec![(1, 2)],
            vec![(2, 1), (3, 1), (5, 2)],
            vec![(0, 1), (1, 1), (5, 4)],
        ] {
            let found = closeness(&levels, &table, &group);
            assert!(
                (found - by_the_paper(&levels, &table, &group)).abs() < 1e-12,
                "{group:?}"
            );
        }
    }
}
