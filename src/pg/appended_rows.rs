//! Rows appended to a table of our own as COPY appends them: many at a time, with one entry in the
//! log for each page. No trigger fires, and constraints are not looked at.

use crate::pg::cell::Cell;
use crate::pg::composite;
use crate::pg::errors::Failure;
use crate::pg::memory_context::Arena;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary as guarded;
use pgrx::pg_sys::{self, Oid};
use std::ptr::null_mut;

/// So many rows are put into the table at once, as COPY does.
const BATCH: usize = 1000;

/// Appends rows with values for the first columns of a table, in their order. `each` learns how
/// many there are by now.
pub fn append<'a, const N: usize>(
    table: Oid,
    mut rows: impl Iterator<Item = [Cell<'a>; N]>,
    mut each: impl FnMut(usize),
) {
    let mut arena = Arena::new("pg_sdc appended rows");
    let (mut written, mut filled) = (0, BATCH);
    // SAFETY: all that is opened is closed below, or with the transaction where an error comes
    // first; values are of the columns' types, and are there until the arena is reset.
    unsafe {
        let relation = pg_sys::table_open(table, pg_sys::RowExclusiveLock as i32);
        let columns = composite::attributes((*relation).rd_att);
        let state = pg_sys::CreateExecutorState();
        let result = pg_sys::palloc0(size_of::<pg_sys::ResultRelInfo>()).cast();
        pg_sys::InitResultRelInfo(result, relation, 1, null_mut(), 0);
        pg_sys::ExecOpenIndices(result, false);
        let Some(insert) = (*(*relation).rd_tableam).multi_insert else {
            Failure::internal("a table that takes no rows").raise()
        };
        let command = pg_sys::GetCurrentCommandId(true);
        let bulk = pg_sys::GetBulkInsertState();
        let slots = (0..BATCH).map(|_| pg_sys::table_slot_create(relation, null_mut()));
        let mut slots: Vec<_> = slots.collect();
        let mut next = || -> usize {
            let mut filled = 0;
            for (&slot, row) in slots.iter().zip(&mut rows) {
                pg_sys::ExecStoreAllNullTuple(slot);
                for (place, (cell, column)) in row.iter().zip(&columns).enumerate() {
                    cell.require(column.typ);
                    (*slot).tts_values.add(place).write(cell.word());
                    (*slot).tts_isnull.add(place).write(cell.is_null());
                }
                filled += 1;
            }
            let (first, number) = (slots.as_mut_ptr(), filled as i32);
            guarded(|| insert(relation, first, number, command, 0, bulk));
            for &slot in &slots[..filled] {
                let (of, no, none) = (result, false, null_mut());
                #[cfg(any(feature = "pg14", feature = "pg15"))]
                pg_sys::ExecInsertIndexTuples(of, slot, state, no, no, none, null_mut());
                #[cfg(not(any(feature = "pg14", feature = "pg15")))]
                pg_sys::ExecInsertIndexTuples(of, slot, state, no, no, none, null_mut(), no);
            }
            filled
        };
        while filled == BATCH {
            filled = arena.within(&mut next);
            arena.reset();
            written += filled;
            each(written);
        }
        let drop = |slot| pg_sys::ExecDropSingleTupleTableSlot(slot);
        slots.into_iter().for_each(drop);
        pg_sys::FreeBulkInsertState(bulk);
        pg_sys::ExecCloseIndices(result);
        pg_sys::FreeExecutorState(state);
        pg_sys::table_close(relation, pg_sys::NoLock as i32);
        pg_sys::CommandCounterIncrement();
    }
}
