//! The groups of a partition while rows wander between them: members, centroid and sum of
//! squares of each.

use super::code_frequencies::Frequencies;
use super::ordered_rows::{OrderedRows, squared};
use crate::run::Meter;
use crate::run::allocation::{filled, make_room, reserved};
use crate::{Partition, Result};

/// A group of up to so many rows is recomputed after every change, one of twice as many
/// after every second …
const TRUSTED: usize = 64;

/// Groups that rows enter and leave. An empty group's number waits to be used again.
pub(crate) struct Groups<'a> {
    rows: &'a OrderedRows,
    k: usize,
    p: usize,
    group_of: Vec<u32>,
    /// where a row stands among its group's members
    place: Vec<u32>,
    members: Vec<Vec<u32>>,
    centroids: Vec<f64>,
    within: Vec<f64>,
    /// group by group the codes of every categorical key column
    keys: Vec<Frequencies>,
    /// group by group the codes of every sensitive column
    values: Vec<Frequencies>,
    /// how often each group has changed since it was recomputed
    changes: Vec<u32>,
    vacant: Vec<u32>,
}

impl<'a> Groups<'a> {
    /// The groups of a partition that has at least k rows in each.
    pub fn new(
        rows: &'a OrderedRows,
        k: usize,
        p: usize,
        partition: &Partition,
        meter: &mut Meter,
    ) -> Result<Self> {
        let [numeric, categorical, sensitive] = rows.widths();
        // One more than can ever be filled: a new group is founded on trial.
        let most = rows.len() / k + 1;
        let mut groups = Groups {
            rows,
            k,
            p,
            group_of: filled(rows.len(), 0)?,
            place: filled(rows.len(), 0)?,
            members: filled(most, Vec::new())?,
            centroids: filled(most * numeric, 0.0)?,
            within: filled(most, 0.0)?,
            keys: filled(most * categorical, Frequencies::default())?,
            values: filled(most * sensitive, Frequencies::default())?,
            changes: filled(most, 0)?,
            vacant: reserved(most)?,
        };
        groups.fill(partition, meter)?;
        Ok(groups)
    }

    /// Numbers groups by their first row, so that near groups are near in memory too.
    fn fill(&mut self, partition: &Partition, meter: &mut Meter) -> Result<()> {
        let mut numbers = filled(partition.groups(), u32::MAX)?;
        let mut next = 0;
        for (row, &origin) in self.rows.order().iter().enumerate() {
            let origin = partition.group_of()[origin as usize] as usize;
            if numbers[origin] == u32::MAX {
                numbers[origin] = next;
                self.members[next as usize] = reserved(partition.sizes()[origin] as usize)?;
                next += 1;
            }
            self.enter(row as u32, numbers[origin])?;
            meter.spend(1)?;
        }
        self.vacant.extend((next..self.count()).rev());
        self.recompute_all(meter)
    }

    pub fn rows(&self) -> &'a OrderedRows {
        self.rows
    }

    pub fn k(&self) -> usize {
        self.k
    }

    pub fn p(&self) -> usize {
        self.p
    }

    /// The number of group numbers, those of empty groups included.
    pub fn count(&self) -> u32 {
        self.members.len() as u32
    }

    pub fn group_of(&self, row: u32) -> u32 {
        self.group_of[row as usize]
    }

    pub fn members(&self, group: u32) -> &[u32] {
        &self.members[group as usize]
    }

    pub fn size(&self, group: u32) -> usize {
        self.members[group as usize].len()
    }

    pub fn centroid(&self, group: u32) -> &[f64] {
        let width = self.rows.widths()[0];
        &self.centroids[group as usize * width..][..width]
    }

    /// The group's sum of squares; in a categorical column, the rows that differ from the mode.
    pub fn within(&self, group: u32) -> f64 {
        self.within[group as usize]
    }

    #[cfg(test)]
    pub fn sse(&self) -> f64 {
        self.within.iter().sum()
    }

    /// The group's codes in every categorical key column.
    pub fn keys(&self, group: u32) -> &[Frequencies] {
        let width = self.rows.widths()[1];
        &self.keys[group as usize * width..][..width]
    }

    /// The group's codes in every sensitive column.
    pub fn values(&self, group: u32) -> &[Frequencies] {
        let width = self.rows.widths()[2];
        &self.values[group as usize * width..][..width]
    }

    /// The partition as it stands, without the empty groups.
    pub fn partition(&self) -> Result<Partition> {
        let mut numbers = filled(self.members.len(), 0u32)?;
        let mut next = 0;
        for (number, members) in numbers.iter_mut().zip(&self.members) {
            *number = next;
            next += u32::from(!members.is_empty());
        }
        let mut group_of = filled(self.group_of.len(), 0)?;
        for (&origin, &group) in self.rows.order().iter().zip(&self.group_of) {
            group_of[origin as usize] = numbers[group as usize];
        }
        Partition::new(group_of, next as usize)
    }

    /// The number of an empty group; there always is one.
    pub fn vacant(&self) -> Option<u32> {
        self.vacant.last().copied()
    }

    /// Moves a row to another group.
    pub fn shift(&mut self, row: u32, to: u32) -> Result<()> {
        let from = self.group_of(row);
        let left = self.change_by_leaving(row);
        let joined = self.change_by_joining(row, to);
        self.leave(row)?;
        self.pull_centroid(from, row, -1.0);
        self.enter(row, to)?;
        self.pull_centroid(to, row, 1.0);
        self.add_within(from, left);
        self.add_within(to, joined);
        if self.size(to) == 1
            && let Some(at) = self.vacant.iter().rposition(|&group| group == to)
        {
            self.vacant.swap_remove(at);
        }
        if self.size(from) == 0 {
            self.vacant.push(from);
        }
        Ok(())
    }

    /// Lets two rows of different groups change places.
    pub fn swap(&mut self, a: u32, b: u32) -> Result<()> {
        let (home, away) = (self.group_of(a), self.group_of(b));
        let at_home = self.change_by_replacing(a, b);
        let at_away = self.change_by_replacing(b, a);
        self.leave(a)?;
        self.leave(b)?;
        self.enter(a, away)?;
        self.enter(b, home)?;
        self.trade_centroid(home, a, b);
        self.trade_centroid(away, b, a);
        self.add_within(home, at_home);
        self.add_within(away, at_away);
        Ok(())
    }

    fn enter(&mut self, row: u32, group: u32) -> Result<()> {
        let members = &mut self.members[group as usize];
        self.group_of[row as usize] = group;
        self.place[row as usize] = members.len() as u32;
        make_room(members, 1)?;
        members.push(row);
        self.changes[group as usize] += 1;
        self.for_each_code(row, Frequencies::add)
    }

    fn leave(&mut self, row: u32) -> Result<()> {
        let group = self.group_of[row as usize] as usize;
        let remove = |frequencies: &mut Frequencies, code: u32| {
            frequencies.remove(code);
            Ok(())
        };
        self.for_each_code(row, remove)?;
        self.changes[group] += 1;
        let members = &mut self.members[group];
        let place = self.place[row as usize];
        members.swap_remove(place as usize);
        if let Some(&moved) = members.get(place as usize) {
            self.place[moved as usize] = place;
        }
        Ok(())
    }

    fn for_each_code(
        &mut self,
        row: u32,
        change: fn(&mut Frequencies, u32) -> Result<()>,
    ) -> Result<()> {
        let group = self.group_of[row as usize] as usize;
        let count = |all: &mut [Frequencies], codes: &[u32]| {
            let own = &mut all[group * codes.len()..][..codes.len()];
            let mut columns = own.iter_mut().zip(codes);
            columns.try_for_each(|(frequencies, &code)| change(frequencies, code))
        };
        count(&mut self.keys, self.rows.keys(row))?;
        count(&mut self.values, self.rows.values(row))
    }

    /// Corrects a centroid after a row has joined (sign 1) or left (sign −1).
    fn pull_centroid(&mut self, group: u32, row: u32, sign: f64) {
        let share = match self.size(group) {
            0 => return,
            size => sign / size as f64,
        };
        let numbers = self.rows.numbers(row);
        for (centre, number) in self.centroid_mut(group).iter_mut().zip(numbers) {
            *centre += (number - *centre) * share;
        }
    }

    /// Corrects a centroid after one row has taken another's place.
    fn trade_centroid(&mut self, group: u32, leaver: u32, joiner: u32) {
        let share = 1.0 / self.size(group) as f64;
        let numbers = self
            .rows
            .numbers(joiner)
            .iter()
            .zip(self.rows.numbers(leaver));
        for (centre, (new, old)) in self.centroid_mut(group).iter_mut().zip(numbers) {
            *centre += (new - old) * share;
        }
    }

    fn centroid_mut(&mut self, group: u32) -> &mut [f64] {
        let width = self.rows.widths()[0];
        &mut self.centroids[group as usize * width..][..width]
    }

    fn add_within(&mut self, group: u32, change: f64) {
        let within = &mut self.within[group as usize];
        *within = (*within + change).max(0.0);
    }

    /// Computes centroid and sum of squares anew from the members: small corrections add up
    /// their rounding errors.
    pub fn recompute(&mut self, group: u32) {
        let rows = self.rows;
        let width = rows.widths()[0];
        let members = &self.members[group as usize];
        let centroid = &mut self.centroids[group as usize * width..][..width];
        centroid.fill(0.0);
        for &row in members {
            for (sum, number) in centroid.iter_mut().zip(rows.numbers(row)) {
                *sum += number;
            }
        }
        let size = members.len().max(1) as f64;
        centroid.iter_mut().for_each(|sum| *sum /= size);
        let distance = |&row: &u32| squared(rows.numbers(row), centroid);
        let numeric: f64 = members.iter().map(distance).sum();
        let differing = |keys: &Frequencies| members.len() as f64 - f64::from(keys.top());
        let categorical: f64 = self.keys(group).iter().map(differing).sum();
        self.within[group as usize] = numeric + categorical;
        self.changes[group as usize] = 0;
    }

    /// Recomputes a group once its corrections are more than a share of its rows: a small
    /// one after every change, a large one so seldom that a change costs the same.
    pub fn settle(&mut self, group: u32) {
        let corrections = self.changes[group as usize] as usize;
        if corrections * TRUSTED >= self.size(group) {
            self.recompute(group);
        }
    }

    /// Recomputes all groups.
    pub fn recompute_all(&mut self, meter: &mut Meter) -> Result<()> {
        for group in 0..self.count() {
            self.recompute(group);
            meter.spend(self.size(group))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Error, Monitor, Phase, Space, Table, Unwatched};

    struct Impatient;

    impl Monitor for Impatient {
        fn advance(&mut self, _done: u64) -> Result<()> {
            Err(Error::Interrupted)
        }
    }

    /// Rows on a line, all in one group.
    fn line(count: u32) -> (OrderedRows, Partition) {
        let table = Table::new(vec![Column::Numeric((0..count).map(f64::from).collect())]);
        let space = Space::new(&table.unwrap(), true).unwrap();
        let mut monitor = Unwatched;
        let mut meter = Meter::start(&mut monitor, Phase::Refining, 0);
        let rows = OrderedRows::new(&space, &[], &mut meter).unwrap();
        (rows, Partition::new(vec![0; count as usize], 1).unwrap())
    }

    #[test]
    fn filling_can_be_stopped() {
        let (rows, partition) = line(150_000);
        let mut monitor = Impatient;
        let mut meter = Meter::start(&mut monitor, Phase::Refining, 0);
        let filled = Groups::new(&rows, 1000, 1, &partition, &mut meter);
        assert_eq!(filled.err(), Some(Error::Interrupted));
    }

    #[test]
    fn a_large_group_is_computed_anew_before_its_corrections_matter() {
        let (rows, partition) = line(1000);
        let mut monitor = Unwatched;
        let mut meter = Meter::start(&mut monitor, Phase::Refining, 0);
        let mut groups = Groups::new(&rows, 100, 1, &partition, &mut meter).unwrap();
        let other = groups.vacant().unwrap();
        for row in 0..500 {
            groups.shift(row, other).unwrap();
            for group in [0, other] {
                groups.settle(group);
                assert!(groups.changes[group as usize] as usize * TRUSTED <= groups.size(group));
            }
        }
        let settled = groups.sse();
        groups.recompute_all(&mut meter).unwrap();
        assert!((settled - groups.sse()).abs() < 1e-9 * settled);
    }
}
