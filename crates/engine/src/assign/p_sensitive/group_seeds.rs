//! The row around which the next group forms.

use super::Method;
use crate::assign::group_numbers::GroupNumbers;
use crate::neighbours::{Hit, Point, Remaining, TopK};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Error, Result, Space};
use rand::{Rng, RngExt};

/// How seeds are chosen.
pub(super) enum Seeds<'a> {
    /// the row farthest from the centroid of those that remain (DFS07)
    Farthest,
    /// the row nearest to a vector drawn from the box around all rows (SSD08)
    Vectors { frame: Frame, rng: &'a mut dyn Rng },
    /// a row drawn from those that remain; the figures of SSD08 fit this one
    Rows {
        lottery: Lottery,
        slots: Vec<u32>,
        rng: &'a mut dyn Rng,
    },
}

impl<'a> Seeds<'a> {
    pub(super) fn new(space: &Space, method: Method, rng: &'a mut dyn Rng) -> Result<Self> {
        Ok(match method {
            Method::RandomSeeds => Seeds::Vectors {
                frame: Frame::new(space),
                rng,
            },
            Method::RandomRows | Method::RandomRowsLean => Seeds::Rows {
                lottery: Lottery::new(space.rows())?,
                slots: allocation::filled(space.rows(), 0)?,
                rng,
            },
            _ => Seeds::Farthest,
        })
    }

    /// Learns where rows are kept, if that matters. To be called whenever it has changed.
    pub(super) fn locate(&mut self, remaining: &impl Remaining) -> Result<()> {
        if let Seeds::Rows { slots, .. } = self {
            for hit in remaining.rest()? {
                slots[hit.row as usize] = hit.slot;
            }
        }
        Ok(())
    }

    /// The next seed and where it lies. At least one row must remain.
    pub(super) fn next(
        &mut self,
        remaining: &mut impl Remaining,
        groups: &GroupNumbers,
        meter: &mut Meter,
    ) -> Result<(Hit, Point)> {
        let seed = match self {
            Seeds::Farthest => remaining.farthest_from_centroid(meter)?,
            Seeds::Vectors { frame, rng } => nearest(remaining, &frame.draw(*rng), meter)?,
            Seeds::Rows {
                lottery,
                slots,
                rng,
            } => {
                let row = lottery.draw(remaining.len(), |row| !groups.has(row), *rng);
                let slot = slots[row as usize];
                let distance = 0.0;
                Hit {
                    distance,
                    row,
                    slot,
                }
            }
        };
        let mut point = Point::default();
        remaining.read(seed.slot, &mut point);
        Ok((seed, point))
    }
}

fn nearest(remaining: &mut impl Remaining, vector: &Point, meter: &mut Meter) -> Result<Hit> {
    let mut found = TopK::new(1)?;
    remaining.nearest(vector, None, &mut found, meter)?;
    let nearest = found.hits().first().copied();
    nearest.ok_or_else(|| Error::Broken("no row remains".into()))
}

/// The box around all rows.
pub(super) struct Frame {
    extents: Vec<(f64, f64)>,
    cardinalities: Vec<u32>,
}

impl Frame {
    pub(super) fn new(space: &Space) -> Self {
        let extent = |values: &Vec<f64>| {
            let wider = |(low, high): (f64, f64), &value: &f64| (low.min(value), high.max(value));
            let nothing = (f64::INFINITY, f64::NEG_INFINITY);
            values.iter().fold(nothing, wider)
        };
        let categorical = space.categorical().iter();
        Frame {
            extents: space.numeric().iter().map(extent).collect(),
            cardinalities: categorical
                .map(|column| column.cardinality() as u32)
                .collect(),
        }
    }

    /// A vector drawn uniformly from the box, and from all values of the categorical columns.
    pub(super) fn draw(&self, rng: &mut dyn Rng) -> Point {
        let between = |&(low, high): &(f64, f64)| low + rng.random::<f64>() * (high - low);
        let numbers = self.extents.iter().map(between).collect();
        let code = |&cardinality: &u32| rng.random_range(0..cardinality);
        Point::new(numbers, self.cardinalities.iter().map(code).collect())
    }
}

/// Draws rows uniformly from those that remain, in constant time on average: a row that is
/// gone is drawn again, and before most are gone the list is cleared of them.
pub(super) struct Lottery {
    tickets: Vec<u32>,
}

impl Lottery {
    pub(super) fn new(rows: usize) -> Result<Self> {
        let tickets = allocation::collected(0..rows as u32)?;
        Ok(Lottery { tickets })
    }

    /// One of the `left` rows for which `is_left` holds; at least one must be.
    pub(super) fn draw(
        &mut self,
        left: usize,
        is_left: impl Fn(u32) -> bool,
        rng: &mut dyn Rng,
    ) -> u32 {
        if 2 * left < self.tickets.len() {
            self.tickets.retain(|&row| is_left(row));
        }
        loop {
            let row = self.tickets[rng.random_range(0..self.tickets.len())];
            if is_left(row) {
                return row;
            }
        }
    }
}
