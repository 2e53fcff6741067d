//! Where calls get their random numbers from: a seed, or the operating system.

use crate::pg::errors::{self, Names};
use crate::pg::function_call::Call;
use crate::pg::settings;
use pgrx::pg_sys;
use sdc_engine::random::{self, Generator};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// The generator of a call that may name a seed.
pub fn generator(seed: Option<i64>) -> Generator {
    match seed {
        Some(seed) => errors::engine(random::generator(Some(seed as u64)), Names::default()),
        None => next(),
    }
}

/// The generator of the next call: keyed by the operating system, or by `sdc.seed`. Then each
/// generator of a statement differs from the others, since columns that are permuted side by
/// side must not be permuted alike, and the statement run again gets the same ones.
pub fn next() -> Generator {
    let seed = settings::seed().map(|seed| seed as u64);
    let number = if seed.is_some() { number() } else { 0 };
    errors::engine(random::numbered(seed, number), Names::default())
}

/// Counts the generators of a statement from 0.
fn number() -> u64 {
    static STATEMENT: AtomicI64 = AtomicI64::new(i64::MIN);
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // SAFETY: reads a variable of this backend.
    let statement = unsafe { pg_sys::GetCurrentStatementStartTimestamp() };
    if STATEMENT.swap(statement, Ordering::Relaxed) != statement {
        NEXT.store(0, Ordering::Relaxed);
    }
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Lends the generator that a function keeps from call to call of a query; made at the first
/// call. The function must keep nothing else.
pub fn with_generator<T>(call: &Call, draw: impl FnOnce(&mut Generator) -> T) -> T {
    call.with_kept(next, draw)
}
