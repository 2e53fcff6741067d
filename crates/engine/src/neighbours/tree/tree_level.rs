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

impl Node<'_> {
    /// The least distance that a row of each child can have; infinite without rows.
    #[inline(always)]
    pub(super) fn least_distances(&self, point: &Point) -> Wide<f64> {
        let mut sums = self.least_squares(&point.numbers);
        for ([lows, highs], &code) in self.codes.iter().zip(&point.codes) {
            for child in 0..WIDTH {
                let within = lows[child] <= code && code <= highs[child];
                sums[child] += if within { 0.0 } else { 1.0 };
            }
        }
        sums
    }

    /// The same of the numeric columns alone.
    #[inline(always)]
    pub(super) fn least_squares(&self, numbers: &[f64]) -> Wide<f64> {
        let mut sums = [0.0; WIDTH];
        for ([lows, highs], &number) in self.boxes.iter().zip(numbers) {
            for child in 0..WIDTH {
                let below = f64::from(lows[child]) - number;
                let above = number - f64::from(highs[child]);
                let outside = if below > above { below } else { above };
                let outside = if outside > 0.0 { outside } else { 0.0 };
                sums[child] += outside * outside;
            }
        }
        sums
    }

    /// The greatest distance in the numeric columns: that of the box's farthest corner.
    #[inline(always)]
    pub(super) fn greatest_squares(&self, numbers: &[f64]) -> Wide<f64> {
        let mut sums = [0.0; WIDTH];
        for ([lows, highs], &number) in self.boxes.iter().zip(numbers) {
            for child in 0..WIDTH {
                let to_low = (number - f64::from(lows[child])).abs();
                let to_high = (number - f64::from(highs[child])).abs();
                let side = if to_low > to_high { to_low } else { to_high };
                sums[child] += side * side;
            }
        }
        sums
    }

    /// Adds the categorical columns in which some row of the child may differ.
    #[inline]
    pub(super) fn add_greatest_differences(&self, sums: &mut Wide<f64>, codes: &[u32]) {
        for ([lows, highs], &code) in self.codes.iter().zip(codes) {
            for child in 0..WIDTH {
                let same = lows[child] == code && highs[child] == code;
                sums[child] += if same { 0.0 } else { 1.0 };
            }
        }
    }
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
