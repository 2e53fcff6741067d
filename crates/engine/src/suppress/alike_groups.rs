//! Rows in groups of at least k that look the same once some of their cells are blanked.

use super::blank_masks::BlankMasks;
use super::head_count::HeadCount;
use super::parted_anew;
use crate::run::Meter;
use crate::run::allocation;
use crate::run::limits::Pulse;
use crate::{Categories, Error, Partition, Result};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The cells to blank. Rows that are alike as they are come first, then rows that are alike
/// without the cheapest set of columns, and so on. That is done twice: the second time rows of
/// groups that are larger than they must be are lent to those that lack a few, wherever that is
/// cheaper than what the first time found. The better of the two is taken and then improved. Neither
/// is done where persons are told apart.
pub(super) fn blank(
    columns: &[Categories],
    persons: Option<&[u32]>,
    k: usize,
    masks: &BlankMasks<'_>,
    meter: &mut Meter<'_>,
) -> Result<Vec<u16>> {
    let plain = Grouping::new(columns, persons, k, masks)?.run(None, meter)?;
    if persons.is_some() {
        return Ok(plain);
    }
    let lending = Grouping::new(columns, None, k, masks)?.run(Some(&plain), meter)?;
    let mut better = match masks.of_all(&lending) < masks.of_all(&plain) {
        true => lending,
        false => plain,
    };
    parted_anew::improve(columns, k, masks, &mut better, meter)?;
    Ok(better)
}

/// A row that has no group yet.
const OPEN: u32 = u32::MAX;

struct Grouping<'a> {
    columns: &'a [Categories],
    k: usize,
    heads: HeadCount<'a>,
    masks: &'a BlankMasks<'a>,
    blanked: Vec<u16>,
    group_of: Vec<u32>,
    sizes: Vec<u32>,
    open: usize,
}

impl<'a> Grouping<'a> {
    fn new(
        columns: &'a [Categories],
        persons: Option<&'a [u32]>,
        k: usize,
        masks: &'a BlankMasks<'a>,
    ) -> Result<Self> {
        let rows = columns[0].codes().len();
        Ok(Grouping {
            columns,
            k,
            heads: HeadCount::new(persons)?,
            masks,
            blanked: allocation::filled(rows, 0)?,
            group_of: allocation::filled(rows, OPEN)?,
            sizes: Vec::new(),
            open: rows,
        })
    }

    fn run(mut self, expected: Option<&[u16]>, meter: &mut Meter<'_>) -> Result<Vec<u16>> {
        for mask in self.masks.iter() {
            if self.open == 0 {
                break;
            }
            self.take(mask, expected, meter)?;
        }
        if self.open > 0 {
            self.borrow_for_the_rest()?;
        }
        Ok(self.blanked)
    }

    /// Makes groups of the open rows that are alike without some columns.
    fn take(&mut self, mask: u16, expected: Option<&[u16]>, meter: &mut Meter<'_>) -> Result<()> {
        let rows = self.group_of.len() as u32;
        let open = (0..rows).filter(|&row| self.group_of[row as usize] == OPEN);
        let open: Vec<u32> = collected(open, self.open)?;
        meter.spend(open.len() * self.columns.len())?;
        let alike = numbered(self.columns, &open, |_| mask)?;
        let mut members = members(&open, &alike)?;
        // lenders are looked for among all rows once, not once for each group
        let lenders = match expected {
            Some(_) if mask != 0 => Some(self.lenders(mask, &alike, meter)?),
            _ => None,
        };
        for (number, rows) in members.iter_mut().enumerate() {
            if rows.len() < self.k
                && let (Some(lenders), Some(expected)) = (&lenders, expected)
            {
                self.borrow(mask, rows, &lenders[number], expected);
            }
            if self.heads.of(rows) >= self.k {
                self.close(mask, rows)?;
            }
        }
        Ok(())
    }

    /// For each group of open rows the rows of other groups that are alike without the columns.
    fn lenders(&self, mask: u16, alike: &Numbered, meter: &mut Meter<'_>) -> Result<Vec<Vec<u32>>> {
        let mut lenders: Vec<Vec<u32>> = allocation::filled(alike.groups, Vec::new())?;
        let wanted = alike.lookup(self.columns, mask)?;
        meter.spend(self.group_of.len() * self.columns.len())?;
        for row in 0..self.group_of.len() as u32 {
            let group = self.group_of[row as usize];
            if group == OPEN || self.sizes[group as usize] as usize <= self.k {
                continue;
            }
            if let Some(number) = wanted.find(self.columns, row, mask)
                && lenders[number as usize].len() < 2 * self.k
            {
                allocation::make_room(&mut lenders[number as usize], 1)?;
                lenders[number as usize].push(row);
            }
        }
        Ok(lenders)
    }

    /// Adds rows of larger groups to open ones where that costs less than was to be expected.
    fn borrow(&mut self, mask: u16, rows: &mut Vec<u32>, lenders: &[u32], expected: &[u16]) {
        let otherwise: f64 = rows
            .iter()
            .map(|&row| self.masks.of_row(row, expected[row as usize]))
            .sum();
        let need = self.k - rows.len();
        let mut price = self.masks.of_rows(rows, mask);
        let mut lent: Vec<u32> = Vec::new();
        for &row in lenders {
            let group = self.group_of[row as usize] as usize;
            let taken = lent
                .iter()
                .filter(|&&other| self.group_of[other as usize] as usize == group);
            if self.sizes[group] as usize - taken.count() > self.k {
                price += self.masks.of_row(row, mask)
                    - self.masks.of_row(row, self.blanked[row as usize]);
                lent.push(row);
            }
            if lent.len() == need || price >= otherwise {
                break;
            }
        }
        if lent.len() == need && price < otherwise {
            for &row in &lent {
                self.sizes[self.group_of[row as usize] as usize] -= 1;
                self.group_of[row as usize] = OPEN;
                self.open += 1;
            }
            rows.extend(lent);
        }
    }

    /// Makes rows a group.
    fn close(&mut self, mask: u16, rows: &[u32]) -> Result<()> {
        for &row in rows {
            self.group_of[row as usize] = self.sizes.len() as u32;
            self.blanked[row as usize] = mask;
        }
        allocation::make_room(&mut self.sizes, 1)?;
        self.sizes.push(rows.len() as u32);
        self.open -= rows.len();
        Ok(())
    }

    /// Fewer than k rows are left that are alike with everything blanked: rows of other groups
    /// join them, first of those that can spare some, else whole groups.
    fn borrow_for_the_rest(&mut self) -> Result<()> {
        let all = self.masks.all();
        let rows = self.group_of.len();
        let mut rest: Vec<u32> = (0..rows as u32)
            .filter(|&r| self.group_of[r as usize] == OPEN)
            .collect();
        let mut order: Vec<u32> = allocation::collected(0..rows as u32)?;
        let cost = |row: &u32| self.masks.cost(self.blanked[*row as usize]);
        order.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
        for row in order {
            let group = self.group_of[row as usize];
            let spare = !self.heads.tells_persons()
                && group != OPEN
                && self.sizes[group as usize] as usize > self.k;
            if rest.len() < self.k && spare {
                self.sizes[group as usize] -= 1;
                self.group_of[row as usize] = OPEN;
                rest.push(row);
            }
        }
        if self.heads.of(&rest) < self.k {
            let smallest = (0..self.sizes.len()).min_by_key(|&group| self.sizes[group]);
            let Some(smallest) = smallest else {
                return Err(Error::Broken("no group to join".into()));
            };
            rest.extend((0..rows as u32).filter(|&r| self.group_of[r as usize] == smallest as u32));
        }
        for row in rest {
            self.blanked[row as usize] = all;
        }
        self.open = 0;
        Ok(())
    }
}

fn collected(rows: impl Iterator<Item = u32>, count: usize) -> Result<Vec<u32>> {
    let mut all = allocation::reserved(count)?;
    all.extend(rows);
    Ok(all)
}

/// Numbers of rows by what they show.
pub(super) struct Numbered {
    /// the number of each row given
    pub number_of: Vec<u32>,
    pub groups: usize,
    /// a row of each number
    pub firsts: Vec<u32>,
}

impl Numbered {
    /// A table that finds the number of further rows.
    fn lookup(&self, columns: &[Categories], mask: u16) -> Result<Lookup> {
        let hasher = RandomState::default();
        let mut table = HashTable::new();
        for (number, &first) in (0u32..).zip(&self.firsts) {
            let hash = hash(columns, first, mask, &hasher);
            allocation::make_table_room(&mut table, 1, |entry: &(u64, u32, u32)| entry.0)?;
            table.insert_unique(hash, (hash, first, number), |entry| entry.0);
        }
        Ok(Lookup { table, hasher })
    }
}

struct Lookup {
    table: HashTable<(u64, u32, u32)>,
    hasher: RandomState,
}

impl Lookup {
    fn find(&self, columns: &[Categories], row: u32, mask: u16) -> Option<u32> {
        let hash = hash(columns, row, mask, &self.hasher);
        let same = |entry: &(u64, u32, u32)| looks_like(columns, row, entry.1, mask);
        self.table.find(hash, same).map(|entry| entry.2)
    }
}

/// Whether a mask blanks the column at a place. Strata may stand behind the keys, beyond its bits.
pub(super) fn is_blanked(mask: u16, place: usize) -> bool {
    place < u16::BITS as usize && mask >> place & 1 != 0
}

/// The hash of what a row shows of the columns that are not blanked.
fn hash(columns: &[Categories], row: u32, mask: u16, hasher: &RandomState) -> u64 {
    let kept = columns
        .iter()
        .enumerate()
        .filter(|(place, _)| !is_blanked(mask, *place));
    let codes = kept.map(|(_, column)| column.codes()[row as usize]);
    hasher.hash_one(codes.fold(u64::from(mask), |hash, code| {
        (hash ^ u64::from(code))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(23)
    }))
}

fn looks_like(columns: &[Categories], a: u32, b: u32, mask: u16) -> bool {
    let mut kept = columns
        .iter()
        .enumerate()
        .filter(|(place, _)| !is_blanked(mask, *place));
    kept.all(|(_, column)| column.codes()[a as usize] == column.codes()[b as usize])
}

/// Numbers rows by what they show once the cells of their masks are blanked.
pub(super) fn numbered(
    columns: &[Categories],
    rows: &[u32],
    mask_of: impl Fn(u32) -> u16,
) -> Result<Numbered> {
    let hasher = RandomState::default();
    let mut table: HashTable<(u64, u32)> = HashTable::new();
    allocation::make_table_room(&mut table, rows.len(), |entry| entry.0)?;
    let mut number_of = allocation::reserved(rows.len())?;
    let mut firsts: Vec<u32> = Vec::new();
    let mut pulse = Pulse::default();
    for &row in rows {
        pulse.spend(columns.len())?;
        let mask = mask_of(row);
        let hash = hash(columns, row, mask, &hasher);
        let same = |entry: &(u64, u32)| {
            let first = firsts[entry.1 as usize];
            entry.0 == hash && mask_of(first) == mask && looks_like(columns, row, first, mask)
        };
        let number = match table.find(hash, same) {
            Some(entry) => entry.1,
            None => {
                let number = firsts.len() as u32;
                table.insert_unique(hash, (hash, number), |entry| entry.0);
                allocation::make_room(&mut firsts, 1)?;
                firsts.push(row);
                number
            }
        };
        number_of.push(number);
    }
    Ok(Numbered {
        number_of,
        groups: firsts.len(),
        firsts,
    })
}

/// The rows of each number.
fn members(rows: &[u32], alike: &Numbered) -> Result<Vec<Vec<u32>>> {
    let mut members: Vec<Vec<u32>> = allocation::filled(alike.groups, Vec::new())?;
    for (&row, &number) in rows.iter().zip(&alike.number_of) {
        allocation::make_room(&mut members[number as usize], 1)?;
        members[number as usize].push(row);
    }
    Ok(members)
}

/// Rows that look the same once cells are blanked.
pub(super) fn partition(columns: &[Categories], blanked: &[u16]) -> Result<Partition> {
    let rows: Vec<u32> = allocation::collected(0..blanked.len() as u32)?;
    let alike = numbered(columns, &rows, |row| blanked[row as usize])?;
    Partition::new(alike.number_of, alike.groups)
}
