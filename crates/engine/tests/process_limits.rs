//! One limit on memory, one way to stop: both are of the process and hold for whatever the
//! engine does, with and without a monitor. An allocator counts what is really allocated.

mod scattered;

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use scattered::scattered;
use sdc_engine::assign::refine::{Limits, refine};
use sdc_engine::assign::{self, Method};
use sdc_engine::intersection::{Shown, shrunk_groups};
use sdc_engine::lattice::{Counter, Hierarchy, Requirement, minimal_generalizations};
use sdc_engine::model::{KAnonymity, LDiversity, worst};
use sdc_engine::{
    Categories, Column, Error, GroupCounts, Partition, Result, Space, Table, Tally, Unwatched,
    allocation, limits, mask, measure, permute, sorting, threads,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

struct Counting;

static MOST: AtomicUsize = AtomicUsize::new(0);

fn took(bytes: usize) {
    limits::take(bytes);
    MOST.fetch_max(limits::held(), Relaxed);
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        limits::give_back(layout.size());
        took(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        limits::give_back(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Small allocations that nobody refuses, between two looks at the limit.
const SLACK: usize = 64 << 10;
const ROWS: usize = 40_000;

/// Tests share the limits of their process: one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    limits::stop_when(stopped);
    TURN.lock().unwrap_or_else(|broken| broken.into_inner())
}

/// The most bytes that some work holds beside what was there before.
fn peak<T>(work: impl Fn() -> Result<T>) -> (usize, Result<()>) {
    let before = limits::held();
    MOST.store(before, Relaxed);
    let outcome = work().map(drop);
    (MOST.load(Relaxed) - before, outcome)
}

/// Runs some work under ever tighter limits: it ends within them, or it says that it cannot.
fn keeps_to_limits<T>(what: &str, work: impl Fn() -> Result<T>) {
    let (needed, outcome) = peak(&work);
    assert_eq!(outcome, Ok(()), "{what}");
    assert!(
        needed > 2 * SLACK,
        "{what} takes {needed} bytes: too few to tell"
    );
    let mut refused = 0;
    for share in [90, 70, 50, 30, 15] {
        let limit = needed * share / 100;
        limits::set_limit(limits::held() + limit);
        let (most, outcome) = peak(&work);
        limits::set_limit(usize::MAX);
        assert!(most <= limit + SLACK, "{what}: {most} of {limit} bytes");
        match outcome {
            Ok(()) => {}
            Err(Error::OverLimit { .. }) => refused += 1,
            Err(other) => panic!("{what}: {other}"),
        }
    }
    assert!(refused > 0, "{what} is never refused");
    assert_eq!(peak(&work).1, Ok(()), "{what} goes on");
}

fn numbers(seed: u64) -> Vec<f64> {
    scattered(seed, ROWS)
}

fn codes(seed: u64, values: u32) -> Categories {
    Categories::new(numbers(seed).iter().map(|&x| x as u32 % values).collect())
}

fn table() -> Table {
    let numeric = [1, 2].map(|seed| Column::Numeric(numbers(seed)));
    let columns = numeric
        .into_iter()
        .chain([Column::Categorical(codes(3, 4000))]);
    Table::new(columns.collect()).unwrap()
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(7)
}

fn thirds() -> Partition {
    let groups = (0..ROWS as u32).map(|row| row / 3);
    Partition::new(groups.collect(), ROWS.div_ceil(3)).unwrap()
}

#[test]
fn methods_keep_to_the_limit() {
    let _alone = alone();
    let (table, sensitive) = (table(), [codes(5, 40)]);
    let space = Space::new(&table, true).unwrap();
    keeps_to_limits("mdav", || assign::mdav(&space, 5, &mut Unwatched));
    for count in [1, 3] {
        threads::set_count(count);
        keeps_to_limits("blocks", || {
            assign::blocks(&space, 5, 0, &mut rng(), &mut Unwatched)
        });
        threads::set_count(1);
    }
    keeps_to_limits("v_mdav", || assign::v_mdav(&space, 5, None, &mut Unwatched));
    keeps_to_limits("mondrian", || {
        assign::mondrian(&table, &sensitive, 5, 3, &mut Unwatched)
    });
    for method in [
        Method::PFirst,
        Method::RandomRows,
        Method::Merge,
        Method::LeastLoss,
    ] {
        keeps_to_limits("p_sensitive", || {
            assign::p_sensitive(&space, &sensitive, 5, 3, method, &mut rng(), &mut Unwatched)
        });
    }
    keeps_to_limits("anatomy", || {
        assign::anatomy(&sensitive[0], 3, &mut rng(), &mut Unwatched)
    });
    keeps_to_limits("permutation", || {
        assign::permutation(&table, &sensitive[0], 3, 5, &mut rng(), &mut Unwatched)
    });
    let persons: Vec<u32> = (0..ROWS as u32).map(|row| row / 2).collect();
    let own = Categories::new(persons.iter().map(|person| person % 5000).collect());
    let of = Some(&persons[..]);
    keeps_to_limits("anatomy of persons", || {
        assign::anatomy_of_persons(&own, of, 3, &mut rng(), &mut Unwatched)
    });
    keeps_to_limits("permutation of persons", || {
        assign::permutation_of_persons(&table, &own, of, 3, 5, &mut rng(), &mut Unwatched)
    });
    let grouped = assign::mdav(&space, 5, &mut Unwatched).unwrap();
    keeps_to_limits("refine", || {
        let copy = allocation::collected(grouped.group_of().iter().copied())?;
        let start = Partition::new(copy, grouped.groups())?;
        let limits = Limits {
            k: 5,
            p: 1,
            sensitive: &[],
        };
        refine(&space, limits, start, 1, &mut rng(), &mut Unwatched)
    });
}

/// What MDAV takes is known before it begins, so that a call it does not fit into fails at once.
#[test]
fn the_memory_of_mdav_is_known_beforehand() {
    let _alone = alone();
    let numeric = |seed| Column::Numeric(numbers(seed));
    let tables = [
        vec![numeric(1)],
        (1..5).map(numeric).collect(),
        (1..14).map(numeric).collect(),
        vec![numeric(1), Column::Categorical(codes(3, 4000))],
        vec![
            Column::Categorical(codes(3, 4)),
            Column::Categorical(codes(4, 9000)),
        ],
    ];
    for columns in tables {
        let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
        let group = || Method::Mdav.group(&space, &[], 5, 1, &mut rng(), &mut Unwatched);
        let (most, outcome) = peak(group);
        assert_eq!(outcome, Ok(()));
        limits::set_limit(limits::held());
        let Err(Error::MethodOverLimit { bytes, instead, .. }) = group() else {
            panic!("not refused");
        };
        let told = bytes - limits::held();
        assert_eq!(instead, "blocks");
        assert!(most <= told + SLACK, "{most} bytes, {told} foretold");
        assert!(
            2 * told <= 3 * most + SLACK,
            "{most} bytes, {told} foretold"
        );
        // with exactly that it works
        limits::set_limit(limits::held() + told + SLACK);
        let outcome = peak(group).1;
        limits::set_limit(usize::MAX);
        assert_eq!(outcome, Ok(()));
    }
}

#[test]
fn figures_keep_to_the_limit() {
    let _alone = alone();
    let (table, sensitive, partition) = (table(), codes(5, 40), thirds());
    let space = Space::new(&table, true).unwrap();
    keeps_to_limits("squares", || measure::Squares::new(&space, &partition));
    keeps_to_limits("ncp", || measure::ncp(&table, &partition));
    keeps_to_limits("reconstruction", || {
        measure::reconstruction_error(&partition, &sensitive, Some(&table))
    });
    keeps_to_limits("tally", || Tally::new(&partition, &[&sensitive]));
    let values = numbers(1);
    keeps_to_limits("means", || mask::means(&values, &partition));
    keeps_to_limits("permute", || {
        permute::permute(&partition, &mut rng(), &mut Unwatched)
    });
    keeps_to_limits("counts", || {
        let mut counts = GroupCounts::new(1);
        for row in 0..ROWS as u32 {
            let group = counts.add_group(&row.to_le_bytes(), 1)?;
            counts.add_value(0, group, &(row % 7).to_le_bytes(), 1)?;
        }
        counts.tally()
    });
}

#[test]
fn comparisons_and_searches_keep_to_the_limit() {
    let _alone = alone();
    let (known, partition) = (vec![codes(1, 3000), codes(2, 3000)], thirds());
    let values = codes(5, 40);
    keeps_to_limits("intersection", || {
        let columns = [(0, known[0].codes()), (1, known[1].codes())];
        let groups = partition.group_of();
        let shown = [
            Shown::anatomy(&columns, groups, (groups, values.codes()))?,
            Shown::permutation(&columns, groups, (groups, values.codes()))?,
        ];
        shrunk_groups(&known, &partition, &shown, 3, &mut Unwatched)
    });
    let level = |by: u32| (0..3000).map(|value| value / by).collect::<Vec<u32>>();
    keeps_to_limits("lattice", || {
        let hierarchy = || Hierarchy::new(3000, &[level(10), level(100), level(3000)]);
        let mut counter = Counter::new(vec![hierarchy()?, hierarchy()?], 0)?;
        for row in 0..ROWS {
            counter.add(&[known[0].codes()[row], known[1].codes()[row]], &[])?;
        }
        let requirement = Requirement {
            k: 5,
            p: 1,
            max_suppressed: 0,
            conditions: Vec::new(),
        };
        minimal_generalizations(&counter.combinations()?, &requirement, &mut Unwatched)
    });
}

static STOP: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicUsize = AtomicUsize::new(0);

fn stopped() -> bool {
    ASKED.fetch_add(1, Relaxed);
    STOP.load(Relaxed)
}

/// Some work asks whether to stop, at least so often, and does stop.
fn can_be_stopped<T>(what: &str, least: usize, work: impl Fn() -> Result<T>) {
    ASKED.store(0, Relaxed);
    assert!(work().is_ok(), "{what}");
    let asked = ASKED.load(Relaxed);
    assert!(asked >= least, "{what} asks {asked} times");
    STOP.store(true, Relaxed);
    let outcome = work().map(drop);
    STOP.store(false, Relaxed);
    assert_eq!(outcome, Err(Error::Interrupted), "{what}");
}

#[test]
fn what_has_no_monitor_can_be_stopped() {
    let _alone = alone();
    let rows = 1_000_000;
    let groups = (0..rows).map(|row| row / 2).collect();
    let partition = Partition::new(groups, rows as usize / 2).unwrap();
    let values = Categories::new((0..rows).map(|row| row % 5).collect());
    let number = |row: u32| f64::from(row.wrapping_mul(2_654_435_761));
    let table = Table::new(vec![Column::Numeric((0..rows).map(number).collect())]).unwrap();
    let tally = Tally::new(&partition, &[&values]).unwrap();
    can_be_stopped("worst", 30, || worst(&LDiversity, &tally, Some(0)));
    can_be_stopped("worst size", 30, || worst(&KAnonymity, &tally, None));
    can_be_stopped("tally", 10, || Tally::new(&partition, &[&values]));
    can_be_stopped("modes", 30, || mask::modes(&values, &partition));
    can_be_stopped("ncp", 2, || measure::ncp(&table, &partition));
    can_be_stopped("reconstruction", 200, || {
        measure::reconstruction_error(&partition, &values, Some(&table))
    });
}

#[test]
fn a_sort_can_be_stopped_and_keeps_its_items() {
    let _alone = alone();
    let items: Vec<u32> = (0..300_000)
        .map(|i: u32| i.wrapping_mul(2_654_435_761))
        .collect();
    let mut sorted = items.clone();
    assert_eq!(sorting::sort_by(&mut sorted, Ord::cmp), Ok(()));
    assert!(sorted.is_sorted());
    let mut disturbed = items.clone();
    STOP.store(true, Relaxed);
    let outcome = sorting::sort_by_key(&mut disturbed, |&item| item);
    STOP.store(false, Relaxed);
    assert_eq!(outcome, Err(Error::Interrupted));
    disturbed.sort_unstable();
    assert_eq!(disturbed, sorted);
    let panicked = std::panic::catch_unwind(|| {
        let _ = sorting::sort_by(&mut items.clone(), |_, _| panic!("no order"));
    });
    assert!(panicked.is_err());
}
