//! Schemas that keep their names to the end of the transaction. The owner of a schema may rename
//! it at any moment, and put relations of their own under the names that statements are about to
//! write to: triggers there would run as the caller.

use crate::pg::errors::Failure;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys;
use std::ffi::CString;

/// Keeps the schema of this name from being renamed or dropped to the end of the transaction, as
/// a foreign key keeps the row that it refers to. Granting goes on. One that is not there is passed
/// over.
pub fn keep(schema: &str) {
    let Ok(name) = CString::new(schema) else {
        return;
    };
    // SAFETY: reads a flag of the server. A standby writes nothing, and creating says so.
    if unsafe { pg_sys::RecoveryInProgress() } {
        return;
    }
    for _ in 0..ATTEMPTS {
        // SAFETY: the name is zero-terminated, and outlives the look-up; the copy is freed.
        let kept = unsafe {
            let cache = pg_sys::SysCacheIdentifier::NAMESPACENAME as i32;
            let entry = pg_sys::SearchSysCacheCopy(
                cache,
                pg_sys::Datum::from(name.as_ptr().cast_mut()),
                NONE,
                NONE,
                NONE,
            );
            if entry.is_null() {
                return;
            }
            let kept = lock_row(entry);
            pg_sys::heap_freetuple(entry);
            kept
        };
        if kept {
            return;
        }
    }
    Failure::new(
        PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        "the schema of a release is being changed",
    )
    .hint("Try again.")
    .raise()
}

/// A row that was changed meanwhile is looked up again.
const ATTEMPTS: usize = 100;

const NONE: pg_sys::Datum = pg_sys::Datum::null();

/// Locks the row against changes of its key; `false` where it is another one by now.
///
/// # Safety
/// A row of `pg_namespace`, as the catalog has it.
unsafe fn lock_row(entry: pg_sys::HeapTuple) -> bool {
    // SAFETY: the catalog's lock is held to the end of the transaction, and the buffer is let go.
    unsafe {
        let catalog = pg_sys::table_open(
            pg_sys::NamespaceRelationId,
            pg_sys::RowShareLock as pg_sys::LOCKMODE,
        );
        let (mut buffer, mut failure) = (0, pg_sys::TM_FailureData::default());
        let outcome = pg_sys::heap_lock_tuple(
            catalog,
            entry,
            pg_sys::GetCurrentCommandId(false),
            pg_sys::LockTupleMode::LockTupleKeyShare,
            pg_sys::LockWaitPolicy::LockWaitBlock,
            false,
            &raw mut buffer,
            &raw mut failure,
        );
        pg_sys::ReleaseBuffer(buffer);
        pg_sys::table_close(catalog, pg_sys::NoLock as pg_sys::LOCKMODE);
        pg_sys::AcceptInvalidationMessages();
        // a row of this very transaction is not seen by others yet
        outcome == pg_sys::TM_Result::TM_Ok || outcome == pg_sys::TM_Result::TM_Invisible
    }
}
