//! The settings `sdc.seed` and `sdc.max_memory`.

use crate::pg::errors::Failure;
use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};
use pgrx::prelude::*;
use std::ffi::CString;

static SEED: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);
static MAX_MEMORY: GucSetting<i32> = GucSetting::<i32>::new(2 * 1024 * 1024);

/// Registers the settings; called when the library is loaded.
pub fn register() {
    GucRegistry::define_string_guc(
        c"sdc.seed",
        c"Seed that makes randomised methods reproducible.",
        c"A whole number. Empty (the default): randomness comes from the operating system.",
        &SEED,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"sdc.max_memory",
        c"Most memory that one call of pg_sdc may take.",
        c"A call that would pass it stops with an error.",
        &MAX_MEMORY,
        1024,
        i32::MAX,
        GucContext::Userset,
        GucFlags::UNIT_KB,
    );
    #[cfg(not(feature = "pg14"))]
    // SAFETY: called once while the library is loaded, with a static string.
    unsafe {
        pg_sys::MarkGUCPrefixReserved(c"sdc".as_ptr());
    }
}

/// The seed set by the user, if any.
pub fn seed() -> Option<i64> {
    let text = SEED.get()?.into_string().unwrap_or_default();
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let seed = text.parse().unwrap_or_else(|_| {
        Failure::invalid("sdc.seed must be a whole number")
            .hint("SET sdc.seed = 42, or RESET sdc.seed for real randomness.")
            .raise()
    });
    Some(seed)
}

/// Whether the database's texts can hold every character.
pub fn is_utf8() -> bool {
    // SAFETY: reads a number of this process.
    unsafe { pg_sys::GetDatabaseEncoding() == pg_sys::pg_enc::PG_UTF8 as i32 }
}

/// Stops the call if it would need more than `sdc.max_memory`.
pub fn check_memory(bytes: usize) {
    if !within_memory(bytes) {
        memory_exceeded(bytes, max_memory());
    }
}

/// Whether so many bytes are within `sdc.max_memory`.
pub fn within_memory(bytes: usize) -> bool {
    bytes <= max_memory()
}

fn max_memory() -> usize {
    MAX_MEMORY.get() as usize * 1024
}

/// The same for grouping rows by this many columns: scaled copies of the columns, the tree
/// over them and the group numbers, measured at about 30 + 28 bytes a column for each row.
pub fn check_grouping_memory(rows: usize, columns: usize) {
    check_memory(rows.saturating_mul(30 + 28 * columns));
}

#[cold]
fn memory_exceeded(bytes: usize, limit: usize) -> ! {
    let mb = |bytes: usize| bytes.div_ceil(1024 * 1024);
    Failure::new(
        PgSqlErrorCode::ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
        format!(
            "this call needs more than sdc.max_memory ({} MB)",
            mb(limit)
        ),
    )
    .detail(format!("At least {} MB are needed.", mb(bytes)))
    .hint(
        "Raise sdc.max_memory if the machine has it, or work on fewer rows (WHERE, PARTITION BY).",
    )
    .raise()
}
