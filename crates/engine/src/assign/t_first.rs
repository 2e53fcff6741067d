//! t-closeness first (Soria-Comas, Domingo-Ferrer, Sánchez, Martínez 2015, Algorithm 3): rows in
//! the order of their sensitive values are cut into as many slices as a group has rows, and each
//! group takes one row of each. Its values are spread as those of the table are.
//!
//! That is microaggregation for p-sensitive k-anonymity with slices in the place of values, and as
//! many of them as rows.

use super::Method;
use super::conditions::{GroupConditions, join_unmet};
use super::p_sensitive::p_sensitive;
use crate::model::Bound;
use crate::run::allocation;
use crate::run::sorting;
use crate::{Categories, Monitor, Partition, PersonRows, Result, Space, measure, random};

/// So many sizes of groups are tried.
const SIZES: usize = 8;

/// Groups of at least k rows that meet all conditions. Sizes are tried from the least that the
/// paper's bound allows, each a third larger than the one before, until no groups had to be
/// joined; the one that loses least is taken.
pub(super) fn t_first(
    space: &Space,
    k: usize,
    conditions: &GroupConditions<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let rows = space.rows();
    if rows == 0 {
        return Partition::new(Vec::new(), 0);
    }
    let order = order(rows, conditions)?;
    let mut size = k.max(bound(rows, conditions)).min(rows);
    let mut best: Option<(f64, Partition)> = None;
    for _ in 0..SIZES {
        let slices = [Categories::new(slices(&order, size)?)];
        let rng = &mut random::generator(Some(0))?;
        let formed = p_sensitive(space, &slices, size, size, Method::PFirstLean, rng, monitor)?;
        let groups = formed.groups();
        let joined = join_unmet(space, formed, conditions, monitor)?;
        let (complete, within) = (joined.groups() == groups, measure::within(space, &joined)?);
        if best.as_ref().is_none_or(|(least, _)| within < *least) {
            best = Some((within, joined));
        }
        if complete || size == rows {
            break;
        }
        size = (size + size.div_ceil(3)).min(rows);
    }
    match best {
        Some((_, partition)) => Ok(partition),
        None => Partition::new(Vec::new(), 0),
    }
}

/// The least size of groups whose values, one of each slice, can be as close as asked: with n
/// distinct values a group is (n − k)/(2(n − 1)k) from the table at most.
fn bound(rows: usize, conditions: &GroupConditions<'_>) -> usize {
    let n = rows as f64;
    let size = |t: f64| (n / (2.0 * (n - 1.0) * t.max(0.0) + 1.0)).ceil() as usize;
    let close = conditions.on_rows.iter();
    let close = close.filter(|condition| condition.model.bound() == Bound::AtMost);
    close
        .map(|condition| size(condition.required))
        .max()
        .unwrap_or(1)
}

/// The points in the order of their values of the first sensitive column; a person's place is the
/// mean of its rows'.
fn order(points: usize, conditions: &GroupConditions<'_>) -> Result<Vec<u32>> {
    let mut order = allocation::collected(0..points as u32)?;
    let Some(column) = conditions.sensitive.first() else {
        return Ok(order);
    };
    let place =
        |&code: &u32| f64::from(conditions.ranks.map_or(code, |ranks| ranks[code as usize]));
    let mut places = allocation::collected(column.codes().iter().map(place))?;
    if let Some(persons) = conditions.persons {
        places = means(&places, persons)?;
    }
    let place = |point: u32| {
        let point = conditions
            .points
            .map_or(point, |points| points[point as usize]);
        places[point as usize]
    };
    sorting::sort_by(&mut order, |&a: &u32, &b: &u32| {
        place(a).total_cmp(&place(b)).then(a.cmp(&b))
    })?;
    Ok(order)
}

fn means(places: &[f64], persons: &PersonRows) -> Result<Vec<f64>> {
    let mut sums = allocation::filled(persons.len(), 0.0)?;
    for (&place, &person) in places.iter().zip(persons.person_of()) {
        sums[person as usize] += place;
    }
    for (sum, &rows) in sums.iter_mut().zip(persons.row_counts()) {
        *sum /= f64::from(rows);
    }
    Ok(sums)
}

/// Cuts points that are in order into so many slices; which one each is in. Slices in the middle
/// take what is left over, because one more value does least harm there.
fn slices(order: &[u32], count: usize) -> Result<Vec<u32>> {
    let mut slice_of = allocation::filled(order.len(), 0)?;
    let (least, over) = (order.len() / count, order.len() % count);
    let first = (count - over) / 2;
    let mut next = order.iter();
    for slice in 0..count {
        let more = usize::from((first..first + over).contains(&slice));
        for &point in next.by_ref().take(least + more) {
            slice_of[point as usize] = slice as u32;
        }
    }
    Ok(slice_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_equal_but_for_those_in_the_middle() {
        let order = [4, 3, 2, 1, 0, 5, 6, 7, 8, 9, 10];
        let found = slices(&order, 4).unwrap();
        assert_eq!(found, [1, 1, 0, 0, 0, 1, 2, 2, 2, 3, 3]);
    }
}
