//! The reference: every question is answered by looking at every row.

use super::blocks::{Blocks, LANES};
use super::centroid::Centroid;
use super::draft::Draft;
use super::{Hit, Point, Remaining, TopK, Wanted, Watch};
use crate::{Result, Space};

/// Remaining rows in blocks; blocks with many gaps are closed up by [`tidy`](Remaining::tidy).
pub struct Scan {
    blocks: Blocks,
    centroid: Centroid,
    removed: Point,
}

impl Scan {
    /// All rows of a space.
    pub fn new(space: &Space, watch: &mut Watch) -> Result<Self> {
        let draft = Draft::new(space, watch)?;
        let centroid = Centroid::new(&draft, watch)?;
        Scan::of(draft, centroid, watch)
    }

    pub(super) fn of(draft: Draft, centroid: Centroid, watch: &mut Watch) -> Result<Self> {
        Ok(Scan {
            blocks: Blocks::new(draft, watch)?,
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

    fn farthest_from_centroid(&mut self, watch: &mut Watch) -> Result<Hit> {
        let centroid = self.centroid.point();
        self.farthest_from(&centroid, watch)
    }

    fn farthest_from(&mut self, point: &Point, watch: &mut Watch) -> Result<Hit> {
        let mut best = Hit::NOTHING;
        for block in 0..self.blocks.len() {
            best = self.blocks.farther(block, point, best);
            watch.spend(LANES)?;
        }
        Ok(best)
    }

    fn nearest(
        &mut self,
        point: &Point,
        _start: Option<u32>,
        found: &mut TopK,
        watch: &mut Watch,
    ) -> Result<()> {
        for block in 0..self.blocks.len() {
            self.blocks.offer(block, point, |_| true, found);
            watch.spend(LANES)?;
        }
        Ok(())
    }

    fn nearest_wanted(
        &mut self,
        point: &Point,
        _start: Option<u32>,
        wanted: &Wanted,
        watch: &mut Watch,
    ) -> Result<Option<Hit>> {
        let mut found = TopK::new(1)?;
        for block in 0..self.blocks.len() {
            let rows = self.blocks.rows(block);
            let admits = |lane: usize| (wanted.admits)(rows[lane]);
            self.blocks.offer(block, point, admits, &mut found);
            watch.spend(LANES)?;
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

    fn tidy(&mut self, watch: &mut Watch) -> Result<bool> {
        let slots = self.blocks.len() * LANES;
        // a scan over 7/8 full blocks loses little, and closing up costs about one scan
        let sparse = slots > self.len() + self.len() / 8 + LANES;
        if sparse {
            let draft = self.blocks.draft(self.len(), watch)?;
            self.blocks = Blocks::new(draft, watch)?;
        }
        Ok(sparse)
    }

    fn rest(&self) -> Result<Vec<Hit>> {
        self.blocks.hits(self.len())
    }
}
