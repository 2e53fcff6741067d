//! A tree over the remaining rows: few of them are looked at, and the answers are the scan's.
//!
//! Rows stand in blocks of sixteen, the leaves, in the order of a kd-tree. Eight leaves, and
//! then eight nodes, form a node above them; the boxes of its eight children are stored
//! together by column, so that one pass bounds the distances to all eight. Removed rows leave
//! gaps, boxes shrink with them.
//!
//! A bound is computed in the order of operations of the distances it bounds. Rounding is
//! monotone, so a bound never passes the distance of a row in the box, and needs no margin.
//! (The exception is the bound by reach in [`farthest_search`].) A node is skipped when its bound
//! cannot win, or when it could only tie and holds no row low enough to win the tie.

mod farthest_search;
mod nearest_search;
mod reach_rate;
mod rough_rows;
mod search_bits;
mod tree_build;
mod tree_level;
mod tree_recentre;
mod tree_repair;
mod tree_values;

use super::centroid::Centroid;
use super::column_draft::Draft;
use super::row_blocks::{Blocks, LANES, place};
use super::sensitive_bits::RowBits;
use super::{Hit, KeptRows, Point, Remaining, Scan, Ties, TopK, Wanted};
use crate::run::Meter;
use crate::{Categories, Result, Space};
use nearest_search::Any;
use reach_rate::ReachRate;
use rough_rows::RoughRows;
use tree_level::{Node, RoughPlace, TreeLevel, WIDTH, Wide};
use tree_values::TreeValues;

/// Below this share of the rows it was built over (a quarter) a tree is rebuilt.
const REBUILD_SHARE: usize = 4;

/// A tree of this many leaves or fewer is not worth rebuilding.
const FEW_LEAVES: usize = 8;
/// How many removed rows are seen to at once.
const REPAIRED_AT_ONCE: usize = 1024;

/// Remaining rows in a tree.
pub struct Tree {
    rows: KeptRows,
    /// `levels[0]` bounds the leaves, each further level the nodes of the one before; the
    /// last has one node
    levels: Vec<TreeLevel>,
    values: TreeValues,
    rough_rows: RoughRows,
    /// the point from which the levels' reaches are measured: a centroid of some time ago
    reference: Point,
    rate: ReachRate,
    /// nodes and leaves still to be visited by the search under way
    pending: Vec<OpenNode>,
    /// nodes on the way to the first leaf of that search, the child taken, and all bounds
    way: Vec<(usize, usize, Wide<f32>)>,
    /// where it looks from, and for the farthest row where it looks for
    rough: RoughPlace,
    opposite: RoughPlace,
    /// leaves and nodes visited by centroid searches beyond the least possible
    drift: usize,
    /// how many of them moving the reference would cost, by the last time
    price: usize,
    recentred: usize,
    /// rows looked at by all searches, and how many a scan would have looked at
    work: usize,
    scan_work: usize,
    built_over: usize,
}

/// A leaf (level 0) or a node (level l: a node of `levels[l - 1]`) that may hold a hit.
#[derive(Debug, Clone, Copy)]
struct OpenNode {
    /// on the distances of its rows, roughly
    bound: f32,
    /// the lowest row number in it
    first: u32,
    level: u32,
    index: u32,
}

impl OpenNode {
    fn new(bound: f32, first: u32, level: usize, index: usize) -> Self {
        OpenNode {
            bound,
            first,
            level: level as u32,
            index: index as u32,
        }
    }

    /// Puts itself below those entries, from `bottom` up, that must come before it.
    #[inline]
    fn insert(self, pile: &mut Vec<OpenNode>, bottom: usize, first: impl Fn(&OpenNode) -> bool) {
        let mut place = pile.len();
        pile.push(self);
        while place > bottom && first(&pile[place - 1]) {
            pile[place] = pile[place - 1];
            place -= 1;
        }
        pile[place] = self;
    }
}

/// All rows of a space in the order in which a tree has them: rows that follow each other are close.
pub fn leaf_order(space: &Space, meter: &mut Meter) -> Result<Vec<u32>> {
    let mut draft = Draft::new(space, meter)?;
    tree_build::arrange(&mut draft, meter)?;
    Ok(draft.rows)
}

impl Tree {
    /// All rows of a space, with the values of the sensitive columns by which rows may be
    /// [wanted](Remaining::nearest_wanted).
    pub fn new(space: &Space, sensitive: &[Categories], meter: &mut Meter) -> Result<Self> {
        let draft = Draft::new(space, meter)?;
        let centroid = Centroid::new(&draft, meter)?;
        Tree::of(draft, centroid, RowBits::new(sensitive, meter)?, meter)
    }

    pub(super) fn of(
        mut draft: Draft,
        mut centroid: Centroid,
        bits: RowBits,
        meter: &mut Meter,
    ) -> Result<Self> {
        tree_build::arrange(&mut draft, meter)?;
        let blocks = Blocks::new(draft, meter)?;
        let mut levels: Vec<TreeLevel> = Vec::new();
        let mut entries = blocks.len();
        while levels.is_empty() || entries > 1 {
            let level = TreeLevel::new(entries, blocks.numeric(), blocks.categorical())?;
            entries = level.nodes();
            levels.push(level);
        }
        let nodes: Vec<usize> = levels.iter().map(TreeLevel::nodes).collect();
        let price = blocks.len();
        let mut tree = Tree {
            values: TreeValues::new(bits, &blocks, &nodes)?,
            rough_rows: RoughRows::new(&blocks)?,
            levels,
            reference: centroid.point(),
            rate: ReachRate::default(),
            pending: Vec::new(),
            way: Vec::new(),
            rough: RoughPlace::default(),
            opposite: RoughPlace::default(),
            drift: 0,
            price,
            recentred: 0,
            work: 0,
            scan_work: 0,
            built_over: centroid.rows(),
            rows: KeptRows::new(blocks, centroid),
        };
        tree.refresh(meter)?;
        Ok(tree)
    }

    /// Offers rows to `found` until it holds those that are nearest to `point`. The search begins
    /// as that of [`nearest`](Remaining::nearest) does.
    pub fn nearest_ties(
        &mut self,
        point: &Point,
        start: Option<u32>,
        found: &mut Ties,
        meter: &mut Meter,
    ) -> Result<()> {
        let (leaves, nodes) = self.find_nearest(point, start, &Any, found);
        self.spend(leaves, nodes, meter)
    }

    /// Moves a row to another place. It may be searched for there; the centroid of all rows
    /// stays as it was.
    pub(super) fn relocate(&mut self, row: Hit, point: &Point) {
        self.rows.blocks.write(row.slot, point);
        self.rough_rows.encode(&self.rows.blocks, place(row.slot).0);
        self.repair(&[row]);
    }

    /// The bytes by which a row of so many numeric columns is known roughly, at most.
    pub(super) fn rough_memory(numeric: usize) -> usize {
        RoughRows::leaf_memory(numeric).div_ceil(LANES)
    }

    /// Moves the rows into a scan; the tree is empty afterwards.
    pub(super) fn move_to_scan(&mut self, meter: &mut Meter) -> Result<Scan> {
        let draft = self.rows.blocks.draft(self.rows.centroid.rows(), meter)?;
        Scan::of(draft, std::mem::take(&mut self.rows.centroid), meter)
    }

    /// Rows looked at since the last call, and rows that scans would have looked at.
    pub(super) fn take_work(&mut self) -> (usize, usize) {
        let work = (self.work, self.scan_work);
        (self.work, self.scan_work) = (0, 0);
        work
    }

    /// The boxes among which that of a leaf or node is, and which of them it is.
    fn boxes_of(&self, open: &OpenNode) -> (Node<'_>, usize) {
        let (level, entry) = (open.level as usize, open.index as usize);
        (self.levels[level].node(entry / WIDTH), entry % WIDTH)
    }

    /// Books what a search has cost.
    fn spend(&mut self, leaves: usize, nodes: usize, meter: &mut Meter) -> Result<()> {
        let work = leaves * LANES + nodes * 2 * WIDTH;
        self.work += work;
        self.scan_work += self.rows.centroid.rows();
        meter.spend(work)
    }

    fn rebuild(&mut self, meter: &mut Meter) -> Result<()> {
        let draft = self.rows.blocks.draft(self.rows.centroid.rows(), meter)?;
        let centroid = std::mem::take(&mut self.rows.centroid);
        let bits = std::mem::take(&mut self.values).into_rows();
        let (rate, work, scan_work) = (self.rate, self.work, self.scan_work);
        *self = Tree::of(draft, centroid, bits, meter)?;
        (self.rate, self.work, self.scan_work) = (rate, work, scan_work);
        Ok(())
    }
}

impl Remaining for Tree {
    fn kept(&self) -> &KeptRows {
        &self.rows
    }

    fn kept_mut(&mut self) -> &mut KeptRows {
        &mut self.rows
    }

    fn farthest_from_centroid(&mut self, meter: &mut Meter) -> Result<Hit> {
        let centroid = self.rows.centroid.point();
        let (hit, leaves, nodes) = self.find_farthest(&centroid, 1.0);
        // a search with the reference close to the centroid visits about two per level
        let least = 2 * self.levels.len() + 2;
        self.drift = (self.drift + leaves + nodes).saturating_sub(least);
        self.spend(leaves, nodes, meter)?;
        Ok(hit)
    }

    fn farthest_from(&mut self, point: &Point, meter: &mut Meter) -> Result<Hit> {
        let (hit, leaves, nodes) = self.find_farthest(point, self.rate.share());
        self.rate.learn(leaves + nodes);
        self.spend(leaves, nodes, meter)?;
        Ok(hit)
    }

    fn nearest(
        &mut self,
        point: &Point,
        start: Option<u32>,
        found: &mut TopK,
        meter: &mut Meter,
    ) -> Result<()> {
        let (leaves, nodes) = self.find_nearest(point, start, &Any, found);
        self.spend(leaves, nodes, meter)
    }

    fn nearest_wanted(
        &mut self,
        point: &Point,
        start: Option<u32>,
        wanted: &Wanted,
        meter: &mut Meter,
    ) -> Result<Option<Hit>> {
        let mut found = TopK::new(1)?;
        let (leaves, nodes) = self.find_nearest(point, start, wanted, &mut found);
        self.spend(leaves, nodes, meter)?;
        Ok(found.hits().first().copied())
    }

    fn remove(&mut self, hits: &[Hit]) {
        self.rows.remove(hits);
        // as many at once as need little memory: removing rows cannot fail
        hits.chunks(REPAIRED_AT_ONCE)
            .for_each(|hits| self.repair(hits));
    }

    fn tidy(&mut self, meter: &mut Meter) -> Result<bool> {
        let leaves = self.rows.blocks.len();
        if self.len() < self.built_over / REBUILD_SHARE && leaves > FEW_LEAVES {
            self.rebuild(meter)?;
            return Ok(true);
        }
        if self.drift > self.price {
            // to rent or to buy: searches have wasted what moving the reference costs
            self.recentre(meter)?;
        }
        Ok(false)
    }
}
