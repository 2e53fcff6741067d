//! The rows of a source, read once: combinations of key values and their sensitive values are
//! counted, and the columns that a release takes along are kept in a store that spills.

use crate::generalize::hierarchy_keys::Keys;
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{self, Failure, Names, known};
use crate::pg::memory::{self, push};
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::text_casts::TextOf;
use crate::pg::tuple_store::TupleStore;
use crate::read::codec::Codec;
use crate::read::hierarchy_table::{self, HierarchyTable};
use crate::read::relation::Source;
use pgrx::pg_sys::Oid;
use sdc_engine::lattice::Counter;
use sdc_engine::model::PersonValues;
use sdc_engine::{Interner, Monitor, Phase};

/// A key value that its hierarchy does not have.
pub const UNCOVERED: u32 = u32::MAX;

/// What is known of the rows of a source.
pub struct CountedRows {
    pub counter: Counter,
    /// for each sensitive column what turns its counted values back into PostgreSQL's
    pub sensitive: Vec<Codec>,
    /// for each key its values as they are
    pub key_values: Vec<KeyValues>,
    pub kept: KeptColumns,
}

/// The values of a key column.
pub struct KeyValues {
    codec: Codec,
    seen: Interner,
    /// the hierarchy's number of each value seen
    code_of: Vec<u32>,
}

impl KeyValues {
    /// Whether NULL is one of them.
    pub fn holds_null(&self) -> bool {
        self.seen
            .iter()
            .any(|value| self.codec.decode(value).is_null())
    }

    /// The value behind each of so many numbers of a hierarchy, NULL where none occurred. Values
    /// of one text are one value to a hierarchy: the first of them stands for all.
    pub fn by_code(&self, codes: usize) -> Vec<Cell<'_>> {
        let typ = self.codec.typ();
        let mut values = memory::reserved(codes);
        values.resize(codes, Cell::null(typ));
        for (value, &code) in self.code_of.iter().enumerate().rev() {
            values[code as usize] = self.codec.decode(self.seen.get(value as u32));
        }
        values
    }
}

/// Columns that are kept as they are.
pub struct KeptColumns {
    pub store: TupleStore,
    /// for each row the combination of its key values; empty where no columns are kept
    pub combination_of: Vec<u32>,
}

/// The columns beside the keys, and what becomes of them.
pub struct CountedColumns<'a> {
    /// places among the source's attributes
    pub others: &'a [usize],
    /// the values of how many of the first of them are counted
    pub counted: usize,
    /// whether the last counted one tells persons apart; then the pairs of a person and a value of
    /// each of the others are counted as well, behind them
    pub of_persons: bool,
    /// whether rows will be written again
    pub keep: bool,
}

/// Reads and counts the keys and other columns.
pub fn count_rows(
    source: &Source,
    keys: &Keys,
    columns: &CountedColumns<'_>,
    watch: &mut Watch,
) -> CountedRows {
    watch.start(Phase::Reading, 0);
    let mut reading = Reading::new(source, keys, columns, watch);
    let columns = [&keys.places[..], columns.others].concat();
    let types: Vec<Oid> = columns.iter().map(|&c| source.attributes[c].typ).collect();
    let sql = source.select(&columns);
    statements::read(&sql, &types, Order::Queried, &mut reading);
    for (key, name) in reading.keys.iter().zip(&keys.names) {
        key.refuse_uncovered(&format!("column \"{name}\""));
    }
    CountedRows {
        key_values: reading.keys.into_iter().map(|key| key.values).collect(),
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
    /// how many columns a person is paired with
    pairs: usize,
    /// of the row at hand: the hierarchies' numbers of its key values …
    codes: Vec<u32>,
    /// … and its encoded sensitive values
    encodings: Vec<Vec<u8>>,
    rows: usize,
    watch: &'a mut Watch,
}

impl<'a> Reading<'a> {
    fn new(
        source: &Source,
        keys: &'a Keys,
        columns: &CountedColumns<'_>,
        watch: &'a mut Watch,
    ) -> Self {
        let attribute = |&place: &usize| source.attributes[place].clone();
        let others: Vec<Attribute> = columns.others.iter().map(attribute).collect();
        let pairs = match columns.of_persons {
            true => columns.counted - 1,
            false => 0,
        };
        let counter = Counter::new(keys.shapes(), columns.counted + pairs);
        let readers = keys.places.iter().zip(&keys.hierarchies);
        let codec = |column: &Attribute| Codec::new(column.typ, column.collation);
        Reading {
            keys: readers
                .map(|(&place, hierarchy)| KeyReader::new(&source.attributes[place], hierarchy))
                .collect(),
            sensitive: others[..columns.counted].iter().map(codec).collect(),
            counter: errors::engine(counter, Names::default()),
            kept: KeptColumns {
                store: TupleStore::new(&others),
                combination_of: Vec::new(),
            },
            keep: columns.keep,
            pairs,
            codes: Vec::new(),
            encodings: Vec::new(),
            rows: 0,
            watch,
        }
    }
}

impl Reading<'_> {
    fn encode(&mut self, row: &Row<'_>) {
        self.codes.clear();
        let keys = self.keys.iter_mut().zip(row.cells());
        self.codes.extend(keys.map(|(key, cell)| key.code(cell)));
        self.encodings
            .resize(self.sensitive.len() + self.pairs, Vec::new());
        let columns = self.sensitive.iter_mut().zip(&mut self.encodings);
        for ((codec, encoding), cell) in columns.zip(row.cells().skip(self.keys.len())) {
            encoding.clear();
            codec.encode(cell, encoding);
        }
        let (values, pairs) = self.encodings.split_at_mut(self.sensitive.len());
        for (pair, value) in pairs.iter_mut().zip(values.iter()) {
            pair_of(&values[values.len() - 1], value, pair);
        }
    }
}

/// A person and a value as one value.
fn pair_of(person: &[u8], value: &[u8], pair: &mut Vec<u8>) {
    pair.clear();
    memory::append(pair, &(person.len() as u32).to_le_bytes());
    memory::append(pair, person);
    memory::append(pair, value);
}

impl CountedRows {
    /// Who has what, for each pair of a person and a value of a sensitive column; persons are the
    /// last of `counted` columns.
    pub fn persons_with(&self, column: usize, counted: usize) -> PersonValues {
        let (persons, values) = (
            self.counter.values(counted - 1),
            self.counter.values(column),
        );
        let mut pairs = memory::reserved(self.counter.values(counted + column).len());
        for pair in self.counter.values(counted + column).iter() {
            let (length, pair) = pair.split_at(size_of::<u32>());
            let length = length.try_into().map_or(0, u32::from_le_bytes);
            let (person, value) = pair.split_at(length as usize);
            pairs.push(
                persons
                    .find(person)
                    .zip(values.find(value))
                    .unwrap_or_else(|| lost_pair()),
            );
        }
        known(PersonValues::of_pairs(pairs))
    }
}

#[cold]
fn lost_pair() -> ! {
    Failure::internal("a person's value was not counted").raise()
}

impl RowSink for Reading<'_> {
    fn row(&mut self, row: &Row<'_>) {
        self.encode(row);
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.watch.tick(self.rows as u64);
        }
        if self.codes.contains(&UNCOVERED) {
            return; // refused after the last row, when all such values are counted
        }
        let sensitive: Vec<&[u8]> = self.encodings.iter().map(Vec::as_slice).collect();
        let combination = self.counter.add(&self.codes, &sensitive);
        let combination = errors::engine(combination, Names::default());
        if self.keep {
            push(&mut self.kept.combination_of, combination);
            let others: Vec<Cell> = row.cells().skip(self.keys.len()).collect();
            self.kept.store.push(&others);
        }
    }
}

/// Finds the values of a key column in its hierarchy, each distinct one once.
pub struct KeyReader<'a> {
    hierarchy: &'a HierarchyTable,
    values: KeyValues,
    text: TextOf,
    encoding: Vec<u8>,
}

impl<'a> KeyReader<'a> {
    pub fn new(column: &Attribute, hierarchy: &'a HierarchyTable) -> Self {
        KeyReader {
            hierarchy,
            values: KeyValues {
                codec: Codec::new(column.typ, column.collation),
                seen: Interner::new(),
                code_of: Vec::new(),
            },
            text: TextOf::new(column.typ),
            encoding: Vec::new(),
        }
    }

    pub fn code(&mut self, cell: Cell<'_>) -> u32 {
        self.encoding.clear();
        let KeyValues {
            codec,
            seen,
            code_of,
        } = &mut self.values;
        codec.encode(cell, &mut self.encoding);
        let value = errors::engine(seen.intern(&self.encoding), Names::default()) as usize;
        if value == code_of.len() {
            hierarchy_table::spell(&mut self.text, cell, &mut self.encoding);
            let code = self.hierarchy.find(&self.encoding);
            push(code_of, code.unwrap_or(UNCOVERED));
        }
        code_of[value]
    }

    /// Whether the key has no hierarchy: a value that the table lacks is then of no group of it.
    pub fn is_never_recoded(&self) -> bool {
        self.hierarchy.top() == 0
    }

    /// Refuses values that the hierarchy lacks, in the words for their column.
    pub fn refuse_uncovered(&self, label: &str) {
        let codes = &self.values.code_of;
        let missing = codes.iter().filter(|&&code| code == UNCOVERED).count();
        self.hierarchy.refuse_uncovered(missing, codes.len(), label);
    }
}
