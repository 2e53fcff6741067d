//! Coding by a bound, and rounding: what lies beyond a bound shows the bound, and numbers show the
//! nearest multiple of a unit. What is missing (NaN) stays missing.

use crate::run::allocation;
use crate::{Error, Result};

/// From here on doubles are whole numbers.
const NO_FRACTIONS: f64 = (1u64 << 53) as f64;

/// The column with what lies above a bound replaced by the bound.
pub fn top_bound(values: &[f64], bound: f64) -> Result<Vec<f64>> {
    // NaN is neither above nor below
    let coded = |&value: &f64| if value > bound { bound } else { value };
    allocation::collected(values.iter().map(coded))
}

/// The same for what lies below a bound.
pub fn bottom_bound(values: &[f64], bound: f64) -> Result<Vec<f64>> {
    let coded = |&value: &f64| if value < bound { bound } else { value };
    allocation::collected(values.iter().map(coded))
}

/// The column in whole multiples of a unit, infinite where the nearest one is beyond all numbers.
pub fn rounded(values: &[f64], unit: f64) -> Result<Vec<f64>> {
    if !(unit > 0.0 && unit.is_finite()) {
        return Err(Error::NotPositive { name: "unit" });
    }
    let multiple = |&value: &f64| {
        let units = value / unit;
        let multiple = units.round() * unit;
        // a number that is too large for its unit has no digits to round
        match multiple.is_infinite() && units.abs() >= NO_FRACTIONS {
            true => value,
            false => multiple,
        }
    };
    allocation::collected(values.iter().map(multiple))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_and_units() {
        let values = [1.0, f64::NAN, 7.0, -3.0];
        let bounded = top_bound(&values, 5.0).unwrap();
        assert!(bounded[1].is_nan() && (bounded[2], bounded[3]) == (5.0, -3.0));
        assert_eq!(bottom_bound(&values, 0.0).unwrap()[3], 0.0);
        let hundreds = rounded(&[1_234.0, -1_250.0, f64::MAX, f64::NAN], 100.0).unwrap();
        assert_eq!(hundreds[..2], [1_200.0, -1_300.0]);
        assert!(hundreds[2].is_finite() && hundreds[3].is_nan());
        // not the value itself, which would be released as it is
        assert_eq!(rounded(&[1.7e308], 1.1e308).unwrap(), [f64::INFINITY]);
        assert!(rounded(&values, 0.0).is_err() && rounded(&values, -1.0).is_err());
    }
}
