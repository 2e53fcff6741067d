//! m-invariance (Xiao and Tao 2007): in every release, a person's group has the same set of
//! values, the person's signature. A person whose value is another one of it stays.
//!
//! Persons who stay are dealt into groups by their signature, one row for each value. Where a
//! value of a signature has fewer rows than another, new persons with this value take it up;
//! where there are none, counterfeits do: values of a group that are nobody's. The other new
//! persons are grouped as anatomy groups. Those of a value that is too frequent among them wait.

use super::NEW;
use crate::assign;
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, reserved};
use crate::{Categories, Error, Interner, Monitor, Partition, Phase, Result};
use rand::{Rng, seq::SliceRandom};

/// The rows of a new release, one for each person.
#[derive(Debug, Clone, Copy)]
pub struct SignedRows<'a> {
    /// the sensitive value of each row
    pub values: &'a [u32],
    /// the stratum of each row; none at all: one stratum
    pub strata: &'a [u32],
    /// the signature of each row; [`NEW`] for new persons, [`WAITS`](super::WAITS) for those who wait
    pub signature_of: &'a [u32],
    /// the values of each signature, in ascending order
    pub signatures: &'a [Vec<u32>],
}

/// A value of a group that is nobody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counterfeit {
    pub group: u32,
    pub value: u32,
}

/// The groups of a new release.
#[derive(Debug)]
pub struct Balanced {
    /// [`u32::MAX`] for rows that wait
    pub group_of: Vec<u32>,
    pub groups: usize,
    pub counterfeits: Vec<Counterfeit>,
}

/// No group yet, or none at all.
const NOWHERE: u32 = u32::MAX;

/// Groups rows so that everybody's signature is kept and each group has at least `l` values.
pub fn balance(
    rows: SignedRows<'_>,
    l: usize,
    rng: &mut impl Rng,
    monitor: &mut dyn Monitor,
) -> Result<Balanced> {
    refuse_unlike(rows)?;
    let mut dealer = Dealer::new(rows)?;
    let mut meter = Meter::start(monitor, Phase::Grouping, rows.values.len());
    dealer.deal_signed(rng, &mut meter)?;
    for stratum in 0..dealer.strata {
        dealer.group_rest(stratum, l, rng, monitor)?;
    }
    dealer.finish(rng)
}

fn refuse_unlike(rows: SignedRows<'_>) -> Result<()> {
    let first = rows.values.len();
    let strata = match rows.strata.len() {
        0 => first,
        strata => strata,
    };
    for other in [strata, rows.signature_of.len()] {
        if first != other {
            return Err(Error::UnequalColumns { first, other });
        }
    }
    Ok(())
}

/// Deals rows into groups.
struct Dealer<'a> {
    rows: SignedRows<'a>,
    strata: u32,
    group_of: Vec<u32>,
    groups: u32,
    counterfeits: Vec<Counterfeit>,
    /// new rows by stratum and value, in random order once they are dealt
    fresh: Vec<Vec<u32>>,
    codes: usize,
}

impl<'a> Dealer<'a> {
    fn new(rows: SignedRows<'a>) -> Result<Self> {
        let top = |codes: &[u32]| codes.iter().max().map_or(0, |&top| top + 1);
        let known = rows.signatures.iter().map(|values| top(values));
        let codes = known.fold(top(rows.values), u32::max) as usize;
        let strata = top(rows.strata).max(1);
        let mut fresh: Vec<Vec<u32>> = filled(codes * strata as usize, Vec::new())?;
        for (row, &value) in rows.values.iter().enumerate() {
            if rows.signature_of[row] == NEW {
                let place = stratum_of(rows, row) as usize * codes + value as usize;
                make_room(&mut fresh[place], 1)?;
                fresh[place].push(row as u32);
            }
        }
        Ok(Dealer {
            strata,
            group_of: filled(rows.values.len(), NOWHERE)?,
            groups: 0,
            counterfeits: Vec::new(),
            fresh,
            codes,
            rows,
        })
    }

    /// Those who stay, signature by signature and stratum by stratum.
    fn deal_signed(&mut self, rng: &mut impl Rng, meter: &mut Meter) -> Result<()> {
        for rows in &mut self.fresh {
            rows.shuffle(rng);
        }
        let buckets = SignatureBuckets::new(self.rows)?;
        for (bucket, rows) in buckets.members.iter().enumerate() {
            let (signature, stratum) = buckets.names[bucket];
            self.deal_bucket(
                &self.rows.signatures[signature as usize],
                stratum,
                rows,
                rng,
            )?;
            meter.grouped(rows.len());
            meter.spend(8 * rows.len() + 1)?;
        }
        Ok(())
    }

    /// One row for each value in each group: a person who stays, a new one, or nobody.
    fn deal_bucket(
        &mut self,
        signature: &[u32],
        stratum: u32,
        rows: &[u32],
        rng: &mut impl Rng,
    ) -> Result<()> {
        let mut columns: Vec<Vec<u32>> = filled(signature.len(), Vec::new())?;
        for &row in rows {
            let value = self.rows.values[row as usize];
            let Ok(place) = signature.binary_search(&value) else {
                return Err(Error::Broken("a value outside of its signature".into()));
            };
            make_room(&mut columns[place], 1)?;
            columns[place].push(row);
        }
        let groups = columns.iter().map(Vec::len).max().unwrap_or(0);
        for (column, &value) in columns.iter_mut().zip(signature) {
            let fresh = &mut self.fresh[stratum as usize * self.codes + value as usize];
            make_room(column, groups - column.len())?;
            while column.len() < groups {
                column.push(fresh.pop().unwrap_or(NOWHERE));
            }
            column.shuffle(rng);
            self.place_column(column, value)?;
        }
        self.groups += groups as u32;
        Ok(())
    }

    fn place_column(&mut self, column: &[u32], value: u32) -> Result<()> {
        for (group, &row) in (self.groups..).zip(column) {
            match row {
                NOWHERE => {
                    make_room(&mut self.counterfeits, 1)?;
                    self.counterfeits.push(Counterfeit { group, value });
                }
                row => self.group_of[row as usize] = group,
            }
        }
        Ok(())
    }

    /// New persons of a stratum who were not needed to balance others.
    fn group_rest(
        &mut self,
        stratum: u32,
        l: usize,
        rng: &mut impl Rng,
        monitor: &mut dyn Monitor,
    ) -> Result<()> {
        let fresh = &mut self.fresh[stratum as usize * self.codes..][..self.codes];
        let most = most_of_a_value(fresh, l);
        fresh.iter_mut().for_each(|rows| rows.truncate(most));
        let number = fresh.iter().map(Vec::len).sum();
        if number == 0 {
            return Ok(());
        }
        let mut chosen = reserved(number)?;
        fresh.iter().for_each(|rows| chosen.extend(rows));
        // as the source has them: nothing else may depend on an order that values give
        crate::run::sorting::sort_by_key(&mut chosen, |&row: &u32| row)?;
        let values = Categories::new(collected(
            chosen.iter().map(|&row| self.rows.values[row as usize]),
        )?);
        let every = collected(0..chosen.len() as u32)?;
        let partition = assign::anatomy(&values.select(&every)?, l, rng, monitor)?;
        for (&row, &group) in chosen.iter().zip(partition.group_of()) {
            self.group_of[row as usize] = self.groups + group;
        }
        self.groups += partition.groups() as u32;
        Ok(())
    }

    /// The order in which groups were made must not show.
    fn finish(self, rng: &mut impl Rng) -> Result<Balanced> {
        let mut numbers = collected(0..self.groups)?;
        numbers.shuffle(rng);
        let mut counterfeits = self.counterfeits;
        for counterfeit in &mut counterfeits {
            counterfeit.group = numbers[counterfeit.group as usize];
        }
        let number = |&group: &u32| match group {
            NOWHERE => NOWHERE,
            group => numbers[group as usize],
        };
        Ok(Balanced {
            group_of: collected(self.group_of.iter().map(number))?,
            groups: self.groups as usize,
            counterfeits,
        })
    }
}

/// How many rows of each value can be grouped: with more, the most frequent value would have
/// more than its share of what can be grouped together.
fn most_of_a_value(rows: &[Vec<u32>], l: usize) -> usize {
    let eligible =
        |most: usize| rows.iter().map(|rows| rows.len().min(most)).sum::<usize>() >= l * most;
    let largest = rows.iter().map(Vec::len).max().unwrap_or(0);
    // what is over falls once it has begun to fall, so what is eligible is an interval from 0
    let (mut low, mut high) = (0, largest);
    while low < high {
        let middle = (low + high).div_ceil(2);
        match eligible(middle) {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    low
}

fn stratum_of(rows: SignedRows<'_>, row: usize) -> u32 {
    rows.strata.get(row).copied().unwrap_or(0)
}

/// The rows of those who stay, by signature and stratum.
struct SignatureBuckets {
    names: Vec<(u32, u32)>,
    members: Vec<Vec<u32>>,
}

impl SignatureBuckets {
    fn new(rows: SignedRows<'_>) -> Result<Self> {
        let mut known = Interner::new();
        let (mut names, mut members) = (Vec::new(), Vec::<Vec<u32>>::new());
        for (row, &signature) in rows.signature_of.iter().enumerate() {
            if (signature as usize) >= rows.signatures.len() {
                continue; // new, or waiting
            }
            let stratum = stratum_of(rows, row);
            let name = [signature.to_le_bytes(), stratum.to_le_bytes()].concat();
            let bucket = known.intern(&name)? as usize;
            if bucket == members.len() {
                make_room(&mut members, 1)?;
                make_room(&mut names, 1)?;
                members.push(Vec::new());
                names.push((signature, stratum));
            }
            make_room(&mut members[bucket], 1)?;
            members[bucket].push(row as u32);
        }
        Ok(SignatureBuckets { names, members })
    }
}

impl Balanced {
    /// The values of each group, those of nobody included, in ascending order.
    pub fn values(&self, values: &[u32]) -> Result<Vec<Vec<u32>>> {
        let mut sets: Vec<Vec<u32>> = filled(self.groups, Vec::new())?;
        let rows = self.group_of.iter().copied().zip(values.iter().copied());
        let nobodys = self.counterfeits.iter().map(|of| (of.group, of.value));
        for (group, value) in rows.chain(nobodys).filter(|of| of.0 != NOWHERE) {
            let set = &mut sets[group as usize];
            make_room(set, 1)?;
            set.push(value);
        }
        sets.iter_mut().for_each(|set| set.sort_unstable());
        Ok(sets)
    }

    /// The groups of the rows that are shown, and which rows these are.
    pub fn shown(&self) -> Result<(Partition, Vec<u32>)> {
        let here = |row: &u32| self.group_of[*row as usize] != NOWHERE;
        let mut rows = reserved(self.group_of.len())?;
        rows.extend((0..self.group_of.len() as u32).filter(here));
        let group_of = collected(rows.iter().map(|&row| self.group_of[row as usize]))?;
        Ok((Partition::new(group_of, self.groups)?, rows))
    }
}
