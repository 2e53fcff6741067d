//! The SQL surface of pg_sdc. Data flows one way:
//!
//! ```text
//! rows            columns.rs     engine            window.rs   group numbers
//! (window.rs,  ─► (codec.rs,  ─► (Space → Partition) ─► srf.rs     masked rows
//!  query.rs)       number.rs)                          aggregate.rs figures
//! ```
//!
//! No algorithm lives here; `sql/` holds the hand-written SQL.

use pgrx::prelude::*;

::pgrx::pg_module_magic!(name, version);

// the border: how PostgreSQL's values, rows and calls come in and go out
mod aggregate;
mod arguments;
mod codec;
mod columns;
mod dictionary;
mod domain;
mod equality;
mod errors;
mod generate_sql;
mod guard;
mod image;
mod kept_values;
mod memory;
mod number;
mod order;
mod progress;
mod query;
mod randomness;
mod record;
mod row_store;
mod rows;
mod settings;
mod source;
mod sql_types;
mod srf;
mod text;
mod v1;
mod window;

// one file for each SQL concept
mod anatomy;
mod check;
mod checks;
mod generalization;
mod histogram;
mod loss;
mod mdav;
mod microaggregate;
mod microaggregation;
mod mondrian;
mod p_alpha;
mod p_sensitive;
mod permutation;
mod permute;
mod release;
mod report;
mod risk_utility;
mod sensitivity;

/// `#[pg_guard]` on an extern block expands to a path in this crate.
pub(crate) mod ffi {
    pub use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
}

extension_sql_file!("../sql/aggregates.sql", name = "aggregates");
extension_sql_file!("../sql/comments.sql", name = "comments", finalize);
extension_sql_file!("../sql/assign.sql", name = "assign");
extension_sql_file!("../sql/generalize.sql", name = "generalize");
extension_sql_file!("../sql/mask.sql", name = "mask");
extension_sql_file!("../sql/release.sql", name = "release", bootstrap);
extension_sql_file!(
    "../sql/progress.sql",
    name = "progress",
    requires = [progress::progress_info]
);

#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    settings::register();
}

/// What `cargo pgrx test` asks for.
#[cfg(test)]
pub mod pg_test {
    pub fn setup(_options: Vec<&str>) {}

    #[must_use]
    pub fn postgresql_conf_options() -> Vec<&'static str> {
        Vec::new()
    }
}
