//! A tree for as long as it pays, then scans.

use super::{Hit, KeptRows, Point, Remaining, Scan, TopK, Tree, Wanted};
use crate::run::Meter;
use crate::{Categories, Result, Space};

/// How many tidyings pass between two looks at the work done.
const TRIAL: u32 = 32;

/// Bytes that do not depend on the rows, and what an allocator adds to each piece.
const FIXED: usize = 1 << 14;

/// Remaining rows in a tree, or in plain blocks once the tree's searches look at more than
/// half of what scans would: in spaces of many columns all rows are about equally far, and
/// little can be skipped. Both find the same, so the change may come at any step.
pub struct Adaptive {
    rows: LiveRows,
    trial: u32,
}

enum LiveRows {
    Tree(Box<Tree>),
    Scan(Scan),
}

impl Adaptive {
    /// All rows of a space; `sensitive` as for [`Tree::new`].
    pub fn new(space: &Space, sensitive: &[Categories], meter: &mut Meter) -> Result<Self> {
        Ok(Adaptive {
            rows: LiveRows::Tree(Box::new(Tree::new(space, sensitive, meter)?)),
            trial: 0,
        })
    }

    /// The bytes that the rows of a space take at most, from the first to the last: known
    /// before any of them is allocated.
    pub fn memory(space: &Space) -> usize {
        let numbers = 8 * space.numeric().len().max(1);
        let codes = 4 * space.categorical().len();
        // rows in their new order, beside what it takes to find it
        let ordering = numbers + codes + 4 + 20;
        // rows on their way into blocks
        let moving = 2 * numbers + codes + 4;
        // rows in blocks below boxes, and a quarter of them in a tree that is rebuilt
        let boxes = (numbers + 2 * codes + 12).div_ceil(14) + Tree::rough_memory(numbers / 8);
        let rebuilding = numbers + codes + 8 + boxes + ordering.max(moving).div_ceil(4);
        let row = ordering.max(moving).max(rebuilding);
        let modes = space
            .categorical()
            .iter()
            .map(|column| column.cardinality());
        let modes: usize = modes.sum();
        row.saturating_mul(space.rows())
            .saturating_add(16 * modes + FIXED)
    }

    fn get(&self) -> &dyn Remaining {
        match &self.rows {
            LiveRows::Tree(tree) => &**tree,
            LiveRows::Scan(scan) => scan,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Remaining {
        match &mut self.rows {
            LiveRows::Tree(tree) => &mut **tree,
            LiveRows::Scan(scan) => scan,
        }
    }

    /// Changes over to scans if the tree has worked too hard of late, and tells if so.
    fn judge(&mut self, meter: &mut Meter) -> Result<bool> {
        self.trial += 1;
        if self.trial == TRIAL
            && let LiveRows::Tree(tree) = &mut self.rows
        {
            self.trial = 0;
            let (work, scan_work) = tree.take_work();
            if 2 * work > scan_work {
                self.rows = LiveRows::Scan(tree.move_to_scan(meter)?);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Remaining for Adaptive {
    fn kept(&self) -> &KeptRows {
        self.get().kept()
    }

    fn kept_mut(&mut self) -> &mut KeptRows {
        self.get_mut().kept_mut()
    }

    fn farthest_from_centroid(&mut self, meter: &mut Meter) -> Result<Hit> {
        self.get_mut().farthest_from_centroid(meter)
    }

    fn farthest_from(&mut self, point: &Point, meter: &mut Meter) -> Result<Hit> {
        self.get_mut().farthest_from(point, meter)
    }

    fn nearest(
        &mut self,
        point: &Point,
        start: Option<u32>,
        found: &mut TopK,
        meter: &mut Meter,
    ) -> Result<()> {
        self.get_mut().nearest(point, start, found, meter)
    }

    fn nearest_wanted(
        &mut self,
        point: &Point,
        start: Option<u32>,
        wanted: &Wanted,
        meter: &mut Meter,
    ) -> Result<Option<Hit>> {
        self.get_mut().nearest_wanted(point, start, wanted, meter)
    }

    fn remove(&mut self, hits: &[Hit]) {
        self.get_mut().remove(hits);
    }

    fn tidy(&mut self, meter: &mut Meter) -> Result<bool> {
        let changed = self.judge(meter)?;
        Ok(self.get_mut().tidy(meter)? || changed)
    }
}
