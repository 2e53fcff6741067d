//! Rows of a tuple store as a relation that SQL can read.

use crate::pg::errors::Failure;
use crate::pg::tuple_store::TupleStore;
use pgrx::pg_sys;
use std::ffi::{CStr, CString};

/// The name under which generated SQL sees the rows of a store.
const ROWS: &CStr = c"pg_sdc_rows";

/// Inserts the rows of a store into a table of the same columns.
pub fn insert(table: &str, rows: &TupleStore) {
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
            table,
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
