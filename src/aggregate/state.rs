//! What an aggregate knows of the rows so far.

use super::Arguments;
use crate::arguments::{ArgumentColumn, ArgumentReader, Records};
use crate::codec::Codec;
use crate::columns::Role;
use crate::errors::{self, Failure, Names};
use crate::memory::Account;
use crate::number::Number;
use crate::record;
use crate::v1;
use pgrx::pg_sys::{self, Datum, FunctionCallInfo};
use pgrx::prelude::*;
use sdc_engine::{GroupCounts, GroupMoments};
use std::ops::Range;

/// Memory is compared with `sdc.max_memory` after the first row, after twice as many, and so
/// on; at the latest after so many.
const ROWS_BETWEEN_CHECKS: u64 = 1024;

/// Groups of rows with equal keys, and what is counted or measured within them.
pub struct State {
    pub counts: GroupCounts,
    pub moments: GroupMoments,
    pub(crate) keys: Vec<Codec>,
    pub(crate) values: Vec<ValueColumn>,
    /// the last argument of aggregates that take a number beside the columns
    pub parameter: f64,
    /// take the arguments apart; none in a state that came from another process
    readers: Vec<ArgumentReader>,
    encoding: Vec<u8>,
    rows: u64,
    next_check: u64,
    account: Account,
}

/// A column that is summarized within groups.
pub enum ValueColumn {
    /// its values are counted, as the counts' column of this number
    Category { index: usize, codec: Codec },
    /// its moments are gathered, as the moments' column of this number
    Number {
        index: usize,
        kind: Number,
        label: String,
    },
}

impl State {
    pub(crate) fn new(keys: Vec<Codec>, values: Vec<ValueColumn>, parameter: f64) -> Self {
        let number = |value: &&ValueColumn| matches!(value, ValueColumn::Number { .. });
        let numbers = values.iter().filter(number).count();
        State {
            counts: GroupCounts::new(values.len() - numbers),
            moments: GroupMoments::new(numbers),
            keys,
            values,
            parameter,
            readers: Vec::new(),
            encoding: Vec::new(),
            rows: 0,
            next_check: 1,
            account: Account::default(),
        }
    }

    /// The state for calls like this one.
    ///
    /// # Safety
    /// The call must have these arguments; `context` must outlive the state.
    pub(super) unsafe fn for_call(
        fcinfo: FunctionCallInfo,
        arguments: &Arguments,
        context: pg_sys::MemoryContext,
    ) -> Self {
        let mut readers = Vec::new();
        // SAFETY: as promised by the caller.
        let (keys, values, parameter) = unsafe {
            let key_records = |index, anonymous| match arguments.whole == Some(index) {
                true => Records::Whole,
                false => records(Role::Key, false, anonymous),
            };
            let (keys, role) = (arguments.keys.clone(), Role::Key);
            let keys = columns(fcinfo, keys, role, key_records, context, &mut readers);
            let (values, role) = (arguments.values.clone(), arguments.value_role());
            let value_records = |_, anonymous| records(role, arguments.measure, anonymous);
            let values = columns(fcinfo, values, role, value_records, context, &mut readers);
            (keys, values, parameter(fcinfo, arguments).unwrap_or(0.0))
        };
        let codec = |column: &ArgumentColumn| Codec::new(column.typ, column.collation);
        let values = ValueColumn::all(values, arguments.measure);
        State {
            readers,
            ..State::new(keys.iter().map(codec).collect(), values, parameter)
        }
    }

    /// Counts the row of this call.
    ///
    /// # Safety
    /// The call must be like the one that the state was made for.
    pub(super) unsafe fn add(&mut self, fcinfo: FunctionCallInfo, arguments: &Arguments) {
        // SAFETY: as promised by the caller.
        unsafe {
            let parameter = parameter(fcinfo, arguments).map(f64::to_bits);
            if parameter.is_some_and(|bits| bits != self.parameter.to_bits()) {
                changing_parameter(arguments.parameter.map_or("", |(_, name)| name));
            }
            let group = self.add_to_group(fcinfo, arguments);
            self.add_values(fcinfo, arguments, group);
        }
        self.rows += 1;
        if self.rows >= self.next_check {
            self.next_check += self.rows.min(ROWS_BETWEEN_CHECKS);
            self.check_memory();
        }
    }

    unsafe fn add_to_group(&mut self, fcinfo: FunctionCallInfo, arguments: &Arguments) -> u32 {
        let encoding = &mut self.encoding;
        encoding.clear();
        let mut codecs = self.keys.iter_mut();
        for (reader, index) in self.readers.iter_mut().zip(arguments.keys.clone()) {
            // SAFETY: the reader was made for this argument, the codecs for its columns.
            unsafe {
                read(reader, fcinfo, index, &mut codecs, |codec, datum, null| {
                    codec.encode(datum, null, encoding);
                });
            }
        }
        counted(self.counts.add_group(encoding, 1))
    }

    unsafe fn add_values(&mut self, fcinfo: FunctionCallInfo, arguments: &Arguments, group: u32) {
        let State {
            counts,
            moments,
            encoding,
            ..
        } = self;
        let mut take = |value: &mut ValueColumn, datum, null| match value {
            ValueColumn::Category { index, codec } => {
                encoding.clear();
                // SAFETY: the codec was made for the column.
                unsafe { codec.encode(datum, null, encoding) };
                counted(counts.add_value(*index, group, encoding, 1));
            }
            ValueColumn::Number { index, kind, label } => {
                // SAFETY: the kind is the column's.
                let number = unsafe { finite(*kind, datum, null, label) };
                counted(moments.cell(group, *index)).add(number);
            }
        };
        let mut values = self.values.iter_mut();
        let readers = self.readers[arguments.keys.len()..].iter_mut();
        for (reader, index) in readers.zip(arguments.values.clone()) {
            // SAFETY: the reader was made for this argument, the columns for its columns.
            unsafe { read(reader, fcinfo, index, &mut values, &mut take) };
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let values = self.values.iter().filter_map(ValueColumn::codec);
        let dictionaries = self.keys.iter().chain(values).map(Codec::memory);
        let dictionaries: usize = dictionaries.sum();
        size_of::<State>() + self.counts.memory() + self.moments.memory() + dictionaries
    }

    fn check_memory(&mut self) {
        self.account.set(self.memory());
    }

    /// Adds what another process counted.
    pub(super) fn merge(&mut self, other: &State) {
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
            check_for_interrupts!();
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
        counted(self.moments.merge(&other.moments, &counted(merged)));
        self.check_memory();
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
            record::mixed_row_types();
        }
        if self.parameter.to_bits() != other.parameter.to_bits() {
            changing_parameter("the last argument");
        }
    }

    /// Leaves an empty state behind.
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, State::new(Vec::new(), Vec::new(), 0.0))
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
            match Number::of(typ).filter(|_| measure) {
                Some(kind) => ValueColumn::Number {
                    index: numbers.next().unwrap_or(0),
                    kind,
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
unsafe fn columns(
    fcinfo: FunctionCallInfo,
    arguments: Range<usize>,
    role: Role,
    records: impl Fn(usize, bool) -> Records,
    context: pg_sys::MemoryContext,
    readers: &mut Vec<ArgumentReader>,
) -> Vec<ArgumentColumn> {
    let mut columns: Vec<ArgumentColumn> = Vec::new();
    for index in arguments.clone() {
        // SAFETY: the argument exists; the context outlives the reader.
        let reader = unsafe {
            let anonymous = v1::argument_type(fcinfo, index) == pg_sys::RECORDOID;
            let records = records(index, anonymous);
            let value = v1::argument(fcinfo, index);
            ArgumentReader::new(fcinfo, index, role.label(), records, value, context)
        };
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

unsafe fn finite(kind: Number, datum: Datum, null: bool, label: &str) -> f64 {
    if null {
        errors::null_key(label).raise();
    }
    // SAFETY: a non-null value of this kind.
    let number = unsafe { kind.to_f64(datum) };
    if !number.is_finite() {
        errors::not_finite(label).raise();
    }
    number
}

/// Reads one argument of a call into the next columns.
unsafe fn read<C>(
    reader: &mut ArgumentReader,
    fcinfo: FunctionCallInfo,
    index: usize,
    columns: &mut impl Iterator<Item = C>,
    mut take: impl FnMut(C, Datum, bool),
) {
    // SAFETY: the reader was made for this argument of such calls.
    unsafe {
        let (datum, null) = v1::argument(fcinfo, index);
        reader.read(datum, null, |datum, null| {
            if let Some(column) = columns.next() {
                take(column, datum, null);
            }
        });
    }
}

fn counted<T>(result: sdc_engine::Result<T>) -> T {
    errors::engine(result, Names::default())
}

/// The number beside the columns, for aggregates that take one.
unsafe fn parameter(fcinfo: FunctionCallInfo, arguments: &Arguments) -> Option<f64> {
    let (index, name) = arguments.parameter?;
    // SAFETY: the parameter is declared as int or double precision.
    unsafe {
        match v1::argument(fcinfo, index) {
            (_, true) => Failure::null(name).raise(),
            (datum, _) if name == "c" => Some(f64::from_bits(datum.value() as u64)),
            (datum, _) => Some(f64::from(datum.value() as i32)),
        }
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
