//! Random counting queries as in LHCC15, all answered in one pass over the groups.

use crate::acs::Ordinals;
use rand::{Rng, RngExt, seq::index};
use sdc_engine::estimate::{anatomy_count, permutation_count};
use sdc_engine::{Partition, Result};
use std::ops::Range;

/// How queries are drawn: `dimension` columns (the sensitive one among them), each with a
/// range of ⌊|A| · volume^(1/(dimension+1))⌋ values.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub dimension: usize,
    pub volume: f64,
    /// one sensitive value instead of a range of them
    pub single_value: bool,
}

/// Queries that no row meets have no relative error and are not drawn.
pub struct Workload {
    queries: usize,
    /// columns, keys first, the sensitive one last
    columns: Vec<Vec<u32>>,
    /// for each column and value one flag per query: 1 if the value is in its range
    flags: Vec<Vec<Vec<u8>>>,
    exact: Vec<f64>,
}

/// Estimates of all queries.
pub struct Estimates {
    pub anatomy: Vec<f64>,
    pub permutation: Vec<f64>,
}

impl Workload {
    pub fn draw(
        keys: &[&Ordinals],
        sensitive: &Ordinals,
        shape: Shape,
        queries: usize,
        rng: &mut impl Rng,
    ) -> Self {
        let columns: Vec<&Ordinals> = keys.iter().copied().chain([sensitive]).collect();
        let mut workload = Workload {
            queries: 0,
            columns: columns.iter().map(|column| column.places.clone()).collect(),
            flags: columns
                .iter()
                .map(|c| vec![Vec::new(); distinct(c) as usize])
                .collect(),
            exact: Vec::new(),
        };
        while workload.queries < queries {
            // more than needed, since some are not met by any row
            let drawn = (0..queries).map(|_| draw_ranges(&columns, shape, rng));
            let drawn: Vec<Vec<Range<u32>>> = drawn.collect();
            let exact = workload.trial(&drawn).count();
            let met = drawn.iter().zip(exact).filter(|(_, count)| *count > 0.0);
            for (ranges, count) in met.take(queries - workload.queries) {
                workload.add(ranges, count);
            }
        }
        workload
    }

    /// The same columns with other queries.
    fn trial(&self, drawn: &[Vec<Range<u32>>]) -> Self {
        let mut trial = Workload {
            queries: 0,
            columns: self.columns.clone(),
            flags: self
                .flags
                .iter()
                .map(|values| vec![Vec::new(); values.len()])
                .collect(),
            exact: Vec::new(),
        };
        drawn.iter().for_each(|ranges| trial.add(ranges, 0.0));
        trial
    }

    fn add(&mut self, ranges: &[Range<u32>], exact: f64) {
        for (values, range) in self.flags.iter_mut().zip(ranges) {
            for (value, flags) in values.iter_mut().enumerate() {
                flags.push(u8::from(range.contains(&(value as u32))));
            }
        }
        self.exact.push(exact);
        self.queries += 1;
    }

    /// How many rows meet each query.
    fn count(&self) -> Vec<f64> {
        let mut counts = vec![0u32; self.queries];
        let mut met = vec![0; self.queries];
        for row in 0..self.columns[0].len() {
            self.meet(row, self.columns.len(), &mut met);
            counts
                .iter_mut()
                .zip(&met)
                .for_each(|(count, &met)| *count += u32::from(met));
        }
        counts.into_iter().map(f64::from).collect()
    }

    /// Which queries a row meets in the first `columns` columns.
    fn meet(&self, row: usize, columns: usize, met: &mut [u8]) {
        met.fill(1);
        for column in 0..columns {
            let flags = self.of(column, row);
            met.iter_mut()
                .zip(flags)
                .for_each(|(met, flag)| *met &= flag);
        }
    }

    /// Which queries a row meets in one column.
    fn of(&self, column: usize, row: usize) -> &[u8] {
        &self.flags[column][self.columns[column][row] as usize]
    }

    /// What an anatomy and a permutation with these groups would answer.
    pub fn estimate(&self, partition: &Partition) -> Estimates {
        let keys = self.columns.len() - 1;
        let mut estimates = Estimates {
            anatomy: vec![0.0; self.queries],
            permutation: vec![0.0; self.queries],
        };
        let mut met = vec![0; self.queries];
        let mut together = vec![0; self.queries];
        let mut counts = vec![0; self.queries];
        let mut sensitive = vec![0.0; self.queries];
        let mut product = vec![0.0; self.queries];
        for rows in partition.members().expect("memory").iter() {
            assert!(rows.len() < 256, "counts are bytes");
            let size = rows.len() as f32;
            self.count_column(keys, rows, &mut counts);
            share(&counts, size, &mut sensitive);
            together.fill(0);
            for &row in rows {
                self.meet(row as usize, keys, &mut met);
                add(&met, &mut together);
            }
            accumulate(&together, &sensitive, &mut estimates.anatomy);
            product.copy_from_slice(&sensitive);
            for column in 0..keys {
                self.count_column(column, rows, &mut counts);
                let factors = product.iter_mut().zip(&counts);
                factors.for_each(|(product, &count): (&mut f32, &u8)| {
                    *product *= f32::from(count) / size;
                });
            }
            let sums = estimates.permutation.iter_mut().zip(&product);
            sums.for_each(|(sum, &product)| *sum += f64::from(product * size));
        }
        estimates
    }

    /// Compares the estimates of a few queries with the engine's.
    pub fn check(&self, partition: &Partition, estimates: &Estimates) -> Result<()> {
        let rows = 0..self.columns[0].len();
        let keys = self.columns.len() - 1;
        for query in (0..self.queries).step_by(self.queries / 3) {
            let flags = |column| {
                rows.clone()
                    .map(move |row| self.of(column, row)[query] == 1)
            };
            let columns: Vec<Vec<bool>> =
                (0..=keys).map(|column| flags(column).collect()).collect();
            let together = |row: usize| columns[..keys].iter().all(|column| column[row]);
            let together: Vec<bool> = rows.clone().map(together).collect();
            let anatomy = anatomy_count(partition, &together, &columns[keys])?;
            let all: Vec<&[bool]> = columns.iter().map(Vec::as_slice).collect();
            let permutation = permutation_count(partition, &all)?;
            assert!((anatomy - estimates.anatomy[query]).abs() <= 1e-4 * anatomy);
            assert!((permutation - estimates.permutation[query]).abs() <= 1e-4 * permutation);
        }
        Ok(())
    }

    /// How many of the rows meet each query in one column.
    fn count_column(&self, column: usize, rows: &[u32], counts: &mut [u8]) {
        counts.fill(0);
        for &row in rows {
            add(self.of(column, row as usize), counts);
        }
    }

    /// The average of |exact − estimate| / exact, in per cent.
    pub fn relative_error(&self, estimates: &[f64]) -> f64 {
        let pairs = self.exact.iter().zip(estimates);
        let errors = pairs.map(|(exact, estimate)| (exact - estimate).abs() / exact);
        100.0 * errors.sum::<f64>() / self.queries as f64
    }
}

/// The number of a column's values.
fn distinct(column: &Ordinals) -> u32 {
    column.places.iter().max().map_or(0, |&top| top + 1)
}

fn draw_ranges(columns: &[&Ordinals], shape: Shape, rng: &mut impl Rng) -> Vec<Range<u32>> {
    let share = shape.volume.powf(1.0 / (shape.dimension as f64 + 1.0));
    let keys = columns.len() - 1;
    let asked = index::sample(rng, keys, (shape.dimension - 1).min(keys)).into_vec();
    let range = |(number, column): (usize, &&Ordinals)| {
        let distinct = distinct(column);
        let length = match number == keys {
            true if shape.single_value => 1,
            false if !asked.contains(&number) => distinct,
            _ => ((f64::from(distinct) * share) as u32).max(1),
        };
        let start = rng.random_range(0..=distinct - length);
        start..start + length
    };
    columns.iter().enumerate().map(range).collect()
}

fn add(flags: &[u8], counts: &mut [u8]) {
    counts
        .iter_mut()
        .zip(flags)
        .for_each(|(count, flag)| *count += flag);
}

fn share(counts: &[u8], size: f32, shares: &mut [f32]) {
    let pairs = shares.iter_mut().zip(counts);
    pairs.for_each(|(share, &count)| *share = f32::from(count) / size);
}

fn accumulate(counts: &[u8], shares: &[f32], sums: &mut [f64]) {
    let products = counts
        .iter()
        .zip(shares)
        .map(|(&count, share)| f32::from(count) * share);
    sums.iter_mut()
        .zip(products)
        .for_each(|(sum, product)| *sum += f64::from(product));
}
