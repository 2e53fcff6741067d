//! What an aggregate knows of the rows so far.

use crate::aggregate::{Arguments, Shape, wire_format};
use crate::pg::aggregate_call::AggregateState;
use crate::pg::cell::Cell;
use crate::pg::composite;
use crate::pg::errors::{Failure, known};
use crate::pg::memory;
use crate::read::arguments::{ArgumentColumn, ArgumentReader, Given, RecordArguments, Records};
use crate::read::codec::Codec;
use crate::read::columns::Role;
use crate::read::numbers::{Number, NumberReader};
use pgrx::pg_sys::{self, Oid};
use sdc_engine::{GroupCounts, GroupMoments};
use std::ops::Range;

/// Groups of rows with equal keys, and what is counted or measured within them.
pub struct State {
    pub counts: GroupCounts,
    pub moments: GroupMoments,
    pub(crate) keys: Vec<Codec>,
    pub(crate) values: Vec<ValueColumn>,
    pub parameter: Parameter,
    /// take the arguments apart; none in a state that came from another process
    readers: Vec<ArgumentReader>,
    /// the arguments, where they come as one record
    record: Option<RecordArguments>,
    encoding: Vec<u8>,
}

/// What an aggregate takes beside the columns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Parameter {
    None,
    Number(f64),
    /// a table: its number on this server
    Relation(Oid),
}

impl Parameter {
    pub fn number(self) -> f64 {
        match self {
            Parameter::Number(number) => number,
            _ => 0.0,
        }
    }

    pub fn relation(self) -> Oid {
        match self {
            Parameter::Relation(relation) => relation,
            _ => pg_sys::InvalidOid,
        }
    }

    /// Whether it is the same, NaN included.
    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Parameter::Number(a), Parameter::Number(b)) => a.to_bits() == b.to_bits(),
            _ => self == other,
        }
    }
}

/// A column that is summarized within groups.
pub enum ValueColumn {
    /// its values are counted, as the counts' column of this number
    Category { index: usize, codec: Codec },
    /// its moments are gathered, as the moments' column of this number
    Number {
        index: usize,
        kind: Number,
        /// none in a state that came from another process: there are no rows to come
        reader: Option<NumberReader>,
        label: String,
    },
}

impl State {
    pub(crate) fn new(keys: Vec<Codec>, values: Vec<ValueColumn>, parameter: Parameter) -> Self {
        let number = |value: &&ValueColumn| matches!(value, ValueColumn::Number { .. });
        let numbers = values.iter().filter(number).count();
        State {
            counts: GroupCounts::new(values.len() - numbers),
            moments: GroupMoments::new(numbers),
            keys,
            values,
            parameter,
            readers: Vec::new(),
            record: None,
            encoding: Vec::new(),
        }
    }

    /// The state for arguments like these.
    pub(super) fn of_given(given: &impl Given, arguments: &Arguments) -> Self {
        let mut readers = Vec::new();
        let key_records = |index, anonymous| match arguments.whole == Some(index) {
            true => Records::Whole,
            false => records(Role::Key, false, anonymous),
        };
        let keys = columns(
            given,
            arguments.keys.clone(),
            Role::Key,
            key_records,
            &mut readers,
        );
        let role = arguments.value_role();
        let value_records = |_, anonymous| records(role, arguments.measure, anonymous);
        let values = arguments.values.clone();
        let values = columns(given, values, role, value_records, &mut readers);
        let parameter = parameter(given, arguments);
        let codec = |column: &ArgumentColumn| Codec::new(column.typ, column.collation);
        let values = ValueColumn::all(values, arguments.measure);
        State {
            readers,
            ..State::new(keys.iter().map(codec).collect(), values, parameter)
        }
    }

    /// The same for a record of arguments, which is taken apart here from row to row.
    pub(super) fn of_record(record: RecordArguments, arguments: &Arguments) -> Self {
        let state = State::of_given(&record, arguments);
        State {
            record: Some(record),
            ..state
        }
    }

    /// Counts the row of a record of arguments.
    pub(super) fn add_record(&mut self, cell: Cell<'_>, shape: Shape) {
        if let Some(mut record) = self.record.take() {
            record.load(cell);
            self.add(&record, &shape(record.end()));
            self.record = Some(record);
        }
    }

    /// Counts the row of arguments like those that the state was made for.
    pub(super) fn add(&mut self, given: &impl Given, arguments: &Arguments) {
        if let Some((_, name)) = arguments.parameter
            && !parameter(given, arguments).is(self.parameter)
        {
            changing_parameter(name);
        }
        let group = self.add_to_group(given, arguments.keys.len());
        self.add_values(given, arguments.keys.len(), group);
        // of all states together: in GROUP BY many live at the same time
        memory::room(0);
    }

    fn add_to_group(&mut self, given: &impl Given, arguments: usize) -> u32 {
        let encoding = &mut self.encoding;
        encoding.clear();
        let mut codecs = self.keys.iter_mut();
        for reader in &mut self.readers[..arguments] {
            reader.read_given(given, |cell| {
                if let Some(codec) = codecs.next() {
                    codec.encode(cell, encoding);
                }
            });
        }
        known(self.counts.add_group(encoding, 1))
    }

    fn add_values(&mut self, given: &impl Given, keys: usize, group: u32) {
        let State {
            counts,
            moments,
            encoding,
            ..
        } = self;
        let mut values = self.values.iter_mut();
        let mut take = |cell: Cell<'_>| match values.next() {
            None => {}
            Some(ValueColumn::Category { index, codec }) => {
                encoding.clear();
                codec.encode(cell, encoding);
                known(counts.add_value(*index, group, encoding, 1));
            }
            Some(ValueColumn::Number {
                index,
                reader,
                label,
                ..
            }) => {
                // a group has a cell for each number, even where all are missing
                let moments = known(moments.cell(group, *index));
                if !cell.is_null() {
                    let number = reader.map(|reader| reader.finite(cell, label));
                    moments.add(number.unwrap_or(f64::NAN));
                }
            }
        };
        for reader in &mut self.readers[keys..] {
            reader.read_given(given, &mut take);
        }
    }

    fn add_all(&mut self, other: &State) {
        self.refuse_unlike(other);
        let keys = self.keys.iter_mut().zip(&other.keys);
        let keys: Vec<Vec<u32>> = keys.map(|(mine, theirs)| mine.adopt(theirs)).collect();
        let mine = self.values.iter_mut().filter_map(ValueColumn::codec_mut);
        let theirs = other.values.iter().filter_map(ValueColumn::codec);
        let values: Vec<Vec<u32>> = mine
            .zip(theirs)
            .map(|(mine, theirs)| mine.adopt(theirs))
            .collect();
        let codecs: Vec<&Codec> = self.values.iter().filter_map(ValueColumn::codec).collect();
        let translate_key = |mut bytes: &[u8], out: &mut Vec<u8>| {
            for (codec, ids) in self.keys.iter().zip(&keys) {
                codec.translate(codec.split(&mut bytes), ids, out);
            }
        };
        let translate_value = |column: usize, bytes: &[u8], out: &mut Vec<u8>| {
            codecs[column].translate(bytes, &values[column], out);
        };
        let merged = self
            .counts
            .merge(&other.counts, translate_key, translate_value);
        known(self.moments.merge(&other.moments, &known(merged)));
        memory::room(0);
    }

    /// Refuses what another process counted of other columns: each process sees only its own
    /// rows, so that records of different row types meet here.
    fn refuse_unlike(&self, other: &State) {
        let alike = |(mine, theirs): (&Codec, &Codec)| {
            (mine.typ(), mine.collation()) == (theirs.typ(), theirs.collation())
        };
        let keys =
            self.keys.len() == other.keys.len() && self.keys.iter().zip(&other.keys).all(alike);
        let values = self.values.len() == other.values.len()
            && self
                .values
                .iter()
                .zip(&other.values)
                .all(|pair| match pair {
                    (
                        ValueColumn::Category { codec: mine, .. },
                        ValueColumn::Category { codec: theirs, .. },
                    ) => alike((mine, theirs)),
                    (
                        ValueColumn::Number { kind: mine, .. },
                        ValueColumn::Number { kind: theirs, .. },
                    ) => mine == theirs,
                    _ => false,
                });
        if !keys || !values {
            composite::mixed_row_types();
        }
        if !self.parameter.is(other.parameter) {
            changing_parameter("the last argument");
        }
    }
}

impl AggregateState for State {
    fn merge(&mut self, other: &Self) {
        self.add_all(other);
    }

    fn take(&mut self) -> Self {
        std::mem::replace(self, State::new(Vec::new(), Vec::new(), Parameter::None))
    }

    fn to_bytes(&self) -> Vec<u8> {
        wire_format::write(self)
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        wire_format::read(bytes)
    }
}

impl ValueColumn {
    fn all(columns: Vec<ArgumentColumn>, measure: bool) -> Vec<Self> {
        let (mut categories, mut numbers) = (0.., 0..);
        let value = |ArgumentColumn {
                         label,
                         typ,
                         collation,
                     }| {
            match NumberReader::of(typ).filter(|_| measure) {
                Some(reader) => ValueColumn::Number {
                    index: numbers.next().unwrap_or(0),
                    kind: reader.kind(),
                    reader: Some(reader),
                    label,
                },
                None => ValueColumn::Category {
                    index: categories.next().unwrap_or(0),
                    codec: Codec::new(typ, collation),
                },
            }
        };
        columns.into_iter().map(value).collect()
    }

    pub fn codec(&self) -> Option<&Codec> {
        match self {
            ValueColumn::Category { codec, .. } => Some(codec),
            ValueColumn::Number { .. } => None,
        }
    }

    fn codec_mut(&mut self) -> Option<&mut Codec> {
        match self {
            ValueColumn::Category { codec, .. } => Some(codec),
            ValueColumn::Number { .. } => None,
        }
    }
}

/// The columns that some of a call's arguments bring; a reader for each argument is appended.
fn columns(
    given: &impl Given,
    arguments: Range<usize>,
    role: Role,
    records: impl Fn(usize, bool) -> Records,
    readers: &mut Vec<ArgumentReader>,
) -> Vec<ArgumentColumn> {
    let mut columns: Vec<ArgumentColumn> = Vec::new();
    for index in arguments.clone() {
        let cell = given.argument(index);
        let records = records(index, cell.typ() == pg_sys::RECORDOID);
        let reader = ArgumentReader::new(given, index, role.label(), records, cell);
        columns.extend(reader.columns(columns.len() + 1));
        readers.push(reader);
    }
    if columns.is_empty() && !arguments.is_empty() {
        no_columns(role);
    }
    columns
}

/// A sensitive record is a value: its parts may repeat while it does not. So is a key of a
/// composite type, which may be null; the columns of ROW(…) are keys each. What is measured is
/// always a number in the end.
fn records(role: Role, measure: bool, anonymous: bool) -> Records {
    if measure || (role == Role::Key && anonymous) {
        Records::Apart
    } else {
        Records::Whole
    }
}

/// What stands beside the columns, for aggregates that take something.
fn parameter(given: &impl Given, arguments: &Arguments) -> Parameter {
    let Some((index, name)) = arguments.parameter else {
        return Parameter::None;
    };
    let value = |typ| given.required_of(index, typ, name);
    match name {
        "c" | "fraction" => {
            Parameter::Number(f64::from_bits(value(pg_sys::FLOAT8OID).value() as u64))
        }
        "hierarchy" => Parameter::Relation(Oid::from(value(pg_sys::REGCLASSOID).value() as u32)),
        "permuted" => Parameter::Number(f64::from(value(pg_sys::BOOLOID).value() as u8)),
        _ => Parameter::Number(f64::from(value(pg_sys::INT4OID).value() as i32)),
    }
}

#[cold]
fn changing_parameter(name: &str) -> ! {
    Failure::invalid(format!("{name} must be the same in all rows"))
        .hint("Pass a constant, or GROUP BY what it depends on.")
        .raise()
}

fn no_columns(role: Role) -> ! {
    Failure::invalid(format!("at least one {} column is needed", role.label()))
        .hint("For all rows as one group pass a constant, for example 1.")
        .raise()
}
