//! Groups by the distance of their centroids, while rows change groups and groups merge.
//!
//! Groups are put in the order of a kd-tree over their centroids once. Boxes around runs of
//! eight groups, and around runs of eight boxes, are small then, and stay where they are when
//! groups change: only their bounds are mended.

use crate::Result;
use crate::assign::refine::groups::Groups;
use crate::memory::{collected, filled};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

const FANOUT: usize = 8;

/// What a group without rows has to spare: less than any other.
const VACANT: i128 = i128::MIN;

/// Boxes around the centroids of groups, with the most that any group in them can spare.
pub(super) struct GroupTree {
    /// the groups in their order, and the place of each
    order: Vec<u32>,
    places: Vec<u32>,
    /// the first level has an entry for each group, the last has one
    levels: Vec<Level>,
    pending: BinaryHeap<Pending>,
}

impl GroupTree {
    /// A tree over groups, and what each can spare.
    pub fn new(groups: &Groups, spare: impl Fn(u32) -> i128) -> Result<Self> {
        let [numeric, categorical, _] = groups.rows().widths();
        let mut levels = Vec::new();
        let mut len = groups.count() as usize;
        loop {
            levels.push(Level::empty(len, numeric, categorical)?);
            if len <= 1 {
                break;
            }
            len = len.div_ceil(FANOUT);
        }
        let mut order = collected(0..groups.count())?;
        arrange(groups, &mut order);
        let mut places = filled(order.len(), 0)?;
        for (place, &group) in (0..).zip(&order) {
            places[group as usize] = place;
        }
        let mut tree = GroupTree {
            order,
            places,
            levels,
            pending: BinaryHeap::new(),
        };
        for (place, &group) in tree.order.iter().enumerate() {
            tree.levels[0].place(place, groups, group, spare(group));
        }
        for level in 1..tree.levels.len() {
            for entry in 0..tree.levels[level].len {
                tree.mend(level, entry);
            }
        }
        Ok(tree)
    }

    /// Notes what has become of a group.
    pub fn update(&mut self, groups: &Groups, group: u32, spare: i128) {
        let mut entry = self.places[group as usize] as usize;
        self.levels[0].place(entry, groups, group, spare);
        for level in 1..self.levels.len() {
            entry /= FANOUT;
            self.mend(level, entry);
        }
    }

    /// Hands the other groups that can spare as much to `take`, those with the nearest
    /// centroids first, until it breaks. Returns how many entries were looked at.
    pub fn visit(
        &mut self,
        from: u32,
        least_spare: Option<i128>,
        mut take: impl FnMut(u32) -> ControlFlow<()>,
    ) -> usize {
        let least_spare = least_spare.unwrap_or(VACANT + 1);
        let from = self.places[from as usize] as usize;
        let top = self.levels.len() - 1;
        self.pending.clear();
        self.push(from, top, 0, least_spare);
        let mut looks = 1;
        while let Some(next) = self.pending.pop() {
            if next.level > 0 {
                let first = next.entry * FANOUT;
                let end = (first + FANOUT).min(self.levels[next.level - 1].len);
                (first..end).for_each(|entry| self.push(from, next.level - 1, entry, least_spare));
                looks += end - first;
            } else if next.entry != from && take(self.order[next.entry]).is_break() {
                break;
            }
        }
        looks
    }

    fn push(&mut self, from: usize, level: usize, entry: usize, least_spare: i128) {
        if self.levels[level].spare[entry] >= least_spare {
            let distance = self.levels[level].distance(entry, &self.levels[0], from);
            self.pending.push(Pending {
                distance,
                level,
                entry,
            });
        }
    }

    /// Makes the box of an entry that of its children.
    fn mend(&mut self, level: usize, entry: usize) {
        let (below, above) = self.levels.split_at_mut(level);
        above[0].enclose(entry, &below[level - 1]);
    }
}

/// Puts groups in the order of a kd-tree's leaves: halves along the widest numeric column,
/// cut so that no box is shared. Without numeric columns any order is as good.
fn arrange(groups: &Groups, order: &mut [u32]) {
    let extent = |column: usize| {
        let centres = order.iter().map(|&group| groups.centroid(group)[column]);
        let widen = |a: (f64, f64), b: f64| (a.0.min(b), a.1.max(b));
        let (low, high) = centres.fold(NO_NUMBERS, widen);
        high - low
    };
    let columns = 0..groups.rows().widths()[0];
    let widest = columns.max_by(|&a, &b| extent(a).total_cmp(&extent(b)));
    let Some(column) = widest.filter(|_| order.len() > FANOUT) else {
        return;
    };
    let mut half = FANOUT;
    while 2 * half < order.len() {
        half *= 2;
    }
    order.select_nth_unstable_by(half, |&a, &b| {
        let (x, y) = (groups.centroid(a)[column], groups.centroid(b)[column]);
        x.total_cmp(&y).then(a.cmp(&b))
    });
    let (left, right) = order.split_at_mut(half);
    arrange(groups, left);
    arrange(groups, right);
}

/// The boxes of one level, entry after entry.
struct Level {
    len: usize,
    /// the least and the greatest number of each numeric column
    numbers: Vec<(f64, f64)>,
    /// the least and the greatest most frequent code of each categorical column
    codes: Vec<(u32, u32)>,
    spare: Vec<i128>,
    widths: [usize; 2],
}

const NO_NUMBERS: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);
const NO_CODES: (u32, u32) = (u32::MAX, 0);

impl Level {
    fn empty(len: usize, numeric: usize, categorical: usize) -> Result<Self> {
        Ok(Level {
            len,
            numbers: filled(len * numeric, NO_NUMBERS)?,
            codes: filled(len * categorical, NO_CODES)?,
            spare: filled(len, VACANT)?,
            widths: [numeric, categorical],
        })
    }

    fn place(&mut self, entry: usize, groups: &Groups, group: u32, spare: i128) {
        let vacant = groups.size(group) == 0;
        self.spare[entry] = if vacant { VACANT } else { spare };
        let numbers = self.numbers[entry * self.widths[0]..].iter_mut();
        for (range, &centre) in numbers.zip(groups.centroid(group)) {
            *range = if vacant { NO_NUMBERS } else { (centre, centre) };
        }
        let codes = self.codes[entry * self.widths[1]..].iter_mut();
        for (range, keys) in codes.zip(groups.keys(group)) {
            let mode = keys.mode();
            *range = if vacant { NO_CODES } else { (mode, mode) };
        }
    }

    fn enclose(&mut self, entry: usize, below: &Level) {
        let first = entry * FANOUT;
        let children = first..(first + FANOUT).min(below.len);
        let [numeric, categorical] = self.widths;
        for column in 0..numeric {
            let ranges = children
                .clone()
                .map(|c| below.numbers[c * numeric + column]);
            let widen = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
            self.numbers[entry * numeric + column] = ranges.fold(NO_NUMBERS, widen);
        }
        for column in 0..categorical {
            let ranges = children
                .clone()
                .map(|c| below.codes[c * categorical + column]);
            let widen = |a: (u32, u32), b: (u32, u32)| (a.0.min(b.0), a.1.max(b.1));
            self.codes[entry * categorical + column] = ranges.fold(NO_CODES, widen);
        }
        let spare = below.spare[children].iter().copied();
        self.spare[entry] = spare.max().unwrap_or(VACANT);
    }

    /// The least squared distance of any place in a box from a group's centroid.
    fn distance(&self, entry: usize, groups: &Level, from: usize) -> f64 {
        let [numeric, categorical] = self.widths;
        let own = &groups.numbers[from * numeric..][..numeric];
        let ranges = &self.numbers[entry * numeric..][..numeric];
        let mut distance = 0.0;
        for (&(low, high), &(number, _)) in ranges.iter().zip(own) {
            let outside = (low - number).max(number - high).max(0.0);
            distance += outside * outside;
        }
        let own = &groups.codes[from * categorical..][..categorical];
        let ranges = &self.codes[entry * categorical..][..categorical];
        for (&(low, high), &(code, _)) in ranges.iter().zip(own) {
            distance += f64::from(u8::from(code < low || code > high));
        }
        distance
    }
}

/// A box, or a group, that is to be visited.
struct Pending {
    distance: f64,
    level: usize,
    entry: usize,
}

impl Ord for Pending {
    /// A heap has its greatest on top: the nearest, boxes before groups.
    fn cmp(&self, other: &Self) -> Ordering {
        let nearer = other.distance.total_cmp(&self.distance);
        nearer
            .then(self.level.cmp(&other.level))
            .then(other.entry.cmp(&self.entry))
    }
}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pending {}
