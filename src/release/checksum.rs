//! A checksum of released rows that does not depend on their order, in SQL that anybody can
//! run: it says whether two copies hold the same rows. It is for the publisher: with it anybody
//! could test guesses of a small table.

use crate::pg::statements;
use std::ffi::CStr;

/// Under these settings a row's text is the same everywhere.
const SETTINGS: [(&CStr, &CStr); 5] = [
    (c"datestyle", c"ISO, YMD"),
    (c"intervalstyle", c"postgres"),
    (c"timezone", c"UTC"),
    (c"extra_float_digits", c"1"),
    (c"bytea_output", c"hex"),
];

/// The checksum of a table; `None` without rows.
pub fn of(table: &str) -> Option<String> {
    statements::under(&SETTINGS, || statements::value(&sql(table, "pg_catalog.")))
}

/// What a reader runs to get the same.
pub fn recipe(table: &str) -> String {
    let set = |(name, value): &(&CStr, &CStr)| {
        format!(
            "SET {} = '{}';\n",
            name.to_string_lossy(),
            value.to_string_lossy()
        )
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
