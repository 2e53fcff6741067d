//! Rows that are perturbed together: all of a table, or those of a stratum. Where it is said whom
//! they are about, all rows of a person are changed alike: noise that differed from row to row
//! could be averaged out.

use crate::perturb::{Perturbation, perturb_categories, perturb_numbers};
use crate::pg::errors::{Failure, known};
use crate::pg::memory;
use crate::pg::progress::Watch;
use crate::read::columns::Decoder;
use pgrx::PgSqlErrorCode;
use sdc_engine::random::Generator;
use sdc_engine::{Categories, Column, PersonRows, Table, perturb, sorting};
use std::collections::HashSet;

/// Some rows, and whom each of them is about.
pub struct PerturbedPart {
    pub persons: Option<PersonRows>,
}

impl PerturbedPart {
    /// Numbers of columns after a method. A person gets the noise of the mean of their numbers.
    pub fn numbers(
        &self,
        method: Perturbation,
        columns: &[Vec<f64>],
        rng: &mut Generator,
        watch: &mut Watch,
    ) -> Vec<Vec<f64>> {
        let slices = |columns: &[Vec<f64>], rng: &mut Generator, watch: &mut Watch| {
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            perturb_numbers(method, &columns, rng, watch)
        };
        let (Some(persons), Perturbation::Noise(_)) = (&self.persons, method) else {
            return slices(columns, rng, watch);
        };
        let means = means(persons, columns);
        let noisy = slices(&means, rng, watch);
        let shifted = columns.iter().zip(means).zip(noisy);
        let shifted = shifted.map(|((column, means), noisy)| {
            let rows = column.iter().zip(persons.person_of());
            let shift = |person: u32| noisy[person as usize] - means[person as usize];
            memory::collected(rows.map(|(value, &person)| value + shift(person)))
        });
        shifted.collect()
    }

    /// Warns where the mean of a tail is the number of one row or person.
    pub fn warn_of_lone_tail(&self, name: &str, method: Perturbation, column: &[f64]) {
        let (coding, tail) = match method {
            Perturbation::TopCode(share) => ("top_code", perturb::tail(column, share, true)),
            Perturbation::BottomCode(share) => ("bottom_code", perturb::tail(column, share, false)),
            _ => return,
        };
        let tail = known(tail);
        let heads = match &self.persons {
            None => tail.len(),
            Some(persons) => {
                let persons = tail.iter().map(|&row| persons.person_of()[row]);
                persons.collect::<HashSet<u32>>().len()
            }
        };
        if heads == 1 {
            let one = if self.persons.is_some() {
                "person"
            } else {
                "row"
            };
            Failure::new(
                PgSqlErrorCode::ERRCODE_WARNING,
                format!(
                    "{coding} of column \"{name}\" cuts off one {one} only, and shows the mean of that"
                ),
            )
            .hint("Choose a quantile that cuts off more of them, or a \"bound\".")
            .warn();
        }
    }

    /// Codes of a column after a method. Rows of a person that have the same value are one.
    pub fn categories(
        &self,
        method: Perturbation,
        codes: &Categories,
        values: &Decoder,
        rng: &mut Generator,
        watch: &mut Watch,
    ) -> Vec<u32> {
        let Some(persons) = &self.persons else {
            return perturb_categories(method, codes, values, rng, watch);
        };
        let pair = |row: u32| {
            let row = row as usize;
            (persons.person_of()[row], codes.codes()[row])
        };
        let mut order = memory::collected(0..codes.codes().len() as u32);
        known(sorting::sort_by(&mut order, |&a, &b| {
            (pair(a), a).cmp(&(pair(b), b))
        }));
        let mut units: Vec<u32> = memory::reserved(order.len());
        units.extend(
            order
                .chunk_by(|&a, &b| pair(a) == pair(b))
                .map(|rows| pair(rows[0]).1),
        );
        let drawn = perturb_categories(method, &Categories::new(units), values, rng, watch);
        let mut changed = memory::collected(codes.codes().iter().copied());
        let units = order.chunk_by(|&a, &b| pair(a) == pair(b)).zip(drawn);
        for (rows, code) in units {
            rows.iter().for_each(|&row| changed[row as usize] = code);
        }
        changed
    }
}

/// The mean of each person in each column.
fn means(persons: &PersonRows, columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let copies = columns.iter();
    let copies = copies.map(|column| Column::Numeric(memory::collected(column.iter().copied())));
    let points = known(Table::new(copies.collect()).and_then(|table| persons.points(&table)));
    let means = points.columns().iter().map(|column| match column {
        Column::Numeric(means) => memory::collected(means.iter().copied()),
        Column::Categorical(_) => Vec::new(),
    });
    means.collect()
}
