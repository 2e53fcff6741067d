//! A figure for each row of a window partition, kept in memory that PostgreSQL frees with it.

use crate::read::window_rows::WindowCall;

impl WindowCall<'_> {
    /// The figure of this call's row. `compute` gives one for each row at the partition's first
    /// row. The call must use the partition's memory for nothing else.
    pub fn figure(&self, compute: impl FnOnce() -> Vec<f64>) -> f64 {
        let size = size_of::<u64>() + self.rows() * size_of::<f64>();
        let memory = self.partition_memory(size).cast::<u64>();
        // SAFETY: the partition's memory holds a word and a figure for each of its rows, zeroed
        // when it is first asked for.
        let (ready, figures) = unsafe {
            let figures = memory.add(1).cast::<f64>();
            let figures = std::slice::from_raw_parts_mut(figures, self.rows());
            (&mut *memory, figures)
        };
        if *ready == 0 {
            for (figure, computed) in figures.iter_mut().zip(compute()) {
                *figure = computed;
            }
            *ready = 1;
        }
        figures[self.position()]
    }
}
