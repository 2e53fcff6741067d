//! Keys as a model learns from them: numbers in bins, because a value that occurs once teaches
//! nothing.

use crate::run::allocation::collected;
use crate::{Categories, Column, Result};

/// So many different numbers are learnt from one by one; more are put into at most so many bins.
const BINS: f64 = 20.0;

/// The column as codes. A numeric column of more than 20 different values is cut into at most
/// 20 intervals whose width is 1, 2 or 5 times a power of ten: ages by 5.
pub fn binned(column: &Column) -> Result<Categories> {
    let values = match column {
        Column::Categorical(categories) => return categories.try_clone(),
        Column::Numeric(values) => values,
    };
    let mut distinct = collected(values.iter().copied())?;
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    if distinct.len() as f64 <= BINS {
        let code = |value: &f64| distinct.partition_point(|other| other < value) as u32;
        return Ok(Categories::new(collected(values.iter().map(code))?));
    }
    let (least, greatest) = (distinct[0], distinct[distinct.len() - 1]);
    let width = round_width((greatest / BINS - least / BINS).abs());
    let first = (least / width).floor();
    let code = |value: &f64| ((value / width).floor() - first) as u32;
    Ok(Categories::new(collected(values.iter().map(code))?))
}

/// The least of 1, 2, 5, 10, 20 … (and their tenths) that is no less than this.
fn round_width(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let fits = |factor: &&f64| **factor * power >= least;
    let factor = [1.0, 2.0, 5.0].iter().find(fits).copied();
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_cut_by_five() {
        let ages: Vec<f64> = (17..=90).map(f64::from).collect();
        let bins = binned(&Column::Numeric(ages.clone())).unwrap();
        let expected: Vec<u32> = ages.iter().map(|age| (age / 5.0) as u32 - 3).collect();
        assert_eq!(bins.codes(), expected);
    }

    #[test]
    fn few_numbers_stay_apart() {
        let column = Column::Numeric(vec![3.0, 1.0, 1e300, 3.0]);
        assert_eq!(binned(&column).unwrap().codes(), [1, 0, 2, 1]);
    }

    #[test]
    fn any_spread_gives_few_bins() {
        for scale in [1e-300, 1e-3, 1.0, 7.3, 1e12, 1e306] {
            let values = (-50..50).map(|step| f64::from(step) * scale).collect();
            let bins = binned(&Column::Numeric(values)).unwrap();
            assert!(
                (8..=22).contains(&bins.cardinality()),
                "{scale}: {}",
                bins.cardinality()
            );
        }
    }
}
