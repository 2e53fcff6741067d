//! What a column loses, gathered part by part: where strata are masked apart, the loss of the table
//! is not the mean of theirs, because it is measured from the mean of all rows.

use super::ShownLoss;
use crate::data::mask;
use crate::{Categories, Moments, Partition, Result};

/// What is known of a numeric column of some rows that show the means of their groups.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NumberLoss {
    /// the values that are there
    pub present: Moments,
    pub missing: u64,
    /// squared distances of values to the means that their rows show
    pub within: f64,
    /// missing values whose rows show a mean
    pub filled: u64,
    /// values whose rows show nothing
    pub hidden: Moments,
}

/// What is known of a categorical column of some rows that show the most frequent values of their
/// groups.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CategoryLoss {
    pub rows: u64,
    /// rows that show another value than their own
    pub differing: u64,
}

impl NumberLoss {
    /// Of the values of a column; NaN stands for a missing one.
    pub fn of(values: &[f64], partition: &Partition) -> Result<Self> {
        let means = mask::means(values, partition)?;
        let mut loss = NumberLoss::default();
        for (&value, &group) in values.iter().zip(partition.group_of()) {
            loss.add(value, means[group as usize]);
        }
        Ok(loss)
    }

    fn add(&mut self, value: f64, shown: f64) {
        if value.is_nan() {
            self.missing += 1;
            self.filled += u64::from(!shown.is_nan());
            return;
        }
        self.present.add(value);
        match shown.is_nan() {
            true => self.hidden.add(value),
            false => self.within += (value - shown).powi(2),
        }
    }

    /// Adds what is known of other rows.
    pub fn merge(&mut self, other: &NumberLoss) {
        self.present.merge(&other.present);
        self.missing += other.missing;
        self.within += other.within;
        self.filled += other.filled;
        self.hidden.merge(&other.hidden);
    }

    /// What the column loses.
    pub fn loss(&self) -> ShownLoss {
        let NumberLoss {
            present, hidden, ..
        } = self;
        let variance = present.squares / (present.rows as f64).max(1.0);
        if variance == 0.0 && present.rows > 0 {
            // all that varies is whether there is a value
            return ShownLoss::of_squares(self.filled as f64, self.missing as f64, 1.0);
        }
        // hidden values lose their distance to the mean of all
        let hidden = match hidden.rows {
            0 => 0.0,
            rows => hidden.squares + rows as f64 * (hidden.mean - present.mean).powi(2),
        };
        let within = self.within + self.filled as f64 * variance + hidden;
        let total = present.squares + self.missing as f64 * variance;
        ShownLoss::of_squares(within, total, variance)
    }
}

impl CategoryLoss {
    pub fn of(values: &Categories, partition: &Partition) -> Result<Self> {
        let modes = mask::modes(values, partition)?;
        let rows = values.codes().iter().zip(partition.group_of());
        let differing = rows.filter(|&(code, &group)| *code != modes[group as usize]);
        Ok(CategoryLoss {
            rows: values.codes().len() as u64,
            differing: differing.count() as u64,
        })
    }

    /// Adds what is known of other rows.
    pub fn merge(&mut self, other: &CategoryLoss) {
        self.rows += other.rows;
        self.differing += other.differing;
    }

    /// What the column loses, given how often the most frequent value of all rows occurs.
    pub fn loss(&self, most: u64) -> ShownLoss {
        ShownLoss::of_differing(self.differing, most, self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Squares;
    use crate::{Column, Space, Table};
    use proptest::prelude::*;

    /// A table of two strata, each with two groups.
    fn partition(rows: usize) -> Partition {
        Partition::new((0..rows as u32).map(|row| row % 4).collect(), 4).unwrap()
    }

    /// The rows of a stratum, and their groups.
    fn stratum<T: Copy>(all: &[T], odd: usize) -> (Vec<T>, Partition) {
        let rows = (odd..all.len()).step_by(2);
        let values: Vec<T> = rows.clone().map(|row| all[row]).collect();
        let groups = rows.map(|row| (row as u32 % 4) / 2).collect();
        (values, Partition::new(groups, 2).unwrap())
    }

    proptest! {
        #[test]
        fn parts_lose_together_what_squares_say_of_the_whole(
            values in proptest::collection::vec(proptest::option::weighted(0.7, -50.0..50.0f64), 8..60),
            codes in proptest::collection::vec(0u32..4, 60),
        ) {
            let numbers: Vec<f64> = values.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
            let codes = &codes[..numbers.len()];
            let whole = partition(numbers.len());
            let (mut number, mut category) = (NumberLoss::default(), CategoryLoss::default());
            for odd in [0, 1] {
                let (part, groups) = stratum(&numbers, odd);
                number.merge(&NumberLoss::of(&part, &groups).unwrap());
                let (part, groups) = stratum(codes, odd);
                category.merge(&CategoryLoss::of(&Categories::new(part), &groups).unwrap());
            }
            let most = (0..4).map(|code| codes.iter().filter(|&&c| c == code).count()).max();
            let columns = vec![
                Column::Numeric(numbers),
                Column::Categorical(Categories::new(codes.to_vec())),
            ];
            let losses = [number.loss(), category.loss(most.unwrap() as u64)];
            for (column, loss) in columns.iter().zip(losses) {
                let space = Space::new(&Table::new(vec![column.clone()]).unwrap(), true).unwrap();
                let wanted = Squares::new(&space, &whole).unwrap().information_loss();
                prop_assert!((loss.percent() - wanted).abs() < 1e-6, "{} {wanted}", loss.percent());
            }
            let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
            let wanted = Squares::new(&space, &whole).unwrap().information_loss();
            let found = ShownLoss::of_all(&losses, &[], true);
            prop_assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
        }
    }
}
