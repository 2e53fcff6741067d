//! Blocks: groups of at least k whatever the table, the same on any number of threads, and hardly
//! more loss than exact MDAV.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sdc_engine::assign::{Method, blocks, mdav};
use sdc_engine::measure::Squares;
use sdc_engine::random::generator;
use sdc_engine::{
    Categories, Column, Error, Monitor, Partition, Phase, Result, Space, Table, Unwatched, threads,
};
use std::sync::{Mutex, MutexGuard};
use std::thread::ThreadId;

/// Several blocks of 16,384 rows.
const ROWS: usize = 70_001;

/// The number of threads is one for all tests of the process.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(|broken| broken.into_inner())
}

fn tables() -> Vec<(&'static str, Space)> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut numeric =
        |draw: fn(f64) -> f64| Column::Numeric((0..ROWS).map(|_| draw(rng.random())).collect());
    let plain: Vec<Column> = (0..4).map(|_| numeric(|x| x)).collect();
    let skewed: Vec<Column> = (0..3).map(|_| numeric(|x| (9.0 * x).exp())).collect();
    let tied: Vec<Column> = (0..3).map(|_| numeric(|x| (4.0 * x).floor())).collect();
    let gaps = numeric(|x| if x < 0.3 { f64::NAN } else { x });
    let codes = |values: u32| {
        let codes = (0..ROWS as u32).map(|row| row.wrapping_mul(2_654_435_761) % values);
        Column::Categorical(Categories::new(codes.collect()))
    };
    let tables = vec![
        ("numbers", plain.clone()),
        ("skewed", skewed),
        ("ties", tied),
        ("missing", vec![plain[0].clone(), gaps]),
        ("mixed", vec![plain[0].clone(), plain[1].clone(), codes(7)]),
        ("codes", vec![codes(3), codes(50)]),
        ("constant", vec![Column::Numeric(vec![1.0; ROWS])]),
    ];
    let space = |columns| Space::new(&Table::new(columns).unwrap(), true).unwrap();
    let tables = tables.into_iter();
    tables
        .map(|(name, columns)| (name, space(columns)))
        .collect()
}

fn group(space: &Space, k: usize, effort: Option<u32>) -> Partition {
    let limits = sdc_engine::assign::refine::Limits {
        k,
        p: 1,
        sensitive: &[],
    };
    let mut rng = generator(Some(9)).unwrap();
    let groups = Method::Blocks.group_refined(space, limits, |_| effort, &mut rng, &mut Unwatched);
    groups.unwrap()
}

#[test]
fn every_group_has_k_rows_and_threads_change_nothing() {
    let _alone = alone();
    for (name, space) in tables() {
        let expected = group(&space, 5, None);
        assert_eq!(expected.rows(), ROWS);
        assert!(expected.sizes().iter().all(|&size| size >= 5), "{name}");
        for count in [2, 4] {
            threads::set_count(count);
            let found = group(&space, 5, None);
            threads::set_count(1);
            assert!(found == expected, "{name}, {count} threads");
        }
    }
}

#[test]
fn draws_depend_on_the_seed_and_not_on_threads() {
    let _alone = alone();
    let (_, space) = tables().swap_remove(1);
    let expected = group(&space, 40, Some(1));
    assert!(expected.sizes().iter().all(|&size| size >= 40));
    threads::set_count(3);
    let found = group(&space, 40, Some(1));
    threads::set_count(1);
    assert!(found == expected);
}

#[test]
fn hardly_more_is_lost_than_by_exact_mdav() {
    for (name, space) in tables() {
        let loss = |partition: &Partition| {
            let squares = Squares::new(&space, partition).unwrap();
            squares.information_loss()
        };
        let exact = mdav(&space, 5, &mut Unwatched).unwrap();
        let (exact, own) = (loss(&exact), loss(&group(&space, 5, None)));
        assert!(own <= 1.02 * exact + 1e-9, "{name}: {own}, exact {exact}");
    }
}

#[test]
fn few_rows_and_large_k() {
    let column = Column::Numeric((0..1000).map(f64::from).collect());
    let space = Space::new(&Table::new(vec![column]).unwrap(), true).unwrap();
    for k in [1, 2, 3, 250, 333, 334, 500, 501, 1000] {
        let groups = group(&space, k, None);
        assert!(groups.sizes().iter().all(|&size| size as usize >= k));
    }
    let mut rng = generator(Some(1)).unwrap();
    let refused = blocks(&space, 1001, 0, &mut rng, &mut Unwatched);
    assert_eq!(
        refused,
        Err(Error::TooFewRows {
            rows: 1000,
            k: 1001
        })
    );
    let none = Space::new(&Table::new(vec![Column::Numeric(vec![])]).unwrap(), true).unwrap();
    assert_eq!(group(&none, 3, None).groups(), 0);
}

#[test]
fn sensitive_columns_are_refused() {
    let (_, space) = tables().swap_remove(0);
    let values = [Categories::new(
        (0..ROWS as u32).map(|row| row % 9).collect(),
    )];
    let mut rng = generator(Some(1)).unwrap();
    let groups = Method::Blocks.group(&space, &values, 5, 2, &mut rng, &mut Unwatched);
    let method = "blocks";
    assert_eq!(groups, Err(Error::IgnoresSensitive { method }));
}

/// Stops the work in a phase, and notes who asked.
struct Stopper {
    phase: Phase,
    now: Option<Phase>,
    asked_by: Vec<ThreadId>,
}

impl Monitor for Stopper {
    fn start(&mut self, phase: Phase, _total: u64) {
        self.now = Some(phase);
    }

    fn advance(&mut self, _done: u64) -> Result<()> {
        self.asked_by.push(std::thread::current().id());
        match self.now == Some(self.phase) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }
}

#[test]
fn threads_stop_when_the_caller_is_told_to() {
    let _alone = alone();
    let (_, space) = tables().swap_remove(0);
    for phase in [Phase::Grouping, Phase::Refining] {
        let mut monitor = Stopper {
            phase,
            now: None,
            asked_by: Vec::new(),
        };
        threads::set_count(2);
        let outcome = blocks(&space, 5, 0, &mut generator(Some(1)).unwrap(), &mut monitor);
        threads::set_count(1);
        assert_eq!(outcome, Err(Error::Interrupted));
        let me = std::thread::current().id();
        assert!(monitor.asked_by.iter().all(|&thread| thread == me));
    }
}
