//! Nearest and farthest among the rows that are not yet in a group.
//!
//! Microaggregation asks the same few questions again and again, each time of fewer rows:
//! which remaining row is farthest from a point, which are nearest, and where is their
//! centroid. [`Remaining`] is the contract. [`Scan`] answers by looking at every row; it is
//! the reference. [`Tree`] answers the same, to the bit, by looking at few. [`Adaptive`] is
//! a tree that falls back to scans where a tree no longer pays.
//!
//! All of them compute distances as [`Space`](crate::Space) says, column after column without
//! fused operations, and give ties to the lower row.

mod adaptive;
mod centroid;
mod column_draft;
mod group_centroids;
mod kept_rows;
mod linear_scan;
mod nearest_ties;
mod row_blocks;
mod sensitive_bits;
mod top_k;
mod tree;

pub use adaptive::Adaptive;
pub use centroid::centroid_of;
pub use group_centroids::GroupCentroids;
pub use kept_rows::KeptRows;
pub use linear_scan::Scan;
pub use nearest_ties::Ties;
pub use sensitive_bits::{ValueBits, Wanted};
pub use top_k::{Found, TopK};
pub use tree::{Tree, leaf_order};

use crate::run::Meter;
use crate::{Result, Space};

/// A place in the space: a row, a centroid, or anything between.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Point {
    pub numbers: Vec<f64>,
    pub codes: Vec<u32>,
}

impl Point {
    /// A place given by numbers and codes, in the form in which rows are kept.
    pub fn new(mut numbers: Vec<f64>, codes: Vec<u32>) -> Self {
        if numbers.is_empty() {
            // rows without numeric columns are kept with a column of zeros
            numbers.push(0.0);
        }
        Point { numbers, codes }
    }

    /// Goes to where a row is.
    pub fn move_to(&mut self, space: &Space, row: usize) {
        self.numbers.clear();
        let numbers = space.numeric().iter().map(|column| column[row]);
        self.numbers.extend(numbers);
        if self.numbers.is_empty() {
            self.numbers.push(0.0);
        }
        self.codes.clear();
        let codes = space.categorical().iter();
        self.codes.extend(codes.map(|column| column.codes()[row]));
    }
}

/// A row that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// squared distance from the point that was asked about
    pub distance: f64,
    pub row: u32,
    /// where the structure keeps the row until it is next [tidied](Remaining::tidy)
    pub slot: u32,
}

impl Hit {
    /// Less far than any row: where a search for the farthest begins.
    const NOTHING: Hit = Hit {
        distance: -1.0,
        row: u32::MAX,
        slot: 0,
    };

    /// Whether this row is nearer than the other; ties go to the lower row.
    pub fn nearer_than(&self, other: &Hit) -> bool {
        self.distance < other.distance || (self.distance == other.distance && self.row < other.row)
    }

    /// Whether this row is farther than the other; ties go to the lower row.
    pub fn farther_than(&self, other: &Hit) -> bool {
        self.distance > other.distance || (self.distance == other.distance && self.row < other.row)
    }
}

/// The rows that are not yet in a group.
pub trait Remaining {
    /// The rows themselves.
    fn kept(&self) -> &KeptRows;

    fn kept_mut(&mut self) -> &mut KeptRows;

    /// How many rows remain.
    fn len(&self) -> usize {
        self.kept().len()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Mean of the numeric columns and most frequent value of the categorical ones.
    fn centroid(&mut self) -> Point {
        self.kept_mut().point()
    }

    /// Copies the row at `slot` into `point`.
    fn read(&self, slot: u32, point: &mut Point) {
        self.kept().read(slot, point);
    }

    /// The row that a search has found.
    fn point_of(&self, hit: Hit) -> Point {
        let mut point = Point::default();
        self.read(hit.slot, &mut point);
        point
    }

    /// The row farthest from the centroid. At least one row must remain.
    fn farthest_from_centroid(&mut self, meter: &mut Meter) -> Result<Hit> {
        let centroid = self.centroid();
        self.farthest_from(&centroid, meter)
    }

    /// The row farthest from a point. At least one row must remain.
    fn farthest_from(&mut self, point: &Point, meter: &mut Meter) -> Result<Hit>;

    /// Offers rows to `found` until it holds those nearest to `point`. The search begins at
    /// the slot `start`: any will do, one close to the point makes it fast.
    fn nearest(
        &mut self,
        point: &Point,
        start: Option<u32>,
        found: &mut TopK,
        meter: &mut Meter,
    ) -> Result<()>;

    /// The nearest row that is wanted for its sensitive values, if there is one.
    fn nearest_wanted(
        &mut self,
        point: &Point,
        start: Option<u32>,
        wanted: &Wanted,
        meter: &mut Meter,
    ) -> Result<Option<Hit>>;

    /// Takes rows away. The slots of the others stay as they are.
    fn remove(&mut self, hits: &[Hit]);

    /// Puts the structure in order after removals. `true` says that slots have changed.
    fn tidy(&mut self, meter: &mut Meter) -> Result<bool>;

    /// All rows that remain, in no particular order, at distance 0.
    fn rest(&self) -> Result<Vec<Hit>> {
        self.kept().rest()
    }
}
