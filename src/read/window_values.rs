//! A value for each row of a window partition, kept in memory that PostgreSQL frees with it.

use crate::pg::cell::Cell;
use crate::pg::datum_copies::Keeper;
use crate::pg::memory::Charge;
use crate::pg::memory_context::Context;
use crate::read::window_figures::context_of;
use crate::read::window_rows::WindowCall;
use pgrx::pg_sys::Datum;

/// Values of the type of a call's first argument. They stand in the partition's local memory: a
/// word that says whether they are there, a datum for each row, a flag for each row that says
/// whether it is null.
pub struct WindowValues<'a> {
    ready: &'a mut u64,
    values: &'a mut [Datum],
    nulls: &'a mut [bool],
    keeper: Keeper,
    /// where values by reference are copied to, with the rest of the partition's memory
    context: Context,
}

impl<'a> WindowValues<'a> {
    /// The call must use the partition's memory for nothing else.
    pub fn of(call: &'a WindowCall<'_>) -> Self {
        let (rows, typ) = (call.rows(), call.call.argument_type(0));
        let size = size_of::<u64>() + rows * (size_of::<Datum>() + size_of::<bool>());
        let memory = call.partition_memory(size);
        let context = context_of(memory);
        // SAFETY: the memory has room for the word and both slices, is zeroed when it is first
        // asked for, and lives as long as the partition.
        unsafe {
            let values = memory.cast::<u64>().add(1).cast::<Datum>();
            let nulls = values.add(rows).cast::<bool>();
            WindowValues {
                ready: &mut *memory.cast(),
                values: std::slice::from_raw_parts_mut(values, rows),
                nulls: std::slice::from_raw_parts_mut(nulls, rows),
                keeper: Keeper::new(typ, context),
                context,
            }
        }
    }

    pub fn is_ready(&self) -> bool {
        *self.ready != 0
    }

    /// All values are there.
    pub fn set_ready(&mut self) {
        *self.ready = 1;
    }

    /// Keeps a copy of a value for a row.
    pub fn put(&mut self, row: usize, cell: Cell<'_>) {
        self.values[row] = self.keeper.keep(cell);
        self.nulls[row] = cell.is_null();
    }

    /// The value of a row.
    pub fn get(&self, row: usize) -> Option<Datum> {
        (!self.nulls[row]).then_some(self.values[row])
    }

    /// Counts what is kept from now on, and the places for it.
    pub fn copies(&self) -> CopiedValues {
        let own = size_of::<u64>() + self.values.len() * (size_of::<Datum>() + size_of::<bool>());
        CopiedValues {
            context: self.context,
            others: self.context.bytes().saturating_sub(own),
            charge: Charge::new(0),
        }
    }
}

/// The memory of a partition's values, which PostgreSQL frees.
pub struct CopiedValues {
    context: Context,
    /// what other functions of the same window keep there
    others: usize,
    charge: Charge,
}

impl CopiedValues {
    /// Counts what there is now; an error if it is too much.
    pub fn count(&mut self) {
        let bytes = self.context.bytes().saturating_sub(self.others);
        self.charge.set(bytes);
    }

    /// Counts on until the partition ends.
    pub fn stay(self) {
        self.charge.until_reset(self.context);
    }
}
