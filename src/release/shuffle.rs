//! Rows in an order that nobody can foresee: dealt at random into piles, each pile shuffled
//! (Rao 1961, Sandelius 1962). All orders are equally likely, and a pile fits into the
//! processor's cache, where sorting all rows would fetch each of them from afar.

use crate::errors::{self, Names};
use crate::memory;
use crate::row_store::RowStore;
use pgrx::PgMemoryContexts;
use pgrx::pg_sys;
use sdc_engine::random::{self, Generator};
use sdc_engine::{Unwatched, permute};

const ROWS_IN_PILE: usize = 8192;
const MOST_PILES: usize = 64;
const ROWS_BETWEEN_CHECKS: usize = 4096;

/// The rows of a store in random order. No seed repeats it: who knew the order could read the
/// source's off the release.
pub fn shuffled(rows: &RowStore) -> RowStore {
    let mut generator = errors::engine(random::generator(None), Names::default());
    let out = rows.like(1);
    scatter(rows, &out, &mut generator);
    out
}

/// Appends rows to `out` in random order; a pile that is still too large is dealt again.
fn scatter(rows: &RowStore, out: &RowStore, generator: &mut Generator) {
    let count = rows.rows();
    if count <= 2 * ROWS_IN_PILE {
        return shuffle(rows, out, generator);
    }
    let piles = (count / ROWS_IN_PILE).next_power_of_two().min(MOST_PILES);
    for pile in deal(rows, piles, generator) {
        scatter(&pile, out, generator);
    }
}

/// Puts each row on one of the piles, whose number is a power of two.
fn deal(rows: &RowStore, piles: usize, generator: &mut Generator) -> Vec<RowStore> {
    let stores: Vec<RowStore> = (0..piles).map(|_| rows.like(piles)).collect();
    let mut row = 0;
    rows.each(|slot| {
        let pile = random::number(generator) as usize & (piles - 1);
        // SAFETY: piles take rows of the same descriptor.
        unsafe { stores[pile].push_slot(slot) };
        row += 1;
        if row % ROWS_BETWEEN_CHECKS == 0 {
            pgrx::check_for_interrupts!();
        }
    });
    stores
}

/// Appends a pile's rows to `out`, all orders of them equally likely.
fn shuffle(pile: &RowStore, out: &RowStore, generator: &mut Generator) {
    let mut context = PgMemoryContexts::new("pg_sdc pile");
    let mut tuples = memory::reserved(pile.rows());
    pile.each(|slot| {
        // SAFETY: copies the slot's row into the pile's context, which outlives its use.
        let copy = unsafe { context.switch_to(|_| copy_of(slot)) };
        tuples.push(copy);
    });
    let order = permute::places(tuples.len(), generator, &mut Unwatched);
    let order = errors::engine(order, Names::default());
    // SAFETY: the tuples are of the store's descriptor and live until the context goes.
    unsafe { out.push_tuples(order.iter().map(|&place| tuples[place as usize])) };
    pgrx::check_for_interrupts!();
}

/// A copy of the row in a slot, in the current memory context.
unsafe fn copy_of(slot: *mut pg_sys::TupleTableSlot) -> pg_sys::MinimalTuple {
    // SAFETY: every kind of slot has this operation.
    unsafe {
        let operations = &*(*slot).tts_ops;
        match operations.copy_minimal_tuple {
            Some(copy) => copy(slot),
            None => std::ptr::null_mut(),
        }
    }
}
