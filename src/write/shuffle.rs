//! Rows in an order that nobody can foresee: dealt at random into piles, each pile shuffled
//! (Rao 1961, Sandelius 1962). All orders are equally likely, and a pile fits into the
//! processor's cache, where sorting all rows would fetch each of them from afar.

use crate::pg::errors::known;
use crate::pg::progress::{Interrupts, ROWS_BETWEEN_CHECKS};
use crate::pg::tuple_store::{self, TuplePile, TupleStore};
use sdc_engine::random::{self, Generator};
use sdc_engine::{Monitor, permute};

const ROWS_IN_PILE: usize = 8192;
const MOST_PILES: usize = 64;
/// A pile may take `work_mem`, and so many bytes at least.
const LEAST_ROOM: usize = 1024 * 1024;

/// The rows of a store in random order. No seed repeats it: who knew the order could read the
/// source's off the release.
pub fn shuffled(rows: &TupleStore) -> TupleStore {
    let mut generator = known(random::generator(None));
    let out = rows.like(1);
    scatter(rows, &out, &mut generator);
    out
}

/// Appends rows to `out` in random order; a pile that is still too large is dealt again.
fn scatter(rows: &TupleStore, out: &TupleStore, generator: &mut Generator) {
    let piles = match gather(rows) {
        Ok(pile) => return shuffle(&pile, out, generator),
        Err(piles) => piles.next_power_of_two().clamp(2, MOST_PILES),
    };
    for pile in deal(rows, piles, generator) {
        scatter(&pile, out, generator);
    }
}

/// Takes the rows of a store into memory, or says how many piles would be small enough.
fn gather(rows: &TupleStore) -> Result<TuplePile, usize> {
    let count = rows.rows();
    if count > 2 * ROWS_IN_PILE {
        return Err(count / ROWS_IN_PILE);
    }
    let room = tuple_store::work_memory().max(LEAST_ROOM);
    let mut pile = TuplePile::new(rows, count);
    rows.each(|row| {
        pile.push(row);
        pile.bytes() <= room || count == 1
    });
    match pile.rows() == count {
        true => Ok(pile),
        false => Err((pile.bytes() / room).max(1) * count / pile.rows()),
    }
}

/// Puts each row on one of the piles, whose number is a power of two.
fn deal(rows: &TupleStore, piles: usize, generator: &mut Generator) -> Vec<TupleStore> {
    let stores: Vec<TupleStore> = (0..piles).map(|_| rows.like(piles)).collect();
    let mut dealt = 0;
    rows.each(|row| {
        let pile = random::number(generator) as usize & (piles - 1);
        stores[pile].push_stored(row);
        dealt += 1;
        if dealt % ROWS_BETWEEN_CHECKS == 0 {
            known(Interrupts.advance(0));
        }
        true
    });
    stores
}

/// Appends a pile's rows to `out`, all orders of them equally likely.
fn shuffle(pile: &TuplePile, out: &TupleStore, generator: &mut Generator) {
    let places = known(permute::places(pile.rows(), generator, &mut Interrupts));
    pile.write(&places, out);
}
