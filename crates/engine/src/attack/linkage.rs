//! Linkage: somebody who knows everybody's original keys links each person to the nearest
//! released row. And intervals: how close masked numbers are to the person's own.

use super::NOWHERE;
use crate::neighbours::{Point, Remaining, TopK, Tree};
use crate::run::Meter;
use crate::run::allocation::{filled, make_room, reserved};
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
    let mut linked = Linked::default();
    search(persons, points, Some(own), monitor, |person, nearest| {
        if own[person] == NOWHERE {
            return;
        }
        linked.persons += 1;
        if nearest.contains(&own[person]) {
            let rows: u64 = nearest.iter().map(|&point| sizes[point as usize]).sum();
            linked.own_nearest += 1;
            linked.expected += 1.0 / rows as f64;
        }
    })?;
    Ok(linked)
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
    search(persons, points, None, monitor, |person, nearest| {
        found[person] = nearest.first().copied().unwrap_or(NOWHERE);
    })?;
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

/// Hands each person with all points at the least distance to `take`. A search begins where
/// the last one of the same `near` ended.
fn search(
    persons: &Space,
    points: &Space,
    near: Option<&[u32]>,
    monitor: &mut dyn Monitor,
    mut take: impl FnMut(usize, &[u32]),
) -> Result<()> {
    if points.rows() == 0 {
        return Err(Error::Broken("no released rows".into()));
    }
    let mut meter = Meter::start(monitor, Phase::Checking, persons.rows());
    let mut tree = Tree::new(points, &[], &mut meter)?;
    let mut slots = filled(near.map_or(0, |_| points.rows()), NOWHERE)?;
    let mut room = 2;
    let mut found = TopK::new(room)?;
    let mut nearest = reserved(room)?;
    for person in 0..persons.rows() {
        let point = place(persons, person);
        let hint = near.map_or(NOWHERE, |near| near[person]);
        let start = (hint != NOWHERE).then(|| slots[hint as usize]);
        loop {
            found.clear();
            tree.nearest(
                &point,
                start.filter(|&slot| slot != NOWHERE),
                &mut found,
                &mut meter,
            )?;
            let hits = found.hits();
            let tied = hits
                .iter()
                .filter(|hit| hit.distance == hits[0].distance)
                .count();
            if tied < room || tied == points.rows() {
                nearest.clear();
                make_room(&mut nearest, tied)?;
                nearest.extend(hits[..tied].iter().map(|hit| hit.row));
                if hint != NOWHERE {
                    slots[hint as usize] = hits[0].slot;
                }
                break;
            }
            room = (4 * room).min(points.rows().max(2));
            found = TopK::new(room)?;
        }
        take(person, &nearest);
        meter.grouped(1);
        meter.spend(16)?;
    }
    Ok(())
}

fn place(space: &Space, row: usize) -> Point {
    let numbers = space.numeric().iter().map(|column| column[row]).collect();
    let codes = space
        .categorical()
        .iter()
        .map(|column| column.codes()[row])
        .collect();
    Point::new(numbers, codes)
}
