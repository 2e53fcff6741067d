//! A tree for as long as it pays, then scans.

use super::{Hit, Point, Remaining, Scan, TopK, Tree, Wanted, Watch};
use crate::{Categories, Result, Space};

/// How many tidyings pass between two looks at the work done.
const TRIAL: u32 = 32;

/// Remaining rows in a tree, or in plain blocks once the tree's searches look at more than
/// half of what scans would: in spaces of many columns all rows are about equally far, and
/// little can be skipped. Both find the same, so the change may come at any step.
pub struct Adaptive {
    rows: Rows,
    trial: u32,
}

enum Rows {
    Tree(Box<Tree>),
    Scan(Scan),
}

impl Adaptive {
    /// All rows of a space; `sensitive` as for [`Tree::new`].
    pub fn new(space: &Space, sensitive: &[Categories], watch: &mut Watch) -> Result<Self> {
        Ok(Adaptive {
            rows: Rows::Tree(Box::new(Tree::new(space, sensitive, watch)?)),
            trial: 0,
        })
    }

    fn get(&self) -> &dyn Remaining {
        match &self.rows {
            Rows::Tree(tree) => &**tree,
            Rows::Scan(scan) => scan,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Remaining {
        match &mut self.rows {
            Rows::Tree(tree) => &mut **tree,
            Rows::Scan(scan) => scan,
        }
    }

    /// Changes over to scans if the tree has worked too hard of late, and tells if so.
    fn judge(&mut self, watch: &mut Watch) -> Result<bool> {
        self.trial += 1;
        if self.trial == TRIAL
            && let Rows::Tree(tree) = &mut self.rows
        {
            self.trial = 0;
            let (work, scan_work) = tree.take_work();
            if 2 * work > scan_work {
                self.rows = Rows::Scan(tree.move_to_scan(watch)?);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Remaining for Adaptive {
    fn len(&self) -> usize {
        self.get().len()
    }

    fn centroid(&mut self) -> Point {
        self.get_mut().centroid()
    }

    fn read(&self, slot: u32, point: &mut Point) {
        self.get().read(slot, point);
    }

    fn farthest_from_centroid(&mut self, watch: &mut Watch) -> Result<Hit> {
        self.get_mut().farthest_from_centroid(watch)
    }

    fn farthest_from(&mut self, point: &Point, watch: &mut Watch) -> Result<Hit> {
        self.get_mut().farthest_from(point, watch)
    }

    fn nearest(
        &mut self,
        point: &Point,
        start: Option<u32>,
        found: &mut TopK,
        watch: &mut Watch,
    ) -> Result<()> {
        self.get_mut().nearest(point, start, found, watch)
    }

    fn nearest_wanted(
        &mut self,
        point: &Point,
        start: Option<u32>,
        wanted: &Wanted,
        watch: &mut Watch,
    ) -> Result<Option<Hit>> {
        self.get_mut().nearest_wanted(point, start, wanted, watch)
    }

    fn remove(&mut self, hits: &[Hit]) {
        self.get_mut().remove(hits);
    }

    fn tidy(&mut self, watch: &mut Watch) -> Result<bool> {
        let changed = self.judge(watch)?;
        Ok(self.get_mut().tidy(watch)? || changed)
    }

    fn rest(&self) -> Result<Vec<Hit>> {
        self.get().rest()
    }
}
