//! What a call takes of the processor, in steps of some milliseconds. Unlike the clock on the wall, this does not run on while
//! other processes have their turn.

use std::fs;

/// Seconds that this thread has run for; the first figure is in nanoseconds.
fn now() -> f64 {
    let figures = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds = figures.split(' ').next().unwrap();
    nanoseconds.parse::<f64>().unwrap() / 1e9
}

/// The best of several runs, in seconds of the processor.
pub fn seconds(runs: usize, run: impl Fn()) -> f64 {
    let time = |_| {
        let start = now();
        run();
        now() - start
    };
    (0..runs).map(time).fold(f64::INFINITY, f64::min)
}
