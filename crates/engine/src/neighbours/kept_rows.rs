//! What every structure keeps of the rows that remain: their places, and their centroid.

use super::centroid::Centroid;
use super::row_blocks::Blocks;
use super::{Hit, Point};
use crate::Result;

/// The rows in blocks, with gaps where rows have left.
pub struct KeptRows {
    pub(super) blocks: Blocks,
    pub(super) centroid: Centroid,
    removed: Point,
}

impl KeptRows {
    pub(super) fn new(blocks: Blocks, centroid: Centroid) -> Self {
        KeptRows {
            blocks,
            centroid,
            removed: Point::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.centroid.rows()
    }

    pub(super) fn point(&mut self) -> Point {
        self.centroid.point()
    }

    pub(super) fn read(&self, slot: u32, point: &mut Point) {
        self.blocks.read(slot, point);
    }

    pub(super) fn remove(&mut self, hits: &[Hit]) {
        for hit in hits {
            self.blocks.read(hit.slot, &mut self.removed);
            self.centroid.remove(&self.removed);
            self.blocks.vacate(hit.slot);
        }
    }

    pub(super) fn rest(&self) -> Result<Vec<Hit>> {
        self.blocks.hits(self.len())
    }
}
