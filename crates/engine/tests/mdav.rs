//! MDAV on larger tables: the tree against scans, the laws, the refusals and the monitor.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sdc_engine::assign::{mdav, mdav_by_scan};
use sdc_engine::{Categories, Column, Error, Monitor, Phase, Result, Space, Table, Unwatched};

fn space(columns: Vec<Column>) -> Space {
    Space::new(&Table::new(columns).unwrap(), true).unwrap()
}

fn numeric(rows: usize, mut draw: impl FnMut(usize) -> f64) -> Column {
    Column::Numeric((0..rows).map(&mut draw).collect())
}

fn categorical(rows: usize, mut draw: impl FnMut(usize) -> u32) -> Column {
    Column::Categorical(Categories::new((0..rows).map(&mut draw).collect()))
}

/// Tables deep enough for three levels of nodes and several rebuilds.
fn tables(rows: usize) -> Vec<(&'static str, Space)> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut uniform = |_: usize| rng.random::<f64>();
    let plain: Vec<Column> = (0..9).map(|_| numeric(rows, &mut uniform)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut skewed = |_: usize| (8.0 * rng.random::<f64>()).exp() * rng.random::<f64>();
    let outliers: Vec<Column> = (0..3).map(|_| numeric(rows, &mut skewed)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut few = |_: usize| f64::from(rng.random_range(0..6u32));
    let tied: Vec<Column> = (0..3).map(|_| numeric(rows, &mut few)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut code = |_: usize| rng.random_range(0..5u32);
    let codes: Vec<Column> = (0..4).map(|_| categorical(rows, &mut code)).collect();
    let mixed = [
        &plain[..2],
        &codes[..2],
        &[categorical(rows, |row| row as u32)],
    ]
    .concat();
    vec![
        ("one column", space(plain[..1].to_vec())),
        ("four columns", space(plain[..4].to_vec())),
        ("nine columns", space(plain)),
        ("outliers", space(outliers)),
        ("ties", space(tied)),
        ("categories only", space(codes)),
        ("mixed", space(mixed)),
        ("constant", space(vec![numeric(rows, |_| 1.0)])),
    ]
}

#[test]
fn the_hugest_values_come_to_an_end() {
    let huge = |row| if row == 0 { 1.7e308 } else { -1.7e308 };
    let space = space(vec![numeric(5000, huge)]);
    let groups = mdav(&space, 3, &mut Unwatched).unwrap();
    assert_eq!(groups.groups(), 5000 / 3);
}

#[test]
fn the_tree_finds_what_scans_find() {
    for rows in [1500, 6001] {
        for (name, space) in tables(rows) {
            for k in [2, 5, 100] {
                let fast = mdav(&space, k, &mut Unwatched).unwrap();
                let reference = mdav_by_scan(&space, k, &mut Unwatched).unwrap();
                assert!(fast == reference, "{name}, {rows} rows, k = {k}");
            }
        }
    }
}

#[test]
fn all_groups_but_the_last_have_k_rows() {
    for (name, space) in tables(1000) {
        for k in [1, 3, 7, 333, 334, 500, 501, 1000] {
            let partition = mdav(&space, k, &mut Unwatched).unwrap();
            let (last, others) = partition.sizes().split_last().unwrap();
            let last = *last as usize;
            assert!(others.iter().all(|&size| size as usize == k), "{name}");
            assert!((k..2 * k).contains(&last), "{name}, k = {k}");
        }
    }
}

#[test]
fn what_cannot_be_grouped_is_refused() {
    let three = space(vec![numeric(3, |row| row as f64)]);
    let refusal = |k| mdav(&three, k, &mut Unwatched).unwrap_err();
    let too_small = Error::TooSmall {
        name: "k",
        least: 1,
        actual: 0,
    };
    assert_eq!(refusal(0), too_small);
    assert_eq!(refusal(4), Error::TooFewRows { rows: 3, k: 4 });
    assert_eq!(
        refusal(usize::MAX),
        Error::TooFewRows {
            rows: 3,
            k: usize::MAX
        }
    );
    let none = space(vec![numeric(0, |_| 0.0)]);
    assert_eq!(mdav(&none, 3, &mut Unwatched).unwrap().groups(), 0);
}

/// Writes down what it is told and stops the work after some calls.
struct Stopwatch {
    started: Vec<(Phase, u64)>,
    calls: Vec<u64>,
    patience: usize,
}

impl Monitor for Stopwatch {
    fn start(&mut self, phase: Phase, total: u64) {
        self.started.push((phase, total));
    }

    fn advance(&mut self, done: u64) -> Result<()> {
        self.calls.push(done);
        if self.calls.len() > self.patience {
            Err(Error::Interrupted)
        } else {
            Ok(())
        }
    }
}

#[test]
fn the_monitor_sees_progress_and_can_stop_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let space = space(vec![numeric(20_000, |_| rng.random())]);
    let mut monitor = Stopwatch {
        started: vec![],
        calls: vec![],
        patience: usize::MAX,
    };
    mdav(&space, 3, &mut monitor).unwrap();
    assert_eq!(monitor.started, [(Phase::Grouping, 20_000)]);
    assert!(monitor.calls.is_sorted());
    assert_eq!(monitor.calls.last(), Some(&20_000));
    assert!(monitor.calls.len() > 3);
    for patience in 0..monitor.calls.len() {
        let mut monitor = Stopwatch {
            started: vec![],
            calls: vec![],
            patience,
        };
        assert_eq!(mdav(&space, 3, &mut monitor), Err(Error::Interrupted));
    }
}
