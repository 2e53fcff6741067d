//! An allocator that refuses large requests, and rows for methods to be refused memory on.

#[path = "../scattered/mod.rs"]
mod scattered;

use scattered::scattered;
use sdc_engine::{Categories, Column, Error, Result, Table};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

pub const ROWS: usize = 6000;
/// Requests from this size on are refused: a few bytes for each row.
const LARGE: usize = 2 * ROWS;

thread_local! {
    /// How many large requests are granted before one is refused; none is without a number.
    static GRANTED: Cell<Option<usize>> = const { Cell::new(None) };
}

struct Refusing;

impl Refusing {
    fn refuses(bytes: usize) -> bool {
        bytes >= LARGE
            && GRANTED.with(|granted| match granted.get() {
                Some(0) => true,
                Some(left) => {
                    granted.set(Some(left - 1));
                    false
                }
                None => false,
            })
    }
}

// SAFETY: the system's allocator does the work; a null pointer says that there is no memory.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && Self::refuses(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Runs some work with ever more memory until it succeeds; says how often it was refused. Work
/// that asks for nothing large would prove nothing.
pub fn refusals<T>(what: &str, work: impl Fn() -> Result<T>) -> usize {
    for granted in 0..10_000 {
        GRANTED.set(Some(granted));
        let outcome = work().map(drop);
        GRANTED.set(None);
        match outcome {
            Ok(()) => {
                assert!(granted > 0, "{what} asks for nothing large");
                return granted;
            }
            Err(Error::OutOfMemory { .. }) => {}
            Err(other) => panic!("{what} after {granted} requests: {other}"),
        }
    }
    panic!("{what} never ends");
}

/// Runs some work that must not ask for anything large.
#[allow(dead_code, reason = "not every test binary needs it")]
pub fn without_memory<T>(work: impl Fn() -> T) -> T {
    GRANTED.set(Some(0));
    let outcome = work();
    GRANTED.set(None);
    outcome
}

pub fn numbers(seed: u64) -> Vec<f64> {
    scattered(seed, ROWS)
}

pub fn codes(seed: u64, values: u32) -> Categories {
    let code = |number: f64| number as u32 % values;
    Categories::new(numbers(seed).into_iter().map(code).collect())
}

pub fn table() -> Table {
    let columns = vec![
        Column::Numeric(numbers(1)),
        Column::Numeric(numbers(2)),
        Column::Categorical(codes(3, 4000)),
    ];
    Table::new(columns).unwrap()
}
