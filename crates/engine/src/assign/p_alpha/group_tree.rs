//! Groups by the distance of their centroids, while rows change groups and groups merge.
//!
//! Groups are put in the order of a kd-tree over their centroids once. Boxes around runs of
//! eight groups, and around runs of eight boxes, are small then, and stay where they are when
//! groups change: only their bounds are mended.

use crate::Result;
use crate::local_search::changing_groups::Groups;
use crate::local_search::cheapest::Cheapest;
use crate::run::allocation::{collected, filled, granted};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

const FANOUT: usize = 8;

/// What a group without rows has to spare: less than any other.
const VACANT: i128 = i128::MIN;

/// A box, or a group, that is to be visited: the nearest first, boxes before groups.
type PendingGroup = Cheapest<(Reverse<usize>, usize)>;

/// Boxes around the centroids of groups, with the most that any group in them can spare.
pub(super) struct GroupTree {
    /// the groups in their order, and the place of each
    order: Vec<u32>,
    places: Vec<u32>,
    /// the first level has an entry for each group, the last has one
    levels: Vec<GroupLevel>,
    pending: BinaryHeap<PendingGroup>,
}

impl GroupTree {
    /// A tree over groups, and what each can spare.
    pub fn new(groups: &Groups, spare: impl Fn(u32) -> i128) -> Result<Self> {
        let [numeric, categorical, _] = groups.rows().widths();
        let mut levels = Vec::new();
        let mut len = groups.count() as usize;
        loop {
            levels.push(GroupLevel::empty(len, numeric, categorical)?);
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
        mut take: impl FnMut(u32) -> Result<ControlFlow<()>>,
    ) -> Result<usize> {
        let least_spare = least_spare.unwrap_or(VACANT + 1);
        let from = self.places[from as usize] as usize;
        let top = self.levels.len() - 1;
        self.pending.clear();
        self.push(from, top, 0, least_spare)?;
        let mut looks = FANOUT;
        while let Some(next) = self.pending.pop() {
            let (Reverse(level), entry) = next.tie;
            if level > 0 {
                self.push(from, level - 1, entry, least_spare)?;
                looks += FANOUT;
            } else if entry != from && take(self.order[entry])?.is_break() {
                break;
            }
        }
        Ok(looks)
    }

    /// Puts those entries of a run of eight on the heap that can spare as much.
    fn push(&mut self, from: usize, level: usize, run: usize, least_spare: i128) -> Result<()> {
        let entries = &self.levels[level];
        let distances = entries.distances(run, &self.levels[0], from);
        if self.pending.capacity() - self.pending.len() < FANOUT {
            let more = self.pending.len().max(FANOUT);
            let bytes = more.saturating_mul(size_of::<PendingGroup>());
            granted(bytes, || self.pending.try_reserve(more))?;
        }
        let spare = entries.spare[run * FANOUT..].iter().zip(distances);
        for (lane, (&spare, distance)) in spare.enumerate() {
            if spare >= least_spare {
                self.pending.push(Cheapest {
                    cost: distance,
                    tie: (Reverse(level), run * FANOUT + lane),
                    item: (),
                });
            }
        }
        Ok(())
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

/// A number of each entry of a run.
type Lanes<T> = [T; FANOUT];

/// The boxes of one level: run after run of eight entries, and of each run column after column,
/// so that one pass gives the distances of all eight.
struct GroupLevel {
    len: usize,
    /// the least and the greatest number of each numeric column
    numbers: Vec<(Lanes<f64>, Lanes<f64>)>,
    /// the least and the greatest most frequent code of each categorical column
    codes: Vec<(Lanes<u32>, Lanes<u32>)>,
    spare: Vec<i128>,
    widths: [usize; 2],
}

const NO_NUMBERS: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);
const NO_CODES: (u32, u32) = (u32::MAX, 0);

/// Sets both ends of one lane.
fn set<T>((low, high): &mut (Lanes<T>, Lanes<T>), lane: usize, range: (T, T)) {
    (low[lane], high[lane]) = range;
}

impl GroupLevel {
    fn empty(len: usize, numeric: usize, categorical: usize) -> Result<Self> {
        let runs = len.div_ceil(FANOUT);
        let (numbers, codes) = (NO_NUMBERS, NO_CODES);
        Ok(GroupLevel {
            len,
            numbers: filled(runs * numeric, ([numbers.0; FANOUT], [numbers.1; FANOUT]))?,
            codes: filled(runs * categorical, ([codes.0; FANOUT], [codes.1; FANOUT]))?,
            spare: filled(len, VACANT)?,
            widths: [numeric, categorical],
        })
    }

    fn place(&mut self, entry: usize, groups: &Groups, group: u32, spare: i128) {
        let vacant = groups.size(group) == 0;
        self.spare[entry] = if vacant { VACANT } else { spare };
        let (run, lane) = (entry / FANOUT, entry % FANOUT);
        let numbers = self.numbers[run * self.widths[0]..].iter_mut();
        for (ranges, &centre) in numbers.zip(groups.centroid(group)) {
            let range = if vacant { NO_NUMBERS } else { (centre, centre) };
            set(ranges, lane, range);
        }
        let codes = self.codes[run * self.widths[1]..].iter_mut();
        for (ranges, keys) in codes.zip(groups.keys(group)) {
            let mode = keys.mode();
            set(ranges, lane, if vacant { NO_CODES } else { (mode, mode) });
        }
    }

    /// Makes the box of an entry that of its run of the level below.
    fn enclose(&mut self, entry: usize, below: &GroupLevel) {
        let (run, lane) = (entry / FANOUT, entry % FANOUT);
        let [numeric, categorical] = self.widths;
        for column in 0..numeric {
            let (low, high) = &below.numbers[entry * numeric + column];
            let low = low.iter().copied().fold(NO_NUMBERS.0, f64::min);
            let high = high.iter().copied().fold(NO_NUMBERS.1, f64::max);
            set(&mut self.numbers[run * numeric + column], lane, (low, high));
        }
        for column in 0..categorical {
            let (low, high) = &below.codes[entry * categorical + column];
            let low = low.iter().copied().fold(NO_CODES.0, u32::min);
            let high = high.iter().copied().fold(NO_CODES.1, u32::max);
            set(
                &mut self.codes[run * categorical + column],
                lane,
                (low, high),
            );
        }
        let first = entry * FANOUT;
        let children = first..(first + FANOUT).min(below.len);
        let spare = below.spare[children].iter().copied();
        self.spare[entry] = spare.max().unwrap_or(VACANT);
    }

    /// The least squared distances of any place in the boxes of a run from a group's centroid.
    fn distances(&self, run: usize, groups: &GroupLevel, from: usize) -> Lanes<f64> {
        let [numeric, categorical] = self.widths;
        let (home, place) = (from / FANOUT, from % FANOUT);
        let mut distances = [0.0; FANOUT];
        let own = &groups.numbers[home * numeric..][..numeric];
        let ranges = &self.numbers[run * numeric..][..numeric];
        for ((low, high), (centre, _)) in ranges.iter().zip(own) {
            let number = centre[place];
            for lane in 0..FANOUT {
                let outside = (low[lane] - number).max(number - high[lane]).max(0.0);
                distances[lane] += outside * outside;
            }
        }
        let own = &groups.codes[home * categorical..][..categorical];
        let ranges = &self.codes[run * categorical..][..categorical];
        for ((low, high), (mode, _)) in ranges.iter().zip(own) {
            let code = mode[place];
            for lane in 0..FANOUT {
                let differs = code < low[lane] || code > high[lane];
                distances[lane] += f64::from(u8::from(differs));
            }
        }
        distances
    }
}
