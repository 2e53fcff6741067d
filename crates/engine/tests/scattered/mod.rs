//! Numbers that look random and are the same each time.

/// So many numbers below 2^24.
pub fn scattered(seed: u64, rows: usize) -> Vec<f64> {
    let next = |state: &mut u64| {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Some((*state >> 40) as f64)
    };
    let mut state = seed;
    (0..rows).map_while(|_| next(&mut state)).collect()
}
