//! `sdc.permute`: a column's values in random order, within each window partition.

use crate::errors::{self, Names};
use crate::kept_values::Keeper;
use crate::progress::Watch;
use crate::settings;
use crate::v1::{self, v1};
use crate::window::{Batches, WindowCall};
use pgrx::PgMemoryContexts;
use pgrx::pg_sys::{Datum, FunctionCallInfo};
use sdc_engine::{Monitor, Phase, permute};

/// A partition's values in their new order. They stand in the partition's local memory: this
/// header, a datum for each row, a flag for each row that says whether it is null.
struct Shuffled<'a> {
    ready: &'a mut u64,
    values: &'a mut [Datum],
    nulls: &'a mut [bool],
    context: PgMemoryContexts,
}

impl Shuffled<'_> {
    /// # Safety
    /// The call must use the partition's local memory for nothing else.
    unsafe fn of(call: &WindowCall) -> Self {
        let rows = call.rows();
        let size = size_of::<u64>() + rows * (size_of::<Datum>() + size_of::<bool>());
        // SAFETY: the memory has room for the header and both slices, is zeroed when it is
        // first asked for, and lives as long as the partition.
        unsafe {
            let memory = call.partition_memory(size);
            let values = memory.cast::<u64>().add(1).cast::<Datum>();
            let nulls = values.add(rows).cast::<bool>();
            Shuffled {
                ready: &mut *memory.cast(),
                values: std::slice::from_raw_parts_mut(values, rows),
                nulls: std::slice::from_raw_parts_mut(nulls, rows),
                context: PgMemoryContexts::of(memory)
                    .unwrap_or(PgMemoryContexts::CurrentMemoryContext),
            }
        }
    }

    /// Reads the partition once; each value goes straight to its place.
    unsafe fn fill(&mut self, call: &WindowCall) {
        let rows = self.values.len();
        let mut watch = Watch::new(None);
        let places = call.with_generator(|rng| permute::places(rows, rng, &mut watch));
        let places = errors::engine(places, Names::default());
        let mut keeper = Keeper::new(call.argument_type(0), self.context.value());
        let mut batches = Batches::new(call, vec![0]);
        let mut places = places.iter();
        watch.start(Phase::Reading, rows as u64);
        while let Some(batch) = batches.next() {
            for (value, &place) in batch.iter().zip(&mut places) {
                // SAFETY: the value is of the argument's type.
                self.values[place as usize] = unsafe { keeper.keep(value.datum, value.null) };
                self.nulls[place as usize] = value.null;
            }
            settings::check_memory(rows * 13 + keeper.bytes);
            let read = rows - places.len();
            errors::engine(watch.advance(read as u64), Names::default());
        }
        *self.ready = 1;
    }
}

unsafe fn permute(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: the SQL declaration makes this a window function of one argument.
    unsafe {
        let call = WindowCall::new(fcinfo);
        let mut shuffled = Shuffled::of(&call);
        if *shuffled.ready == 0 {
            shuffled.fill(&call);
        }
        let row = call.position();
        let value = (!shuffled.nulls[row]).then_some(shuffled.values[row]);
        v1::answer(fcinfo, value)
    }
}

v1! {
    sdc_permute, pg_finfo_sdc_permute => permute;
}
