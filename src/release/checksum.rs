//! A checksum of released rows that does not depend on their order, in SQL that anybody can
//! run: it says whether two copies hold the same rows. It is for the publisher: with it anybody
//! could test guesses of a small table.

use crate::pg::statements::{self, OWN_NAMES, Order, Row, RowSink};
use pgrx::pg_sys;
use sha2::{Digest, Sha256};
use std::ffi::CStr;

/// Under these settings a row's text is the same everywhere.
pub const SETTINGS: [(&CStr, &CStr); 7] = [
    (c"datestyle", c"ISO, YMD"),
    (c"intervalstyle", c"postgres"),
    (c"timezone", c"UTC"),
    (c"extra_float_digits", c"1"),
    (c"bytea_output", c"hex"),
    // money
    (c"lc_monetary", c"C"),
    // the names of tables, types and functions (regclass and its like)
    OWN_NAMES,
];

/// The checksum of a table; `None` without rows.
pub fn of(table: &str) -> Option<String> {
    statements::under(&SETTINGS, || statements::value(&sql(table, "pg_catalog.")))
}

/// The checksum that the register keeps: the sum of the hashes of all rows, in four parts. It is
/// faster than the one that anybody can compute, because nothing is sorted.
pub fn kept(table: &str) -> String {
    let sql =
        format!("SELECT pg_catalog.convert_to(ROW(r.*)::pg_catalog.text, 'UTF8') FROM {table} r");
    let mut sums = HashSums::default();
    statements::under(&SETTINGS, || {
        statements::read(&sql, &[pg_sys::BYTEAOID], Order::Queried, &mut sums);
    });
    let HashSums { rows, parts } = sums;
    let parts = parts.map(|part| format!("{part:016x}"));
    format!("{rows}-{}", parts.join(""))
}

/// How many rows there are, and the sum of their hashes, whatever their order.
#[derive(Default)]
struct HashSums {
    rows: u64,
    parts: [u64; 4],
}

impl RowSink for HashSums {
    fn row(&mut self, row: &Row<'_>) {
        let hash = Sha256::digest(row.get::<&[u8]>(1).unwrap_or_default());
        let words = hash.as_chunks::<8>().0;
        for (part, word) in self.parts.iter_mut().zip(words) {
            *part = part.wrapping_add(u64::from_le_bytes(*word));
        }
        self.rows += 1;
    }
}

/// What a reader runs to get the same.
pub fn recipe(table: &str) -> String {
    let set = |(name, value): &(&CStr, &CStr)| {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        match (*name).eq("search_path") {
            // a list in quotes would be one name
            true => format!("SET {name} = {value};\n"),
            false => format!("SET {name} = '{value}';\n"),
        }
    };
    let settings: String = SETTINGS.iter().map(set).collect();
    format!("{settings}{};", sql(table, ""))
}

/// Rows are hashed, sorted by their hash, and hashed again in 256 parts: all hashes in one
/// string would pass PostgreSQL's limit of 1 GB at 33 million rows.
fn sql(table: &str, schema: &str) -> String {
    format!(
        "SELECT {schema}encode({schema}sha256({schema}string_agg(part, ''::{schema}bytea ORDER BY first)), 'hex')\n\
         FROM  (SELECT {schema}get_byte(hash, 0) AS first, {schema}sha256({schema}string_agg(hash, ''::{schema}bytea ORDER BY hash)) AS part\n\
         \x20      FROM  (SELECT {schema}sha256({schema}convert_to(ROW(r.*)::{schema}text, 'UTF8')) AS hash FROM {table} r) AS hashed\n\
         \x20      GROUP BY 1) AS parts"
    )
}
