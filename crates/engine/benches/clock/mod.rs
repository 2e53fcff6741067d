//! The clock of the benchmarks.

/// Seconds of processor time that a piece of work takes; of the clock where the system does
/// not tell.
pub fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let (clock, processor) = (std::time::Instant::now(), processor_seconds());
    let result = work();
    let elapsed = match (processor, processor_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => clock.elapsed().as_secs_f64(),
    };
    (elapsed, result)
}

fn processor_seconds() -> Option<f64> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = statistics.split(' ').next()?.parse().ok()?;
    Some(nanoseconds * 1e-9)
}
