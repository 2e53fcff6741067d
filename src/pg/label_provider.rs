//! The label provider `sdc`. PostgreSQL stores security labels, dumps them, and lets nobody but
//! the owner of an object set them; we only say which texts make sense.

use crate::pg::guard::guarded;
use pgrx::pg_sys;
use pgrx::prelude::*;
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

/// How SQL names the provider: `SECURITY LABEL FOR sdc ON …`.
pub const PROVIDER: &str = "sdc";

/// What a label is put on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labelled {
    Relation,
    Column,
    /// a schema, a function, a role, …
    Other,
}

/// Raises an error for a label that makes no sense.
pub type LabelCheck = fn(Labelled, &str);

static CHECK: OnceLock<LabelCheck> = OnceLock::new();

/// Registers the provider; called when the library is loaded.
pub fn register(check: LabelCheck) {
    CHECK.get_or_init(|| check);
    // SAFETY: called while the library is loaded; PostgreSQL copies the name.
    unsafe { pg_sys::register_label_provider(c"sdc".as_ptr(), Some(relabel)) };
}

/// PostgreSQL has checked the caller's ownership before. A label that is taken away is null.
#[pg_guard]
unsafe extern "C-unwind" fn relabel(object: *const pg_sys::ObjectAddress, label: *const c_char) {
    if label.is_null() {
        return;
    }
    // SAFETY: a valid object and a zero-terminated text during the call.
    let (object, text) = unsafe { (&*object, CStr::from_ptr(label).to_string_lossy()) };
    let labelled = match object.classId == pg_sys::RelationRelationId {
        true if object.objectSubId == 0 => Labelled::Relation,
        true => Labelled::Column,
        false => Labelled::Other,
    };
    if let Some(check) = CHECK.get() {
        guarded(|| check(labelled, &text));
    }
}
