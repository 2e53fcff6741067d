//! The laws of the local search: it keeps k and p, lowers the sum of squares or leaves the
//! partition alone, and does the same again with the same generator.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sdc_engine::assign::refine::{Limits, default_effort, refine};
use sdc_engine::assign::{Method, mdav, p_sensitive};
use sdc_engine::measure::within;
use sdc_engine::{
    Categories, Column, Error, Monitor, Partition, Phase, Result, Space, Table, Unwatched,
};

fn generator(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Up to 150 rows: numbers with and without ties, categories, a constant column.
fn spaces() -> impl Strategy<Value = Space> {
    let column = |rows: usize| {
        prop_oneof![
            prop::collection::vec(-1.0..1.0f64, rows).prop_map(Column::Numeric),
            prop::collection::vec((0..4u8).prop_map(f64::from), rows).prop_map(Column::Numeric),
            prop::collection::vec(0..4u32, rows)
                .prop_map(|codes| Column::Categorical(Categories::new(codes))),
            Just(Column::Numeric(vec![7.0; rows])),
        ]
    };
    let table = (1..150usize, 1..5usize)
        .prop_flat_map(move |(rows, columns)| prop::collection::vec(column(rows), columns));
    table.prop_map(|columns| Space::new(&Table::new(columns).unwrap(), true).unwrap())
}

/// How many distinct codes each group has.
fn distinct(partition: &Partition, column: &Categories) -> Vec<usize> {
    let count = |rows: &[u32]| {
        let mut codes: Vec<u32> = rows
            .iter()
            .map(|&row| column.codes()[row as usize])
            .collect();
        codes.sort();
        codes.dedup();
        codes.len()
    };
    partition.members().unwrap().iter().map(count).collect()
}

fn assert_laws(space: &Space, limits: Limits, partition: &Partition, effort: u32) -> Partition {
    let run = |seed| {
        let rng = &mut generator(seed);
        refine(
            space,
            limits,
            partition.clone(),
            effort,
            rng,
            &mut Unwatched,
        )
        .unwrap()
    };
    let refined = run(1);
    assert!(
        refined
            .sizes()
            .iter()
            .all(|&size| size as usize >= limits.k)
    );
    for column in limits.sensitive {
        assert!(
            distinct(&refined, column)
                .into_iter()
                .all(|values| values >= limits.p)
        );
    }
    let (before, after) = (
        within(space, partition).unwrap(),
        within(space, &refined).unwrap(),
    );
    assert!(after < before || refined == *partition, "{before} {after}");
    assert_eq!(run(1), refined);
    if effort == 0 {
        assert_eq!(run(2), refined);
    }
    refined
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn k_is_kept_and_squares_fall(space in spaces(), k in 1..8usize, effort in 0..3u32) {
        let k = k.min(space.rows());
        let partition = mdav(&space, k, &mut Unwatched).unwrap();
        let limits = Limits { k, p: 1, sensitive: &[] };
        assert_laws(&space, limits, &partition, effort);
    }

    #[test]
    fn p_is_kept(
        space in spaces(),
        (k, p) in (2..7usize).prop_flat_map(|k| (Just(k), 2..=k)),
        values in prop::collection::vec((0..9u32, 0..9u32), 150),
        effort in 0..3u32,
    ) {
        let column = |values: Vec<u32>| Categories::new(values);
        let (one, two): (Vec<u32>, Vec<u32>) = values[..space.rows()].iter().copied().unzip();
        let sensitive = [column(one), column(two)];
        let method = Method::RandomRows;
        let rng = &mut generator(7);
        let grouped = p_sensitive(&space, &sensitive, k, p, method, rng, &mut Unwatched);
        prop_assume!(grouped.is_ok());
        let limits = Limits { k, p, sensitive: &sensitive };
        assert_laws(&space, limits, &grouped.unwrap(), effort);
    }

    /// One group of all rows is the worst there is: the search must take it apart.
    #[test]
    fn a_single_group_is_taken_apart(values in prop::collection::vec(-1.0..1.0f64, 12..60)) {
        let rows = values.len();
        let space = Space::new(&Table::new(vec![Column::Numeric(values)]).unwrap(), true).unwrap();
        let whole = Partition::new(vec![0; rows], 1).unwrap();
        let limits = Limits { k: 3, p: 1, sensitive: &[] };
        let refined = assert_laws(&space, limits, &whole, 0);
        prop_assert!(refined.groups() > 1);
    }
}

fn line(values: &[f64]) -> Space {
    Space::new(
        &Table::new(vec![Column::Numeric(values.to_vec())]).unwrap(),
        true,
    )
    .unwrap()
}

#[test]
fn a_swap_and_a_move_are_found() {
    let limits = Limits {
        k: 2,
        p: 1,
        sensitive: &[],
    };
    let space = line(&[0.0, 0.1, 5.0, 5.1]);
    let crossed = Partition::new(vec![0, 1, 0, 1], 2).unwrap();
    let refined = assert_laws(&space, limits, &crossed, 0);
    assert_eq!(refined.canonical(), [0, 0, 1, 1]);
    let space = line(&[0.0, 0.1, 0.2, 5.0, 5.1]);
    let unequal = Partition::new(vec![0, 0, 1, 1, 1], 2).unwrap();
    let refined = assert_laws(&space, limits, &unequal, 0);
    assert_eq!(refined.canonical(), [0, 0, 0, 1, 1]);
}

#[test]
fn what_p_forbids_is_not_done() {
    let space = line(&[0.0, 0.1, 5.0, 5.1]);
    let crossed = Partition::new(vec![0, 1, 0, 1], 2).unwrap();
    let sensitive = [Categories::new(vec![0, 0, 1, 1])];
    let limits = Limits {
        k: 2,
        p: 2,
        sensitive: &sensitive,
    };
    let refined = assert_laws(&space, limits, &crossed, 1);
    assert_eq!(distinct(&refined, &sensitive[0]), [2, 2]);
}

#[test]
fn equal_rows_and_no_rows_stay_as_they_are() {
    let limits = Limits {
        k: 2,
        p: 1,
        sensitive: &[],
    };
    let partition = Partition::new(vec![0, 1, 0, 1], 2).unwrap();
    assert_laws(&line(&[3.0; 4]), limits, &partition, 2);
    let nothing = Partition::new(vec![], 0).unwrap();
    assert_laws(&line(&[]), limits, &nothing, 2);
}

#[test]
fn a_partition_that_breaks_the_limits_is_refused() {
    let refused = |limits: Limits, group_of: Vec<u32>| {
        let partition = Partition::new(group_of, 2).unwrap();
        let space = line(&[0.0, 0.1, 5.0, 5.1]);
        refine(
            &space,
            limits,
            partition,
            1,
            &mut generator(1),
            &mut Unwatched,
        )
        .unwrap_err()
    };
    let sensitive = [Categories::new(vec![0, 1, 1, 0])];
    let k = Limits {
        k: 2,
        p: 1,
        sensitive: &[],
    };
    assert!(matches!(refused(k, vec![0, 1, 1, 1]), Error::Broken(_)));
    for none in [Limits { k: 0, ..k }, Limits { p: 0, ..k }] {
        let error = refused(none, vec![0, 0, 1, 1]);
        assert!(matches!(error, Error::TooSmall { .. }));
    }
    let p = Limits {
        k: 2,
        p: 2,
        sensitive: &sensitive,
    };
    assert!(matches!(refused(p, vec![0, 1, 1, 0]), Error::Broken(_)));
    let short = Limits {
        sensitive: &[Categories::new(vec![0])],
        ..k
    };
    assert!(matches!(
        refused(short, vec![0, 0, 1, 1]),
        Error::UnequalColumns { .. }
    ));
}

/// A group that p keeps together, beside thousands of small ones.
#[test]
fn a_large_group_beside_many_small_ones_keeps_the_laws() {
    let (large, rows) = (6000u32, 12_000u32);
    let values: Vec<f64> = (0..rows).map(|i| f64::from(i * 7919 % 12_007)).collect();
    let group = |row: u32| row.saturating_sub(large - 4) / 4;
    let groups: Vec<u32> = (0..rows).map(group).collect();
    let partition = Partition::new(groups, ((rows - large) / 4 + 1) as usize).unwrap();
    let value = |row: u32| {
        if row < large {
            u32::from(row > 1)
        } else {
            row % 4
        }
    };
    let limits = Limits {
        k: 2,
        p: 2,
        sensitive: &[Categories::new((0..rows).map(value).collect())],
    };
    assert_laws(&line(&values), limits, &partition, 0);
}

struct Impatient;

impl Monitor for Impatient {
    fn start(&mut self, phase: Phase, _total: u64) {
        assert_eq!(phase, Phase::Refining);
    }

    fn advance(&mut self, _done: u64) -> Result<()> {
        Err(Error::Interrupted)
    }
}

#[test]
fn the_monitor_stops_it() {
    let values: Vec<f64> = (0..50_000).map(|i| f64::from(i * 7919 % 50_021)).collect();
    let groups: Vec<u32> = (0..50_000).map(|i| i / 5).collect();
    let partition = Partition::new(groups, 10_000).unwrap();
    let limits = Limits {
        k: 5,
        p: 1,
        sensitive: &[],
    };
    let stopped = refine(
        &line(&values),
        limits,
        partition,
        1,
        &mut generator(1),
        &mut Impatient,
    );
    assert_eq!(stopped, Err(Error::Interrupted));
}

#[test]
fn small_tables_afford_more_effort() {
    assert_eq!(default_effort(1_000_000), 1);
    assert_eq!(default_effort(100_000), 1);
    assert!(default_effort(1_000) > default_effort(10_000));
    assert_eq!(default_effort(0), default_effort(1));
}
