//! The figures of DFS07 and SSD08 on the Census file.

mod census;

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sdc_engine::assign::{Method, k_first, p_sensitive};
use sdc_engine::measure::Squares;
use sdc_engine::{Categories, Space, Unwatched};

/// DFS07: the first six columns are keys, the next three sensitive, in 15 classes of equal width.
fn dfs07() -> Option<(Space, Vec<Categories>)> {
    let columns = census::columns()?;
    let classes = |values: &Vec<f64>| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let class = |value: &f64| ((value - low) * 15.0 / (high - low)).floor().min(14.0) as u32;
        Categories::new(values.iter().map(class).collect())
    };
    let sensitive = columns[6..9].iter().map(classes).collect();
    Some((census::space(&columns[..6]), sensitive))
}

/// SSD08: twelve keys; of the last column the last digit is sensitive.
fn ssd08() -> Option<(Space, Vec<Categories>)> {
    let columns = census::columns()?;
    let digits = columns[12].iter().map(|value| (value % 10.0) as u32);
    let digits = Categories::new(digits.collect());
    Some((census::space(&columns[..12]), vec![digits]))
}

fn loss(
    (space, sensitive): &(Space, Vec<Categories>),
    k: usize,
    p: usize,
    method: Method,
    seed: u64,
) -> f64 {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let partition = p_sensitive(space, sensitive, k, p, method, &mut rng, &mut Unwatched);
    Squares::new(space, &partition.unwrap())
        .unwrap()
        .information_loss()
}

/// (k, p, loss)
type Cell = (usize, usize, f64);

fn assert_cells(data: &(Space, Vec<Categories>), method: Method, digits: i32, cells: &[Cell]) {
    for &(k, p, expected) in cells {
        let actual = loss(data, k, p, method, 0);
        let off = (actual - expected).abs();
        assert!(
            off < 0.51 * 10f64.powi(-digits),
            "k = {k}, p = {p}: {actual}, not {expected}"
        );
    }
}

#[test]
fn dfs07_table_2() {
    let Some(data) = dfs07() else { return };
    let cells = [
        (3, 1, 3.6967),
        (3, 3, 23.1342),
        (5, 1, 6.2071),
        (5, 3, 23.2814),
        (5, 5, 47.1516),
        (7, 1, 7.9335),
        (7, 3, 22.3151),
        (7, 5, 47.1516),
        (7, 7, 57.6365),
        (10, 1, 9.7115),
        (10, 3, 23.1369),
        (10, 5, 47.1516),
        (10, 7, 57.6365),
        (10, 10, 100.0),
    ];
    assert_cells(&data, Method::PFirst, 4, &cells);
}

#[test]
fn dfs07_with_less_loss() {
    let Some(data) = dfs07() else { return };
    let cells = [
        (3, 3, 21.61),
        (5, 3, 22.31),
        (7, 3, 20.23),
        (10, 3, 20.52),
        (5, 5, 34.22),
        (10, 5, 34.60),
        (10, 7, 49.41),
        (10, 10, 67.26),
    ];
    assert_cells(&data, Method::PFirstLean, 2, &cells);
}

#[test]
fn dfs07_growing_groups() {
    let Some((space, sensitive)) = dfs07() else {
        return;
    };
    for (p, expected, size) in [
        (3, 40.6318, 162),
        (5, 58.8596, 319),
        (7, 64.7129, 361),
        (10, 100.0, 541),
    ] {
        let (partition, reached) = k_first(&space, &sensitive, p, p, &mut Unwatched).unwrap();
        let actual = Squares::new(&space, &partition).unwrap().information_loss();
        assert!((actual - expected).abs() < 5.1e-5, "p = {p}: {actual}");
        assert_eq!(reached, size);
    }
}

/// Without sensitive values the heuristic is the literature's CBFS.
#[test]
fn one_value_is_cbfs() {
    let Some(columns) = census::columns() else {
        return;
    };
    let data = (census::space(&columns), Vec::new());
    let cells = [(3, 1, 5.653559), (5, 1, 8.884026), (10, 1, 14.006564)];
    assert_cells(&data, Method::PFirst, 6, &cells);
}

#[test]
fn ssd08_table_1() {
    let Some(data) = ssd08() else { return };
    let cells = [
        (2, 2, 24.70),
        (3, 2, 22.13),
        (3, 3, 29.54),
        (4, 2, 22.88),
        (4, 3, 31.67),
        (4, 4, 32.56),
        (5, 2, 19.94),
        (5, 3, 27.63),
        (5, 4, 34.22),
        (5, 5, 33.69),
    ];
    assert_cells(&data, Method::PFirst, 2, &cells);
}

/// The mean loss over 20 seeds must lie within three standard errors of another's mean of 20.
fn assert_means(method: Method, cells: &[Cell]) {
    let Some(data) = ssd08() else { return };
    for &(k, p, expected) in cells {
        let losses: Vec<f64> = (0..20)
            .map(|seed| loss(&data, k, p, method, seed))
            .collect();
        let mean = losses.iter().sum::<f64>() / 20.0;
        let variance = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / 19.0;
        // both means vary
        let error = (2.0 * variance / 20.0).sqrt();
        let off = (mean - expected).abs();
        assert!(
            off < 3.0 * error + 0.005,
            "k = {k}, p = {p}: {mean}, not {expected}"
        );
    }
}

#[test]
fn ssd08_random_rows() {
    let cells = [
        (2, 2, 16.08),
        (3, 2, 16.81),
        (3, 3, 21.15),
        (4, 2, 16.68),
        (4, 3, 22.48),
        (4, 4, 26.15),
        (5, 2, 16.87),
        (5, 3, 22.33),
        (5, 4, 26.14),
        (5, 5, 28.64),
    ];
    assert_means(Method::RandomRows, &cells);
}

#[test]
fn ssd08_random_vectors() {
    let cells = [
        (2, 2, 23.66),
        (3, 2, 22.20),
        (3, 3, 28.64),
        (4, 2, 21.25),
        (4, 3, 28.39),
        (4, 4, 31.79),
        (5, 2, 20.57),
        (5, 3, 28.08),
        (5, 4, 31.64),
        (5, 5, 33.98),
    ];
    assert_means(Method::RandomSeeds, &cells);
}
