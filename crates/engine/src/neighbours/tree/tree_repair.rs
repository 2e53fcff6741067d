//! Keeps the levels true to the rows that remain.

use super::Tree;
use super::tree_level::{Node, TreeLevel, WIDTH, rounded_down, rounded_up};
use crate::Result;
use crate::neighbours::Hit;
use crate::neighbours::row_blocks::{Blocks, LANES, VACANT, place, squares};
use crate::run::Meter;

impl Tree {
    /// Recomputes all levels.
    pub(super) fn refresh(&mut self, meter: &mut Meter) -> Result<()> {
        for leaf in 0..self.rows.blocks.len() {
            self.rough_rows.encode(&self.rows.blocks, leaf);
            self.refresh_leaf(leaf);
            meter.spend(LANES)?;
        }
        for level in 0..self.levels.len() - 1 {
            for node in 0..self.levels[level].nodes() {
                self.refresh_node(level, node);
            }
        }
        Ok(())
    }

    /// Shrinks the boxes around the rows that were removed, level by level for as long as
    /// something changes.
    pub(super) fn repair(&mut self, removed: &[Hit]) {
        let mut changed: Vec<usize> = removed.iter().map(|hit| place(hit.slot).0).collect();
        changed.sort_unstable();
        changed.dedup();
        changed
            .iter()
            .for_each(|&leaf| self.rough_rows.occupy(&self.rows.blocks, leaf));
        changed.retain(|&leaf| self.refresh_leaf(leaf));
        for level in 0..self.levels.len() - 1 {
            changed.iter_mut().for_each(|entry| *entry /= WIDTH);
            changed.dedup();
            changed.retain(|&node| self.refresh_node(level, node));
        }
    }

    /// Bounds a leaf's rows; whether that changes anything.
    fn refresh_leaf(&mut self, leaf: usize) -> bool {
        let new_values = self.values.refresh_leaf(&self.rows.blocks, leaf);
        new_values
            | bound_leaf(
                &self.rows.blocks,
                leaf,
                &self.reference.numbers,
                &mut self.levels[0],
            )
    }

    /// Bounds a node's children together, in the level above; whether that changes anything.
    fn refresh_node(&mut self, level: usize, node: usize) -> bool {
        let new_values = self.values.refresh_node(level, node);
        let (below, above) = self.levels.split_at_mut(level + 1);
        new_values | bound_node(below[level].node(node), node, &mut above[0])
    }
}

#[inline]
fn bound_leaf(blocks: &Blocks, leaf: usize, reference: &[f64], level: &mut TreeLevel) -> bool {
    let mut changed = false;
    for (column, lanes) in blocks.numbers(leaf).iter().enumerate() {
        let (low, high) = (lowest(lanes), highest(lanes));
        changed |= level.set_box(leaf, column, rounded_down(low), rounded_up(high));
    }
    for (column, lanes) in blocks.codes(leaf).iter().enumerate() {
        let codes = || blocks.occupied(leaf).map(|lane| lanes[lane]);
        let (low, high) = (codes().min(), codes().max());
        changed |= level.set_codes(leaf, column, low.unwrap_or(u32::MAX), high.unwrap_or(0));
    }
    let first = blocks.rows(leaf).iter().copied().fold(VACANT, u32::min);
    let reach = highest(&squares(blocks.numbers(leaf), reference));
    changed | level.set_first(leaf, first) | level.set_reach(leaf, reach)
}

#[inline]
fn bound_node(node: Node<'_>, entry: usize, level: &mut TreeLevel) -> bool {
    let mut changed = false;
    for (column, [lows, highs]) in node.boxes.iter().enumerate() {
        let low = lows.iter().copied().fold(f32::INFINITY, f32::min);
        let high = highs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        changed |= level.set_box(entry, column, low, high);
    }
    for (column, [lows, highs]) in node.codes.iter().enumerate() {
        let low = lows.iter().copied().fold(u32::MAX, u32::min);
        let high = highs.iter().copied().fold(0, u32::max);
        changed |= level.set_codes(entry, column, low, high);
    }
    let first = node.first.iter().copied().fold(VACANT, u32::min);
    changed | level.set_first(entry, first) | level.set_reach(entry, highest(node.reach))
}

/// The lowest value, NaN left out; infinite if there is none. Four at a time, for the
/// compiler to use vector instructions.
#[inline]
fn lowest(values: &[f64]) -> f64 {
    let mut low = [f64::INFINITY; 4];
    for part in values.as_chunks::<4>().0 {
        for (low, &value) in low.iter_mut().zip(part) {
            *low = if value < *low { value } else { *low };
        }
    }
    low[0].min(low[1]).min(low[2].min(low[3]))
}

/// The highest value, NaN left out; negatively infinite if there is none.
#[inline]
pub(super) fn highest(values: &[f64]) -> f64 {
    let mut high = [f64::NEG_INFINITY; 4];
    for part in values.as_chunks::<4>().0 {
        for (high, &value) in high.iter_mut().zip(part) {
            *high = if value > *high { value } else { *high };
        }
    }
    high[0].max(high[1]).max(high[2].max(high[3]))
}
