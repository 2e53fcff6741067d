//! The settings `sdc.seed`, `sdc.max_memory`, `sdc.memory_ceiling` and `sdc.threads`.

use crate::pg::errors::Failure;
use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};
use pgrx::prelude::*;
use std::ffi::CString;
use std::sync::OnceLock;

static SEED: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);
static MAX_MEMORY: GucSetting<i32> = GucSetting::<i32>::new(2 * 1024 * 1024);
static MEMORY_CEILING: GucSetting<i32> = GucSetting::<i32>::new(-1);
static THREADS: GucSetting<i32> = GucSetting::<i32>::new(1);

/// The most computing threads that can be asked for.
const MOST_THREADS: i32 = 64;

/// The least memory that a limit leaves, in kB.
const LEAST_MEMORY: i32 = 1024;

/// Registers the settings; called when the library is loaded.
pub fn register() {
    GucRegistry::define_string_guc(
        c"sdc.seed",
        c"Seed that makes randomised methods reproducible.",
        c"A whole number. If it is empty (the default), randomness comes from the operating system.",
        &SEED,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"sdc.max_memory",
        c"Most memory that the calls of one transaction may take in one process.",
        c"A call that needs more stops with an error. A check of a table goes on with slower queries.",
        &MAX_MEMORY,
        LEAST_MEMORY,
        i32::MAX,
        GucContext::Userset,
        GucFlags::UNIT_KB,
    );
    GucRegistry::define_int_guc(
        c"sdc.memory_ceiling",
        c"Most memory that sdc.max_memory can allow.",
        c"Only a superuser can set it. With -1 (the default) there is no ceiling, so any user can raise sdc.max_memory.",
        &MEMORY_CEILING,
        -1,
        i32::MAX,
        GucContext::Suset,
        GucFlags::UNIT_KB,
    );
    GucRegistry::define_int_guc(
        c"sdc.threads",
        c"Most computing threads that one call of pg_sdc may start.",
        c"With 1 (the default) the backend computes by itself. A number above that of the machine's cores counts as that many. Results do not depend on it.",
        &THREADS,
        1,
        MOST_THREADS,
        GucContext::Userset,
        GucFlags::default(),
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

/// How many threads a call may compute with: `sdc.threads`, and the machine's cores at most.
pub fn threads() -> usize {
    // the system reads files to answer
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = || std::thread::available_parallelism().map_or(1, Into::into);
    match THREADS.get() as usize {
        1 => 1,
        wanted => wanted.min(*CORES.get_or_init(cores)),
    }
}

/// Whether the database's texts can hold every character.
pub fn is_utf8() -> bool {
    encoding() == pg_sys::pg_enc::PG_UTF8
}

fn encoding() -> u32 {
    // SAFETY: reads a number of this process.
    unsafe { pg_sys::GetDatabaseEncoding() as u32 }
}

/// Refuses text that the database's encoding writes in another way than Rust does: it would
/// name something else. What is unreadable there has become U+FFFD.
pub fn refuse_unwritable(text: &str) {
    let unwritable = match encoding() {
        pg_sys::pg_enc::PG_UTF8 => false,
        pg_sys::pg_enc::PG_SQL_ASCII => text.contains('\u{FFFD}'),
        _ => !text.is_ascii(),
    };
    if unwritable {
        beyond_ascii().raise();
    }
}

/// Text that is not ASCII, in a database whose encoding is not UTF8.
pub fn beyond_ascii() -> Failure {
    Failure::new(
        PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
        "names and texts beyond ASCII can be read only in a database whose encoding is UTF8",
    )
    .hint("Rename such columns and relations, read them through a view whose names are plain, or move to a database in UTF8.")
}

/// The bytes that a call may take, and the setting that says so.
fn memory_limit() -> (usize, &'static str) {
    let (wanted, ceiling) = (MAX_MEMORY.get(), MEMORY_CEILING.get());
    let (kilobytes, name) = match ceiling >= 0 && ceiling < wanted {
        true => (ceiling.max(LEAST_MEMORY), "sdc.memory_ceiling"),
        false => (wanted, "sdc.max_memory"),
    };
    (kilobytes as usize * 1024, name)
}

/// The bytes that a call may take: `sdc.max_memory`, and `sdc.memory_ceiling` at most.
pub fn most_memory() -> usize {
    memory_limit().0
}

/// A call that would need so many bytes at least, more than it may take; and what needs less.
pub fn memory_exceeded(bytes: usize, instead: &str) -> Failure {
    let mb = |bytes: usize| bytes.div_ceil(1024 * 1024);
    let (limit, name) = memory_limit();
    let message = format!("this call needs more than {name} ({} MB)", mb(limit));
    let raise = match name {
        "sdc.max_memory" => "Raise sdc.max_memory if the machine has it",
        _ => "Ask a superuser to raise sdc.memory_ceiling if the machine has it",
    };
    Failure::new(
        PgSqlErrorCode::ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
        message,
    )
    .detail(format!("At least {} MB are needed.", mb(bytes)))
    .hint(format!(
        "{raise}, {instead}or work on fewer rows (WHERE, PARTITION BY)."
    ))
}
