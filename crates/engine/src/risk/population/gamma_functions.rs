//! The gamma function's logarithm and its derivative, for positive numbers.

/// Stirling's series is good to the last digit from here on.
const LARGE: f64 = 12.0;

/// ln Γ(x).
pub fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 1.0);
    while x < LARGE {
        shift *= x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = inverse
        * (-1.0 / 360.0 + inverse * (1.0 / 1260.0 + inverse * (-1.0 / 1680.0 + inverse / 1188.0)));
    let half_ln_tau = 0.5 * std::f64::consts::TAU.ln();
    (x - 0.5) * x.ln() - x + half_ln_tau + (1.0 / 12.0 + series) / x - shift.ln()
}

/// ψ(x), the derivative of ln Γ(x).
pub fn digamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < LARGE {
        shift += 1.0 / x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = inverse
        * (1.0 / 12.0
            - inverse
                * (1.0 / 120.0
                    - inverse * (1.0 / 252.0 - inverse * (1.0 / 240.0 - inverse / 132.0))));
    x.ln() - 0.5 / x - series - shift
}

/// Below this number of terms a sum is added up term by term.
const FEW_TERMS: u64 = 256;

/// Σ 1/(first + i·step) for i from 0 to terms − 1.
pub fn reciprocals(first: f64, step: f64, terms: u64) -> f64 {
    if terms < FEW_TERMS {
        return (0..terms).map(|i| 1.0 / (first + i as f64 * step)).sum();
    }
    let start = first / step;
    (digamma(start + terms as f64) - digamma(start)) / step
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By mpmath.
    #[test]
    fn known_values() {
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-13 * b.abs(), "{a} {b}");
        near(ln_gamma(0.5), 0.572_364_942_924_700_1);
        near(ln_gamma(7.25), 7.052_185_450_738_539);
        near(ln_gamma(3177.0), 22_438.238_617_520_52);
        near(digamma(0.5), -1.963_510_026_021_423_5);
        near(digamma(0.25), -4.227_453_533_376_265);
        near(digamma(40.5), 3.688_905_492_933_233_6);
    }

    #[test]
    fn sums_agree_with_their_terms() {
        for (first, step, terms) in [(0.3, 0.7, 1000u64), (31.0, 1.0, 5000), (0.01, 0.02, 300)] {
            let sum: f64 = (0..terms).map(|i| 1.0 / (first + i as f64 * step)).sum();
            assert!((reciprocals(first, step, terms) - sum).abs() < 1e-11 * sum);
        }
    }
}
