//! How alike two versions of the same data are: moments, quantiles, distances of distributions,
//! correlations. Values that are missing are NaN and left out.

use crate::Result;
use crate::run::allocation;
use crate::run::limits::{self, Pulse};

/// What a cell of a masked table stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// a number, or one between two
    Range { low: f64, high: f64 },
    /// categories, each with its share of the cell
    Shares(Vec<(u32, f64)>),
    /// one of these categories; shares are even, because nothing says which of them occur
    Node(Vec<(u32, f64)>),
    /// nothing is known
    Lost,
}

impl Meaning {
    /// The ends of a range.
    pub fn ends(&self) -> Option<(f64, f64)> {
        match self {
            Meaning::Range { low, high } => Some((*low, *high)),
            _ => None,
        }
    }

    /// The number in the middle; NaN where there is none.
    pub fn middle(&self) -> f64 {
        match self {
            Meaning::Range { low, high } => low / 2.0 + high / 2.0,
            _ => f64::NAN,
        }
    }

    fn shares(&self) -> &[(u32, f64)] {
        match self {
            Meaning::Shares(shares) | Meaning::Node(shares) => shares,
            _ => &[],
        }
    }
}

/// The share of rows in each category, given the number of each row's label.
pub fn masses(labels: &[u32], meanings: &[Meaning], categories: usize) -> Result<Vec<f64>> {
    let mut rows = allocation::filled(meanings.len(), 0u64)?;
    for &label in labels {
        rows[label as usize] += 1;
    }
    let mut masses = allocation::filled(categories, 0.0)?;
    for (meaning, rows) in meanings.iter().zip(rows) {
        for &(code, share) in meaning.shares() {
            masses[code as usize] += share * rows as f64 / labels.len() as f64;
        }
    }
    Ok(masses)
}

/// A categorical column: labels of rows, what they stand for, how many categories there are.
pub type Labelled<'a> = (&'a [u32], &'a [Meaning], usize);

/// Cramér's V of two categorical columns; cells with several categories count for each in part.
pub fn association(a: Labelled<'_>, b: Labelled<'_>) -> Result<f64> {
    let mut table = Vec::new();
    for _ in 0..a.2 {
        table.push(allocation::filled(b.2, 0.0)?);
    }
    let mut pulse = Pulse::default();
    for (&of_a, &of_b) in a.0.iter().zip(b.0) {
        pulse.spend(1)?;
        for &(row, share) in a.1[of_a as usize].shares() {
            for &(column, other) in b.1[of_b as usize].shares() {
                table[row as usize][column as usize] += share * other;
            }
        }
    }
    Ok(cramers_v(&table))
}

/// Sweeps of Jacobi's method, which needs about ten.
const MOST_SWEEPS: usize = 64;
/// What may be left beside the diagonal: after the sweep that found this little, less than rounding.
const SMALL_REST: f64 = 1e-22;

/// What describes a numeric column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnSummary {
    pub mean: f64,
    /// with n - 1 in the denominator; 0 for a single value
    pub sd: f64,
    /// at 25, 50 and 75 percent, between values as percentile_cont has it
    pub quartiles: [f64; 3],
}

/// The values that are there, ascending.
pub fn sorted(values: &[f64]) -> Result<Vec<f64>> {
    let mut sorted = allocation::reserved(values.len())?;
    sorted.extend(values.iter().copied().filter(|value| !value.is_nan()));
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(sorted)
}

/// Describes ascending values; `None` for none.
pub fn summary(sorted: &[f64]) -> Option<ColumnSummary> {
    if sorted.is_empty() {
        return None;
    }
    let rows = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / rows;
    let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    Some(ColumnSummary {
        mean,
        sd: (squares / (rows - 1.0).max(1.0)).sqrt(),
        quartiles: [0.25, 0.5, 0.75].map(|share| quantile(sorted, share)),
    })
}

/// The value at a share of ascending values, interpolated.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (below, above) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    below + (above - below) * place.fract()
}

/// Kolmogorov and Smirnov's distance: the largest difference of two distribution functions,
/// given their ascending values. 1 where one of the two has no values and the other has.
pub fn kolmogorov_smirnov(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return f64::from(a.is_empty() != b.is_empty());
    }
    let (mut i, mut j, mut largest) = (0, 0, 0.0f64);
    while i < a.len() && j < b.len() {
        let value = a[i].min(b[j]);
        while i < a.len() && a[i] <= value {
            i += 1;
        }
        while j < b.len() && b[j] <= value {
            j += 1;
        }
        let difference = i as f64 / a.len() as f64 - j as f64 / b.len() as f64;
        largest = largest.max(difference.abs());
    }
    largest
}

/// Half the sum of the differences of two distributions over the same categories, whose masses
/// need not add up to 1: what is lost counts as moved.
pub fn total_variation(a: &[f64], b: &[f64]) -> f64 {
    let (sum_a, sum_b): (f64, f64) = (a.iter().sum(), b.iter().sum());
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    (differences.sum::<f64>() + (sum_a - sum_b).abs()) / 2.0
}

/// Pearson's correlation over rows where both values are there; `None` where one is constant.
pub fn correlation(x: &[f64], y: &[f64]) -> Option<f64> {
    let pairs = || x.iter().zip(y).filter(|(x, y)| !x.is_nan() && !y.is_nan());
    let rows = pairs().count() as f64;
    let mean_x = pairs().map(|(x, _)| x).sum::<f64>() / rows;
    let mean_y = pairs().map(|(_, y)| y).sum::<f64>() / rows;
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs() {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    (xx > 0.0 && yy > 0.0).then(|| (xy / (xx.sqrt() * yy.sqrt())).clamp(-1.0, 1.0))
}

/// Cramér's V of a table of masses, 0 to 1; 0 where a side has one category only.
pub fn cramers_v(table: &[Vec<f64>]) -> f64 {
    let rows: Vec<f64> = table.iter().map(|row| row.iter().sum()).collect();
    let width = table.first().map_or(0, Vec::len);
    let column = |place: usize| table.iter().map(|row| row[place]).sum::<f64>();
    let columns: Vec<f64> = (0..width).map(column).collect();
    let total: f64 = rows.iter().sum();
    let filled = |sums: &[f64]| sums.iter().filter(|&&sum| sum > 0.0).count();
    let freedom = filled(&rows).min(filled(&columns));
    if freedom < 2 || total <= 0.0 {
        return 0.0;
    }
    let mut chi_square = 0.0;
    for (row, &of_row) in table.iter().zip(&rows) {
        for (&cell, &of_column) in row.iter().zip(&columns) {
            let expected = of_row * of_column / total;
            if expected > 0.0 {
                chi_square += (cell - expected).powi(2) / expected;
            }
        }
    }
    (chi_square / (total * (freedom - 1) as f64))
        .sqrt()
        .min(1.0)
}

/// The eigenvalues of a symmetric matrix, largest first, by Jacobi's rotations.
pub fn eigenvalues(mut matrix: Vec<Vec<f64>>) -> Result<Vec<f64>> {
    let size = matrix.len();
    // rotations keep the sum of squares; what is left beside the diagonal is compared with it
    let squares: f64 = matrix.iter().flatten().map(|cell| cell * cell).sum();
    for _ in 0..MOST_SWEEPS {
        let mut off = 0.0;
        for p in 0..size {
            limits::pulse()?;
            for q in p + 1..size {
                off += matrix[p][q].powi(2);
                rotate(&mut matrix, p, q);
            }
        }
        if off <= SMALL_REST * squares {
            break;
        }
    }
    let mut values: Vec<f64> = (0..size).map(|place| matrix[place][place]).collect();
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    Ok(values)
}

/// Makes one pair of elements zero.
fn rotate(matrix: &mut [Vec<f64>], p: usize, q: usize) {
    if matrix[p][q] == 0.0 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cos = 1.0 / (t * t + 1.0).sqrt();
    let sin = t * cos;
    for row in matrix.iter_mut() {
        let (at_p, at_q) = (row[p], row[q]);
        row[p] = cos * at_p - sin * at_q;
        row[q] = sin * at_p + cos * at_q;
    }
    if let Ok([row_p, row_q]) = matrix.get_disjoint_mut([p, q]) {
        for (at_p, at_q) in row_p.iter_mut().zip(row_q) {
            (*at_p, *at_q) = (cos * *at_p - sin * *at_q, sin * *at_p + cos * *at_q);
        }
    }
}

/// IL1s of one column (Yancey, Winkler, Creecy 2002): the distance of each value from what
/// stands for it, in units of √2 standard deviations of the original. A lost cell stands for the
/// original's mean; a value that was missing already has no distance.
pub fn il1s(original: &[f64], released: &[f64]) -> Result<f64> {
    let Some(whole) = summary(&sorted(original)?) else {
        return Ok(0.0);
    };
    if whole.sd == 0.0 {
        return Ok(0.0);
    }
    let pairs = original.iter().zip(released).filter(|(a, _)| !a.is_nan());
    let distances = pairs.map(|(a, b)| match b.is_nan() {
        true => (a - whole.mean).abs(),
        false => (a - b).abs(),
    });
    // no distance at all is 0, not -0
    let sum = distances.fold(0.0, |sum, distance| sum + distance);
    Ok(sum / (std::f64::consts::SQRT_2 * whole.sd))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_are_those_of_percentile_cont() {
        let values = [1.0, 2.0, 4.0, 10.0];
        assert_eq!(quantile(&values, 0.5), 3.0);
        assert_eq!(quantile(&values, 0.25), 1.75);
        assert_eq!(
            (quantile(&values, 0.0), quantile(&values, 1.0)),
            (1.0, 10.0)
        );
        assert_eq!(summary(&[]), None);
        assert_eq!(summary(&[7.0]).map(|of| (of.mean, of.sd)), Some((7.0, 0.0)));
    }

    #[test]
    fn distances_of_distributions() {
        assert_eq!(kolmogorov_smirnov(&[1.0, 2.0], &[1.0, 2.0]), 0.0);
        assert_eq!(kolmogorov_smirnov(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
        assert_eq!(kolmogorov_smirnov(&[1.0, 1.0, 2.0, 3.0], &[1.0, 3.0]), 0.25);
        assert_eq!(kolmogorov_smirnov(&[], &[1.0]), 1.0);
        assert_eq!(total_variation(&[0.5, 0.5], &[0.5, 0.5]), 0.0);
        assert_eq!(total_variation(&[1.0, 0.0], &[0.0, 1.0]), 1.0);
        assert_eq!(total_variation(&[0.5, 0.5], &[0.5, 0.0]), 0.5);
    }

    #[test]
    fn lost_cells_are_as_far_as_the_mean() {
        let (original, lost) = ([1.0, 2.0, f64::NAN, 6.0], [f64::NAN; 4]);
        let sd = summary(&sorted(&original).unwrap()).unwrap().sd;
        let units = std::f64::consts::SQRT_2 * sd;
        assert!((il1s(&original, &lost).unwrap() - 6.0 / units).abs() < 1e-12);
        let half = [1.0, 3.0, 5.0, f64::NAN];
        assert!((il1s(&original, &half).unwrap() - 4.0 / units).abs() < 1e-12);
        assert!(il1s(&lost, &original).unwrap().is_sign_positive());
        assert!(il1s(&[1.0, 2.0], &[1.0, 2.0]).unwrap().is_sign_positive());
    }

    #[test]
    fn associations() {
        let x = [1.0, 2.0, f64::NAN, 3.0];
        let straight = correlation(&x, &[2.0, 4.0, 9.0, 6.0]);
        assert!((straight.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(correlation(&x, &[1.0; 4]), None);
        assert_eq!(cramers_v(&[vec![5.0, 0.0], vec![0.0, 5.0]]), 1.0);
        assert_eq!(cramers_v(&[vec![2.0, 2.0], vec![3.0, 3.0]]), 0.0);
        assert_eq!(cramers_v(&[vec![2.0, 2.0]]), 0.0);
    }

    #[test]
    fn eigenvalues_of_a_known_matrix() {
        let matrix = vec![
            vec![2.0, 1.0, 0.0],
            vec![1.0, 2.0, 0.0],
            vec![0.0, 0.0, 5.0],
        ];
        let found = eigenvalues(matrix).unwrap();
        for (found, expected) in found.iter().zip([5.0, 3.0, 1.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn eigenvalues_keep_trace_and_squares(cells in prop::collection::vec(-1.0..1.0f64, 10)) {
            let mut matrix = vec![vec![0.0; 4]; 4];
            let mut cells = cells.into_iter();
            let places = (0..4).flat_map(|p| (p..4).map(move |q| (p, q)));
            for ((p, q), cell) in places.zip(cells.by_ref()) {
                matrix[p][q] = cell;
                matrix[q][p] = cell;
            }
            let trace: f64 = (0..4).map(|p| matrix[p][p]).sum();
            let squares: f64 = matrix.iter().flatten().map(|cell| cell * cell).sum();
            let found = eigenvalues(matrix).unwrap();
            prop_assert!((found.iter().sum::<f64>() - trace).abs() < 1e-9);
            prop_assert!((found.iter().map(|v| v * v).sum::<f64>() - squares).abs() < 1e-9);
        }

        #[test]
        fn distance_is_the_largest_difference_of_the_functions(
            mut a in prop::collection::vec(0..6u32, 1..20), mut b in prop::collection::vec(0..6u32, 1..20),
        ) {
            a.sort_unstable();
            b.sort_unstable();
            let floats = |values: &[u32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
            let below = |values: &[u32], at: u32| {
                values.iter().filter(|&&v| v <= at).count() as f64 / values.len() as f64
            };
            let naive = (0..6).map(|at| (below(&a, at) - below(&b, at)).abs()).fold(0.0, f64::max);
            let found = kolmogorov_smirnov(&floats(&a), &floats(&b));
            prop_assert!((found - naive).abs() < 1e-12);
        }
    }
}
