//! The reference: every question is answered by looking at every row.

use super::centroid::Centroid;
use super::column_draft::Draft;
use super::row_blocks::{Blocks, LANES};
use super::{Hit, Point, Remaining, TopK, Wanted};
use crate::run::Meter;
use crate::{Result, Space};

/// Remaining rows in blocks; blocks with many gaps are closed up by [`tidy`](Remaining::tidy).
pub struct Scan {
    blocks: Blocks,
    centroid: Centroid,
    removed: Point,
}

impl Scan {
    /// All rows of a space.
    pub fn new(space: &Space, meter: &mut Meter) -> Result<Self> {
        let draft = Draft::new(space, meter)?;
        let centroid = Centroid::new(&draft, meter)?;
        Scan::of(draft, centroid, meter)
    }

    pub(super) fn of(draft: Draft, centroid: Centroid, meter: &mut Meter) -> Result<Self> {
        Ok(Scan {
            blocks: Blocks::new(draft, meter)?,
            centroid,
            removed: Point::default(),
        })
    }
}

impl Remaining for Scan {
    fn len(&self) -> usize {
        self.centroid.rows()
    }

    fn centroid(&mut self) -> Point {
        self.centroid.point()
    }

    fn read(&self, slot: u32, point: &mut Point) {
        self.blocks.read(slot, point);
    }

    fn farthest_from_centroid(&mut self, meter: &mut Meter) -> Result<Hit> {
        let centroid = self.centroid.point();
        self.farthest_from(&centroid, meter)
    }

    fn farthest_from(&mut self, point: &Point, meter: &mut Meter) -> Result<Hit> {
        let mut best = Hit::NOTHING;
        for block in 0..self.blocks.len() {
            best = self.blocks.farther(block, point, best);
            meter.spend(LANES)?;
        }
        Ok(best)
    }

    fn nearest(
        &mut self,
        point: &Point,
        _start: Option<u32>,
        found: &mut TopK,
        meter: &mut Meter,
    ) -> Result<()> {
        for block in 0..self.blocks.len() {
            self.blocks.offer(block, point, |_| true, found);
            meter.spend(LANES)?;
        }
        Ok(())
    }

    fn nearest_wanted(
        &mut self,
        point: &Point,
        _start: Option<u32>,
        wanted: &Wanted,
        meter: &mut Meter,
    ) -> Result<Option<Hit>> {
        let mut found = TopK::new(1)?;
        for block in 0..self.blocks.len() {
            let rows = self.blocks.rows(block);
            let admits = |lane: usize| (wanted.admits)(rows[lane]);
            self.blocks.offer(block, point, admits, &mut found);
            meter.spend(LANES)?;
        }
        Ok(found.hits().first().copied())
    }

    fn remove(&mut self, hits: &[Hit]) {
        for hit in hits {
            self.blocks.read(hit.slot, &mut self.removed);
            self.centroid.remove(&self.removed);
            self.blocks.vacate(hit.slot);
        }
    }

    fn tidy(&mut self, meter: &mut Meter) -> Result<bool> {
        let slots = self.blocks.len() * LANES;
        // a scan over 7/8 full blocks loses little, and closing up costs about one scan
        let sparse = slots > self.len() + self.len() / 8 + LANES;
        if sparse {
            let draft = self.blocks.draft(self.len(), meter)?;
            self.blocks = Blocks::new(draft, meter)?;
        }
        Ok(sparse)
    }

    fn rest(&self) -> Result<Vec<Hit>> {
        self.blocks.hits(self.len())
    }
}
