//! How many values of a column differ: one that hardly repeats tells who a row is about.

use crate::pg::quoting::identifier;
use crate::pg::statements;
use crate::read::relation::Source;

/// Among fewer values, that all of them differ says nothing.
const FEW_VALUES: i64 = 10;
/// Distinct values per value from which on a column tells rows apart.
const NEARLY_UNIQUE: f64 = 0.9;

/// How often values occur.
#[derive(Clone, Copy)]
pub struct CountedValues {
    pub distinct: i64,
    /// rows that have one; where persons are told apart, a person counts once for each value
    pub not_null: i64,
    /// of distinct texts, in letters
    pub average_length: f64,
}

impl CountedValues {
    pub fn is_nearly_unique(self) -> bool {
        self.not_null >= FEW_VALUES && self.distinct as f64 >= NEARLY_UNIQUE * self.not_null as f64
    }
}

/// Counts the values of a column that can be grouped, with lengths if they are texts.
pub fn count(source: &Source, name: &str, texts: bool) -> CountedValues {
    of_rows(&source.sql_name, name, texts)
}

/// The same where a column tells persons apart: what all rows of a person have in common names the
/// person, however often it occurs.
pub fn count_by_persons(source: &Source, name: &str, texts: bool, entity: &str) -> CountedValues {
    let persons = format!(
        "(SELECT DISTINCT {}, {} FROM {}) AS persons",
        identifier(name),
        identifier(entity),
        source.sql_name
    );
    of_rows(&persons, name, texts)
}

fn of_rows(rows: &str, name: &str, texts: bool) -> CountedValues {
    let column = identifier(name);
    let length = match texts {
        true => "pg_catalog.avg(pg_catalog.char_length(v::pg_catalog.text))",
        false => "0",
    };
    let sql = format!(
        "SELECT pg_catalog.count(*), COALESCE(pg_catalog.sum(n), 0)::pg_catalog.int8, \
                COALESCE({length}, 0)::pg_catalog.float8 \
         FROM (SELECT {column} AS v, pg_catalog.count(*) AS n FROM {rows} \
               WHERE {column} IS NOT NULL GROUP BY {column}) q"
    );
    let counted = statements::select(&sql, |row| CountedValues {
        distinct: row.cell(0).int8(),
        not_null: row.cell(1).int8(),
        average_length: row.cell(2).float8(),
    });
    counted.into_iter().next().unwrap_or(CountedValues {
        distinct: 0,
        not_null: 0,
        average_length: 0.0,
    })
}

/// The columns of which a constraint or index says that no value occurs twice.
pub fn unique_columns(source: &Source) -> Vec<String> {
    let sql = format!(
        "SELECT DISTINCT a.attname::pg_catalog.text FROM pg_catalog.pg_index i \
         JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid \
           AND a.attnum OPERATOR(pg_catalog.=) i.indkey[0] \
         WHERE i.indrelid OPERATOR(pg_catalog.=) {}::pg_catalog.oid AND i.indisunique \
           AND i.indnkeyatts OPERATOR(pg_catalog.=) 1 AND i.indpred IS NULL",
        u32::from(source.oid)
    );
    let names = statements::select(&sql, |row| row.get::<String>(1));
    names.into_iter().flatten().collect()
}
