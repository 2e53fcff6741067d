//! A generalization hierarchy: an ordinary table, the value in its first column, one level
//! more general in each further one.

use crate::pg::cell::Cell;
use crate::pg::citus;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::memory::push;
use crate::pg::quoting::identifier;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::text_casts::TextOf;
use crate::read::codec::Codec;
use crate::read::columns::Decoder;
use crate::read::relation::Source;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;
use sdc_engine::lattice::Hierarchy;
use sdc_engine::{Error, Interner};

/// A hierarchy that was read and checked. Values and labels are texts; NULL is one, too.
pub struct HierarchyTable {
    /// quoted and with its schema
    pub name: String,
    /// the texts of each level; those of level 0 are numbered as the hierarchy's values, those
    /// above as its codes, for both are numbered by first appearance
    levels: Vec<Interner>,
    shape: Hierarchy,
    /// the number of NULL where it stays NULL on every level, and the shape that this makes
    null_apart: Option<(u32, Hierarchy)>,
}

impl HierarchyTable {
    /// Reads a table as the caller, and checks that each level is coarser than the one below.
    pub fn new(table: Oid) -> Self {
        Self::of(&Source::new(citus::local_copy(table)))
    }

    /// The same for a table that the caller has not named, but a register or a label has: one that
    /// could run code of somebody whom the caller does not trust is refused.
    pub fn unnamed(table: Oid) -> Self {
        let source = Source::new(table);
        if !source.is_trusted() {
            untrusted(&source.sql_name);
        }
        match citus::local_copy(table) {
            same if same == table => Self::of(&source),
            copy => Self::new(copy),
        }
    }

    fn of(source: &Source) -> Self {
        let columns: Vec<String> = source
            .attributes
            .iter()
            .filter(|attribute| !attribute.dropped)
            .map(|attribute| format!("{}::pg_catalog.text", identifier(&attribute.name)))
            .collect();
        if columns.is_empty() {
            no_columns(&source.sql_name);
        }
        let mut reader = Reader::new(columns.len());
        let sql = format!("SELECT {} FROM {}", columns.join(", "), source.sql_name);
        let types = vec![pg_sys::TEXTOID; columns.len()];
        statements::read(&sql, &types, Order::Queried, &mut reader);
        reader.finish(source.sql_name.clone())
    }

    /// The values of a column without anything above them: such a key is never generalized.
    pub fn of_column(source: &Source, column: &str) -> Self {
        let mut reader = Reader::new(1);
        let sql = format!(
            "SELECT DISTINCT {}::pg_catalog.text FROM {}",
            identifier(column),
            source.sql_name
        );
        statements::read(&sql, &[pg_sys::TEXTOID], Order::Queried, &mut reader);
        reader.finish(format!("of column \"{column}\""))
    }

    /// Keeps NULL as it is on every level, and gives its number if it is listed.
    pub fn set_null_apart(&mut self) -> Option<u32> {
        let null = self.find(&[0])?;
        let shape = errors::engine(self.shape.with_apart(null), Names::default());
        self.null_apart = Some((null, shape));
        Some(null)
    }

    /// The engine's view of the hierarchy.
    pub fn shape(&self) -> &Hierarchy {
        match &self.null_apart {
            Some((_, shape)) => shape,
            None => &self.shape,
        }
    }

    /// The highest level.
    pub fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// The number of a value, given as [`spell`] writes it.
    pub fn find(&self, value: &[u8]) -> Option<u32> {
        self.levels[0].find(value)
    }

    /// What a value is called at a level; `None` for NULL.
    pub fn label(&self, level: usize, value: u32) -> Option<&[u8]> {
        if self
            .null_apart
            .as_ref()
            .is_some_and(|(null, _)| *null == value)
        {
            return None;
        }
        // the levels number their texts as the hierarchy was read
        let label = self.levels[level].get(self.shape.code_of(level)[value as usize]);
        (label[0] != 0).then(|| &label[1..])
    }

    /// The hierarchy's number of each value of a column; values that it lacks are refused.
    pub fn values_of(&self, label: &str, typ: Oid, values: &Decoder) -> Vec<u32> {
        let mut text = TextOf::new(typ);
        let mut encoding = Vec::new();
        let find = |value| {
            spell(&mut text, value, &mut encoding);
            self.find(&encoding)
        };
        let found: Vec<Option<u32>> = values.categories().map(find).collect();
        let missing = found.iter().filter(|value| value.is_none()).count();
        self.refuse_uncovered(missing, found.len(), label);
        found.into_iter().flatten().collect()
    }

    /// The same for values as a codec has written them.
    pub fn values_by_codec(&self, label: &str, codec: &Codec, values: &Interner) -> Vec<u32> {
        let mut text = TextOf::new(codec.typ());
        let mut encoding = Vec::new();
        let find = |bytes: &[u8]| {
            spell(&mut text, codec.decode(bytes), &mut encoding);
            self.find(&encoding)
        };
        let found: Vec<Option<u32>> = values.iter().map(find).collect();
        let missing = found.iter().filter(|value| value.is_none()).count();
        self.refuse_uncovered(missing, found.len(), label);
        found.into_iter().flatten().collect()
    }

    /// The place of each value of a column in an order that keeps together what the hierarchy
    /// does, so that a cut parts few of its groups.
    pub fn places_of(&self, label: &str, typ: Oid, values: &Decoder) -> Vec<u32> {
        let place_of = errors::engine(self.shape.places(), Names::default());
        let values = self.values_of(label, typ, values).into_iter();
        values.map(|value| place_of[value as usize]).collect()
    }

    /// Refuses a column of which so many of its values are not in the hierarchy.
    pub fn refuse_uncovered(&self, missing: usize, values: usize, label: &str) {
        if missing > 0 {
            Failure::new(
                PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
                format!(
                    "hierarchy {} lacks {missing} of the {values} values of {label}",
                    self.name
                ),
            )
            .hint("Its first column must hold the text of every value, NULL included if there are nulls; sdc.uncovered_values(source, hierarchies) lists what it lacks.")
            .raise();
        }
    }
}

/// Writes a value as hierarchies look values up: its text, or NULL, which is not a text.
pub fn spell(text: &mut TextOf, cell: Cell<'_>, out: &mut Vec<u8>) {
    out.clear();
    out.push(u8::from(!cell.is_null()));
    text.append(cell, out);
}

/// Takes the rows of a hierarchy's table.
struct Reader {
    levels: Vec<Interner>,
    /// for each level above 0 the label of each value
    labels: Vec<Vec<u32>>,
    repeated: usize,
    text: TextOf,
    encoding: Vec<u8>,
}

impl Reader {
    fn new(columns: usize) -> Self {
        Reader {
            levels: vec![Interner::new(); columns],
            labels: vec![Vec::new(); columns - 1],
            repeated: 0,
            text: TextOf::new(pg_sys::TEXTOID),
            encoding: Vec::new(),
        }
    }

    fn finish(self, name: String) -> HierarchyTable {
        if self.repeated > 0 {
            repeated(&name, self.repeated);
        }
        let values = self.levels[0].len() as u32;
        let shape = match Hierarchy::new(values, &self.labels) {
            Err(Error::NotCoarser { level, values }) => not_coarser(&name, level, values),
            shape => errors::engine(shape, Names::default()),
        };
        HierarchyTable {
            name,
            levels: self.levels,
            shape,
            null_apart: None,
        }
    }

    fn intern(&mut self, level: usize, cell: Cell<'_>) -> u32 {
        spell(&mut self.text, cell, &mut self.encoding);
        errors::engine(self.levels[level].intern(&self.encoding), Names::default())
    }
}

impl RowSink for Reader {
    fn row(&mut self, row: &Row<'_>) {
        let known = self.levels[0].len();
        let value = self.intern(0, row.cell(0));
        if (value as usize) < known {
            self.repeated += 1;
            return;
        }
        for level in 1..self.levels.len() {
            let label = self.intern(level, row.cell(level));
            push(&mut self.labels[level - 1], label);
        }
    }
}

fn untrusted(name: &str) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        format!("reading hierarchy {name} could run code of another role"),
    )
    .detail("Its owner is neither you nor a superuser, and a release or a label names it, not you.")
    .hint("If you trust that role, let it make you the owner of the hierarchy.")
    .raise()
}

fn no_columns(name: &str) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_INVALID_TABLE_DEFINITION,
        format!("hierarchy {name} has no columns"),
    )
    .hint(LAYOUT)
    .raise()
}

fn repeated(name: &str, rows: usize) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_CARDINALITY_VIOLATION,
        format!("hierarchy {name} lists values more than once: {rows} rows too many"),
    )
    .hint("List each value once.")
    .raise()
}

fn not_coarser(name: &str, level: usize, values: usize) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!(
            "level {level} of hierarchy {name} is not coarser than level {}: {values} values fail",
            level - 1
        ),
    )
    .detail("Values that share a label at one level must share their label at the next.")
    .hint(LAYOUT)
    .raise()
}

const LAYOUT: &str =
    "A hierarchy has the value in its first column and one level more general in each further one.";
