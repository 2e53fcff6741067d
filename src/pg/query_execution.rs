//! Runs a generated query. It is parsed once: the relations that parsing found under the query's
//! names are compared with those that were vetted, and no others are read. SPI would look names
//! up again when a schema is renamed in between.

use crate::pg::errors::Failure;
use crate::pg::memory_context::Arena;
use crate::pg::pinned_relations;
use crate::pg::unnamed_relations;
use pgrx::pg_sys::{self, Oid};
use std::ffi::CStr;

/// Runs a query that only reads, and hands its rows to the receiver.
///
/// # Safety
/// The receiver is valid, and stays so to the end of the call.
pub unsafe fn run(sql: &CStr, receiver: *mut pg_sys::DestReceiver) {
    // SAFETY: all of it is allocated in an arena, which goes away at the end.
    Arena::new("pg_sdc query").within(|| unsafe {
        let named = analyzed(sql);
        let relations = relations(named);
        pinned_relations::verify(&sql.to_string_lossy(), &relations);
        unnamed_relations::reading(&relations, || {
            let query = rewritten(named);
            let options = pg_sys::CURSOR_OPT_PARALLEL_OK as i32;
            let plan = pg_sys::pg_plan_query(query, sql.as_ptr(), options, std::ptr::null_mut());
            execute(plan, sql, receiver);
        });
    });
}

/// Goes through the executor's steps, in PostgreSQL's order.
unsafe fn execute(plan: *mut pg_sys::PlannedStmt, sql: &CStr, receiver: *mut pg_sys::DestReceiver) {
    let (crosscheck, parameters) = (std::ptr::null_mut(), std::ptr::null_mut());
    let (text, environment) = (sql.as_ptr(), std::ptr::null_mut());
    // SAFETY: a plan that was just made, the snapshot that its query was parsed under, a valid receiver.
    unsafe {
        let snapshot = pg_sys::GetActiveSnapshot();
        let description = pg_sys::CreateQueryDesc(
            plan,
            text,
            snapshot,
            crosscheck,
            receiver,
            parameters,
            environment,
            0,
        );
        pg_sys::ExecutorStart(description, 0);
        run_to_the_end(description);
        pg_sys::ExecutorFinish(description);
        pg_sys::ExecutorEnd(description);
        pg_sys::FreeQueryDesc(description);
    }
}

/// The query with its names looked up, and locks on all relations that it names.
unsafe fn analyzed(sql: &CStr) -> *mut pg_sys::Query {
    // SAFETY: the text is zero-terminated, and parsing it gives a statement or an error.
    unsafe {
        let parsed = pg_sys::pg_parse_query(sql.as_ptr());
        if (*parsed).length != 1 {
            refuse_more();
        }
        names_looked_up(pg_sys::list_nth(parsed, 0).cast(), sql)
    }
}

unsafe fn names_looked_up(statement: *mut pg_sys::RawStmt, sql: &CStr) -> *mut pg_sys::Query {
    #[cfg(feature = "pg14")]
    use pg_sys::parse_analyze as analyze;
    #[cfg(not(feature = "pg14"))]
    use pg_sys::parse_analyze_fixedparams as analyze;
    let (types, environment) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: a statement without parameters, and its text.
    unsafe { analyze(statement, sql.as_ptr(), types, 0, environment) }
}

/// The query with views and policies in it.
unsafe fn rewritten(query: *mut pg_sys::Query) -> *mut pg_sys::Query {
    // SAFETY: a query as parsing gives it; a SELECT stays one query.
    unsafe {
        if (*query).commandType != pg_sys::CmdType::CMD_SELECT || (*query).hasModifyingCTE {
            refuse_more();
        }
        pg_sys::list_nth(pg_sys::pg_rewrite_query(query), 0).cast()
    }
}

fn refuse_more() -> ! {
    Failure::internal("a generated query does more than read").raise()
}

/// The relations that the query names; those behind views are not in it yet.
unsafe fn relations(query: *mut pg_sys::Query) -> Vec<Oid> {
    let (mut relations, mut others) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut row_security = false;
    // SAFETY: PostgreSQL fills the list, which is read to its length.
    unsafe {
        pg_sys::extract_query_dependencies(
            query.cast(),
            &mut relations,
            &mut others,
            &mut row_security,
        );
        let length = relations.as_ref().map_or(0, |list| list.length);
        (0..length)
            .map(|place| pg_sys::list_nth_oid(relations, place))
            .collect()
    }
}

unsafe fn run_to_the_end(description: *mut pg_sys::QueryDesc) {
    let forward = pg_sys::ScanDirection::ForwardScanDirection;
    // SAFETY: the executor was started, and runs once.
    unsafe {
        #[cfg(not(feature = "pg18"))]
        pg_sys::ExecutorRun(description, forward, 0, true);
        #[cfg(feature = "pg18")]
        pg_sys::ExecutorRun(description, forward, 0);
    }
}
