//! The rows of a source, read once: kept as they are in a store that spills, their key and
//! sensitive columns as typed columns in memory; then played back with the keys replaced.

use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{self, Failure, Names, known, number_of};
use crate::pg::memory::reserved;
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::tuple_store::TupleStore;
use crate::read::columns::{ColumnReader, Decoder, Role, TableReader, categories};
use crate::read::relation::Source;
use crate::read::strata::{OneOfEqual, StrataReader};
use crate::read::table_options::{TableOptions, null_entity};
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::Oid;
use sdc_engine::{Categories, Column, Monitor, PersonRows, Phase};

/// Among so few rows that values differ says nothing.
const FEW_ROWS: usize = 100;
/// Whole numbers with so few distinct values may be codes.
const FEW_CODES: usize = 20;

/// Which columns of a source to read, and what they are for.
pub struct Selection<'a> {
    pub source: &'a Source,
    /// places among the source's attributes of the columns to keep, in this order
    pub columns: Vec<usize>,
    /// places among `columns`
    pub keys: Vec<usize>,
    pub sensitive: Vec<usize>,
    pub strata: Vec<usize>,
    /// the column that tells persons apart, if there is one
    pub entity: Vec<usize>,
    /// how many of the first columns are written again
    pub shown: usize,
    pub options: &'a TableOptions,
}

impl<'a> Selection<'a> {
    /// The columns at these places, the keys first and the sensitive ones behind them. Strata
    /// come behind all others, and at last the column of persons, which is not written again.
    pub fn new(
        source: &'a Source,
        mut columns: Vec<usize>,
        keys: usize,
        sensitive: usize,
        options: &'a TableOptions,
    ) -> Self {
        let strata = source.columns("strata", &options.strata);
        let first = columns.len();
        columns.extend(&strata);
        let shown = columns.len();
        columns.extend(source.columns("entity", options.entity.as_slice()));
        Selection {
            source,
            keys: (0..keys).collect(),
            sensitive: (keys..keys + sensitive).collect(),
            strata: (first..shown).collect(),
            entity: (shown..columns.len()).collect(),
            shown,
            columns,
            options,
        }
    }

    /// What reads a column; codes by equality, as sensitive values are.
    fn reader(&self, attribute: &Attribute, role: Role) -> ColumnReader {
        let role = match self.options.categorical.contains(&attribute.name) {
            true => Role::Sensitive,
            false => role,
        };
        let name = format!("column \"{}\"", attribute.name);
        ColumnReader::new(name, attribute.typ, attribute.collation, role, 0)
            .with_nulls(self.options.nulls)
    }
}

/// All rows of a selection.
pub struct KeptRows {
    store: TupleStore,
    pub rows: usize,
    pub(super) key_places: Vec<usize>,
    /// type and modifier of each key
    pub(super) key_types: Vec<(Oid, i32)>,
    pub(super) key_decoders: Vec<Decoder>,
    key_names: Vec<String>,
    sensitive_names: Vec<String>,
    pub keys: Vec<Column>,
    pub sensitive: Vec<Categories>,
    /// the values behind the codes of the sensitive columns
    pub sensitive_values: Vec<Decoder>,
    /// whom each row is about, where the call names the column that says so
    pub persons: Option<PersonRows>,
    /// the values behind the persons as they were read
    pub person_values: Option<Decoder>,
    pub strata: Option<Categories>,
    strata_shown: OneOfEqual,
    /// how many of the first columns are written again
    pub(super) shown: usize,
    /// for each row that was read whether it is still there; `None` where all are
    kept: Option<Vec<bool>>,
}

impl KeptRows {
    pub fn read(selection: &Selection, watch: &mut Watch) -> Self {
        watch.start(Phase::Reading, 0);
        let attribute = |&place: &usize| selection.source.attributes[place].clone();
        let attributes: Vec<_> = selection.columns.iter().map(attribute).collect();
        let mut keeper = RowKeeper::new(selection, &attributes, watch);
        let types: Vec<Oid> = attributes.iter().map(|a| a.typ).collect();
        let sql = selection.source.select_in_order(&selection.columns);
        statements::read(&sql, &types, Order::Stored, &mut keeper);
        let (key_names, sensitive_names) = (keeper.keys.1.names(), keeper.sensitive.1.names());
        let (keys, key_decoders) = keeper.keys.1.finish();
        let (sensitive, sensitive_values) = keeper.sensitive.1.finish();
        let (entity, mut person_values) = keeper.entity.1.finish();
        let (strata, strata_shown) = keeper.strata.1.finish(&selection.strata);
        KeptRows {
            persons: categories(entity)
                .first()
                .map(|persons| known(PersonRows::new(persons))),
            person_values: person_values.pop(),
            strata,
            strata_shown,
            shown: selection.shown,
            kept: None,
            store: keeper.store,
            rows: keeper.rows,
            key_types: selection
                .keys
                .iter()
                .map(|&place| (attributes[place].typ, attributes[place].base_typmod()))
                .collect(),
            key_places: selection.keys.clone(),
            key_decoders,
            key_names,
            sensitive_names,
            keys,
            sensitive: categories(sensitive),
            sensitive_values,
        }
    }

    /// What messages call the columns.
    pub fn names(&self) -> Names<'_> {
        Names {
            keys: &self.key_names,
            sensitive: &self.sensitive_names,
        }
    }

    /// Warns of keys that are no numbers and hardly ever twice the same: their groups' most
    /// frequent value is one person's own. Names and numbers of persons look like that.
    pub fn warn_of_identifiers(&self) {
        for (decoder, name) in self.key_decoders.iter().zip(&self.key_names) {
            if 2 * decoder.values() > self.rows.max(FEW_ROWS) {
                let values = number_of(decoder.values() as u64, "distinct value");
                Failure::new(
                    PgSqlErrorCode::ERRCODE_WARNING,
                    format!("{name} has {values} in {}", number_of(self.rows as u64, "row")),
                )
                .hint("A group shows its most frequent value, which here belongs to one person. Leave identifiers out, and generalize other columns first.")
                .warn();
            }
        }
    }

    /// What turns the values of a key back into PostgreSQL's.
    pub fn decoder(&self, key: usize) -> &Decoder {
        &self.key_decoders[key]
    }

    /// A number as a value of a key's type.
    pub fn number(&self, key: usize, value: f64) -> Cell<'static> {
        let (typ, typmod) = self.key_types[key];
        self.key_decoders[key].number(value, typ, typmod)
    }

    /// The type of a key.
    pub fn key_type(&self, key: usize) -> Oid {
        self.key_types[key].0
    }

    /// Warns of whole numbers with few distinct values: means of codes are codes that nobody has.
    pub fn warn_of_codes(&self) {
        self.warn_of("averaged", "the most frequent one");
    }

    /// The same where ranges are shown: codes between two others have nothing to do with them.
    pub fn warn_of_ranges(&self) {
        self.warn_of("shown as ranges", "a set of them");
    }

    fn warn_of(&self, done: &str, instead: &str) {
        if self.rows < FEW_ROWS {
            return;
        }
        let keys = self
            .keys
            .iter()
            .zip(&self.key_decoders)
            .zip(&self.key_names);
        for ((column, decoder), name) in keys {
            if let (Column::Numeric(values), Decoder::Number(kind)) = (column, decoder)
                && kind.is_whole()
                && let Some(distinct) = few_distinct(values)
            {
                let distinct = number_of(distinct as u64, "distinct value");
                let place = name.trim_start_matches("column ").trim_matches('"');
                Failure::new(
                    PgSqlErrorCode::ERRCODE_WARNING,
                    format!("{name} holds whole numbers with {distinct}, which are {done}"),
                )
                .hint(format!(
                    "If they are codes, add categorical => '{{{place}}}'. A group then shows {instead}."
                ))
                .warn();
            }
        }
    }

    /// Leaves rows out for good.
    pub fn suppress(&mut self, kept: Vec<bool>) {
        let numbered = (0u32..).zip(&kept).filter(|(_, kept)| **kept);
        let mut rows = reserved(self.rows);
        rows.extend(numbered.map(|(row, _)| row));
        let names = self.names();
        let keys = self.keys.iter().map(|key| key.pick(&rows)).collect();
        let keys: Vec<Column> = errors::engine(keys, names);
        let sensitive = self
            .sensitive
            .iter()
            .map(|column| column.pick(&rows))
            .collect();
        self.sensitive = errors::engine(sensitive, names);
        self.keys = keys;
        self.strata = self.strata.take().map(|strata| known(strata.select(&rows)));
        let persons = self
            .persons
            .take()
            .map(|persons| known(persons.select(&rows)));
        self.persons = persons;
        self.rows = rows.len();
        self.kept = Some(kept);
    }

    /// The rows that are still there, as they were numbered when they were read.
    pub fn kept_rows(&self) -> impl Iterator<Item = usize> {
        let read = self.kept.as_ref().map_or(self.rows, Vec::len);
        let here = |row: &usize| self.kept.as_ref().is_none_or(|kept| kept[*row]);
        (0..read).filter(here)
    }

    /// How many rows were left out.
    pub fn suppressed(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.len() - self.rows)
    }

    /// Hands every row in its old order to `take`, with its number.
    pub fn replay(&self, watch: &mut Watch, mut take: impl FnMut(usize, &[Cell<'_>])) {
        let read = self.kept.as_ref().map_or(self.rows, Vec::len);
        let mut next = 0;
        self.store.replay(read, |row, cells| {
            if self.kept.as_ref().is_none_or(|kept| kept[row]) {
                self.strata_shown.show(cells, |cells| take(next, cells));
                next += 1;
            }
            if row.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                watch.tick(row as u64);
            }
        });
    }
}

/// How many distinct numbers there are, if they are few.
fn few_distinct(values: &[f64]) -> Option<usize> {
    let mut found: Vec<f64> = Vec::new();
    for value in values.iter().filter(|value| !value.is_nan()) {
        if !found.contains(value) {
            if found.len() == FEW_CODES {
                return None;
            }
            found.push(*value);
        }
    }
    (found.len() > 1).then_some(found.len())
}

/// Takes rows from the query.
struct RowKeeper<'a> {
    store: TupleStore,
    keys: (&'a [usize], TableReader),
    sensitive: (&'a [usize], TableReader),
    entity: (&'a [usize], TableReader),
    strata: (&'a [usize], StrataReader),
    rows: usize,
    watch: &'a mut Watch,
}

impl<'a> RowKeeper<'a> {
    fn new(selection: &'a Selection, attributes: &[Attribute], watch: &'a mut Watch) -> Self {
        let readers = |places: &[usize], role| TableReader {
            columns: places
                .iter()
                .map(|&place| selection.reader(&attributes[place], role))
                .collect(),
        };
        let strata = selection.strata.iter().map(|&place| &attributes[place]);
        RowKeeper {
            store: TupleStore::new(attributes),
            keys: (&selection.keys, readers(&selection.keys, Role::Key)),
            sensitive: (
                &selection.sensitive,
                readers(&selection.sensitive, Role::Sensitive),
            ),
            entity: (
                &selection.entity,
                readers(&selection.entity, Role::Sensitive),
            ),
            strata: (&selection.strata, StrataReader::new(strata)),
            rows: 0,
            watch,
        }
    }
}

impl RowSink for RowKeeper<'_> {
    fn row(&mut self, row: &Row<'_>) {
        for (places, table) in [&mut self.keys, &mut self.sensitive] {
            for (column, &place) in table.columns.iter_mut().zip(places.iter()) {
                column.push(row.cell(place));
            }
        }
        let (places, entity) = &mut self.entity;
        for (reader, &place) in entity.columns.iter_mut().zip(places.iter()) {
            let cell = row.cell(place);
            if cell.is_null() {
                null_entity(reader.name()).raise();
            }
            reader.push(cell);
        }
        let (places, strata) = &mut self.strata;
        strata.push(places.iter().map(|&place| row.cell(place)));
        self.store.push_held(&row.held());
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.watch.tick(self.rows as u64);
        }
    }
}
