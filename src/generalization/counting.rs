//! The rows of a source, read once: combinations of key values and their sensitive values are
//! counted, and the columns that a release takes along are kept in a store that spills.

use super::hierarchy::{self, HierarchyTable};
use super::keys::Keys;
use crate::codec::Codec;
use crate::errors::{self, Names};
use crate::memory::push;
use crate::progress::Watch;
use crate::query::{self, Order, RowSink};
use crate::record::Attribute;
use crate::row_store::RowStore;
use crate::settings;
use crate::source::Source;
use crate::text::TextOf;
use pgrx::pg_sys::{self, Datum, Oid};
use sdc_engine::lattice::Counter;
use sdc_engine::{Interner, Monitor, Phase};

const ROWS_BETWEEN_CHECKS: usize = 4096;
/// A key value that its hierarchy does not have.
const UNCOVERED: u32 = u32::MAX;

/// What is known of the rows of a source.
pub struct CountedRows {
    pub counter: Counter,
    /// for each sensitive column what turns its counted values back into PostgreSQL's
    pub sensitive: Vec<Codec>,
    pub kept: KeptColumns,
}

/// Columns that are kept as they are.
pub struct KeptColumns {
    pub store: RowStore,
    /// for each row the combination of its key values; empty where no columns are kept
    pub combination_of: Vec<u32>,
}

/// Reads the keys and the columns at `others`, places among the source's attributes, of
/// which the first `sensitive` are sensitive. `keep`: rows will be written again.
pub fn count_rows(
    source: &Source,
    keys: &Keys,
    others: &[usize],
    sensitive: usize,
    keep: bool,
    watch: &mut Watch,
) -> CountedRows {
    watch.start(Phase::Reading, 0);
    let attribute = |&place: &usize| source.attributes[place].clone();
    let others_of: Vec<Attribute> = others.iter().map(attribute).collect();
    let counter = Counter::new(keys.shapes(), sensitive);
    let mut reading = Reading {
        keys: keys
            .places
            .iter()
            .zip(&keys.hierarchies)
            .map(|(&place, hierarchy)| KeyReader::new(&source.attributes[place], hierarchy))
            .collect(),
        sensitive: others_of[..sensitive]
            .iter()
            .map(|attribute| Codec::new(attribute.typ, attribute.collation))
            .collect(),
        counter: errors::engine(counter, Names::default()),
        kept: KeptColumns {
            store: RowStore::new(&others_of),
            combination_of: Vec::new(),
        },
        keep,
        codes: Vec::new(),
        encodings: Vec::new(),
        rows: 0,
        watch,
    };
    let columns = [&keys.places[..], others].concat();
    let types: Vec<Oid> = columns.iter().map(|&c| source.attributes[c].typ).collect();
    let sql = source.select(&columns);
    query::read(&sql, &types, Order::Queried, &mut reading);
    for (key, name) in reading.keys.iter().zip(&keys.names) {
        key.refuse_uncovered(name);
    }
    CountedRows {
        counter: reading.counter,
        sensitive: reading.sensitive,
        kept: reading.kept,
    }
}

/// Takes rows from the query: keys, sensitive columns, others.
struct Reading<'a> {
    keys: Vec<KeyReader<'a>>,
    sensitive: Vec<Codec>,
    counter: Counter,
    kept: KeptColumns,
    keep: bool,
    /// of the row at hand: the hierarchies' numbers of its key values …
    codes: Vec<u32>,
    /// … and its encoded sensitive values
    encodings: Vec<Vec<u8>>,
    rows: usize,
    watch: &'a mut Watch,
}

impl Reading<'_> {
    unsafe fn encode(&mut self, values: &[Datum], nulls: &[bool]) {
        self.codes.clear();
        for (place, key) in self.keys.iter_mut().enumerate() {
            // SAFETY: the reader was made for the type of the column at this place.
            self.codes
                .push(unsafe { key.code(values[place], nulls[place]) });
        }
        self.encodings.resize(self.sensitive.len(), Vec::new());
        let columns = self.sensitive.iter_mut().zip(&mut self.encodings);
        for (place, (codec, encoding)) in (self.keys.len()..).zip(columns) {
            encoding.clear();
            // SAFETY: the codec was made for the type of the column at this place.
            unsafe { codec.encode(values[place], nulls[place], encoding) };
        }
    }

    fn check(&mut self) {
        let keys: usize = self.keys.iter().map(KeyReader::memory).sum();
        let rows = 4 * self.kept.combination_of.capacity();
        settings::check_memory(self.counter.memory() + keys + rows);
        // raises by itself where the call is to stop
        let _ = self.watch.advance(self.rows as u64);
    }
}

impl RowSink for Reading<'_> {
    unsafe fn row(&mut self, _: *mut pg_sys::TupleTableSlot, values: &[Datum], nulls: &[bool]) {
        // SAFETY: the query's columns are those the readers were made for.
        unsafe { self.encode(values, nulls) };
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.check();
        }
        if self.codes.contains(&UNCOVERED) {
            return; // refused after the last row, when all such values are counted
        }
        let sensitive: Vec<&[u8]> = self.encodings.iter().map(Vec::as_slice).collect();
        let combination = self.counter.add(&self.codes, &sensitive);
        let combination = errors::engine(combination, Names::default());
        if self.keep {
            let first = self.keys.len();
            push(&mut self.kept.combination_of, combination);
            // SAFETY: the store was made for the columns after the keys.
            unsafe { self.kept.store.push(&values[first..], &nulls[first..]) };
        }
    }
}

/// Finds the values of a key column in its hierarchy, each distinct one once.
struct KeyReader<'a> {
    hierarchy: &'a HierarchyTable,
    codec: Codec,
    seen: Interner,
    /// the hierarchy's number of each value seen
    code_of: Vec<u32>,
    text: TextOf,
    encoding: Vec<u8>,
}

impl<'a> KeyReader<'a> {
    fn new(column: &Attribute, hierarchy: &'a HierarchyTable) -> Self {
        // SAFETY: the context of the call outlives the reader.
        let context = unsafe { pg_sys::CurrentMemoryContext };
        KeyReader {
            hierarchy,
            codec: Codec::new(column.typ, column.collation),
            seen: Interner::new(),
            code_of: Vec::new(),
            text: TextOf::new(column.typ, context),
            encoding: Vec::new(),
        }
    }

    unsafe fn code(&mut self, datum: Datum, null: bool) -> u32 {
        self.encoding.clear();
        // SAFETY: a value of the column.
        unsafe { self.codec.encode(datum, null, &mut self.encoding) };
        let value = errors::engine(self.seen.intern(&self.encoding), Names::default()) as usize;
        if value == self.code_of.len() {
            hierarchy::begin(null, &mut self.encoding);
            if !null {
                // SAFETY: a value of the column.
                unsafe { self.text.append(datum, &mut self.encoding) };
            }
            let code = self.hierarchy.find(&self.encoding);
            push(&mut self.code_of, code.unwrap_or(UNCOVERED));
        }
        self.code_of[value]
    }

    fn memory(&self) -> usize {
        self.seen.memory()
            + 4 * self.code_of.capacity()
            + self.codec.memory()
            + self.hierarchy.memory()
    }

    fn refuse_uncovered(&self, column: &str) {
        let missing = self.code_of.iter().filter(|&&code| code == UNCOVERED);
        let label = format!("column \"{column}\"");
        self.hierarchy
            .refuse_uncovered(missing.count(), self.code_of.len(), &label);
    }
}
