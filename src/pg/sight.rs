//! What a statement sees of the database.

use pgrx::pg_sys::{self, Oid};

/// The snapshot and the user of a statement. PL/pgSQL keeps the state of an expression from
/// statement to statement, between which the tables it has read may change.
#[derive(PartialEq, Eq, Clone, Copy)]
pub struct Sight {
    xmin: u32,
    xmax: u32,
    running: (u32, i32),
    command: u32,
    /// who sees: row-level security may show others other rows
    user: Oid,
}

impl Sight {
    pub fn now() -> Self {
        // SAFETY: a function runs under an active snapshot, which is only read.
        unsafe {
            let snapshot = &*pg_sys::GetActiveSnapshot();
            Sight {
                xmin: snapshot.xmin.into(),
                xmax: snapshot.xmax.into(),
                running: (snapshot.xcnt, snapshot.subxcnt),
                command: snapshot.curcid,
                user: pg_sys::GetUserId(),
            }
        }
    }
}
