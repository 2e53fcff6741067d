//! V-MDAV, microaggregation with groups of variable size (Solanas and Martínez-Ballesté 2006):
//! a group of k rows around the row farthest from the centroid of all goes on growing, up to
//! 2k − 1 rows, as long as the nearest remaining row is closer to it than γ times that row's
//! distance to any other remaining row. Fewer than k rows that are left over join the group
//! with the nearest centroid.

use super::group_numbers::GroupNumbers;
use crate::measure::within;
use crate::neighbours::{Adaptive, GroupCentroids, Hit, Point, Remaining, TopK};
use crate::run::Meter;
use crate::run::allocation::{filled, reserved};
use crate::run::sorting;
use crate::{Error, Monitor, Partition, Phase, Result, Space, feasibility};

/// The gain factors that are tried when none is given. Small ones suit scattered rows; with
/// 1.1, which the authors give for clustered ones, groups grow until their cluster ends.
const GAMMAS: [f64; 4] = [0.2, 0.5, 0.8, 1.1];

/// Cuts rows into groups of at least k, numbered in the order they are formed. Distances in
/// the growth rule are plain ones, not squared. Without a γ the best of several is taken.
/// Ties go to the lower row. No rows give no groups.
pub fn v_mdav(
    space: &Space,
    k: usize,
    gamma: Option<f64>,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let enough = if space.rows() == 0 { k } else { space.rows() };
    feasibility::require(k, 1, enough as u64, &[])?;
    match gamma {
        Some(gamma) if gamma >= 0.0 => group(space, k, gamma, monitor),
        Some(_) => Err(Error::Negative { name: "gamma" }),
        None => best_of(&GAMMAS, space, k, monitor),
    }
}

fn best_of(
    gammas: &[f64],
    space: &Space,
    k: usize,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let mut best = group(space, k, 0.0, monitor)?;
    let mut least = within(space, &best)?;
    for &gamma in gammas {
        let partition = group(space, k, gamma, monitor)?;
        let squares = within(space, &partition)?;
        if squares < least {
            (best, least) = (partition, squares);
        }
    }
    Ok(best)
}

fn group(space: &Space, k: usize, gamma: f64, monitor: &mut dyn Monitor) -> Result<Partition> {
    let meter = &mut Meter::start(monitor, Phase::Grouping, space.rows());
    let remaining = Adaptive::new(space, &[], meter)?;
    by(remaining, space, k, gamma, meter)
}

fn by(
    mut remaining: impl Remaining,
    space: &Space,
    k: usize,
    gamma: f64,
    meter: &mut Meter,
) -> Result<Partition> {
    let seeds = farthest_first(space, &remaining.centroid(), meter)?;
    let mut method = VMdav {
        space,
        remaining,
        groups: GroupNumbers::new(space.rows())?,
        k,
        gamma,
    };
    for seed in seeds {
        if method.remaining.len() < k {
            break;
        }
        if !method.groups.has(seed) {
            method.form(seed, meter)?;
        }
    }
    method.place_left_over(meter)?;
    meter.report()?;
    method.groups.finish()
}

/// Rows by falling distance from a point, ties by rising number. The point is the centroid of
/// all rows and stays, so that one sort finds the farthest remaining row of every step.
fn farthest_first(space: &Space, point: &Point, meter: &mut Meter) -> Result<Vec<u32>> {
    let mut distances = filled(space.rows(), 0.0)?;
    for (column, centre) in space.numeric().iter().zip(&point.numbers) {
        for (distance, value) in distances.iter_mut().zip(column) {
            *distance += (value - centre) * (value - centre);
        }
        meter.spend(space.rows())?;
    }
    for (column, mode) in space.categorical().iter().zip(&point.codes) {
        for (distance, code) in distances.iter_mut().zip(column.codes()) {
            *distance += f64::from(u8::from(code != mode));
        }
        meter.spend(space.rows())?;
    }
    let mut rows = crate::run::allocation::collected(0..space.rows() as u32)?;
    sorting::sort_by(&mut rows, |&a, &b| {
        let falling = distances[b as usize].total_cmp(&distances[a as usize]);
        falling.then(a.cmp(&b))
    })?;
    Ok(rows)
}

struct VMdav<'a, R> {
    space: &'a Space,
    remaining: R,
    groups: GroupNumbers,
    k: usize,
    gamma: f64,
}

impl<R: Remaining> VMdav<'_, R> {
    /// Makes a group of the k rows nearest to the seed and of those that it grows by.
    fn form(&mut self, seed: u32, meter: &mut Meter) -> Result<()> {
        let mut found = TopK::new(self.k)?;
        let seed = self.point(seed);
        self.remaining.nearest(&seed, None, &mut found, meter)?;
        let mut members = reserved(self.most())?;
        members.extend_from_slice(found.hits());
        self.remaining.remove(&members);
        // with γ = 0 no row is close enough
        if self.gamma > 0.0 {
            self.grow(&mut members, meter)?;
        }
        self.groups.add(members.iter().map(|hit| hit.row));
        meter.grouped(members.len());
        self.remaining.tidy(meter)?;
        Ok(())
    }

    /// The rows that a group may have before left-over ones join it.
    fn most(&self) -> usize {
        2 * self.k - 1
    }

    /// Lets a group grow by the nearest remaining rows while they are close enough.
    fn grow(&mut self, members: &mut Vec<Hit>, meter: &mut Meter) -> Result<()> {
        // Most groups do not grow: only for one that does it pays to know the nearest row of
        // each member, which is then searched for again only once it has gone.
        let mut next = self.nearest_to(members, meter)?;
        let mut nearest: Vec<Option<Hit>> = reserved(self.most())?;
        while members.len() < self.most()
            && let Some(row) = next
            && self.is_close(row, meter)?
        {
            self.remaining.remove(&[row]);
            members.push(row);
            for (member, found) in members.iter().zip(&mut nearest) {
                if found.is_some_and(|found| found.row == row.row) {
                    *found = self.nearest_to(&[*member], meter)?;
                }
            }
            for member in &members[nearest.len()..] {
                nearest.push(self.nearest_to(&[*member], meter)?);
            }
            let nearer = |a: Hit, b: Hit| if b.nearer_than(&a) { b } else { a };
            next = nearest.iter().flatten().copied().reduce(nearer);
        }
        Ok(())
    }

    /// The remaining row nearest to any of some that no longer remain. One list serves all
    /// searches: each looks only for what is nearer than the nearest to those before.
    fn nearest_to(&mut self, gone: &[Hit], meter: &mut Meter) -> Result<Option<Hit>> {
        let mut found = TopK::new(1)?;
        for hit in gone {
            let (point, start) = (self.point(hit.row), Some(hit.slot));
            self.remaining.nearest(&point, start, &mut found, meter)?;
        }
        Ok(found.hits().first().copied())
    }

    /// Whether a row is closer to the group that it is nearest to than γ times its distance
    /// to any other remaining row.
    fn is_close(&mut self, next: Hit, meter: &mut Meter) -> Result<bool> {
        let mut around = TopK::new(2)?;
        let (point, start) = (self.remaining.point_of(next), Some(next.slot));
        self.remaining.nearest(&point, start, &mut around, meter)?;
        let other = around.hits().iter().find(|hit| hit.row != next.row);
        let room = other.map_or(f64::INFINITY, |other| other.distance.sqrt());
        Ok(next.distance.sqrt() < self.gamma * room)
    }

    /// Lets each row without a group join the one with the nearest centroid; the centroids
    /// stay as they were before the first of them.
    fn place_left_over(&mut self, meter: &mut Meter) -> Result<()> {
        if self.remaining.is_empty() {
            return Ok(());
        }
        let groups = self.groups.len();
        let mut centroids = GroupCentroids::new(self.space, self.groups.group_of(), groups, meter)?;
        for hit in self.remaining.rest()? {
            let nearest = centroids.nearest(&self.remaining.point_of(hit), meter)?;
            self.groups.join(hit.row, nearest.row);
            meter.grouped(1);
        }
        Ok(())
    }

    fn point(&self, row: u32) -> Point {
        let row = row as usize;
        let numbers = self.space.numeric().iter().map(|column| column[row]);
        let codes = self.space.categorical().iter();
        let codes = codes.map(|column| column.codes()[row]).collect();
        Point::new(numbers.collect(), codes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;
    use crate::assign::naive_mdav::{self, Place, Rows};
    use crate::run::monitor::Calls;
    use proptest::prelude::*;

    /// V-MDAV as its authors word it.
    fn by_definition(space: &Space, k: usize, gamma: f64) -> Partition {
        let rows = Rows::new(space);
        let mut left: Vec<usize> = (0..space.rows()).collect();
        let centroid = rows.centroid(&left);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        while left.len() >= k {
            let seed = rows.place(rows.farthest(&left, &centroid));
            let mut group = rows.by_distance(&left, &seed)[..k].to_vec();
            left.retain(|row| !group.contains(row));
            while group.len() < 2 * k - 1 && !left.is_empty() {
                let from_group = |row: usize| {
                    let distances = group
                        .iter()
                        .map(|&member| rows.distance(row, &rows.place(member)));
                    distances.fold(f64::INFINITY, f64::min)
                };
                let order = |a: &usize, b: &usize| from_group(*a).total_cmp(&from_group(*b));
                let next = left.iter().copied().min_by(order).unwrap();
                let others = left.iter().filter(|&&row| row != next);
                let place = rows.place(next);
                let room = others
                    .map(|&row| rows.distance(row, &place))
                    .fold(f64::INFINITY, f64::min);
                if from_group(next).sqrt() < gamma * room.sqrt() {
                    group.push(next);
                    left.retain(|&row| row != next);
                } else {
                    break;
                }
            }
            groups.push(group);
        }
        let centroids: Vec<Place> = groups.iter().map(|group| rows.centroid(group)).collect();
        for row in left {
            let order = |&a: &usize, &b: &usize| {
                rows.distance(row, &centroids[a])
                    .total_cmp(&rows.distance(row, &centroids[b]))
            };
            let nearest = (0..centroids.len()).min_by(order).unwrap();
            groups[nearest].push(row);
        }
        naive_mdav::partition(space.rows(), &groups)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn tree_and_definition_agree(
            space in naive_mdav::spaces(),
            k in 1..8usize,
            gamma in prop::sample::select(vec![0.0, 0.2, 0.7, 1.0, 1.1, 3.0, f64::INFINITY]),
        ) {
            let k = k.min(space.rows());
            let expected = by_definition(&space, k, gamma);
            prop_assert_eq!(v_mdav(&space, k, Some(gamma), &mut Unwatched).unwrap(), expected);
        }

        #[test]
        fn without_gamma_no_tried_one_is_better(space in naive_mdav::spaces(), k in 2..8usize) {
            let k = k.min(space.rows());
            let best = within(&space, &v_mdav(&space, k, None, &mut Unwatched).unwrap()).unwrap();
            for gamma in GAMMAS {
                let tried = v_mdav(&space, k, Some(gamma), &mut Unwatched).unwrap();
                prop_assert!(best <= within(&space, &tried).unwrap());
            }
        }
    }

    #[test]
    fn bad_requests_are_refused() {
        let table = crate::Table::new(vec![crate::Column::Numeric(vec![1.0, 2.0])]).unwrap();
        let space = Space::new(&table, true).unwrap();
        let refused = |k, gamma| v_mdav(&space, k, gamma, &mut Unwatched).unwrap_err();
        assert_eq!(refused(3, None), Error::TooFewRows { rows: 2, k: 3 });
        assert!(matches!(
            refused(0, None),
            Error::TooSmall { name: "k", .. }
        ));
        for gamma in [-0.1, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(refused(2, Some(gamma)), Error::Negative { name: "gamma" });
        }
    }

    /// A group that grows by k rows searches from each member, not from all for each row.
    #[test]
    fn growth_takes_few_searches() {
        let number = |row: u32, factor: u32| f64::from(row * factor % 3001).powi(2);
        let column = |factor| (0..3000).map(|row| number(row, factor)).collect();
        let columns = [17, 1009].map(|factor| crate::Column::Numeric(column(factor)));
        let space = Space::new(&crate::Table::new(columns.into()).unwrap(), true).unwrap();
        let calls = |gamma| {
            let mut calls = Calls::default();
            v_mdav(&space, 150, Some(gamma), &mut calls).unwrap();
            calls.0
        };
        assert!(calls(0.0) <= 2, "{} calls", calls(0.0));
        // with a search from every member for every row they are ten times as many
        assert!(calls(f64::INFINITY) < 8, "{} calls", calls(f64::INFINITY));
    }
}
