//! Which sensitive values the rows of a leaf or node have.

use super::tree_level::{WIDTH, Wide};
use crate::Result;
use crate::neighbours::Wanted;
use crate::neighbours::row_blocks::{Blocks, LANES, Lanes};
use crate::neighbours::sensitive_bits::RowBits;
use crate::run::allocation;

/// The bits of sensitive values, for each sensitive column, of rows, leaves and nodes.
#[derive(Debug, Default)]
pub(super) struct TreeValues {
    rows: RowBits,
    /// for each block and column the bit of each lane
    lanes: Vec<Lanes<u8>>,
    /// for each level, node and column the bits of each child
    masks: Vec<Vec<Wide<u64>>>,
}

impl TreeValues {
    /// For the rows in the blocks, in levels of so many nodes; masks are still empty.
    pub(super) fn new(rows: RowBits, blocks: &Blocks, nodes: &[usize]) -> Result<Self> {
        let columns = rows.columns();
        let mut lanes = allocation::filled(blocks.len() * columns, [0; LANES])?;
        if columns > 0 {
            for (block, lanes) in lanes.chunks_mut(columns).enumerate() {
                for lane in blocks.occupied(block) {
                    let bits = rows.of(blocks.rows(block)[lane]);
                    lanes
                        .iter_mut()
                        .zip(bits)
                        .for_each(|(lanes, &bit)| lanes[lane] = bit);
                }
            }
        }
        let masks = nodes
            .iter()
            .map(|nodes| allocation::filled(nodes * columns, [0; WIDTH]));
        Ok(TreeValues {
            lanes,
            masks: masks.collect::<Result<_>>()?,
            rows,
        })
    }

    /// The bits of all rows, to be used for another tree.
    pub(super) fn into_rows(self) -> RowBits {
        self.rows
    }

    /// Whether a leaf (level 0) or node may hold a wanted row.
    #[inline]
    pub(super) fn may_hold(&self, level: usize, entry: usize, wanted: &Wanted) -> bool {
        let columns = self.rows.columns();
        let masks = &self.masks[level][entry / WIDTH * columns..][..columns];
        wanted.may_be_in(masks.iter().map(|mask| mask[entry % WIDTH]))
    }

    /// Whether the row in a lane may be wanted.
    #[inline]
    pub(super) fn may_be(&self, block: usize, lane: usize, wanted: &Wanted) -> bool {
        let columns = self.rows.columns();
        let lanes = &self.lanes[block * columns..][..columns];
        wanted.may_be_in(lanes.iter().map(|lanes| 1 << lanes[lane]))
    }

    /// Gathers the bits of a leaf's rows; whether that changes anything.
    #[inline]
    pub(super) fn refresh_leaf(&mut self, blocks: &Blocks, leaf: usize) -> bool {
        let mut changed = false;
        for column in 0..self.rows.columns() {
            let lanes = &self.lanes[leaf * self.rows.columns() + column];
            let bits = blocks.occupied(leaf).map(|lane| 1 << lanes[lane]);
            let mask = bits.fold(0, std::ops::BitOr::bitor);
            changed |= self.set(0, leaf, column, mask);
        }
        changed
    }

    /// Gathers the bits of a node's children; whether that changes anything.
    #[inline]
    pub(super) fn refresh_node(&mut self, level: usize, node: usize) -> bool {
        let mut changed = false;
        for column in 0..self.rows.columns() {
            let children = &self.masks[level][node * self.rows.columns() + column];
            let mask = children.iter().copied().fold(0, std::ops::BitOr::bitor);
            changed |= self.set(level + 1, node, column, mask);
        }
        changed
    }

    #[inline]
    fn set(&mut self, level: usize, entry: usize, column: usize, mask: u64) -> bool {
        let node = entry / WIDTH * self.rows.columns() + column;
        let place = &mut self.masks[level][node][entry % WIDTH];
        std::mem::replace(place, mask) != mask
    }
}
