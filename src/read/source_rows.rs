//! The rows of a source, read once: kept as they are in a store that spills, their key and
//! sensitive columns as typed columns in memory; then played back with the keys replaced.

use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{self, Names, known};
use crate::pg::memory::reserved;
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::tuple_store::TupleStore;
use crate::read::columns::{ColumnReader, Decoder, Role, TableReader, categories};
use crate::read::key_warnings::{self, CodesDone};
use crate::read::relation::Source;
use crate::read::strata::{OneOfEqual, StrataReader};
use crate::read::table_options::{TableOptions, null_entity};
use pgrx::pg_sys::Oid;
use sdc_engine::{Categories, Column, Monitor, PersonRows, Phase};

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

    fn attributes(&self) -> Vec<Attribute> {
        let places = self.columns.iter();
        places
            .map(|&place| self.source.attributes[place].clone())
            .collect()
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
        let attributes = selection.attributes();
        let mut keeper = RowKeeper::new(selection, &attributes, watch);
        let types: Vec<Oid> = attributes.iter().map(|a| a.typ).collect();
        let sql = selection.source.select_in_order(&selection.columns);
        statements::read(&sql, &types, Order::Stored, &mut keeper);
        keeper.finish(selection, &attributes)
    }

    /// The same for rows that do not come from a relation: `each` hands them over one by one, with a
    /// value for each column of the selection.
    pub fn gather(
        selection: &Selection,
        watch: &mut Watch,
        each: impl FnOnce(&mut dyn FnMut(&[Cell<'_>])),
    ) -> Self {
        let attributes = selection.attributes();
        let mut keeper = RowKeeper::new(selection, &attributes, watch);
        each(&mut |cells| {
            keeper.store.push(cells);
            keeper.take(|place| cells[place]);
        });
        keeper.finish(selection, &attributes)
    }

    /// What messages call the columns.
    pub fn names(&self) -> Names<'_> {
        Names {
            keys: &self.key_names,
            sensitive: &self.sensitive_names,
        }
    }

    /// Warns of keys that are no numbers and hardly ever twice the same.
    pub fn warn_of_identifiers(&self) {
        let persons = self.persons.as_ref().map(PersonRows::len);
        for (decoder, name) in self.key_decoders.iter().zip(&self.key_names) {
            key_warnings::warn_of_identifier(name, decoder.values(), self.rows, persons);
        }
    }

    /// Warns of whole numbers with few distinct values.
    pub fn warn_of_codes(&self) {
        self.warn_of(CodesDone::AVERAGED);
    }

    /// The same where ranges are shown: codes between two others have nothing to do with them.
    pub fn warn_of_ranges(&self) {
        self.warn_of(CodesDone::RANGES);
    }

    /// The same where groups are made of near numbers, which are shown as they are.
    pub fn warn_of_distances(&self) {
        self.warn_of(CodesDone::COMPARED);
    }

    fn warn_of(&self, done: CodesDone) {
        let keys = self.keys.iter().zip(&self.key_decoders);
        for ((column, decoder), name) in keys.zip(&self.key_names) {
            if let (Column::Numeric(values), Decoder::Number(kind)) = (column, decoder)
                && kind.is_whole()
            {
                let distinct = || key_warnings::few_distinct(values);
                key_warnings::warn_of_codes(name, distinct, self.rows, done);
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
        watch.start(Phase::Reading, 0);
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

    /// Takes the typed values of a row.
    fn take<'c>(&mut self, cell: impl Fn(usize) -> Cell<'c>) {
        for (places, table) in [&mut self.keys, &mut self.sensitive] {
            for (column, &place) in table.columns.iter_mut().zip(places.iter()) {
                column.push(cell(place));
            }
        }
        let (places, entity) = &mut self.entity;
        for (reader, &place) in entity.columns.iter_mut().zip(places.iter()) {
            let person = cell(place);
            if person.is_null() {
                null_entity(reader.name()).raise();
            }
            reader.push(person);
        }
        let (places, strata) = &mut self.strata;
        strata.push(places.iter().map(|&place| cell(place)));
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.watch.tick(self.rows as u64);
        }
    }

    fn finish(self, selection: &Selection, attributes: &[Attribute]) -> KeptRows {
        let (key_names, sensitive_names) = (self.keys.1.names(), self.sensitive.1.names());
        let (keys, key_decoders) = self.keys.1.finish();
        let (sensitive, sensitive_values) = self.sensitive.1.finish();
        let (entity, mut person_values) = self.entity.1.finish();
        let (strata, strata_shown) = self.strata.1.finish(&selection.strata);
        KeptRows {
            persons: categories(entity)
                .first()
                .map(|persons| known(PersonRows::new(persons))),
            person_values: person_values.pop(),
            strata,
            strata_shown,
            shown: selection.shown,
            kept: None,
            store: self.store,
            rows: self.rows,
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
}

impl RowSink for RowKeeper<'_> {
    fn row(&mut self, row: &Row<'_>) {
        self.store.push_held(&row.held());
        self.take(|place| row.cell(place));
    }
}
