//! The SQL surface of pg_sdc, a table of contents. Data flows one way, and imports point the other
//! way:
//!
//! ```text
//!  PostgreSQL         read/             crates/engine             verbs            write/
//!  rows ──────► typed columns ──────► a group for each row ──► checks, measures ──► tables
//!  (pg/)        (codec, numbers,      (Partition; models,      group numbers,       (shuffled,
//!               ranks, arguments)      methods, lattice)       masked rows,          the caller's)
//!                                                              releases, reports
//!
//!  pg ◄── read ◄── write ◄── aggregate  assign  check  compare  generalize  ◄── release ◄── attack
//!                            microaggregate  perturb  risk  roles                           report  utility
//! ```
//!
//! `pg` and `read` hold everything unsafe. A verb is what users do; verbs meet in `release` only.
//! No algorithm lives here, and `sql/` holds the hand-written SQL. `tests/house` checks all this.

use pgrx::prelude::*;

::pgrx::pg_module_magic!(name, version);

/// The border: calls, values, statements, settings, interrupts and memory of PostgreSQL.
mod pg;

/// Rows become typed columns.
mod read;
/// Rows become tables.
mod write;

// the verbs: one folder for each thing that users do
mod aggregate;
mod assign;
mod attack;
mod check;
mod compare;
mod generalize;
mod microaggregate;
mod perturb;
mod release;
mod report;
mod risk;
mod roles;
mod utility;

/// `#[pg_guard]` on an extern block expands to a path in this crate.
pub(crate) mod ffi {
    pub use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
}

extension_sql_file!("../sql/aggregates.sql", name = "aggregates");
extension_sql_file!("../sql/comments.sql", name = "comments", finalize);
extension_sql_file!("../sql/assign.sql", name = "assign");
extension_sql_file!("../sql/attack.sql", name = "attack");
extension_sql_file!("../sql/check.sql", name = "check");
extension_sql_file!("../sql/generalize.sql", name = "generalize");
extension_sql_file!("../sql/mask.sql", name = "mask");
extension_sql_file!("../sql/release.sql", name = "release", bootstrap);
extension_sql_file!("../sql/publish.sql", name = "publish");
extension_sql_file!("../sql/sequence.sql", name = "sequence");
extension_sql_file!("../sql/roles.sql", name = "roles");
extension_sql_file!("../sql/risk.sql", name = "risk");
extension_sql_file!("../sql/utility.sql", name = "utility");
extension_sql_file!("../sql/perturb.sql", name = "perturb");
extension_sql_file!(
    "../sql/progress.sql",
    name = "progress",
    requires = [pg::progress::progress_info]
);

#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    pg::settings::register();
    pg::citus_planner::register();
    pg::label_provider::register(roles::check_label);
    sdc_engine::limits::stop_when(pg::progress::stops);
    pg::thread_shield::register();
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
