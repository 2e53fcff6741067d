//! Settings go to the workers with the query: Citus sends none. A query over distributed tables gets
//! a condition that is always true, and sets them where it is asked, for that statement.

use crate::pg::citus;
use crate::pg::function_call::{Call, v1};
use crate::pg::pg_list::push_node;
use crate::pg::statements;
use crate::pg::text_casts;
use pgrx::pg_sys::{self, Node, Query};
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicI64, Ordering};

/// What goes along, in the order of the function's arguments.
const CARRIED: [&CStr; 2] = [c"sdc.seed", c"sdc.max_memory"];

/// The transaction in which settings were sent last. The workers keep them to its end.
static SENT: AtomicI64 = AtomicI64::new(i64::MIN);

/// Whether the session has changed one of the settings, or has sent some in this transaction.
fn must_go_along() -> bool {
    // SAFETY: reads a variable of this process.
    let transaction = unsafe { pg_sys::GetCurrentTransactionStartTimestamp() };
    let changed = |name: &&CStr| citus::setting(name) != citus::reset_value(name);
    if SENT.load(Ordering::Relaxed) != transaction && !CARRIED.iter().any(changed) {
        return false;
    }
    SENT.store(transaction, Ordering::Relaxed);
    true
}

/// Gives each of these parts of a query the condition, if settings must go along.
///
/// # Safety
/// The queries must be valid, and parts of one that is about to be planned.
pub unsafe fn send_with(queries: &[*mut Query]) {
    if !must_go_along() {
        return;
    }
    // SAFETY: new nodes, allocated like the query; a function is looked up by its name.
    unsafe {
        let path = push_node(
            std::ptr::null_mut(),
            pg_sys::makeString(c"sdc".as_ptr().cast_mut()),
        );
        let name = pg_sys::makeString(c"take_settings".as_ptr().cast_mut());
        let types = [pg_sys::TEXTOID; CARRIED.len()];
        let path = push_node(path, name);
        let function = pg_sys::LookupFuncName(path, types.len() as i32, types.as_ptr(), true);
        if function == pg_sys::InvalidOid {
            return;
        }
        for &query in queries {
            let from = (*query).jointree;
            if !from.is_null() && !(*from).fromlist.is_null() {
                (*from).quals = pg_sys::make_and_qual((*from).quals, condition(function));
            }
        }
    }
}

unsafe fn condition(function: pg_sys::Oid) -> *mut Node {
    let collation = pg_sys::DEFAULT_COLLATION_OID;
    let mut arguments = std::ptr::null_mut();
    // SAFETY: new nodes.
    unsafe {
        for name in CARRIED {
            let value = citus::setting(name).unwrap_or_default();
            let value = text_casts::to_datum(value.to_bytes());
            let constant =
                pg_sys::makeConst(pg_sys::TEXTOID, -1, collation, -1, value, false, false);
            arguments = push_node(arguments, constant);
        }
        let call = pg_sys::makeFuncExpr(
            function,
            pg_sys::BOOLOID,
            arguments,
            pg_sys::InvalidOid,
            collation,
            pg_sys::CoercionForm::COERCE_EXPLICIT_CALL,
        );
        call.cast()
    }
}

/// Takes settings over to the end of the transaction, on a worker; once for each query.
fn take_settings(call: &Call) -> Option<pg_sys::Datum> {
    let take = || {
        if !citus::is_internal_backend() {
            return;
        }
        for (place, name) in CARRIED.iter().enumerate() {
            let value: String = call.required(place, "a setting");
            if let Ok(value) = CString::new(value) {
                statements::set_to_end_of_transaction(name, &value);
            }
        }
    };
    call.with_kept(take, |_| ());
    Some(pg_sys::Datum::from(true))
}

v1! {
    sdc_take_settings, pg_finfo_sdc_take_settings => take_settings;
}
