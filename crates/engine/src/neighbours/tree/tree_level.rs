//! One level of the tree: for each node what its eight children can hold.

use crate::Result;
use crate::neighbours::Point;
use crate::neighbours::row_blocks::VACANT;
use crate::run::allocation;

/// Children per node.
pub(super) const WIDTH: usize = 8;

/// One value for each child of a node.
pub(super) type Wide<T> = [T; WIDTH];

/// Nodes of one level. Entry e of the level below is child e mod 8 of node e div 8.
#[derive(Debug)]
pub(super) struct TreeLevel {
    numeric: usize,
    categorical: usize,
    /// lower and upper end of the box in each numeric column, in half the bytes: searches wait
    /// for memory. Ends are rounded outwards, so bounds stay bounds.
    boxes: Vec<[Wide<f32>; 2]>,
    /// lowest and highest code in each categorical column
    codes: Vec<[Wide<u32>; 2]>,
    /// greatest squared numeric distance of a row from the tree's reference point; negative
    /// infinity for a child without rows
    reach: Vec<Wide<f64>>,
    /// lowest row number
    first: Vec<Wide<u32>>,
}

/// One node's children, eight at a time.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    pub(super) boxes: &'a [[Wide<f32>; 2]],
    pub(super) codes: &'a [[Wide<u32>; 2]],
    pub(super) reach: &'a Wide<f64>,
    pub(super) first: &'a Wide<u32>,
}

impl TreeLevel {
    /// A level over `entries` leaves or nodes, all still empty.
    pub(super) fn new(entries: usize, numeric: usize, categorical: usize) -> Result<Self> {
        let nodes = entries.div_ceil(WIDTH).max(1);
        let empty_box = [[f32::INFINITY; WIDTH], [f32::NEG_INFINITY; WIDTH]];
        let empty_codes = [[u32::MAX; WIDTH], [0; WIDTH]];
        Ok(TreeLevel {
            numeric,
            categorical,
            boxes: allocation::filled(nodes * numeric, empty_box)?,
            codes: allocation::filled(nodes * categorical, empty_codes)?,
            reach: allocation::filled(nodes, [f64::NEG_INFINITY; WIDTH])?,
            first: allocation::filled(nodes, [VACANT; WIDTH])?,
        })
    }

    pub(super) fn nodes(&self) -> usize {
        self.first.len()
    }

    #[inline(always)]
    pub(super) fn node(&self, node: usize) -> Node<'_> {
        Node {
            boxes: &self.boxes[node * self.numeric..][..self.numeric],
            codes: &self.codes[node * self.categorical..][..self.categorical],
            reach: &self.reach[node],
            first: &self.first[node],
        }
    }

    /// Sets the box of an entry in a numeric column; whether that changes anything.
    #[inline]
    pub(super) fn set_box(&mut self, entry: usize, column: usize, low: f32, high: f32) -> bool {
        let (node, child) = (entry / WIDTH, entry % WIDTH);
        let [lows, highs] = &mut self.boxes[node * self.numeric + column];
        set_range([&mut lows[child], &mut highs[child]], [low, high])
    }

    /// Sets the codes' range of an entry in a categorical column; whether that changes anything.
    #[inline]
    pub(super) fn set_codes(&mut self, entry: usize, column: usize, low: u32, high: u32) -> bool {
        let (node, child) = (entry / WIDTH, entry % WIDTH);
        let [lows, highs] = &mut self.codes[node * self.categorical + column];
        set_range([&mut lows[child], &mut highs[child]], [low, high])
    }

    /// Sets the lowest row of an entry; whether that changes anything.
    #[inline]
    pub(super) fn set_first(&mut self, entry: usize, first: u32) -> bool {
        let place = &mut self.first[entry / WIDTH][entry % WIDTH];
        std::mem::replace(place, first) != first
    }

    /// The reaches of a node's children; negative without rows.
    pub(super) fn reaches(&mut self, node: usize) -> &mut Wide<f64> {
        &mut self.reach[node]
    }

    /// Sets the reach of an entry; whether that changes anything.
    #[inline]
    pub(super) fn set_reach(&mut self, entry: usize, reach: f64) -> bool {
        let place = &mut self.reach[entry / WIDTH][entry % WIDTH];
        std::mem::replace(place, reach) != reach
    }
}

/// The greatest number of half the bytes that is not above a number.
#[inline]
pub(super) fn rounded_down(number: f64) -> f32 {
    let rounded = number as f32;
    match f64::from(rounded) > number {
        true => rounded.next_down(),
        false => rounded,
    }
}

/// The least number of half the bytes that is not below a number.
#[inline]
pub(super) fn rounded_up(number: f64) -> f32 {
    -rounded_down(-number)
}

/// How far a rough bound may be from a limit, as a share of it, to be made exact: rows that tie
/// are that close.
const CLOSE: f64 = 1e-4;

/// A place in numbers of half the bytes, each rounded down and up: what boxes are compared with,
/// eight at a time. Sums of its squares are rough, but they miss an exact one by a known share at
/// most, so no box is passed over that an exact bound would not pass over.
#[derive(Debug, Default)]
pub(super) struct RoughPlace {
    ends: Vec<[f32; 2]>,
    /// more than the share by which roundings can have changed a sum
    slack: f64,
    /// what raises a rough sum by more than that share
    rise: f32,
}

impl RoughPlace {
    /// Becomes another place; so many ones may be added to its sums.
    #[inline]
    pub(super) fn set(&mut self, numbers: impl Iterator<Item = f64>, ones: usize) {
        self.ends.clear();
        let ends = |number| [rounded_down(number), rounded_up(number)];
        self.ends.extend(numbers.map(ends));
        self.slack = (self.ends.len() + ones + 8) as f64 * f64::from(f32::EPSILON);
        self.rise = 1.0 + self.slack as f32 + 2.0 * f32::EPSILON;
    }

    /// Not below a sum that is no more than this one, whichever of the two is rough.
    #[inline]
    pub(super) fn raised(&self, sum: f64) -> f32 {
        (sum * (1.0 + self.slack)) as f32 + f32::MIN_POSITIVE
    }

    /// The same of the rough sums of a node's children.
    #[inline]
    pub(super) fn all_raised(&self, sums: Wide<f32>) -> Wide<f32> {
        sums.map(|sum| sum * self.rise + f32::MIN_POSITIVE)
    }

    /// Not above a sum that is no less than this one, save for `f32::MIN_POSITIVE`.
    #[inline]
    pub(super) fn lowered(&self, sum: f64) -> f32 {
        (sum * (1.0 - self.slack)) as f32
    }

    /// The share of a rough sum that no exact one is below, save for `f32::MIN_POSITIVE`.
    #[inline]
    pub(super) fn share(&self) -> f64 {
        1.0 - self.slack
    }
}

/// From where on a bound from below is close to a limit.
#[inline]
pub(super) fn close_below(limit: f64) -> f32 {
    (limit * (1.0 - CLOSE)) as f32
}

/// Up to where a bound from above is close to a limit.
#[inline]
pub(super) fn close_above(limit: f64) -> f32 {
    (limit * (1.0 + CLOSE)) as f32
}

impl Node<'_> {
    /// The least distance that a row of each child can have, roughly.
    #[inline]
    pub(super) fn rough_least(&self, place: &RoughPlace, codes: &[u32]) -> Wide<f32> {
        let mut sums = self.rough_squares(place);
        for ([lows, highs], &code) in self.codes.iter().zip(codes) {
            for child in 0..WIDTH {
                let within = lows[child] <= code && code <= highs[child];
                sums[child] += if within { 0.0 } else { 1.0 };
            }
        }
        sums
    }

    /// The same of the numeric columns alone.
    #[inline]
    pub(super) fn rough_squares(&self, place: &RoughPlace) -> Wide<f32> {
        least_squares(self.boxes, &place.ends)
    }

    /// The greatest distance that a row of each child can have, roughly.
    #[inline]
    pub(super) fn rough_greatest(&self, place: &RoughPlace, codes: &[u32]) -> Wide<f32> {
        let mut sums = greatest_squares(self.boxes, &place.ends);
        self.add_greatest_differences(&mut sums, codes);
        sums
    }

    /// Adds the categorical columns in which some row of the child may differ.
    #[inline]
    pub(super) fn add_greatest_differences(&self, sums: &mut Wide<f32>, codes: &[u32]) {
        for ([lows, highs], &code) in self.codes.iter().zip(codes) {
            for child in 0..WIDTH {
                let same = lows[child] == code && highs[child] == code;
                sums[child] += if same { 0.0 } else { 1.0 };
            }
        }
    }

    /// The least distance that a row of a child can have; infinite without rows.
    #[inline]
    pub(super) fn least_distance(&self, child: usize, point: &Point) -> f64 {
        let mut sum = 0.0;
        for ([lows, highs], &number) in self.boxes.iter().zip(&point.numbers) {
            let below = f64::from(lows[child]) - number;
            let above = number - f64::from(highs[child]);
            let outside = if below > above { below } else { above };
            let outside = if outside > 0.0 { outside } else { 0.0 };
            sum += outside * outside;
        }
        for ([lows, highs], &code) in self.codes.iter().zip(&point.codes) {
            let within = lows[child] <= code && code <= highs[child];
            sum += if within { 0.0 } else { 1.0 };
        }
        sum
    }

    /// The greatest distance that a row of a child can have: that of its box's farthest corner.
    #[inline]
    pub(super) fn greatest_distance(&self, child: usize, point: &Point) -> f64 {
        let mut sum = 0.0;
        for ([lows, highs], &number) in self.boxes.iter().zip(&point.numbers) {
            let to_low = (number - f64::from(lows[child])).abs();
            let to_high = (number - f64::from(highs[child])).abs();
            let side = if to_low > to_high { to_low } else { to_high };
            sum += side * side;
        }
        for ([lows, highs], &code) in self.codes.iter().zip(&point.codes) {
            let same = lows[child] == code && highs[child] == code;
            sum += if same { 0.0 } else { 1.0 };
        }
        sum
    }
}

/// Squared distances of eight boxes from a place. Not inlined: on its own the compiler makes
/// vector instructions of it.
#[inline(never)]
fn least_squares(boxes: &[[Wide<f32>; 2]], place: &[[f32; 2]]) -> Wide<f32> {
    let mut sums = [0.0; WIDTH];
    for ([lows, highs], &[down, up]) in boxes.iter().zip(place) {
        for child in 0..WIDTH {
            let below = lows[child] - up;
            let above = down - highs[child];
            let outside = if below > above { below } else { above };
            let outside = if outside > 0.0 { outside } else { 0.0 };
            sums[child] += outside * outside;
        }
    }
    sums
}

/// Squared distances of the farthest corners of eight boxes from a place.
#[inline(never)]
fn greatest_squares(boxes: &[[Wide<f32>; 2]], place: &[[f32; 2]]) -> Wide<f32> {
    let mut sums = [0.0; WIDTH];
    for ([lows, highs], &[down, up]) in boxes.iter().zip(place) {
        for child in 0..WIDTH {
            let to_low = up - lows[child];
            let to_high = highs[child] - down;
            let side = if to_low > to_high { to_low } else { to_high };
            sums[child] += side * side;
        }
    }
    sums
}

/// Sets the ends of a range; whether that changes anything.
#[inline]
fn set_range<T: PartialEq>(ends: [&mut T; 2], range: [T; 2]) -> bool {
    let replaced = ends.into_iter().zip(range);
    replaced.fold(false, |changed, (end, new)| {
        let differs = *end != new;
        *end = new;
        changed || differs
    })
}
