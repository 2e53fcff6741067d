//! Chi-square tests with fixed seeds, for claims about randomness.

/// Fails if counts stray from equal expectations further than chance does once in a thousand.
pub fn assert_uniform(counts: &[u32]) {
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / counts.len() as f64;
    assert!(expected >= 5.0, "too few draws for a chi-square test");
    let deviation = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
    let chi_square: f64 = counts.iter().map(deviation).sum();
    let limit = critical(counts.len() - 1);
    assert!(chi_square < limit, "chi-square {chi_square} above {limit}");
}

/// The 99.9 % point of the chi-square distribution (Wilson and Hilferty's approximation).
fn critical(degrees: usize) -> f64 {
    let ninth = 2.0 / (9.0 * degrees as f64);
    degrees as f64 * (1.0 - ninth + 3.0902 * ninth.sqrt()).powi(3)
}

#[test]
#[should_panic(expected = "chi-square")]
fn a_loaded_die_is_noticed() {
    assert_uniform(&[100, 100, 100, 100, 100, 170]);
}

#[test]
fn critical_values_are_those_of_the_tables() {
    for (degrees, table) in [(5, 20.515), (23, 49.728), (100, 149.449)] {
        assert!((critical(degrees) - table).abs() < 0.3);
    }
}
