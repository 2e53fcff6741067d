//! Mean, spread and width of the numbers that are there.

/// The greatest number less the least.
pub(super) fn width(values: &[f64]) -> f64 {
    let present = || values.iter().copied().filter(|value| !value.is_nan());
    let (low, high) = (present().reduce(f64::min), present().reduce(f64::max));
    high.zip(low).map_or(0.0, |(high, low)| high - low)
}

/// What values are divided by so that no deviation from their mean overflows: 2, which changes
/// no digit of huge values, or 1, where halves might lose one.
pub(super) fn divisor_of_deviations(values: &[f64]) -> f64 {
    let huge = |value: &f64| value.abs() > f64::MAX / 2.0;
    if values.iter().any(huge) { 2.0 } else { 1.0 }
}

/// Mean and (population) standard deviation of the values that are there. They are scaled down
/// by the largest magnitude first, so that neither the sum nor a square overflows. A constant
/// column has spread 0.
pub(super) fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let present = || values.iter().filter(|value| !value.is_nan());
    let Some(&first) = present().next() else {
        return (0.0, 0.0);
    };
    if present().all(|&value| value == first) {
        return (first, 0.0);
    }
    let largest = present().fold(0.0, |top: f64, value| top.max(value.abs()));
    let count = present().count() as f64;
    let mean = present().map(|value| value / largest).sum::<f64>() / count;
    let square = |value: &f64| {
        let deviation = value / largest - mean;
        deviation * deviation
    };
    let variance = present().map(square).sum::<f64>() / count;
    (mean * largest, variance.sqrt() * largest)
}
