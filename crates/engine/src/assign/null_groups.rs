//! Missing values: rows that lack the same values are grouped among themselves wherever there
//! are enough of them; only what is left over is mixed.

use super::group_numbers::GroupNumbers;
use crate::neighbours::{GroupCentroids, Point};
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, reserved};
use crate::{Categories, Monitor, Partition, Phase, Result, Space};

/// A way to form groups that can be tried on some of the rows.
pub(super) trait Parts {
    /// Whether these rows can be grouped on their own.
    fn can_group(&mut self, rows: &[u32]) -> Result<bool>;

    /// Groups of these rows.
    fn group(&mut self, rows: &[u32], monitor: &mut dyn Monitor) -> Result<Partition>;

    /// Where rows that are left over join the nearest group; `None` where a group that keeps its
    /// promise may break it with one more row, or where no group is nearest.
    fn space(&self) -> Option<&Space> {
        None
    }
}

/// Groups rows by what they lack: each pattern apart that can be, then all that are left
/// together. Where those cannot be grouped, they join the groups that there are; or, where
/// rows cannot join, the smallest patterns are taken in until they can be grouped.
pub(super) fn by_pattern(
    patterns: &Categories,
    parts: &mut dyn Parts,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let codes = collected(patterns.codes().iter().copied())?;
    let members = Partition::new(codes, patterns.cardinality())?.members()?;
    let mut classes = Classes::new(members.iter(), parts)?;
    if classes.left.is_empty() || classes.left_alone(parts)? {
        return classes.group(parts, monitor);
    }
    let mut formed = Formed::new(patterns.codes().len(), monitor)?;
    formed.add_all(&classes.apart, parts)?;
    if let Some(joined) = formed.join(&classes.left, parts) {
        joined?;
        return formed.groups.finish();
    }
    classes.take_in(parts)?;
    classes.group(parts, monitor)
}

/// Rows by pattern: those that can be grouped on their own, and all others.
struct Classes<'a> {
    apart: Vec<&'a [u32]>,
    left: Vec<u32>,
}

impl<'a> Classes<'a> {
    fn new(patterns: impl Iterator<Item = &'a [u32]>, parts: &mut dyn Parts) -> Result<Self> {
        let (mut apart, mut left) = (Vec::new(), Vec::new());
        for rows in patterns {
            if parts.can_group(rows)? {
                make_room(&mut apart, 1)?;
                apart.push(rows);
            } else {
                make_room(&mut left, rows.len())?;
                left.extend_from_slice(rows);
            }
        }
        left.sort_unstable();
        Ok(Classes { apart, left })
    }

    /// Groups the rows of each class, then those that are left.
    fn group(&self, parts: &mut dyn Parts, monitor: &mut dyn Monitor) -> Result<Partition> {
        let apart: usize = self.apart.iter().map(|rows| rows.len()).sum();
        let mut formed = Formed::new(apart + self.left.len(), monitor)?;
        formed.add_all(&self.apart, parts)?;
        if !self.left.is_empty() {
            formed.add(&self.left, parts)?;
        }
        formed.groups.finish()
    }

    /// Whether the rows that are left can be grouped without others, or there are no others.
    fn left_alone(&self, parts: &mut dyn Parts) -> Result<bool> {
        Ok(self.apart.is_empty() || parts.can_group(&self.left)?)
    }

    /// Takes patterns in, the smallest first, until the rows that are left can be grouped.
    fn take_in(&mut self, parts: &mut dyn Parts) -> Result<()> {
        self.apart.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
        while !self.left_alone(parts)? {
            let smallest = self.apart.pop().unwrap_or_default();
            make_room(&mut self.left, smallest.len())?;
            self.left.extend_from_slice(smallest);
        }
        self.left.sort_unstable();
        Ok(())
    }
}

/// The groups formed so far.
struct Formed<'a> {
    groups: GroupNumbers,
    monitor: &'a mut dyn Monitor,
    done: u64,
}

impl<'a> Formed<'a> {
    fn new(rows: usize, monitor: &'a mut dyn Monitor) -> Result<Self> {
        monitor.start(Phase::Grouping, rows as u64);
        Ok(Formed {
            groups: GroupNumbers::new(rows)?,
            monitor,
            done: 0,
        })
    }

    fn add_all(&mut self, classes: &[&[u32]], parts: &mut dyn Parts) -> Result<()> {
        classes.iter().try_for_each(|rows| self.add(rows, parts))
    }

    /// Lets rows join the groups that there are, if they can.
    fn join(&mut self, rows: &[u32], parts: &mut dyn Parts) -> Option<Result<()>> {
        let mut portion = Portion {
            monitor: &mut *self.monitor,
            done: self.done,
        };
        let joined = nearest_groups(parts.space()?, rows, &self.groups, &mut portion);
        Some(joined.map(|joined| {
            let joined = rows.iter().zip(joined);
            joined.for_each(|(&row, group)| self.groups.join(row, group));
        }))
    }

    fn add(&mut self, rows: &[u32], parts: &mut dyn Parts) -> Result<()> {
        let mut portion = Portion {
            monitor: &mut *self.monitor,
            done: self.done,
        };
        let partition = parts.group(rows, &mut portion)?;
        self.done += rows.len() as u64;
        self.groups.add_part(&partition, rows)
    }
}

/// For each row the group with the nearest centroid; ties go to the lower group. Rows that join
/// do not move centroids.
fn nearest_groups(
    space: &Space,
    rows: &[u32],
    groups: &GroupNumbers,
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    let mut meter = Meter::start(monitor, Phase::Grouping, rows.len());
    let mut centroids = GroupCentroids::new(space, groups.group_of(), groups.len(), &mut meter)?;
    let mut nearest = reserved(rows.len())?;
    for row in rows {
        let numbers = space.numeric().iter().map(|column| column[*row as usize]);
        let codes = space.categorical().iter();
        let codes = codes.map(|column| column.codes()[*row as usize]);
        let point = Point::new(numbers.collect(), codes.collect());
        nearest.push(centroids.nearest(&point, &mut meter)?.row);
        meter.grouped(1);
    }
    Ok(nearest)
}

/// Counts distinct sensitive values of some rows.
pub(super) struct Variety<'a> {
    columns: Vec<(&'a Categories, Vec<u32>)>,
    count: u32,
}

impl<'a> Variety<'a> {
    pub(super) fn new(sensitive: &'a [Categories]) -> Result<Self> {
        let column = |column: &'a Categories| Ok((column, filled(column.cardinality(), 0)?));
        Ok(Variety {
            columns: sensitive.iter().map(column).collect::<Result<_>>()?,
            count: 0,
        })
    }

    /// Whether rows have p distinct values of every column.
    pub(super) fn reaches(&mut self, p: usize, rows: &[u32]) -> bool {
        self.count += 1;
        let count = self.count;
        self.columns.iter_mut().all(|(column, last)| {
            let mut rows = rows.iter();
            let mut distinct = 0;
            while distinct < p {
                let Some(&row) = rows.next() else {
                    return false;
                };
                let last = &mut last[column.codes()[row as usize] as usize];
                distinct += usize::from(*last != count);
                *last = count;
            }
            true
        })
    }
}

/// Work on some of the rows of a longer one: what was done before counts, and the phase goes on.
pub(super) struct Portion<'a> {
    pub(super) monitor: &'a mut dyn Monitor,
    pub(super) done: u64,
}

impl Monitor for Portion<'_> {
    fn advance(&mut self, done: u64) -> Result<()> {
        self.monitor.advance(self.done + done)
    }
}

#[cfg(test)]
mod tests {
    use crate::assign::{Method, naive_mdav};
    use crate::random::generator;
    use crate::{Categories, Column, Partition, PersonRows, Space, Table, Unwatched};
    use proptest::prelude::*;

    /// Numbers of which some are missing, and a categorical column.
    fn tables() -> impl Strategy<Value = Table> {
        let number = prop_oneof![
            3 => (-1.0..1.0f64).boxed(),
            1 => Just(f64::NAN).boxed(),
            1 => (0..3u8).prop_map(f64::from).boxed(),
        ];
        let row = (number.clone(), number.clone(), number, 0..3u32);
        prop::collection::vec(row, 1..120).prop_map(|rows| {
            let column = |value: fn(&(f64, f64, f64, u32)) -> f64| {
                Column::Numeric(rows.iter().map(value).collect())
            };
            let codes = rows.iter().map(|row| row.3).collect();
            let codes = Column::Categorical(Categories::new(codes));
            let numbers = [
                column(|row| row.0),
                column(|row| row.1),
                column(|row| row.2),
            ];
            Table::new(numbers.into_iter().chain([codes]).collect()).unwrap()
        })
    }

    /// What each row lacks.
    fn lacking(table: &Table, row: usize) -> Vec<bool> {
        let lacks = |column: &Column| match column {
            Column::Numeric(values) => values[row].is_nan(),
            Column::Categorical(_) => false,
        };
        table.columns().iter().map(lacks).collect()
    }

    /// From the definition: patterns with k rows apart, the others together, and if those are
    /// fewer than k, each in the group with the nearest centroid.
    fn by_definition(table: &Table, space: &Space, k: usize) -> Partition {
        let mut classes: Vec<(Vec<bool>, Vec<u32>)> = Vec::new();
        for row in 0..table.rows() {
            let pattern = lacking(table, row);
            match classes.iter_mut().find(|class| class.0 == pattern) {
                Some(class) => class.1.push(row as u32),
                None => classes.push((pattern, vec![row as u32])),
            }
        }
        let (apart, few): (Vec<_>, Vec<_>) =
            classes.into_iter().partition(|class| class.1.len() >= k);
        let mut left: Vec<u32> = few.into_iter().flat_map(|class| class.1).collect();
        left.sort_unstable();
        let mut parts: Vec<Vec<u32>> = apart.into_iter().map(|class| class.1).collect();
        if !left.is_empty() && (left.len() >= k || parts.is_empty()) {
            parts.push(std::mem::take(&mut left));
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for rows in parts {
            let found = naive_mdav::mdav(&space.select(&rows).unwrap(), k);
            let members = found.members().unwrap();
            let whole = |group: &[u32]| {
                group
                    .iter()
                    .map(|&row| rows[row as usize] as usize)
                    .collect()
            };
            groups.extend(members.iter().map(whole));
        }
        let rows = naive_mdav::Rows::new(space);
        let centroids: Vec<_> = groups.iter().map(|group| rows.centroid(group)).collect();
        for row in left {
            let distance = |group: &usize| rows.distance(row as usize, &centroids[*group]);
            let nearest = (0..centroids.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            groups[nearest.unwrap()].push(row as usize);
        }
        naive_mdav::partition(table.rows(), &groups)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn groups_with_missing_values_are_those_of_the_definition(table in tables(), k in 1..9usize) {
            let space = Space::new(&table, true).unwrap();
            let k = k.min(table.rows());
            let mut rng = generator(Some(0)).unwrap();
            let found = Method::Mdav.group(&space, &[], k, 1, &mut rng, &mut Unwatched).unwrap();
            prop_assert_eq!(found, by_definition(&table, &space, k));
        }

        #[test]
        fn groups_of_persons_are_those_of_the_definition(visits in persons(), k in 1..7usize) {
            let persons = Categories::new(visits.iter().map(|visit| visit.0).collect());
            let persons = PersonRows::new(&persons).unwrap();
            let k = k.min(persons.len());
            let points = points_by_definition(&visits, persons.len());
            let expected = by_definition(&points, &Space::new(&points, true).unwrap(), k);
            let points = persons.points(&table_of(visits.iter().map(|visit| visit.1))).unwrap();
            let space = Space::new(&points, true).unwrap();
            let mut rng = generator(Some(0)).unwrap();
            let found = Method::Mdav.group(&space, &[], k, 1, &mut rng, &mut Unwatched).unwrap();
            let of_rows = persons.of_rows(found.group_of()).unwrap();
            for (visit, group) in visits.iter().zip(of_rows) {
                prop_assert_eq!(group, expected.group_of()[visit.0 as usize]);
            }
        }
    }

    type Visit = (f64, f64, u32);

    /// One to four rows of each person, in any order. Means of so many multiples of 12 are exact.
    fn persons() -> impl Strategy<Value = Vec<(u32, Visit)>> {
        let number = || {
            prop_oneof![
                4 => (0..9u8).prop_map(|n| 12.0 * f64::from(n)).boxed(),
                1 => Just(f64::NAN).boxed(),
            ]
        };
        let visit = ((number(), number(), 0..3u32), any::<u32>());
        let person = prop::collection::vec(visit, 1..=4);
        prop::collection::vec(person, 1..40).prop_map(|persons| {
            let persons = (0u32..).zip(persons);
            let visits = persons.flat_map(|(person, visits)| {
                let visits = visits.into_iter();
                visits.map(move |(visit, place)| (place, person, visit))
            });
            let mut visits: Vec<_> = visits.collect();
            visits.sort_by_key(|visit| (visit.0, visit.1));
            let visits = visits.into_iter();
            visits.map(|(_, person, visit)| (person, visit)).collect()
        })
    }

    fn table_of(rows: impl Iterator<Item = Visit>) -> Table {
        let rows: Vec<Visit> = rows.collect();
        let number = |value: fn(&Visit) -> f64| Column::Numeric(rows.iter().map(value).collect());
        let codes = Categories::new(rows.iter().map(|row| row.2).collect());
        let columns = vec![
            number(|row| row.0),
            number(|row| row.1),
            Column::Categorical(codes),
        ];
        Table::new(columns).unwrap()
    }

    /// The mean of the numbers that a person has, and the code that most rows have.
    fn points_by_definition(visits: &[(u32, Visit)], persons: usize) -> Table {
        let mean = |numbers: Vec<f64>| {
            let known: Vec<f64> = numbers.into_iter().filter(|x| !x.is_nan()).collect();
            known.iter().sum::<f64>() / known.len() as f64
        };
        let point = |person: u32| {
            let own = || {
                let own = visits.iter().filter(move |visit| visit.0 == person);
                own.map(|visit| visit.1)
            };
            let rows = |code: u32| own().filter(|visit| visit.2 == code).count();
            let code = (0..3).rev().max_by_key(|&code| rows(code));
            (
                mean(own().map(|visit| visit.0).collect()),
                mean(own().map(|visit| visit.1).collect()),
                code.unwrap(),
            )
        };
        table_of((0..persons as u32).map(point))
    }
}
