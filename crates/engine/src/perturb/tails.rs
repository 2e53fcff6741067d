//! Top and bottom coding: values beyond a quantile show the mean of all that lie beyond it, so
//! that extremes vanish and the column's mean stays. What is missing (NaN) stays missing.

use crate::measure::utility::{quantile, sorted};
use crate::run::allocation;
use crate::{Error, Result};

/// The column with what lies above a quantile replaced by the mean of that.
pub fn top_code(values: &[f64], share: f64) -> Result<Vec<f64>> {
    coded(values, share, |value, limit| value > limit)
}

/// The same for what lies below a quantile.
pub fn bottom_code(values: &[f64], share: f64) -> Result<Vec<f64>> {
    coded(values, share, |value, limit| value < limit)
}

/// The rows that a quantile cuts off at the top, or at the bottom.
pub fn tail(values: &[f64], share: f64, top: bool) -> Result<Vec<usize>> {
    let present = sorted(values)?;
    let mut rows = Vec::new();
    if !present.is_empty() {
        let limit = quantile(&present, share);
        let beyond = |value: f64| if top { value > limit } else { value < limit };
        let beyond = (0..values.len()).filter(|&row| beyond(values[row]));
        for row in beyond {
            allocation::make_room(&mut rows, 1)?;
            rows.push(row);
        }
    }
    Ok(rows)
}

fn coded(values: &[f64], share: f64, beyond: impl Fn(f64, f64) -> bool) -> Result<Vec<f64>> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::NotAProbability { name: "quantile" });
    }
    let mut coded = allocation::collected(values.iter().copied())?;
    let present = sorted(values)?;
    if present.is_empty() {
        return Ok(coded);
    }
    let limit = quantile(&present, share);
    let tail = || values.iter().copied().filter(|&value| beyond(value, limit));
    let (least, largest) = tail().fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(least, largest), value| (least.min(value), largest.max(value)),
    );
    // parts are added, because a sum of large values would be infinite, and rounding must not
    // carry their mean beyond them
    let count = tail().count() as f64;
    let mean = tail().map(|value| value / count).sum::<f64>();
    for value in &mut coded {
        if beyond(*value, limit) {
            *value = mean.max(least).min(largest);
        }
    }
    Ok(coded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_show_their_mean() {
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let top = top_code(&values, 0.75).unwrap();
        assert_eq!(top, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 9.0, 9.0]);
        let bottom = bottom_code(&values, 0.25).unwrap();
        assert_eq!(bottom[..4], [2.0, 2.0, 2.0, 4.0]);
        assert_eq!(top.iter().sum::<f64>(), 55.0);
    }

    #[test]
    fn tails_have_rows() {
        let values = [1.0, f64::NAN, 7.0, -3.0];
        assert_eq!(tail(&values, 0.9, true).unwrap(), [2]);
        assert_eq!(tail(&values, 0.5, false).unwrap(), [3]);
        assert!(tail(&[], 0.5, true).unwrap().is_empty());
    }

    #[test]
    fn nothing_lies_beyond_the_ends() {
        let values = [3.0, 1.0, 2.0];
        assert_eq!(top_code(&values, 1.0).unwrap(), values);
        assert_eq!(bottom_code(&values, 0.0).unwrap(), values);
        assert_eq!(top_code(&[5.0; 4], 0.5).unwrap(), [5.0; 4]);
        assert!(top_code(&[], 0.5).unwrap().is_empty());
        let missing = top_code(&[1.0, f64::NAN, 5.0], 0.5).unwrap();
        assert!(missing[1].is_nan() && missing[2] == 5.0);
        assert!(top_code(&values, 99.0).is_err());
    }
}
