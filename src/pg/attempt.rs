//! Work that may fail for reasons that are known beforehand, without failing the whole statement.

use crate::pg::errors::Failure;
use pgrx::pg_sys::panic::{CaughtError, ErrorReportWithLevel};
use pgrx::pg_sys::{self};
use pgrx::{PgSqlErrorCode, PgTryBuilder};
use std::panic::AssertUnwindSafe;

/// Runs `work` in a subtransaction. An error of one of the `expected` kinds undoes what it did, and
/// its message is the answer. Any other goes on: a cancel, a bug.
pub fn attempt<T>(expected: &[PgSqlErrorCode], work: impl FnOnce() -> T) -> Result<T, String> {
    let subtransaction = Subtransaction::begin();
    let work = AssertUnwindSafe(work);
    let outcome = PgTryBuilder::new(|| Ok({ work }.0()))
        .catch_others(|error| Err(Box::new(AssertUnwindSafe(error))))
        .execute();
    match outcome {
        Ok(done) => {
            subtransaction.end(false);
            Ok(done)
        }
        Err(caught) => {
            let AssertUnwindSafe(error) = *caught;
            subtransaction.end(true);
            match expected.contains(&report_of(&error).sql_error_code()) {
                true => Err(message_of(report_of(&error))),
                false => error.rethrow(),
            }
        }
    }
}

/// Gives errors of some kinds another hint.
pub fn hinted<T>(kinds: &[PgSqlErrorCode], hint: String, work: impl FnOnce() -> T) -> T {
    let work = AssertUnwindSafe(work);
    let outcome = PgTryBuilder::new(|| Ok({ work }.0()))
        .catch_others(|error| Err(Box::new(AssertUnwindSafe(error))))
        .execute();
    outcome.unwrap_or_else(|caught| {
        let AssertUnwindSafe(error) = *caught;
        let report = report_of(&error);
        if !kinds.contains(&report.sql_error_code()) {
            error.rethrow();
        }
        let failure = Failure::new(report.sql_error_code(), report.message()).hint(hint);
        match report.detail() {
            Some(detail) => failure.detail(detail).raise(),
            None => failure.raise(),
        }
    })
}

/// PostgreSQL names the number that does not fit, which may be out of the data.
fn message_of(report: &ErrorReportWithLevel) -> String {
    match report.sql_error_code() {
        PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE => "a number is out of range".into(),
        _ => report.message().to_string(),
    }
}

fn report_of(error: &CaughtError) -> &ErrorReportWithLevel {
    match error {
        CaughtError::PostgresError(report)
        | CaughtError::ErrorReport(report)
        | CaughtError::RustPanic {
            ereport: report, ..
        } => report,
    }
}

/// What PostgreSQL is to find as it was, however the subtransaction ends.
struct Subtransaction {
    memory: pg_sys::MemoryContext,
    owner: pg_sys::ResourceOwner,
}

impl Subtransaction {
    fn begin() -> Self {
        // SAFETY: within a transaction, as every function runs; the caller's memory context stays.
        unsafe {
            let memory = pg_sys::CurrentMemoryContext;
            let owner = pg_sys::CurrentResourceOwner;
            pg_sys::BeginInternalSubTransaction(std::ptr::null());
            pg_sys::MemoryContextSwitchTo(memory);
            Subtransaction { memory, owner }
        }
    }

    /// Keeps what was done, or undoes it.
    fn end(self, undone: bool) {
        // SAFETY: ends the subtransaction that was begun, which is the innermost one. An error has
        // been copied, and PostgreSQL holds none any more. What is put back is of the caller, who
        // is still there.
        unsafe {
            match undone {
                true => pg_sys::RollbackAndReleaseCurrentSubTransaction(),
                false => pg_sys::ReleaseCurrentSubTransaction(),
            }
            pg_sys::MemoryContextSwitchTo(self.memory);
            pg_sys::CurrentResourceOwner = self.owner;
        }
    }
}
