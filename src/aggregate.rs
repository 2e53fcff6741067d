//! The state behind all checking aggregates: groups and the sensitive values within them,
//! counted as rows come by. Transition, combine, serialize and deserialize functions are
//! shared; the aggregates differ in their final functions.

use crate::arguments::{ArgumentColumn, ArgumentReader};
use crate::codec::Codec;
use crate::columns::Role;
use crate::errors::{self, Failure, Names};
use crate::number::Number;
use crate::settings;
use crate::v1::{self, v1};
use crate::wire;
use pgrx::pg_sys::{self, Datum, FunctionCallInfo};
use pgrx::prelude::*;
use sdc_engine::{GroupCounts, GroupMoments};
use std::ops::Range;

/// Memory is compared with `sdc.max_memory` every so many rows.
const ROWS_BETWEEN_CHECKS: u32 = 1024;
/// PostgreSQL's limit on one value, here the serialized state.
const MOST_BYTES: usize = 0x3fff_ffff;

/// What an aggregate knows of the rows so far.
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
    rows: u32,
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

/// Which arguments of a transition function are keys, values and the parameter.
struct Arguments {
    keys: Range<usize>,
    values: Range<usize>,
    /// whether numeric values are measured rather than counted
    measure: bool,
    /// an argument that is one column, whatever its type
    whole: Option<usize>,
    parameter: Option<usize>,
}

impl Arguments {
    fn new(keys: Range<usize>, values: Range<usize>) -> Self {
        Arguments {
            keys,
            values,
            measure: false,
            whole: None,
            parameter: None,
        }
    }
}

impl State {
    pub(crate) fn new(keys: Vec<Codec>, values: Vec<ValueColumn>, parameter: f64) -> Self {
        let numbers = values
            .iter()
            .filter(|value| matches!(value, ValueColumn::Number { .. }));
        let numbers = numbers.count();
        State {
            counts: GroupCounts::new(values.len() - numbers),
            moments: GroupMoments::new(numbers),
            keys,
            values,
            parameter,
            readers: Vec::new(),
            encoding: Vec::new(),
            rows: 0,
        }
    }

    /// The state for calls like this one.
    unsafe fn for_call(
        fcinfo: FunctionCallInfo,
        arguments: &Arguments,
        context: pg_sys::MemoryContext,
    ) -> Self {
        let mut readers = Vec::new();
        let mut columns = |range: &Range<usize>, role: Role| {
            let mut columns: Vec<ArgumentColumn> = Vec::new();
            for index in range.clone() {
                // SAFETY: argument `index` exists; the aggregate's context outlives the state.
                let reader = unsafe {
                    let value = v1::argument(fcinfo, index);
                    match arguments.whole == Some(index) {
                        true => ArgumentReader::whole(fcinfo, index, role.label()),
                        false => ArgumentReader::new(fcinfo, index, role.label(), value, context),
                    }
                };
                columns.extend(reader.columns(columns.len() + 1));
                readers.push(reader);
            }
            columns
        };
        let keys = columns(&arguments.keys, Role::Key);
        let role = if arguments.measure {
            Role::Key
        } else {
            Role::Sensitive
        };
        let values = columns(&arguments.values, role);
        // SAFETY: argument `index` exists.
        let parameter = arguments
            .parameter
            .map_or(0.0, |index| unsafe { parameter(fcinfo, index) });
        let keys = keys
            .iter()
            .map(|column| Codec::new(column.typ, column.collation))
            .collect();
        let values = ValueColumn::all(values, arguments.measure);
        State {
            readers,
            ..State::new(keys, values, parameter)
        }
    }

    /// Counts the row of this call.
    unsafe fn add(&mut self, fcinfo: FunctionCallInfo, arguments: &Arguments) {
        let State {
            counts,
            moments,
            encoding,
            ..
        } = self;
        let (key_readers, value_readers) = self.readers.split_at_mut(arguments.keys.len());
        encoding.clear();
        let mut keys = self.keys.iter_mut();
        for (reader, index) in key_readers.iter_mut().zip(arguments.keys.clone()) {
            // SAFETY: the reader was made for this argument, the codecs for its columns.
            unsafe {
                read(reader, fcinfo, index, &mut keys, |codec, datum, null| {
                    codec.encode(datum, null, encoding);
                });
            }
        }
        let group = counted(counts.add_group(encoding, 1));
        let mut values = self.values.iter_mut();
        for (reader, index) in value_readers.iter_mut().zip(arguments.values.clone()) {
            // SAFETY: the reader was made for this argument, the columns for its columns.
            unsafe {
                read(
                    reader,
                    fcinfo,
                    index,
                    &mut values,
                    |value, datum, null| match value {
                        ValueColumn::Category { index, codec } => {
                            encoding.clear();
                            codec.encode(datum, null, encoding);
                            counted(counts.add_value(*index, group, encoding, 1));
                        }
                        ValueColumn::Number { index, kind, label } => {
                            let number = finite(*kind, datum, null, label);
                            counted(moments.cell(group, *index)).add(number);
                        }
                    },
                );
            }
        }
        self.rows += 1;
        if self.rows == ROWS_BETWEEN_CHECKS {
            self.rows = 0;
            settings::check_memory(self.memory());
        }
    }

    fn memory(&self) -> usize {
        let codecs = self
            .keys
            .iter()
            .chain(self.values.iter().filter_map(ValueColumn::codec));
        let dictionaries = codecs.map(Codec::memory).sum::<usize>();
        self.counts.memory() + self.moments.memory() + dictionaries
    }

    /// Adds what another process counted.
    fn merge(&mut self, other: &State) {
        let keys: Vec<Vec<u32>> = self
            .keys
            .iter_mut()
            .zip(&other.keys)
            .map(|(mine, theirs)| mine.adopt(theirs))
            .collect();
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
        let groups = counted(
            self.counts
                .merge(&other.counts, translate_key, translate_value),
        );
        counted(self.moments.merge(&other.moments, &groups));
        settings::check_memory(self.memory());
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
                None => {
                    let codec = Codec::new(typ, collation);
                    ValueColumn::Category {
                        index: categories.next().unwrap_or(0),
                        codec,
                    }
                }
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

unsafe fn parameter(fcinfo: FunctionCallInfo, index: usize) -> f64 {
    // SAFETY: the parameter is declared as int, double precision or boolean.
    unsafe {
        let (datum, null) = v1::argument(fcinfo, index);
        match Number::of(v1::argument_type(fcinfo, index)) {
            _ if null => Failure::null("the last argument").raise(),
            Some(number) => number.to_f64(datum),
            None => f64::from(datum.value() as u8),
        }
    }
}

/// The memory context of the aggregate this call belongs to.
unsafe fn aggregate_context(fcinfo: FunctionCallInfo) -> pg_sys::MemoryContext {
    let mut context = std::ptr::null_mut();
    // SAFETY: the call info is valid.
    if unsafe { pg_sys::AggCheckCallContext(fcinfo, &mut context) } == 0 {
        Failure::new(
            PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
            "aggregate support function called outside an aggregate",
        )
        .raise();
    }
    context
}

/// The state an argument points to; `None` while there is none.
unsafe fn state<'a>(fcinfo: FunctionCallInfo, index: usize) -> Option<&'a mut State> {
    // SAFETY: `internal` arguments of these functions are always states made by `keep`.
    unsafe {
        let (datum, null) = v1::argument(fcinfo, index);
        (!null).then(|| &mut *datum.cast_mut_ptr::<State>())
    }
}

/// Hands a state to a memory context, which drops it in the end.
unsafe fn keep(state: State, context: pg_sys::MemoryContext) -> Datum {
    Datum::from(pgrx::PgMemoryContexts::For(context).leak_and_drop_on_delete(state))
}

unsafe fn transition(fcinfo: FunctionCallInfo, arguments: Arguments) -> Datum {
    // SAFETY: argument 0 is the state, the others are as the SQL declaration has them.
    unsafe {
        let context = aggregate_context(fcinfo);
        let datum = match v1::argument(fcinfo, 0) {
            (datum, false) => datum,
            (_, true) => keep(State::for_call(fcinfo, &arguments, context), context),
        };
        (*datum.cast_mut_ptr::<State>()).add(fcinfo, &arguments);
        v1::answer(fcinfo, Some(datum))
    }
}

unsafe fn combine(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: both arguments are states.
    unsafe {
        let context = aggregate_context(fcinfo);
        let first = v1::argument(fcinfo, 0);
        let Some(second) = state(fcinfo, 1) else {
            return v1::answer(fcinfo, (!first.1).then_some(first.0));
        };
        let datum = match first {
            (datum, false) => datum,
            // the second state lives in a shorter-lived context: its counts are copied
            (_, true) => keep(wire::read(&wire::write(second)), context),
        };
        if !first.1 {
            (*datum.cast_mut_ptr::<State>()).merge(second);
        }
        v1::answer(fcinfo, Some(datum))
    }
}

unsafe fn serialize(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: the argument is a state; the function is strict.
    let bytes = unsafe { state(fcinfo, 0) }
        .map(|state| wire::write(state))
        .unwrap_or_default();
    if bytes.len() > MOST_BYTES {
        Failure::new(
            PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            "too many groups for a parallel aggregate",
        )
        .hint("SET max_parallel_workers_per_gather = 0, or use sdc.check_anonymity().")
        .raise();
    }
    let datum = Datum::from(pgrx::rust_byte_slice_to_bytea(&bytes).into_pg());
    // SAFETY: the call info is valid.
    unsafe { v1::answer(fcinfo, Some(datum)) }
}

unsafe fn deserialize(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: the argument is a bytea made by `serialize`; the function is strict.
    unsafe {
        let (datum, null) = v1::argument(fcinfo, 0);
        let bytes = <&[u8]>::from_datum(datum, null).unwrap_or_default();
        let state = keep(wire::read(bytes), pg_sys::CurrentMemoryContext);
        v1::answer(fcinfo, Some(state))
    }
}

/// Runs a final function: NULL over no rows.
///
/// # Safety
/// `fcinfo` must be the call info of a final function over a [`State`].
pub unsafe fn finish(
    fcinfo: FunctionCallInfo,
    figure: impl FnOnce(&State) -> Option<Datum>,
) -> Datum {
    // SAFETY: argument 0 is the state.
    unsafe {
        let answer = state(fcinfo, 0).and_then(|state| figure(state));
        v1::answer(fcinfo, answer)
    }
}

/// An answer of type double precision.
pub fn float(value: f64) -> Option<Datum> {
    Some(Datum::from(value.to_bits() as usize))
}

/// An answer of type bigint.
pub fn bigint(value: u64) -> Option<Datum> {
    Some(Datum::from(value as i64))
}

v1! {
    sdc_count_groups, pg_finfo_sdc_count_groups => |fcinfo| {
        transition(fcinfo, Arguments::new(1..v1::arguments(fcinfo), 0..0))
    };
    sdc_count_values, pg_finfo_sdc_count_values => |fcinfo| {
        transition(fcinfo, Arguments::new(1..2, 2..v1::arguments(fcinfo)))
    };
    sdc_count_values_parameter, pg_finfo_sdc_count_values_parameter => |fcinfo| {
        transition(fcinfo, Arguments { parameter: Some(3), ..Arguments::new(1..2, 2..3) })
    };
    sdc_count_rows, pg_finfo_sdc_count_rows => |fcinfo| {
        let arguments = Arguments::new(1..4, 0..0);
        transition(fcinfo, Arguments { whole: Some(3), parameter: Some(4), ..arguments })
    };
    sdc_measure_groups, pg_finfo_sdc_measure_groups => |fcinfo| {
        let arguments = Arguments::new(1..2, 2..v1::arguments(fcinfo));
        transition(fcinfo, Arguments { measure: true, ..arguments })
    };
    sdc_counts_combine, pg_finfo_sdc_counts_combine => combine;
    sdc_counts_serialize, pg_finfo_sdc_counts_serialize => serialize;
    sdc_counts_deserialize, pg_finfo_sdc_counts_deserialize => deserialize;
}
