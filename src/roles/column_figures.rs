//! What the data and the catalog say about each column of a table.

use crate::pg::progress::Watch;
use crate::pg::quoting::type_label;
use crate::pg::statements::{self, Row};
use crate::pg::type_capabilities;
use crate::read::distinct_values::{self, CountedValues};
use crate::read::relation::Source;
use pgrx::pg_sys::Oid;
use sdc_engine::{Monitor, Phase};

/// A column and its figures.
pub struct ColumnFigures {
    pub name: String,
    pub type_name: String,
    pub kind: ValueKind,
    /// a constraint or index says that no value occurs twice
    pub unique: bool,
    /// the table that a foreign key of this column alone refers to
    pub refers_to: Option<String>,
    pub rows: i64,
    /// `None` where values cannot be compared
    pub counted: Option<CountedValues>,
}

/// What can be done with the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    Text,
    Integer,
    /// numbers with fractions, dates, times: differing values are no sign of an identifier
    Continuous,
    Other,
}

impl ColumnFigures {
    /// The figures of every column, in their order.
    pub fn of(source: &Source) -> Vec<Self> {
        let facts = facts(source);
        let mut watch = Watch::new(Some(source.oid));
        watch.start(Phase::Checking, facts.len() as u64);
        let count = format!("SELECT pg_catalog.count(*) FROM {}", source.sql_name);
        let rows = statements::value(&count).unwrap_or(0);
        let figures = |(done, fact): (usize, Facts)| {
            watch.tick(done as u64);
            let comparable = type_capabilities::can_compare(fact.typ);
            ColumnFigures {
                type_name: type_label(fact.typ),
                kind: fact.kind,
                unique: fact.unique,
                refers_to: fact.refers_to,
                rows,
                counted: comparable.then(|| {
                    distinct_values::count(source, &fact.name, fact.kind == ValueKind::Text)
                }),
                name: fact.name,
            }
        };
        facts.into_iter().enumerate().map(figures).collect()
    }

    /// Distinct values per value.
    pub fn distinct_share(&self) -> Option<f64> {
        let counted = self.counted.filter(|counted| counted.not_null > 0)?;
        Some(counted.distinct as f64 / counted.not_null as f64)
    }

    pub fn null_share(&self) -> Option<f64> {
        let counted = self.counted.filter(|_| self.rows > 0)?;
        Some(1.0 - counted.not_null as f64 / self.rows as f64)
    }
}

/// What the catalog says about a column.
struct Facts {
    name: String,
    typ: Oid,
    kind: ValueKind,
    unique: bool,
    refers_to: Option<String>,
}

fn facts(source: &Source) -> Vec<Facts> {
    let sql = format!(
        "SELECT a.attname::pg_catalog.text, a.atttypid, t.typcategory::pg_catalog.text, \
                CASE WHEN t.typtype OPERATOR(pg_catalog.=) 'd' THEN t.typbasetype ELSE t.oid END, \
                EXISTS (SELECT FROM pg_catalog.pg_index i \
                        WHERE i.indrelid OPERATOR(pg_catalog.=) a.attrelid AND i.indisunique \
                          AND i.indnkeyatts OPERATOR(pg_catalog.=) 1 AND i.indpred IS NULL \
                          AND i.indkey[0] OPERATOR(pg_catalog.=) a.attnum), \
                (SELECT pg_catalog.format('%I.%I', n.nspname, r.relname) \
                 FROM pg_catalog.pg_constraint f \
                 JOIN pg_catalog.pg_class r ON r.oid OPERATOR(pg_catalog.=) f.confrelid \
                 JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) r.relnamespace \
                 WHERE f.conrelid OPERATOR(pg_catalog.=) a.attrelid AND f.contype OPERATOR(pg_catalog.=) 'f' \
                   AND f.conkey OPERATOR(pg_catalog.=) ARRAY[a.attnum] \
                 ORDER BY f.oid LIMIT 1) \
         FROM pg_catalog.pg_attribute a \
         JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid \
         WHERE a.attrelid OPERATOR(pg_catalog.=) {}::pg_catalog.oid \
           AND a.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2 AND NOT a.attisdropped \
         ORDER BY a.attnum",
        u32::from(source.oid)
    );
    let fact = |row: &Row| {
        Some(Facts {
            name: row.get(1)?,
            typ: row.get(2)?,
            kind: ValueKind::of(&row.get::<String>(3)?, row.get(4)?),
            unique: row.get(5)?,
            refers_to: row.get(6),
        })
    };
    statements::select(&sql, fact)
        .into_iter()
        .flatten()
        .collect()
}

impl ValueKind {
    /// By the type's category in the catalog and, of numbers, the type itself.
    fn of(category: &str, base: Oid) -> Self {
        use pgrx::pg_sys::{INT2OID, INT4OID, INT8OID};
        match category {
            "S" => ValueKind::Text,
            "N" if [INT2OID, INT4OID, INT8OID].contains(&base) => ValueKind::Integer,
            "N" | "D" | "T" => ValueKind::Continuous,
            _ => ValueKind::Other,
        }
    }
}
