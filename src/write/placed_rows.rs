//! Rows of a release that are made on the workers of Citus, where the source's rows are: they stand
//! in a distributed table of their own, together with figures about them, until all of them are
//! known to keep the promise. Then they go into the target, each on its node.

use crate::pg::citus;
use crate::pg::composite::Attribute;
use crate::pg::quoting::{identifier, identifiers};
use crate::pg::statements;
use crate::pg::unnamed_relations::in_own_names;
use crate::read::relation::Source;
use crate::write::table;
use crate::write::target::Target;
use pgrx::JsonB;
use pgrx::pg_sys;
use serde_json::Value;

/// What the table of rows has beside the columns of the release. A release's columns may have these
/// names, too, so they get a number then.
const FIGURES: &str = "figures";
const KEPT: &str = "kept";

/// The table, in the schema of the target. Nobody else sees it: it is gone when the transaction ends.
pub struct PlacedRows<'a> {
    table: Target,
    columns: &'a [Attribute],
    /// the column by which it is distributed, and the table whose rows stand where its own do
    place: (&'a str, &'a Source),
    figures: String,
    kept: String,
}

impl<'a> PlacedRows<'a> {
    /// An empty table for rows of these columns; `number` makes its name one that is not taken.
    pub fn new(
        target: &Target,
        number: u64,
        columns: &'a [Attribute],
        place: (&'a str, &'a Source),
    ) -> Self {
        let free = |name: &str| {
            let taken = |name: &String| columns.iter().any(|column| column.name == *name);
            let numbered = (1..).map(|number| format!("{name}_{number}"));
            let mut names = std::iter::once(name.to_string()).chain(numbered);
            names.find(|name| !taken(name)).unwrap_or_default()
        };
        let rows = PlacedRows {
            table: target.beside(format!("pg_sdc_rows_{number:016x}")),
            columns,
            place,
            figures: free(FIGURES),
            kept: free(KEPT),
        };
        let mut all = columns.to_vec();
        all.push(Attribute::plain(&rows.figures, pg_sys::JSONBOID));
        all.push(Attribute::plain(&rows.kept, pg_sys::BOOLOID));
        let name = rows.table.sql_name();
        // the query that fills it looks the source up under its name
        Target::named(&place.1.sql_name).keep_name_of(place.1.oid);
        // a crash takes the transaction with it, and nobody reads the table behind its end
        statements::run(&format!(
            "CREATE UNLOGGED TABLE {name} ({})",
            table::definitions(&all)
        ));
        table::spread_empty(&name, place.0, place.1);
        rows
    }

    /// Fills it with the rows of a query: the columns of the release, figures, and whether the row
    /// is one of the release.
    pub fn fill(&self, query: &str) {
        statements::run(&format!("INSERT INTO {} {query}", self.table.sql_name()));
    }

    /// All figures.
    pub fn figures(&self) -> Vec<Value> {
        let figures = identifier(&self.figures);
        let sql = format!(
            "SELECT {figures} FROM {} WHERE {figures} IS NOT NULL",
            self.table.sql_name()
        );
        let read = || statements::select(&sql, |row| row.get::<JsonB>(1).map(|figures| figures.0));
        let found = statements::seeing_own_writes(read);
        found.into_iter().flatten().collect()
    }

    /// Creates the target with the rows of the release, or exchanges its rows for them, and drops
    /// this table. Rows of a group of strata keep their random order.
    pub fn move_to(self, target: &Target, rows: usize) {
        match target.replaces() {
            Some(_) => in_own_names(|| {
                let there = table::emptied(target, self.columns);
                self.copy(target);
                table::refuse_other_rows(&there, rows);
            }),
            None => {
                table::create_empty(target, self.columns);
                table::spread_empty(&target.sql_name(), self.place.0, self.place.1);
                self.copy(target);
            }
        }
        statements::run(&format!("DROP TABLE {}", self.table.sql_name()));
    }

    fn copy(&self, target: &Target) {
        let names = identifiers(self.columns.iter().map(|column| column.name.as_str()));
        statements::run(&format!(
            "INSERT INTO {} ({names}) SELECT {names} FROM {} WHERE {}",
            target.sql_name(),
            self.table.sql_name(),
            identifier(&self.kept)
        ));
    }
}

/// The column by which Citus has the rows of a table on its workers, if that is one of these.
pub fn column_among(source: &Source, names: &[String]) -> Option<String> {
    let column = citus::distribution_column(source.oid)?;
    names.contains(&column).then_some(column)
}
