//! Writing a table of a release: only the columns that were named, in an order that says
//! nothing about the source's, readable by its owner alone.

use super::Target;
use super::shuffle::shuffled;
use crate::errors::Failure;
use crate::generate_sql::{self, identifier, literal};
use crate::query;
use crate::record::Attribute;
use crate::row_store::RowStore;
use pgrx::pg_sys;
use pgrx::prelude::*;
use std::ffi::{CStr, CString};

/// The name under which generated SQL sees the rows of a store.
const ROWS: &CStr = c"pg_sdc_rows";

/// Creates the table and fills it with the rows of the store, shuffled.
pub fn create_table(target: &Target, columns: &[Attribute], rows: &RowStore) {
    let definitions: Vec<String> = columns.iter().map(definition).collect();
    run(&format!(
        "CREATE TABLE {} ({})",
        target.sql_name(),
        definitions.join(", ")
    ));
    revoke_default_privileges(target);
    fill(target, &shuffled(rows));
}

/// Creates the table with the rows of a query.
pub fn create_table_as(target: &Target, query: &str) {
    run(&format!("CREATE TABLE {} AS {query}", target.sql_name()));
    revoke_default_privileges(target);
}

/// Creates the view of a release.
pub fn create_view(target: &Target, query: &str) {
    run(&format!("CREATE VIEW {} AS {query}", target.sql_name()));
    revoke_default_privileges(target);
}

/// Runs a generated statement as the caller.
pub fn run(sql: &str) {
    if let Err(error) = Spi::run(sql) {
        Failure::internal(format!("a generated statement failed: {error}")).raise();
    }
}

fn definition(column: &Attribute) -> String {
    let typ = generate_sql::type_name(column.typ, column.typmod);
    let collate = collation(column.collation);
    format!("{} {typ}{collate}", identifier(&column.name))
}

/// The COLLATE clause of a column whose collation is not its type's usual one.
fn collation(collation: pg_sys::Oid) -> String {
    if collation == pg_sys::InvalidOid || collation == pg_sys::DEFAULT_COLLATION_OID {
        return String::new();
    }
    let name = query::value::<String>(&format!(
        "SELECT pg_catalog.format('%I.%I', n.nspname, c.collname) \
         FROM pg_catalog.pg_collation c \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.collnamespace \
         WHERE c.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
        u32::from(collation)
    ));
    name.map_or(String::new(), |name| format!(" COLLATE {name}"))
}

/// ALTER DEFAULT PRIVILEGES may have granted the new table to others: granting is the
/// steward's own step.
fn revoke_default_privileges(target: &Target) {
    let sql = format!(
        "SELECT DISTINCT CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN 'PUBLIC' \
                ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END \
         FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a \
         WHERE c.oid OPERATOR(pg_catalog.=) {}::pg_catalog.regclass \
           AND a.grantee OPERATOR(pg_catalog.<>) c.relowner",
        literal(&target.sql_name())
    );
    let grantees = query::seeing_own_writes(|| query::select(&sql, |row| row.get::<String>(1)));
    for grantee in grantees.into_iter().flatten() {
        run(&format!(
            "REVOKE ALL ON {} FROM {grantee}",
            target.sql_name()
        ));
    }
}

fn fill(target: &Target, rows: &RowStore) {
    let mut name = CString::from(ROWS).into_bytes_with_nul();
    // SAFETY: the relation's name, descriptor and rows outlive the SPI connection.
    unsafe {
        let mut relation = pg_sys::EphemeralNamedRelationData {
            md: pg_sys::EphemeralNamedRelationMetadataData {
                name: name.as_mut_ptr().cast(),
                reliddesc: pg_sys::InvalidOid,
                tupdesc: rows.descriptor,
                enrtype: pg_sys::EphemeralNameRelationType::ENR_NAMED_TUPLESTORE,
                enrtuples: rows.rows() as f64,
            },
            reldata: rows.store.cast(),
        };
        pg_sys::SPI_connect();
        pg_sys::SPI_register_relation(&raw mut relation);
        let sql = format!(
            "INSERT INTO {} SELECT * FROM {}",
            target.sql_name(),
            ROWS.to_string_lossy()
        );
        let text = CString::new(sql).unwrap_or_default();
        let outcome = pg_sys::SPI_execute(text.as_ptr(), false, 0);
        pg_sys::SPI_unregister_relation(ROWS.as_ptr());
        pg_sys::SPI_finish();
        if outcome < 0 {
            Failure::internal(format!("filling a release failed with code {outcome}")).raise();
        }
    }
}
