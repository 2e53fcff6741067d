//! Keeps computing threads and PostgreSQL apart. Its signal handlers must run on the backend's own
//! thread, and a panic's words, which may hold values out of the data, must not reach the log.

use sdc_engine::threads;
use std::mem::zeroed;
use std::ptr::null_mut;

/// Called once when the library is loaded.
pub fn register() {
    threads::start_by(without_signals);
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // the calling thread raises an error of its own
        if !threads::is_worker() {
            others(panic);
        }
    }));
}

/// Starts threads with every signal blocked, which they inherit and never change.
fn without_signals(start: &mut dyn FnMut()) {
    // SAFETY: both sets are filled in before they are read, and the second call restores what
    // the first one changed for this thread.
    unsafe {
        let (mut all, mut before) = (zeroed(), zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        start();
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
    }
}
