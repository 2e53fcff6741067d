//! Whose group is whose, where a release shows exact keys beside group numbers.
//!
//! The rows of a release stand in random order and carry no number of a person, so the steward
//! does not know either which of several released rows with a person's keys is the person's.
//! But he knows the values: of the rows with these keys, the person's is one whose group holds
//! the person's value. Anatomy draws at random, so every assignment that fits is as likely as
//! any other. This one is drawn from them: row by row from the shares that iterative
//! proportional fitting gives, which agree with all counts on average. Figures over it are the
//! expected ones; where keys are unique they are exact.

use super::NOWHERE;
use crate::random::Generator;
use crate::run::Meter;
use crate::run::allocation::{filled, make_room, reserved};
use crate::{ColumnTally, Error, Monitor, Phase, Result};
use rand::{RngExt, seq::SliceRandom};

/// Rounds of fitting: shares settle after a few.
const ROUNDS: usize = 20;

/// Rows with their combination of key values, numbered alike for release and persons.
#[derive(Debug, Clone, Copy)]
pub struct ShownKeys<'a> {
    /// of each released row
    pub released: &'a [u32],
    /// the group of each released row
    pub groups: &'a [u32],
    /// of each person
    pub persons: &'a [u32],
    /// the sensitive value of each person
    pub values: &'a [u32],
}

/// The group of each person, [`NOWHERE`] for one with no released row left.
pub fn own_groups(
    shown: &ShownKeys<'_>,
    counts: &ColumnTally,
    rng: &mut Generator,
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    if shown.released.len() != shown.groups.len() || shown.persons.len() != shown.values.len() {
        return Err(Error::Broken("keys of other rows".into()));
    }
    let mut meter = Meter::start(monitor, Phase::Checking, shown.released.len());
    let classes = shown.released.iter().chain(shown.persons).max();
    let classes = classes.map_or(0, |&top| top as usize + 1);
    let mut triples = reserved(shown.persons.len())?;
    let persons = shown.persons.iter().zip(shown.values);
    triples.extend(persons.map(|(&class, &value)| (class, value, 1)));
    let held = ColumnTally::new(classes, &triples)?;
    drop(triples);
    let mut fits = Fits::new(shown, counts, &held, &mut meter)?;
    fits.settle(counts, &held, &mut meter)?;
    let mut deal = Deal::new(shown, classes, &held)?;
    let rows = by_code(shown.released, classes)?;
    for class in 0..classes {
        let rows = rows.of(class);
        deal.deal(class, rows, &fits, shown.groups, rng)?;
        meter.grouped(rows.len());
        meter.spend(8 * rows.len() + 1)?;
    }
    Ok(deal.group_of)
}

/// Places by a code: one run of them for each.
struct ByCode {
    starts: Vec<usize>,
    places: Vec<u32>,
}

impl ByCode {
    fn of(&self, code: usize) -> &[u32] {
        &self.places[self.starts[code]..self.starts[code + 1]]
    }
}

fn by_code(codes: &[u32], number: usize) -> Result<ByCode> {
    let mut starts = filled(number + 2, 0)?;
    for &code in codes {
        starts[code as usize + 2] += 1;
    }
    for place in 2..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut places = filled(codes.len(), 0)?;
    for (place, &code) in codes.iter().enumerate() {
        let next = &mut starts[code as usize + 1];
        places[*next] = place as u32;
        *next += 1;
    }
    starts.pop();
    Ok(ByCode { starts, places })
}

/// Where the cells of each group begin when all stand in one line.
fn offsets(tally: &ColumnTally) -> Result<Vec<u32>> {
    let mut offsets = reserved(tally.groups())?;
    let mut next = 0;
    for cells in tally.iter() {
        offsets.push(next);
        next += cells.len() as u32;
    }
    Ok(offsets)
}

/// A value that a released row may have.
#[derive(Debug, Clone, Copy)]
struct Fit {
    /// place among the cells of all groups
    of_group: u32,
    /// place among the cells of all combinations of keys
    of_class: u32,
    share: f64,
}

/// The values that each released row may have.
struct Fits {
    starts: Vec<usize>,
    fits: Vec<Fit>,
}

impl Fits {
    fn new(
        shown: &ShownKeys<'_>,
        counts: &ColumnTally,
        held: &ColumnTally,
        meter: &mut Meter,
    ) -> Result<Self> {
        let (group_starts, class_starts) = (offsets(counts)?, offsets(held)?);
        let mut starts = reserved(shown.released.len() + 1)?;
        let mut fits = Vec::new();
        for (&class, &group) in shown.released.iter().zip(shown.groups) {
            let (class, group) = (class as usize, group as usize);
            if group >= counts.groups() {
                return Err(Error::Broken("a row of a group without values".into()));
            }
            let (values, own) = (counts.of(group), held.of(class));
            starts.push(fits.len());
            make_room(&mut fits, values.len().min(own.len()))?;
            for (place, &(value, count)) in values.iter().enumerate() {
                if let Ok(found) = own.binary_search_by_key(&value, |cell| cell.0) {
                    fits.push(Fit {
                        of_group: group_starts[group] + place as u32,
                        of_class: class_starts[class] + found as u32,
                        share: count as f64,
                    });
                }
            }
            meter.spend(values.len())?;
        }
        starts.push(fits.len());
        Ok(Fits { starts, fits })
    }

    fn of(&self, row: u32) -> &[Fit] {
        &self.fits[self.starts[row as usize]..self.starts[row as usize + 1]]
    }

    /// Scales shares until each row has one value, each group its counts of values, and each
    /// combination of keys the values of its persons.
    fn settle(
        &mut self,
        counts: &ColumnTally,
        held: &ColumnTally,
        meter: &mut Meter,
    ) -> Result<()> {
        for _ in 0..ROUNDS {
            self.scale_rows(meter)?;
            self.scale_cells(counts, |fit| fit.of_group, meter)?;
            self.scale_cells(held, |fit| fit.of_class, meter)?;
        }
        Ok(())
    }

    fn scale_rows(&mut self, meter: &mut Meter) -> Result<()> {
        for ends in self.starts.windows(2) {
            let fits = &mut self.fits[ends[0]..ends[1]];
            let sum: f64 = fits.iter().map(|fit| fit.share).sum();
            if sum > 0.0 {
                fits.iter_mut().for_each(|fit| fit.share /= sum);
            }
            meter.spend(fits.len())?;
        }
        Ok(())
    }

    fn scale_cells(
        &mut self,
        tally: &ColumnTally,
        cell: impl Fn(&Fit) -> u32,
        meter: &mut Meter,
    ) -> Result<()> {
        let mut factors = filled(tally.iter().map(<[_]>::len).sum(), 0.0)?;
        for fit in &self.fits {
            factors[cell(fit) as usize] += fit.share;
        }
        meter.spend(self.fits.len())?;
        let counts = tally.iter().flatten().map(|cell| cell.1);
        for (factor, count) in factors.iter_mut().zip(counts) {
            *factor = if *factor > 0.0 {
                count as f64 / *factor
            } else {
                0.0
            };
        }
        for fit in &mut self.fits {
            fit.share *= factors[cell(fit) as usize];
        }
        meter.spend(self.fits.len())
    }
}

/// Deals the released rows of each combination of keys to its persons.
struct Deal {
    class_starts: Vec<u32>,
    /// persons by (combination, value), those still to be dealt to first
    persons: ByCode,
    left: Vec<u32>,
    group_of: Vec<u32>,
    /// of each row of the combination at hand: the cell that it got
    taken: Vec<u32>,
}

impl Deal {
    fn new(shown: &ShownKeys<'_>, classes: usize, held: &ColumnTally) -> Result<Self> {
        let class_starts = offsets(held)?;
        let mut cells = filled(shown.persons.len(), 0)?;
        let mut left = filled(held.iter().map(<[_]>::len).sum(), 0)?;
        let persons = shown.persons.iter().zip(shown.values);
        for (cell, (&class, &value)) in cells.iter_mut().zip(persons) {
            debug_assert!((class as usize) < classes);
            let found = held
                .of(class as usize)
                .binary_search_by_key(&value, |cell| cell.0);
            *cell = class_starts[class as usize] + found.unwrap_or(0) as u32;
            left[*cell as usize] += 1;
        }
        Ok(Deal {
            class_starts,
            persons: by_code(&cells, left.len())?,
            left,
            group_of: filled(shown.persons.len(), NOWHERE)?,
            taken: Vec::new(),
        })
    }

    fn deal(
        &mut self,
        class: usize,
        rows: &[u32],
        fits: &Fits,
        groups: &[u32],
        rng: &mut Generator,
    ) -> Result<()> {
        let mut order = reserved(rows.len())?;
        order.extend_from_slice(rows);
        order.shuffle(rng);
        self.taken.clear();
        make_room(&mut self.taken, rows.len())?;
        let mut open = Vec::new();
        for (place, &row) in order.iter().enumerate() {
            let cell = self.draw(fits.of(row), rng);
            self.taken.push(cell);
            if cell == NOWHERE {
                make_room(&mut open, 1)?;
                open.push(place);
            }
        }
        // so much searching for rows that found no value left, and no more
        let mut patience = 64 * rows.len();
        for place in open {
            self.make_way(class, place, &order, fits, &mut patience)?;
        }
        for (place, &row) in order.iter().enumerate() {
            let cell = self.taken[place];
            if cell != NOWHERE {
                self.give(cell, groups[row as usize], rng);
            }
        }
        Ok(())
    }

    /// A value for a row, drawn by the shares of those still to be had.
    fn draw(&mut self, fits: &[Fit], rng: &mut Generator) -> u32 {
        let free = |fit: &&Fit| self.left[fit.of_class as usize] > 0;
        let sum: f64 = fits.iter().filter(free).map(|fit| fit.share).sum();
        let mut place = rng.random::<f64>() * sum;
        let mut chosen = NOWHERE;
        for fit in fits.iter().filter(free) {
            chosen = fit.of_class;
            place -= fit.share;
            if place < 0.0 {
                break;
            }
        }
        if chosen != NOWHERE {
            self.left[chosen as usize] -= 1;
        }
        chosen
    }

    /// Finds a value for a row by moving others along a shortest chain, if there is one.
    fn make_way(
        &mut self,
        class: usize,
        place: usize,
        order: &[u32],
        fits: &Fits,
        patience: &mut usize,
    ) -> Result<()> {
        let first = self.class_starts[class];
        let mut reached = Vec::new();
        let mut queue = reserved(order.len())?;
        let mut before = filled(order.len(), usize::MAX)?;
        queue.push(place);
        let mut head = 0;
        while head < queue.len() && *patience > 0 {
            let here: usize = queue[head];
            head += 1;
            for fit in fits.of(order[here]) {
                let cell = fit.of_class;
                if self.left[cell as usize] > 0 {
                    self.left[cell as usize] -= 1;
                    self.shift(here, cell, &before);
                    return Ok(());
                }
                let seen = (cell - first) as usize;
                if reached.len() <= seen {
                    make_room(&mut reached, seen + 1)?;
                    reached.resize(seen + 1, false);
                }
                if !std::mem::replace(&mut reached[seen], true) {
                    *patience = patience.saturating_sub(order.len());
                    for (other, &taken) in self.taken.iter().enumerate() {
                        if taken == cell && before[other] == usize::MAX && other != place {
                            before[other] = here;
                            queue.push(other);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives `cell` to a row, its old one to the row before it in the chain, and so on.
    fn shift(&mut self, mut here: usize, mut cell: u32, before: &[usize]) {
        loop {
            std::mem::swap(&mut self.taken[here], &mut cell);
            match before[here] {
                usize::MAX => return,
                previous => here = previous,
            }
        }
    }

    /// The group goes to a random person of the cell that has none yet.
    fn give(&mut self, cell: u32, group: u32, rng: &mut Generator) {
        let range = self.persons.starts[cell as usize]..self.persons.starts[cell as usize + 1];
        let persons = &mut self.persons.places[range];
        let without = persons.partition_point(|&person| self.group_of[person as usize] == NOWHERE);
        if let Some(last) = without.checked_sub(1) {
            persons.swap(rng.random_range(0..without), last);
            self.group_of[persons[last] as usize] = group;
        }
    }
}
