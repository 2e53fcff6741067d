//! Independent pieces of work on several cores.
//!
//! The threads compute and do nothing else. They ask nobody whether to stop but a flag of their
//! own, and the monitor is asked by the calling thread alone: whoever embeds the engine may not be
//! called from other threads. Results are taken in the order of the pieces, so that they do not
//! depend on the number of threads.

use super::allocation::reserved;
use super::{limits, monitor::Monitor};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

static COUNT: AtomicUsize = AtomicUsize::new(1);
static START: OnceLock<fn(&mut dyn FnMut())> = OnceLock::new();

/// How long the calling thread waits before it asks the monitor again.
const PATIENCE: Duration = Duration::from_millis(10);

/// How many threads work from now on may use; one stands for the calling thread alone.
pub fn set_count(threads: usize) {
    COUNT.store(threads.max(1), Ordering::Relaxed);
}

/// Names the function that lets threads be started: it calls what it is given, once, and can
/// arrange before that what new threads inherit. The first one stays.
pub fn start_by(starter: fn(&mut dyn FnMut())) {
    let _ = START.set(starter);
}

/// Whether this is one of the threads.
pub fn is_worker() -> bool {
    limits::has_own_flag()
}

/// Does `work` for each of `pieces` pieces and hands the results to `take`, in the order of
/// the pieces. The monitor learns how many of them are done.
pub(crate) fn in_order<T: Send>(
    pieces: usize,
    work: impl Fn(usize, &mut dyn Monitor) -> Result<T> + Sync,
    mut take: impl FnMut(usize, T) -> Result<()>,
    monitor: &mut dyn Monitor,
) -> Result<()> {
    let threads = COUNT.load(Ordering::Relaxed).min(pieces);
    if threads > 1 && !is_worker() {
        return together(threads, pieces, &work, &mut take, monitor);
    }
    for piece in 0..pieces {
        let done = piece as u64;
        monitor.advance(done)?;
        take(piece, work(piece, &mut Piecewise { monitor, done })?)?;
    }
    monitor.advance(pieces as u64)
}

/// The monitor of one piece of many, on the calling thread.
struct Piecewise<'a> {
    monitor: &'a mut dyn Monitor,
    done: u64,
}

impl Monitor for Piecewise<'_> {
    fn advance(&mut self, _done: u64) -> Result<()> {
        self.monitor.advance(self.done)
    }
}

/// The monitor of a thread: a flag.
struct Flagged;

impl Monitor for Flagged {
    fn advance(&mut self, _done: u64) -> Result<()> {
        limits::pulse()
    }
}

/// Sets the flag when the calling thread is done, however it ends.
struct Stopping(Arc<AtomicBool>);

impl Drop for Stopping {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn together<T: Send>(
    threads: usize,
    pieces: usize,
    work: &(impl Fn(usize, &mut dyn Monitor) -> Result<T> + Sync),
    take: &mut dyn FnMut(usize, T) -> Result<()>,
    monitor: &mut dyn Monitor,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let stop = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        let stopping = Stopping(stop.clone());
        let (sender, receiver) = mpsc::channel();
        let worker = Worker {
            pieces,
            next: &next,
            stop: stop.clone(),
            work,
            sender,
        };
        let started = start(worker, threads, scope)?;
        let outcome = gather(&receiver, pieces, take, monitor);
        drop(stopping);
        // a scope waits for what threads do, and not until they are gone
        for thread in started {
            thread.join().map_err(|_| panicked())?;
        }
        outcome
    })
}

/// Starts the threads; an error if not even one can be had.
fn start<'scope, 'env, T: Send + 'scope, W>(
    worker: Worker<'env, T, W>,
    threads: usize,
    scope: &'scope Scope<'scope, 'env>,
) -> Result<Vec<ScopedJoinHandle<'scope, ()>>>
where
    W: Fn(usize, &mut dyn Monitor) -> Result<T> + Sync,
{
    let mut started = reserved(threads)?;
    let mut spawn = || {
        for _ in 0..threads {
            let worker = worker.clone();
            let spawned = Builder::new().spawn_scoped(scope, move || worker.run());
            started.extend(spawned);
        }
    };
    match START.get() {
        Some(starter) => starter(&mut spawn),
        None => spawn(),
    }
    match started.is_empty() {
        true => Err(Error::NoThreads),
        false => Ok(started),
    }
}

/// One thread: takes the next piece for as long as there is one.
struct Worker<'a, T, W> {
    pieces: usize,
    next: &'a AtomicUsize,
    stop: Arc<AtomicBool>,
    work: &'a W,
    sender: Sender<(usize, Result<T>)>,
}

impl<T, W> Clone for Worker<'_, T, W> {
    fn clone(&self) -> Self {
        Worker {
            stop: self.stop.clone(),
            sender: self.sender.clone(),
            ..*self
        }
    }
}

impl<T, W: Fn(usize, &mut dyn Monitor) -> Result<T>> Worker<'_, T, W> {
    fn run(self) {
        limits::obey(self.stop.clone());
        loop {
            let piece = self.next.fetch_add(1, Ordering::Relaxed);
            if piece >= self.pieces || self.stop.load(Ordering::Relaxed) {
                return;
            }
            // what was under way is given up with the whole: nobody sees it half done
            let outcome = catch_unwind(AssertUnwindSafe(|| (self.work)(piece, &mut Flagged)));
            let outcome = outcome.unwrap_or_else(|_| Err(panicked()));
            if self.sender.send((piece, outcome)).is_err() {
                return;
            }
        }
    }
}

fn panicked() -> Error {
    Error::Broken("a computing thread panicked".into())
}

/// Hands results on as their turn comes, and asks the monitor in between.
fn gather<T>(
    receiver: &Receiver<(usize, Result<T>)>,
    pieces: usize,
    take: &mut dyn FnMut(usize, T) -> Result<()>,
    monitor: &mut dyn Monitor,
) -> Result<()> {
    let mut early = BTreeMap::new();
    let mut turn = 0;
    while turn < pieces {
        match receiver.recv_timeout(PATIENCE) {
            Ok((piece, outcome)) => {
                early.insert(piece, outcome?);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Broken("a computing thread is gone".into()));
            }
        }
        while let Some(result) = early.remove(&turn) {
            take(turn, result)?;
            turn += 1;
        }
        limits::room(0)?;
        monitor.advance((turn + early.len()) as u64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;

    /// Runs on so many threads, whatever other tests set.
    fn on<T: Send>(
        threads: usize,
        work: impl Fn(usize, &mut dyn Monitor) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let mut taken = Vec::new();
        let mut take = |piece, result| {
            assert_eq!(piece, taken.len());
            taken.push(result);
            Ok(())
        };
        together(threads, 50, &work, &mut take, &mut Unwatched)?;
        Ok(taken)
    }

    #[test]
    fn results_come_in_order() {
        let work = |piece: usize, _: &mut dyn Monitor| {
            thread::sleep(Duration::from_millis(if piece.is_multiple_of(7) {
                3
            } else {
                0
            }));
            assert!(is_worker());
            Ok(piece * piece)
        };
        assert_eq!(
            on(4, work),
            Ok((0..50).map(|piece| piece * piece).collect())
        );
        assert!(!is_worker());
    }

    #[test]
    fn a_refusal_in_a_thread_is_the_callers_and_stops_the_others() {
        let work = |piece: usize, monitor: &mut dyn Monitor| match piece {
            3 => Err(Error::OutOfMemory { bytes: 7 }),
            // without end, were it not for the flag
            _ if piece > 3 => loop {
                thread::sleep(Duration::from_millis(1));
                monitor.advance(0)?;
            },
            _ => Ok(()),
        };
        assert_eq!(on(3, work), Err(Error::OutOfMemory { bytes: 7 }));
    }

    #[test]
    fn a_panic_in_a_thread_is_an_error_of_the_caller() {
        let work = |piece: usize, _: &mut dyn Monitor| match piece {
            9 => panic!("on purpose"),
            _ => Ok(piece),
        };
        assert!(matches!(on(3, work), Err(Error::Broken(_))));
    }
}
