//! The reference: every question is answered by looking at every row.

use super::centroid::Centroid;
use super::column_draft::Draft;
use super::row_blocks::{Blocks, LANES};
use super::{Hit, KeptRows, Point, Remaining, TopK, Wanted};
use crate::run::Meter;
use crate::{Result, Space};

/// Remaining rows in blocks; blocks with many gaps are closed up by [`tidy`](Remaining::tidy).
pub struct Scan {
    rows: KeptRows,
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
            rows: KeptRows::new(Blocks::new(draft, meter)?, centroid),
        })
    }
}

impl Remaining for Scan {
    fn kept(&self) -> &KeptRows {
        &self.rows
    }

    fn kept_mut(&mut self) -> &mut KeptRows {
        &mut self.rows
    }

    fn farthest_from(&mut self, point: &Point, meter: &mut Meter) -> Result<Hit> {
        let mut best = Hit::NOTHING;
        for block in 0..self.rows.blocks.len() {
            best = self.rows.blocks.farther(block, point, best);
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
        for block in 0..self.rows.blocks.len() {
            self.rows.blocks.offer(block, point, |_| true, found);
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
        for block in 0..self.rows.blocks.len() {
            let rows = self.rows.blocks.rows(block);
            let admits = |lane: usize| (wanted.admits)(rows[lane]);
            self.rows.blocks.offer(block, point, admits, &mut found);
            meter.spend(LANES)?;
        }
        Ok(found.hits().first().copied())
    }

    fn remove(&mut self, hits: &[Hit]) {
        self.rows.remove(hits);
    }

    fn tidy(&mut self, meter: &mut Meter) -> Result<bool> {
        let slots = self.rows.blocks.len() * LANES;
        // a scan over 7/8 full blocks loses little, and closing up costs about one scan
        let sparse = slots > self.len() + self.len() / 8 + LANES;
        if sparse {
            let draft = self.rows.blocks.draft(self.len(), meter)?;
            self.rows.blocks = Blocks::new(draft, meter)?;
        }
        Ok(sparse)
    }
}
