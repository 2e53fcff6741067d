//! Optimal univariate microaggregation against every partition there is.

use proptest::prelude::*;
use sdc_engine::assign::univariate;
use sdc_engine::{Partition, Unwatched};

/// The least SSE over all cuts of the sorted values into runs of at least k.
fn least_sse(sorted: &[f64], k: usize) -> f64 {
    let whole = sse(sorted);
    let cuts = k..(sorted.len() + 1).saturating_sub(k);
    let cut = |at| sse(&sorted[..at]) + least_sse(&sorted[at..], k);
    cuts.map(cut).fold(whole, f64::min)
}

fn sse(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

fn cost(values: &[f64], partition: &Partition) -> f64 {
    let members = partition.members().unwrap();
    let group = |rows: &[u32]| {
        sse(&rows
            .iter()
            .map(|&row| values[row as usize])
            .collect::<Vec<_>>())
    };
    members.iter().map(group).sum()
}

fn rounded_and_skewed() -> impl Strategy<Value = Vec<f64>> {
    let ties = prop::collection::vec((-3i32..4).prop_map(f64::from), 1..15);
    let skewed = prop::collection::vec((0.0..4.0f64).prop_map(|x| x.exp2().powi(3)), 1..15);
    prop_oneof![ties, skewed]
}

proptest! {
    #[test]
    fn no_partition_is_better(values in rounded_and_skewed(), k in 1usize..7) {
        prop_assume!(values.len() >= k);
        let partition = univariate(&values, k, &mut Unwatched).unwrap();
        let sizes = partition.sizes();
        prop_assert!(sizes.iter().all(|&size| (k..2 * k).contains(&(size as usize))));
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let least = least_sse(&sorted, k);
        prop_assert!(cost(&values, &partition) <= least + 1e-9 * (1.0 + least));
    }

    #[test]
    fn groups_follow_value_then_row(values in rounded_and_skewed(), k in 1usize..7) {
        prop_assume!(values.len() >= k);
        let partition = univariate(&values, k, &mut Unwatched).unwrap();
        let group_of = partition.group_of();
        for a in 0..values.len() {
            for b in a + 1..values.len() {
                let ascending = values[a] <= values[b];
                let (low, high) = if ascending { (a, b) } else { (b, a) };
                prop_assert!(group_of[low] <= group_of[high]);
            }
        }
    }
}

/// The same shortest path with every start tried: O(n k), for sizes beyond all partitions.
fn least_sse_by_trying_every_start(sorted: &[f64], k: usize) -> f64 {
    let mut best = vec![f64::INFINITY; sorted.len() + 1];
    best[0] = 0.0;
    for end in k..=sorted.len() {
        let starts = end.saturating_sub(2 * k - 1)..=end - k;
        let path = |start: usize| best[start] + sse(&sorted[start..end]);
        best[end] = starts.map(path).fold(f64::INFINITY, f64::min);
    }
    best[sorted.len()]
}

#[test]
fn larger_tables_are_optimal_too() {
    let values: Vec<f64> = (0..1200u64)
        .map(|i| ((i * 2_654_435_761 % 4093) as f64).powi(2) / 1e4)
        .collect();
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    for k in [1, 2, 3, 10, 57, 300, 600, 601] {
        let partition = univariate(&values, k, &mut Unwatched).unwrap();
        let least = least_sse_by_trying_every_start(&sorted, k);
        let actual = cost(&values, &partition);
        assert!(
            (actual - least).abs() <= 1e-9 * least.max(1.0),
            "k = {k}: {actual} {least}"
        );
    }
}

#[test]
fn close_values_far_from_zero_keep_their_digits() {
    let cluster = |centre: f64| (0..6).map(move |i| centre + f64::from(i / 3) * 1e-3);
    let values: Vec<f64> = cluster(-1e8).chain(cluster(1e8)).collect();
    let partition = univariate(&values, 3, &mut Unwatched).unwrap();
    assert_eq!(partition.group_of(), [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
}
