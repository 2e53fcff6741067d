//! A number for each row of a window partition, kept in memory that PostgreSQL frees with it.

use crate::pg::memory::Charge;
use crate::pg::memory_context::Context;
use crate::read::window_rows::WindowCall;
use pgrx::PgMemoryContexts;
use std::ffi::c_void;

/// Numbers for which zeroed memory is a value.
pub trait Zeroed: Copy {}

impl Zeroed for i32 {}
impl Zeroed for f64 {}

impl WindowCall<'_> {
    /// The figure of this call's row. `compute` gives one for each row at the partition's first
    /// row. The call must use the partition's memory for nothing else.
    pub fn figure<F: IntoIterator<Item = f64>>(&self, compute: impl FnOnce() -> F) -> f64 {
        self.kept(|figures: &mut [f64]| {
            for (figure, computed) in figures.iter_mut().zip(compute()) {
                *figure = computed;
            }
        })
    }

    /// The number of this call's row. `compute` fills in those of all rows at the partition's
    /// first row. They stand in the partition's memory behind a word that says whether they are
    /// there.
    pub(super) fn kept<T: Zeroed>(&self, compute: impl FnOnce(&mut [T])) -> T {
        let size = size_of::<u64>() + self.rows() * size_of::<T>();
        let memory = self.partition_memory(size);
        // SAFETY: the partition's memory holds a word and a number for each of its rows, zeroed
        // when it is first asked for.
        let (ready, numbers) = unsafe {
            let ready = memory.cast::<u64>();
            let numbers = std::slice::from_raw_parts_mut(ready.add(1).cast::<T>(), self.rows());
            (&mut *ready, numbers)
        };
        if *ready == 0 {
            Charge::new(size).until_reset(context_of(memory));
            compute(numbers);
            *ready = 1;
        }
        numbers[self.position()]
    }
}

/// The memory context of a partition's memory.
pub(super) fn context_of(partition: *mut c_void) -> Context {
    // SAFETY: PostgreSQL allocated the memory, and frees its context with the partition.
    unsafe {
        let context = PgMemoryContexts::of(partition);
        Context::new(context.map_or(Context::current().raw(), |context| context.value()))
    }
}
