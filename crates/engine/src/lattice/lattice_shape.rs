//! The lattice's shape: its nodes, what lies above and below them.

use crate::{Error, Result};

/// All combinations of one level for each key column. A node is a number `0..nodes`, its
/// levels read as mixed-radix digits; 0 is the bottom, where nothing is generalized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    levels: Vec<usize>,
    strides: Vec<usize>,
    nodes: usize,
}

impl Lattice {
    /// The most nodes a lattice may have: a search keeps a few bytes for each.
    pub const MAX_NODES: usize = 1 << 26;

    /// From the number of levels of each key column, level 0 included.
    pub(super) fn new(levels: Vec<usize>) -> Result<Self> {
        let mut strides = Vec::with_capacity(levels.len());
        let mut nodes = 1usize;
        for &count in &levels {
            strides.push(nodes);
            nodes = nodes.saturating_mul(count);
        }
        let limit = Self::MAX_NODES;
        if nodes > limit {
            return Err(Error::TooManyNodes { limit });
        }
        Ok(Lattice {
            levels,
            strides,
            nodes,
        })
    }

    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The number of key columns.
    pub fn columns(&self) -> usize {
        self.levels.len()
    }

    /// The level of one key column at a node.
    pub fn level(&self, node: usize, column: usize) -> usize {
        node / self.strides[column] % self.levels[column]
    }

    /// The levels of all key columns at a node.
    pub fn levels(&self, node: usize) -> Vec<usize> {
        let levels = (0..self.columns()).map(|column| self.level(node, column));
        levels.collect()
    }

    /// The sum of a node's levels.
    pub fn height(&self, node: usize) -> usize {
        let levels = (0..self.columns()).map(|column| self.level(node, column));
        levels.sum()
    }

    /// The node with these levels.
    pub fn node(&self, levels: &[usize]) -> Result<usize> {
        if levels.len() != self.columns() {
            return Err(Error::UnequalColumns {
                first: self.columns(),
                other: levels.len(),
            });
        }
        let mut node = 0;
        for (column, &level) in levels.iter().enumerate() {
            let top = self.levels[column] - 1;
            if level > top {
                return Err(Error::NoSuchLevel { column, level, top });
            }
            node += level * self.strides[column];
        }
        Ok(node)
    }

    /// The node one level higher in one column, if that column is not at its top.
    pub fn above(&self, node: usize, column: usize) -> Option<usize> {
        let rises = self.level(node, column) + 1 < self.levels[column];
        rises.then(|| node + self.strides[column])
    }

    /// The nodes one level higher in one column.
    pub fn successors(&self, node: usize) -> impl Iterator<Item = usize> {
        (0..self.columns()).filter_map(move |column| self.above(node, column))
    }

    /// The nodes one level lower in one column.
    pub fn predecessors(&self, node: usize) -> impl Iterator<Item = usize> {
        let falls = move |&column: &usize| self.level(node, column) > 0;
        let columns = (0..self.columns()).filter(falls);
        columns.map(move |column| node - self.strides[column])
    }

    /// Whether `node` is at least as general as `other` in every column.
    pub fn covers(&self, node: usize, other: usize) -> bool {
        (0..self.columns()).all(|column| self.level(node, column) >= self.level(other, column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_levels_agree() {
        let lattice = Lattice::new(vec![2, 3, 4]).unwrap();
        assert_eq!(lattice.nodes(), 24);
        for node in 0..lattice.nodes() {
            let levels = lattice.levels(node);
            assert_eq!(lattice.node(&levels), Ok(node));
            assert_eq!(lattice.height(node), levels.iter().sum());
        }
        assert_eq!(lattice.levels(23), [1, 2, 3]);
    }

    #[test]
    fn neighbours_differ_by_one_level() {
        let lattice = Lattice::new(vec![2, 3, 1]).unwrap();
        let node = lattice.node(&[0, 1, 0]).unwrap();
        let levels = |nodes: Vec<usize>| nodes.iter().map(|&n| lattice.levels(n)).collect();
        let above: Vec<_> = levels(lattice.successors(node).collect());
        let below: Vec<_> = levels(lattice.predecessors(node).collect());
        assert_eq!(above, [[1, 1, 0], [0, 2, 0]]);
        assert_eq!(below, [[0, 0, 0]]);
        assert!(lattice.covers(node, 0) && !lattice.covers(node, 1));
    }

    #[test]
    fn unknown_levels_and_huge_lattices_are_refused() {
        let lattice = Lattice::new(vec![2, 3]).unwrap();
        let (column, level, top) = (1, 3, 2);
        let unknown = Error::NoSuchLevel { column, level, top };
        assert_eq!(lattice.node(&[0, 3]), Err(unknown));
        assert!(lattice.node(&[0]).is_err());
        assert!(Lattice::new(vec![1000; 10]).is_err());
    }
}
