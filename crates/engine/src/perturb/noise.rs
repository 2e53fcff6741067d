//! Additive noise with the covariance of the data, after which mean and covariance are restored
//! (Kim 1986).

use crate::run::Meter;
use crate::run::allocation;
use crate::{Error, Monitor, Phase, Result};
use rand::{Rng, RngExt};

/// Columns of equal length with noise whose covariance is `share` times theirs. The result has
/// the same expected means and covariances as the original: x′ = x̄ + (x − x̄ + e)/√(1 + share).
pub fn noise(
    columns: &[&[f64]],
    share: f64,
    rng: &mut impl Rng,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Vec<f64>>> {
    if !(share >= 0.0 && share.is_finite()) {
        return Err(Error::Negative { name: "share" });
    }
    let rows = columns.first().map_or(0, |column| column.len());
    let mut meter = Meter::start(monitor, Phase::Permuting, rows);
    let means: Vec<f64> = columns.iter().map(|column| mean(column)).collect();
    let lower = cholesky(covariance(columns, &means));
    let mut noisy = Vec::new();
    for column in columns {
        noisy.push(allocation::collected(column.iter().copied())?);
    }
    let (scale, shrink) = (share.sqrt(), (1.0 + share).sqrt());
    let mut draws = vec![0.0; columns.len()];
    for row in 0..rows {
        draws.fill_with(|| normal(rng));
        for ((column, weights), mean) in noisy.iter_mut().zip(&lower).zip(&means) {
            let error: f64 = weights.iter().zip(&draws).map(|(w, z)| w * z).sum();
            column[row] = mean + (column[row] - mean + scale * error) / shrink;
        }
        meter.grouped(1);
        meter.spend(16 * columns.len())?;
    }
    Ok(noisy)
}

/// The mean of what is there; missing values are NaN, and stay so.
fn mean(values: &[f64]) -> f64 {
    let present = values.iter().filter(|value| !value.is_nan());
    let (rows, sum) = present.fold((0.0, 0.0), |(rows, sum), value| (rows + 1.0, sum + value));
    sum / f64::max(rows, 1.0)
}

fn covariance(columns: &[&[f64]], means: &[f64]) -> Vec<Vec<f64>> {
    let size = columns.len();
    let cell = |p: usize, q: usize| {
        let pairs = columns[p].iter().zip(columns[q]);
        let products = pairs.map(|(x, y)| (x - means[p]) * (y - means[q]));
        let present = products.filter(|product| !product.is_nan());
        let (rows, sum) = present.fold((0.0, 0.0), |(rows, sum), product| {
            (rows + 1.0, sum + product)
        });
        sum / f64::max(rows - 1.0, 1.0)
    };
    (0..size)
        .map(|p| (0..size).map(|q| cell(p, q)).collect())
        .collect()
}

/// The lower triangle L with L·Lᵀ the matrix; columns that depend on others add nothing. Where
/// values are missing, each covariance is of other rows, and no noise may have them all: then those
/// of a column with the columns before it are made smaller alike, so that its variance stays.
fn cholesky(matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut lower = vec![vec![0.0; size]; size];
    for p in 0..size {
        for q in 0..p {
            let known: f64 = (0..q).map(|at| lower[p][at] * lower[q][at]).sum();
            if lower[q][q] > 1e-12 * matrix[q][q].sqrt() {
                lower[p][q] = (matrix[p][q] - known) / lower[q][q];
            }
        }
        let variance = matrix[p][p];
        let known: f64 = lower[p].iter().map(|part| part * part).sum();
        if known > variance {
            let fitting = (variance / known).sqrt();
            lower[p].iter_mut().for_each(|part| *part *= fitting);
        } else {
            lower[p][p] = (variance - known).sqrt();
        }
    }
    lower
}

/// A standard normal number (Marsaglia's polar method).
fn normal(rng: &mut impl Rng) -> f64 {
    loop {
        let (u, v) = (
            2.0 * rng.random::<f64>() - 1.0,
            2.0 * rng.random::<f64>() - 1.0,
        );
        let square = u * u + v * v;
        if square > 0.0 && square < 1.0 {
            return u * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Unwatched, random::generator};

    fn two_columns(rows: usize) -> (Vec<f64>, Vec<f64>) {
        let mut rng = generator(Some(5)).unwrap();
        let x: Vec<f64> = (0..rows).map(|_| 10.0 + 3.0 * normal(&mut rng)).collect();
        let y = x.iter().map(|x| 2.0 * x + normal(&mut rng)).collect();
        (x, y)
    }

    #[test]
    fn means_and_covariances_stay() {
        let (x, y) = two_columns(50_000);
        let mut rng = generator(Some(7)).unwrap();
        let noisy = noise(&[&x, &y], 0.5, &mut rng, &mut Unwatched).unwrap();
        let noisy: Vec<&[f64]> = noisy.iter().map(|column| &column[..]).collect();
        let figures = |columns: &[&[f64]]| {
            let means: Vec<f64> = columns.iter().map(|column| mean(column)).collect();
            let covariance = covariance(columns, &means);
            (means, covariance)
        };
        let (before, after) = (figures(&[&x, &y]), figures(&noisy));
        for p in 0..2 {
            assert!((after.0[p] / before.0[p] - 1.0).abs() < 0.01);
            for q in 0..2 {
                assert!((after.1[p][q] / before.1[p][q] - 1.0).abs() < 0.03);
            }
        }
        // the noise is there: of the variance 1/(1 + 0.5) is still the original's
        let pair: [&[f64]; 2] = [&x, noisy[0]];
        let shared = figures(&pair).1;
        let correlation = shared[0][1] / (shared[0][0] * shared[1][1]).sqrt();
        assert!(
            (correlation - (1.0f64 / 1.5).sqrt()).abs() < 0.01,
            "{correlation}"
        );
    }

    /// Three surveys, each of which asks two of three questions: no three complete columns could
    /// go together as the pairs do.
    #[test]
    fn variances_stay_where_no_two_columns_lack_the_same_rows() {
        let (mut x, mut y) = two_columns(9_000);
        x.iter_mut().for_each(|x| *x -= 10.0);
        for (x, y) in x.iter().zip(&mut y) {
            *y = x + 1.5 * (*y - 20.0 - 2.0 * x);
        }
        let asked = |survey: [Option<(&[f64], f64)>; 3]| -> Vec<f64> {
            let value = |row: usize| survey[row % 3].map_or(f64::NAN, |(of, sign)| sign * of[row]);
            (0..x.len()).map(value).collect()
        };
        let columns = [
            asked([Some((&x, 1.0)), Some((&x, 1.0)), None]),
            asked([Some((&y, 1.0)), None, Some((&x, 1.0))]),
            asked([None, Some((&y, 1.0)), Some((&y, -1.0))]),
        ];
        let columns = columns.each_ref().map(|column| &column[..]);
        let mut rng = generator(Some(7)).unwrap();
        let noisy = noise(&columns, 0.5, &mut rng, &mut Unwatched).unwrap();
        let variance = |column: &[f64]| covariance(&[column], &[mean(column)])[0][0];
        for (before, after) in columns.iter().zip(&noisy) {
            let change = variance(after) / variance(before);
            assert!((change - 1.0).abs() < 0.05, "{change}");
        }
    }

    #[test]
    fn constant_and_dependent_columns_are_no_trouble() {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let twice: Vec<f64> = x.iter().map(|x| 2.0 * x).collect();
        let constant = vec![4.0; 100];
        let mut rng = generator(Some(7)).unwrap();
        let noisy = noise(&[&x, &twice, &constant], 0.3, &mut rng, &mut Unwatched).unwrap();
        assert!(
            noisy[0]
                .iter()
                .zip(&noisy[1])
                .all(|(a, b)| (2.0 * a - b).abs() < 1e-6)
        );
        assert_eq!(noisy[2], constant);
        assert_eq!(noise(&[&x], 0.0, &mut rng, &mut Unwatched).unwrap()[0], x);
        let missing = noise(&[&[1.0, f64::NAN, 3.0]], 0.3, &mut rng, &mut Unwatched).unwrap();
        assert!(missing[0][1].is_nan() && missing[0][0].is_finite());
        assert!(noise(&[&x], -0.1, &mut rng, &mut Unwatched).is_err());
        assert!(noise(&[&[]], 0.1, &mut rng, &mut Unwatched).unwrap()[0].is_empty());
    }
}
