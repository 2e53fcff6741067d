//! The rows of a source, read once: kept as they are in a store that spills, their key and
//! sensitive columns as typed columns in memory; then played back with the keys replaced.

use crate::pg::cell::Cell;
use crate::pg::domain::Constraints;
use crate::pg::errors::{self, Failure, Names, number_of};
use crate::pg::memory::collected_values;
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::tuple_store::TupleStore;
use crate::read::columns::{self, ColumnReader, Decoder, Role, TableReader, categories};
use crate::read::relation::Source;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::Oid;
use sdc_engine::measure::Squares;
use sdc_engine::{Categories, Column, Monitor, Partition, Phase, mask};

/// Among so few rows that values differ says nothing.
const FEW_ROWS: usize = 100;

/// Which columns of a source to read, and what they are for.
pub struct Selection<'a> {
    pub source: &'a Source,
    /// places among the source's attributes of the columns to keep, in this order
    pub columns: Vec<usize>,
    /// places among `columns`
    pub keys: Vec<usize>,
    pub sensitive: Vec<usize>,
}

/// All rows of a selection.
pub struct KeptRows {
    store: TupleStore,
    pub rows: usize,
    key_places: Vec<usize>,
    /// type and modifier of each key
    key_types: Vec<(Oid, i32)>,
    key_decoders: Vec<Decoder>,
    key_names: Vec<String>,
    sensitive_names: Vec<String>,
    pub keys: Vec<Column>,
    pub sensitive: Vec<Categories>,
    /// the values behind the codes of the sensitive columns
    pub sensitive_values: Vec<Decoder>,
}

impl KeptRows {
    pub fn read(selection: &Selection, watch: &mut Watch) -> Self {
        watch.start(Phase::Reading, 0);
        let attribute = |&place: &usize| selection.source.attributes[place].clone();
        let attributes: Vec<_> = selection.columns.iter().map(attribute).collect();
        let readers = |places: &[usize], role| TableReader {
            columns: places
                .iter()
                .map(|&place| {
                    let attribute = &attributes[place];
                    let name = format!("column \"{}\"", attribute.name);
                    ColumnReader::new(name, attribute.typ, attribute.collation, role, 0)
                })
                .collect(),
        };
        let mut keeper = RowKeeper {
            store: TupleStore::new(&attributes),
            keys: (&selection.keys, readers(&selection.keys, Role::Key)),
            sensitive: (
                &selection.sensitive,
                readers(&selection.sensitive, Role::Sensitive),
            ),
            rows: 0,
            watch,
        };
        let types: Vec<Oid> = attributes.iter().map(|a| a.typ).collect();
        let sql = selection.source.select(&selection.columns);
        statements::read(&sql, &types, Order::Stored, &mut keeper);
        let (key_names, sensitive_names) = (keeper.keys.1.names(), keeper.sensitive.1.names());
        let (keys, key_decoders) = keeper.keys.1.finish();
        let (sensitive, sensitive_values) = keeper.sensitive.1.finish();
        KeptRows {
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
                .hint("A group shows its most frequent value, here one person's own: leave identifiers out, and generalize other columns first.")
                .warn();
            }
        }
    }

    /// What turns the values of a key back into PostgreSQL's.
    pub fn decoder(&self, key: usize) -> &Decoder {
        &self.key_decoders[key]
    }

    /// The type of a key.
    pub fn key_type(&self, key: usize) -> Oid {
        self.key_types[key].0
    }

    /// What each key loses in a grouping, in percent of its variance.
    pub fn losses(&self, partition: &Partition, standardize: bool) -> Vec<f64> {
        let names = self.names();
        let loss = |key: &Column| {
            let alone = vec![errors::engine(key.try_clone(), names)];
            let alone = columns::space(alone, standardize, names);
            errors::engine(Squares::new(&alone, partition), names).information_loss()
        };
        self.keys.iter().map(loss).collect()
    }

    /// Writes every row with the key values of its group.
    pub fn mask(&self, partition: &Partition, out: &TupleStore, watch: &mut Watch) {
        watch.start(Phase::Writing, partition.rows() as u64);
        let keys = 0..self.keys.len();
        let masks: Vec<_> = keys.map(|key| self.mask_of(key, partition)).collect();
        self.replay(watch, |row, cells| {
            let group = partition.group_of()[row] as usize;
            let mut cells = cells.to_vec();
            for (mask, &place) in masks.iter().zip(&self.key_places) {
                cells[place] = mask[group];
            }
            out.push(&cells);
        });
    }

    /// The masked value of a key column in each group.
    pub fn mask_of(&self, key: usize, partition: &Partition) -> Vec<Cell<'_>> {
        let (typ, typmod) = self.key_types[key];
        match (&self.keys[key], &self.key_decoders[key]) {
            (Column::Numeric(values), Decoder::Number(kind)) => {
                let means = errors::engine(mask::means(values, partition), self.names());
                let mut constraints = Constraints::of(typ);
                let value = |mean| {
                    let mean = constraints.checked(kind.datum(mean, typmod));
                    // SAFETY: a number of the column's type.
                    unsafe { Cell::new(mean, false, typ) }
                };
                collected_values(means.into_iter().map(value))
            }
            (Column::Categorical(categories), decoder) => {
                let modes = errors::engine(mask::modes(categories, partition), self.names());
                collected_values(modes.into_iter().map(|code| decoder.category(code)))
            }
            _ => Failure::internal("a numeric column without a number type").raise(),
        }
    }

    /// Hands every row in its old order to `take`, with its number.
    pub fn replay(&self, watch: &mut Watch, mut take: impl FnMut(usize, &[Cell<'_>])) {
        self.store.replay(self.rows, |row, cells| {
            take(row, cells);
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
    rows: usize,
    watch: &'a mut Watch,
}

impl RowSink for RowKeeper<'_> {
    fn row(&mut self, row: &Row<'_>) {
        for (places, table) in [&mut self.keys, &mut self.sensitive] {
            for (column, &place) in table.columns.iter_mut().zip(places.iter()) {
                column.push(row.cell(place));
            }
        }
        // SAFETY: the slot holds the row during the call, and the store is of its columns.
        unsafe { self.store.push_slot(row.slot()) };
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.watch.tick(self.rows as u64);
        }
    }
}
