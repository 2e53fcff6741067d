//! Something of Rust that is kept from row to row of a window partition.

use crate::pg::cell::Cell;
use crate::read::window_batches::Batches;
use crate::read::window_figures::context_of;
use crate::read::window_rows::WindowCall;

impl WindowCall<'_> {
    /// Lends what is made at the first row of a partition and dropped behind its last. Where the
    /// last row is never asked for it is not dropped: memory of PostgreSQL's that it holds goes with
    /// the partition. The call must use the partition's memory for nothing else.
    pub fn with_state<T, R>(&self, make: impl FnOnce() -> T, act: impl FnOnce(&mut T) -> R) -> R {
        let memory = self.partition_memory(size_of::<*mut T>());
        let place = memory.cast::<*mut T>();
        // SAFETY: the partition's memory holds a pointer, null when it is first asked for. What it
        // points to is on Rust's heap, and nobody else knows of it.
        unsafe {
            if (*place).is_null() {
                *place = Box::into_raw(Box::new(context_of(memory).within(make)));
            }
            let result = act(&mut **place);
            if self.position() + 1 == self.rows() {
                drop(Box::from_raw(std::mem::replace(
                    &mut *place,
                    std::ptr::null_mut(),
                )));
            }
            result
        }
    }

    /// Lends the value of an argument in the partition's first row.
    pub fn first_value<T>(
        &self,
        argument: usize,
        act: impl FnOnce(Cell<'_>) -> Option<T>,
    ) -> Option<T> {
        let mut batches = Batches::new(self, vec![argument]);
        act(batches.next()?.first_row().next()?)
    }

    /// Hands the values of an argument to `take`, row by row.
    pub fn each_value(&self, argument: usize, mut take: impl FnMut(Cell<'_>)) {
        let mut batches = Batches::new(self, vec![argument]);
        while let Some(batch) = batches.next() {
            batch.for_each_row(|row| row.for_each(&mut take));
        }
    }
}
