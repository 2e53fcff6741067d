//! The columns of a relation as labels: for each row the number of its text.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::memory;
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::quoting::identifier;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::text_casts::TextOf;
use crate::read::hierarchy_table::spell;
use crate::read::relation::Source;
use pgrx::pg_sys;
use sdc_engine::{Interner, Monitor, Phase};

/// One column.
#[derive(Default)]
pub struct ColumnLabels {
    pub labels: Vec<u32>,
    pub texts: Interner,
}

impl ColumnLabels {
    /// The texts in the order of their numbers; `None` for NULL.
    pub fn texts(&self) -> impl Iterator<Item = Option<String>> {
        self.texts.iter().map(|bytes| {
            let text = || String::from_utf8_lossy(&bytes[1..]).into_owned();
            (bytes[0] != 0).then(text)
        })
    }

    /// The share of rows without value.
    pub fn nulls(&self) -> f64 {
        let Some(null) = self.texts.find(&[0]) else {
            return 0.0;
        };
        let nulls = self.labels.iter().filter(|&&label| label == null).count();
        nulls as f64 / self.labels.len().max(1) as f64
    }
}

/// Reads columns of a relation. Dates and intervals are written alike whatever the session's style.
pub fn read(relation: &Source, columns: &[String], watch: &mut Watch) -> Vec<ColumnLabels> {
    let texts: Vec<String> = columns
        .iter()
        .map(|name| format!("{}::pg_catalog.text", identifier(name)))
        .collect();
    let sql = format!("SELECT {} FROM {}", texts.join(", "), relation.sql_name);
    watch.start(Phase::Reading, 0);
    let mut reader = LabelReader {
        columns: columns.iter().map(|_| ColumnLabels::default()).collect(),
        text: TextOf::new(pg_sys::TEXTOID),
        encoding: Vec::new(),
        rows: 0,
        watch,
    };
    let types = vec![pg_sys::TEXTOID; columns.len()];
    let styles = [(c"datestyle", c"ISO, YMD"), (c"intervalstyle", c"postgres")];
    statements::under(&styles, || {
        statements::read(&sql, &types, Order::Stored, &mut reader);
    });
    reader.columns
}

struct LabelReader<'a> {
    columns: Vec<ColumnLabels>,
    text: TextOf,
    encoding: Vec<u8>,
    rows: usize,
    watch: &'a mut Watch,
}

impl LabelReader<'_> {
    fn label(&mut self, column: usize, cell: Cell<'_>) {
        spell(&mut self.text, cell, &mut self.encoding);
        let column = &mut self.columns[column];
        let label = errors::engine(column.texts.intern(&self.encoding), Names::default());
        memory::push(&mut column.labels, label);
    }
}

impl RowSink for LabelReader<'_> {
    fn row(&mut self, row: &Row<'_>) {
        for column in 0..self.columns.len() {
            self.label(column, row.cell(column));
        }
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.watch.tick(self.rows as u64);
        }
    }
}

/// For each row of one column the row of another that has the same text. Texts must be unique in
/// both, and each must have its row.
pub fn matched(original: &ColumnLabels, released: &ColumnLabels, name: &str) -> Vec<usize> {
    let unique = |column: &ColumnLabels| column.labels.len() == column.texts.len();
    if !unique(original) || !unique(released) || original.nulls() + released.nulls() > 0.0 {
        Failure::invalid(format!("column \"{name}\" does not tell all rows apart"))
            .hint("match must name a column that is unique and complete in source and release.")
            .raise();
    }
    // labels are numbered by first appearance, so that a unique column's are its rows
    let row = |bytes: &[u8]| original.texts.find(bytes).map(|row| row as usize);
    let rows: Vec<Option<usize>> = released.texts.iter().map(row).collect();
    let missing = rows.iter().filter(|row| row.is_none()).count();
    if missing > 0 {
        Failure::invalid(format!(
            "{missing} of {} rows of the release have no row in the source by column \"{name}\"",
            rows.len()
        ))
        .hint("match must name a column that was published as it is.")
        .raise();
    }
    rows.into_iter().flatten().collect()
}
