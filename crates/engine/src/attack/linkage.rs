//! Linkage: somebody who knows everybody's original keys links each person to the nearest
//! released row. And intervals: how close masked numbers are to the person's own.

use super::NOWHERE;
use crate::neighbours::{Hit, Point, Remaining, Ties, Tree, leaf_order};
use crate::run::Meter;
use crate::run::allocation::{filled, reserved};
use crate::{Error, Monitor, Partition, Phase, Result, Space, Table, mask};

/// What linking each person to the nearest released rows gives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Linked {
    /// persons with a group
    pub persons: u64,
    /// whose own group is among the nearest
    pub own_nearest: u64,
    /// right links to be expected when one of the nearest rows is drawn
    pub expected: f64,
}

/// Links persons to released points, of which `sizes` rows each are released. `own` is each
/// person's point, [`NOWHERE`] for one without. Both spaces are on one scale.
pub fn link(
    persons: &Space,
    points: &Space,
    sizes: &[u64],
    own: &[u32],
    monitor: &mut dyn Monitor,
) -> Result<Linked> {
    if sizes.len() != points.rows() || own.len() != persons.rows() {
        return Err(Error::Broken("sizes of other points".into()));
    }
    let mut search = PointSearch::new(persons, points, monitor)?;
    let slots = search.slots()?;
    let order = by_slot(own, &slots)?;
    // the rows that a person is linked to, if the person's own are among them
    let mut rows = filled(persons.rows(), 0)?;
    for &person in &order {
        let point = own[person as usize];
        let nearest = search.nearest(person, Some(slots[point as usize]))?;
        if nearest.iter().any(|hit| hit.row == point) {
            let near = nearest.iter().map(|hit| sizes[hit.row as usize]);
            rows[person as usize] = near.sum();
        }
    }
    // added up in the order of rows: a sum of fractions depends on it
    let right = rows.iter().filter(|&&rows: &&u64| rows > 0);
    Ok(Linked {
        persons: order.len() as u64,
        own_nearest: right.clone().count() as u64,
        expected: right.map(|&rows| 1.0 / rows as f64).sum(),
    })
}

/// Those who have a point, in the order of the points' slots.
fn by_slot(own: &[u32], slots: &[u32]) -> Result<Vec<u32>> {
    let mut ends = filled(slots.iter().max().map_or(0, |&slot| slot as usize + 1), 0)?;
    let slot_of = |&point: &u32| slots[point as usize] as usize;
    let placed = || own.iter().filter(|&&point| point != NOWHERE);
    placed().for_each(|point| ends[slot_of(point)] += 1);
    let mut end = 0;
    for count in &mut ends {
        end += *count;
        *count = end;
    }
    let mut order = filled(end, 0)?;
    let placed = own.iter().enumerate().rev();
    for (person, point) in placed.filter(|of| *of.1 != NOWHERE) {
        let place = &mut ends[slot_of(point)];
        *place -= 1;
        order[*place] = person as u32;
    }
    Ok(order)
}

/// The same for rows whose groups show their means and most frequent values: everybody is linked to
/// the nearest group.
pub fn link_groups(
    keys: &Table,
    partition: &Partition,
    monitor: &mut dyn Monitor,
) -> Result<Linked> {
    partition.require_rows(keys.rows())?;
    let (persons, points) = Space::pair(keys, &mask::of_groups(keys, partition)?)?;
    let mut sizes = reserved(partition.groups())?;
    sizes.extend(partition.sizes().iter().map(|&size| u64::from(size)));
    link(&persons, &points, &sizes, partition.group_of(), monitor)
}

/// The nearest point of each person; ties go to the lower one.
pub fn nearest_points(
    persons: &Space,
    points: &Space,
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    let mut found = filled(persons.rows(), NOWHERE)?;
    let mut search = PointSearch::new(persons, points, monitor)?;
    let mut start = None;
    for person in leaf_order(persons, &mut search.meter)? {
        let nearest = search.nearest(person, start)?;
        let lowest = nearest.iter().min_by_key(|hit| hit.row);
        found[person as usize] = lowest.map_or(NOWHERE, |hit| hit.row);
        start = lowest.map(|hit| hit.slot);
    }
    Ok(found)
}

/// The persons with a group all of whose own numbers lie within `share` standard deviations of
/// the masked ones, and whose other keys are the masked ones (Mateo-Sanz, Sebé and
/// Domingo-Ferrer 2004). The deviations are those of the released columns, which a reader knows.
pub fn within_intervals(
    persons: &Space,
    points: &Space,
    sizes: &[u64],
    own: &[u32],
    share: f64,
) -> u64 {
    let width = |column: &Vec<f64>| share * deviation(column, sizes);
    let widths: Vec<f64> = points.numeric().iter().map(width).collect();
    let close = |person: usize, point: usize| {
        let mut numbers = persons.numeric().iter().zip(points.numeric()).zip(&widths);
        let mut codes = persons.categorical().iter().zip(points.categorical());
        numbers.all(|((own, masked), &width)| (own[person] - masked[point]).abs() <= width)
            && codes.all(|(own, masked)| own.codes()[person] == masked.codes()[point])
    };
    let own = own.iter().enumerate().filter(|own| *own.1 != NOWHERE);
    own.filter(|&(person, &point)| close(person, point as usize))
        .count() as u64
}

/// The standard deviation of a column of which each number occurs in so many rows.
fn deviation(column: &[f64], sizes: &[u64]) -> f64 {
    let rows = sizes.iter().sum::<u64>() as f64;
    let weighted = |(value, &size): (&f64, &u64)| value * size as f64;
    let mean = column.iter().zip(sizes).map(weighted).sum::<f64>() / rows;
    let square = |(value, &size): (&f64, &u64)| (value - mean) * (value - mean) * size as f64;
    (column.iter().zip(sizes).map(square).sum::<f64>() / (rows - 1.0).max(1.0)).sqrt()
}

/// Looks for the points nearest to one person after the other. Searches wait for memory, so those
/// who come one after the other should be close to each other: they look at the same part of the
/// tree.
struct PointSearch<'a, 'b> {
    persons: &'a Space,
    tree: Tree,
    meter: Meter<'b>,
    point: Point,
    found: Ties,
}

impl<'a, 'b> PointSearch<'a, 'b> {
    fn new(persons: &'a Space, points: &Space, monitor: &'b mut dyn Monitor) -> Result<Self> {
        if points.rows() == 0 {
            return Err(Error::Broken("no released rows".into()));
        }
        let mut meter = Meter::start(monitor, Phase::Checking, persons.rows());
        Ok(PointSearch {
            persons,
            tree: Tree::new(points, &[], &mut meter)?,
            meter,
            point: Point::default(),
            found: Ties::default(),
        })
    }

    /// The slot of each point.
    fn slots(&self) -> Result<Vec<u32>> {
        let mut slots = filled(self.tree.len(), NOWHERE)?;
        for hit in self.tree.rest()? {
            slots[hit.row as usize] = hit.slot;
        }
        Ok(slots)
    }

    /// The points nearest to a person, looked for from a slot on.
    fn nearest(&mut self, person: u32, start: Option<u32>) -> Result<&[Hit]> {
        self.point.move_to(self.persons, person as usize);
        self.found.clear();
        let (found, meter) = (&mut self.found, &mut self.meter);
        self.tree.nearest_ties(&self.point, start, found, meter)?;
        self.meter.grouped(1);
        self.meter.spend(16)?;
        self.found.hits()
    }
}
