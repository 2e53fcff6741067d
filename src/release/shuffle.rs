//! Rows in an order that nobody can foresee: dealt at random into piles, each pile shuffled
//! (Rao 1961, Sandelius 1962). All orders are equally likely, and a pile fits into the
//! processor's cache, where sorting all rows would fetch each of them from afar.

use crate::errors::known;
use crate::memory;
use crate::progress::Interrupts;
use crate::row_store::{self, RowStore};
use pgrx::PgMemoryContexts;
use pgrx::pg_sys;
use sdc_engine::permute;
use sdc_engine::random::{self, Generator};

const ROWS_IN_PILE: usize = 8192;
const MOST_PILES: usize = 64;
const ROWS_BETWEEN_CHECKS: usize = 4096;
/// A pile may take `work_mem`, and so many bytes at least.
const LEAST_ROOM: usize = 1024 * 1024;

/// The rows of a store in random order. No seed repeats it: who knew the order could read the
/// source's off the release.
pub fn shuffled(rows: &RowStore) -> RowStore {
    let mut generator = known(random::generator(None));
    let out = rows.like(1);
    scatter(rows, &out, &mut generator);
    out
}

/// Appends rows to `out` in random order; a pile that is still too large is dealt again.
fn scatter(rows: &RowStore, out: &RowStore, generator: &mut Generator) {
    let piles = match gather(rows) {
        Ok(pile) => return shuffle(&pile, out, generator),
        Err(piles) => piles.next_power_of_two().clamp(2, MOST_PILES),
    };
    for pile in deal(rows, piles, generator) {
        scatter(&pile, out, generator);
    }
}

/// Rows in memory.
struct Pile {
    tuples: Vec<pg_sys::MinimalTuple>,
    /// holds the tuples
    _memory: PgMemoryContexts,
}

/// Takes the rows of a store into memory, or says how many piles would be small enough.
fn gather(rows: &RowStore) -> Result<Pile, usize> {
    let count = rows.rows();
    if count > 2 * ROWS_IN_PILE {
        return Err(count / ROWS_IN_PILE);
    }
    // SAFETY: reads a setting.
    let room = (unsafe { pg_sys::work_mem } as usize * 1024).max(LEAST_ROOM);
    let mut memory = PgMemoryContexts::new("pg_sdc pile");
    let mut tuples: Vec<pg_sys::MinimalTuple> = memory::reserved(count);
    let mut bytes = 0;
    rows.each(|slot| {
        // SAFETY: the copy is made in the pile's memory.
        unsafe {
            let tuple = row_store::tuple_of(slot);
            bytes += (*tuple).t_len as usize;
            tuples.push(memory.switch_to(|_| row_store::copy_of(tuple)));
        }
        bytes <= room || count == 1
    });
    match tuples.len() == count {
        true => Ok(Pile {
            tuples,
            _memory: memory,
        }),
        false => Err((bytes / room).max(1) * count / tuples.len()),
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
        true
    });
    stores
}

/// Appends a pile's rows to `out`, all orders of them equally likely.
fn shuffle(pile: &Pile, out: &RowStore, generator: &mut Generator) {
    let order = known(permute::places(
        pile.tuples.len(),
        generator,
        &mut Interrupts,
    ));
    // SAFETY: the tuples are of the store's descriptor and live as long as the pile.
    unsafe { out.push_tuples(order.iter().map(|&place| pile.tuples[place as usize])) };
}
