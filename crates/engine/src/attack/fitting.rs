//! Released rows that a person fits into: cells are ranges, sets or blanks, and somebody who
//! knows the person's keys looks for rows all of whose cells hold them.

use super::{Guess, Linked, NOWHERE};
use crate::random::{Generator, number};
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, reserved};
use crate::{ColumnTally, Error, Monitor, Phase, Result};

/// What a released cell says of a key.
#[derive(Debug, Clone, PartialEq)]
pub enum CellMeaning {
    Anything,
    Between {
        low: f64,
        high: f64,
    },
    /// codes in their order
    OneOf(Vec<u32>),
}

/// A key as it is released: the cell of each point, and what each cell says.
pub struct ShownCells<'a> {
    pub cell_of: &'a [u32],
    pub meanings: &'a [CellMeaning],
    /// the number that each code of the key stands for, where it is numeric
    pub numbers: &'a [f64],
}

impl ShownCells<'_> {
    fn fits(&self, point: u32, code: u32) -> bool {
        self.holds(self.cell_of[point as usize], code)
    }

    fn holds(&self, cell: u32, code: u32) -> bool {
        match &self.meanings[cell as usize] {
            CellMeaning::Anything => true,
            CellMeaning::OneOf(codes) => codes.binary_search(&code).is_ok(),
            CellMeaning::Between { low, high } => {
                let number = self.numbers.get(code as usize).copied();
                number.is_some_and(|number| *low <= number && number <= *high)
            }
        }
    }
}

/// Points as they are released, and where to look for those that somebody fits into.
pub struct FittingPoints<'a> {
    keys: &'a [ShownCells<'a>],
    /// rows of each point
    sizes: &'a [u64],
    /// for each key the points of each cell, and the cells that hold each code asked for so far
    points_of: Vec<ColumnTally>,
    cells_of: Vec<Vec<Option<Vec<u32>>>>,
    found: Vec<u32>,
}

impl<'a> FittingPoints<'a> {
    /// `codes` says how many different values persons have in each key.
    pub fn new(keys: &'a [ShownCells<'a>], codes: &[usize], sizes: &'a [u64]) -> Result<Self> {
        if keys.is_empty() || keys.iter().any(|key| key.cell_of.len() != sizes.len()) {
            return Err(Error::Broken("cells of other points".into()));
        }
        let mut points_of = reserved(keys.len())?;
        let mut cells_of = reserved(keys.len())?;
        for (key, &codes) in keys.iter().zip(codes) {
            let points = key.cell_of.iter().enumerate();
            let triples = collected(points.map(|(point, &cell)| (cell, point as u32, 1)))?;
            points_of.push(ColumnTally::new(key.meanings.len(), &triples)?);
            cells_of.push(filled(codes, None)?);
        }
        Ok(FittingPoints {
            keys,
            sizes,
            points_of,
            cells_of,
            found: Vec::new(),
        })
    }

    /// The points that a person with these codes fits into, in their order.
    fn of(&mut self, person: &[u32], meter: &mut Meter) -> Result<&[u32]> {
        for (key, &code) in person.iter().enumerate() {
            let cells = &mut self.cells_of[key][code as usize];
            if cells.is_none() {
                let shown = &self.keys[key];
                let mut holding = Vec::new();
                for cell in (0..shown.meanings.len() as u32).filter(|&cell| shown.holds(cell, code))
                {
                    make_room(&mut holding, 1)?;
                    holding.push(cell);
                }
                *cells = Some(holding);
                meter.spend(shown.meanings.len())?;
            }
        }
        let cells = |key: usize| self.cells_of[key][person[key] as usize].iter().flatten();
        let points = |key: usize| {
            let points_of = &self.points_of[key];
            cells(key)
                .map(|&cell| points_of.of(cell as usize).len())
                .sum::<usize>()
        };
        let rarest = (0..self.keys.len())
            .min_by_key(|&key| points(key))
            .unwrap_or(0);
        meter.spend(self.keys.len() * points(rarest))?;
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        for &cell in cells(rarest) {
            for &(point, _) in self.points_of[rarest].of(cell as usize) {
                let mut others = self.keys.iter().zip(person).enumerate();
                if others.all(|(key, (shown, &code))| key == rarest || shown.fits(point, code)) {
                    make_room(&mut found, 1)?;
                    found.push(point);
                }
            }
        }
        found.sort_unstable();
        self.found = found;
        Ok(&self.found)
    }

    /// Hands the points of each person, given as a column of codes for each key, to `take`.
    fn each(
        &mut self,
        persons: &[Vec<u32>],
        monitor: &mut dyn Monitor,
        mut take: impl FnMut(usize, &[u32]),
    ) -> Result<()> {
        let rows = persons.first().map_or(0, Vec::len);
        let mut meter = Meter::start(monitor, Phase::Checking, rows);
        let mut person = reserved(persons.len())?;
        for row in 0..rows {
            person.clear();
            person.extend(persons.iter().map(|codes| codes[row]));
            take(row, self.of(&person, &mut meter)?);
            meter.grouped(1);
            meter.spend(8)?;
        }
        Ok(())
    }

    /// Links each person to one of the rows that the person fits into. `own` says how many rows of
    /// the release are right, one by default.
    pub fn link(
        &mut self,
        persons: &[Vec<u32>],
        own: Option<&[u32]>,
        monitor: &mut dyn Monitor,
    ) -> Result<Linked> {
        let (mut linked, sizes) = (Linked::default(), self.sizes);
        self.each(persons, monitor, |person, points| {
            let rows: u64 = points.iter().map(|&point| sizes[point as usize]).sum();
            if rows > 0 {
                linked.persons += 1;
                linked.own_nearest += 1;
                let own = own.map_or(1.0, |own| f64::from(own[person]));
                linked.expected += (own / rows as f64).min(1.0);
            }
        })?;
        Ok(linked)
    }

    /// A point of each person: drawn, row by row, from those that the person fits into and that
    /// hold the person's values; and how many persons fit into several.
    pub fn own(
        &mut self,
        persons: &[Vec<u32>],
        values: &[(&[u32], &ColumnTally)],
        rng: &mut Generator,
        monitor: &mut dyn Monitor,
    ) -> Result<(Vec<u32>, u64)> {
        let rows = persons.first().map_or(0, Vec::len);
        let (mut own, mut several) = (filled(rows, NOWHERE)?, 0);
        let sizes = self.sizes;
        self.each(persons, monitor, |row, points| {
            let holds = |&&point: &&u32| {
                values.iter().all(|(codes, tally)| {
                    let cells = tally.of(point as usize);
                    cells
                        .binary_search_by_key(&codes[row], |cell| cell.0)
                        .is_ok()
                })
            };
            let (mut seen, mut fitting) = (0, 0);
            for &point in points.iter().filter(holds) {
                fitting += 1;
                seen += sizes[point as usize];
                if number(rng) % seen.max(1) < sizes[point as usize] {
                    own[row] = point;
                }
            }
            several += u64::from(fitting > 1);
        })?;
        Ok((own, several))
    }

    /// The value that is most frequent among the rows that each person fits into.
    pub fn guesses(
        &mut self,
        persons: &[Vec<u32>],
        values: &ColumnTally,
        monitor: &mut dyn Monitor,
    ) -> Result<Vec<Guess>> {
        let rows = persons.first().map_or(0, Vec::len);
        let nothing = Guess {
            value: 0,
            belief: 0.0,
        };
        let mut guesses = filled(rows, nothing)?;
        let width = values
            .iter()
            .flatten()
            .map(|cell| cell.0 as usize + 1)
            .max();
        let mut counts = filled(width.unwrap_or(0), 0u64)?;
        self.each(persons, monitor, |row, points| {
            let (mut whole, mut best) = (0, (0, 0));
            let cells = || points.iter().flat_map(|&point| values.of(point as usize));
            for &(value, count) in cells() {
                let sum = &mut counts[value as usize];
                *sum += count;
                whole += count;
                if *sum > best.1 || (*sum == best.1 && value < best.0) {
                    best = (value, *sum);
                }
            }
            cells().for_each(|cell| counts[cell.0 as usize] = 0);
            if whole > 0 {
                guesses[row] = Guess {
                    value: best.0,
                    belief: best.1 as f64 / whole as f64,
                };
            }
        })?;
        Ok(guesses)
    }

    /// How likely each class of a population is to be in the release: each point has room for
    /// its rows among all who fit into it.
    pub fn presence(
        &mut self,
        classes: &[Vec<u32>],
        population: &[u64],
        monitor: &mut dyn Monitor,
    ) -> Result<Vec<f64>> {
        let mut near = filled(self.sizes.len(), 0u64)?;
        self.each(classes, monitor, |class, points| {
            points
                .iter()
                .for_each(|&point| near[point as usize] += population[class]);
        })?;
        let (mut beliefs, sizes) = (filled(population.len(), 0.0)?, self.sizes);
        self.each(classes, monitor, |class, points| {
            let room =
                |&point: &u32| sizes[point as usize] as f64 / near[point as usize].max(1) as f64;
            beliefs[class] = points.iter().map(room).sum::<f64>().min(1.0);
        })?;
        Ok(beliefs)
    }
}
