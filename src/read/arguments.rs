//! Arguments of a call as columns: a value is one column, a record gives one for each
//! attribute, an array passed as VARIADIC one for each element.

use crate::pg::arrays::ArrayReader;
use crate::pg::cell::Cell;
use crate::pg::composite::{Attribute, RecordReader};
use crate::pg::errors::Failure;
use crate::pg::function_call::Call;
use crate::pg::quoting;
use crate::pg::type_capabilities;
use crate::read::numbers::Number;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::prelude::*;
use sdc_engine::assign::Method;
use sdc_engine::risk::SamplingFraction;

/// A column that an argument brings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArgumentColumn {
    /// how messages call it
    pub label: String,
    pub typ: Oid,
    pub collation: Oid,
}

/// Where the arguments of an aggregate come from: its call, or a record that stands for one. They
/// are counted from 1, as in a call, where the state comes first.
pub trait Given {
    /// One more than there are.
    fn end(&self) -> usize;
    /// An argument and its type.
    fn argument(&self, index: usize) -> Cell<'_>;
    /// An argument of the type that [`argument`](Self::argument) gave in another row.
    fn argument_again(&self, index: usize, typ: Oid) -> Cell<'_>;
    fn collation(&self, index: usize) -> Oid;
    /// Whether an argument is an array that stands for several columns.
    fn brings_columns(&self, index: usize, typ: Oid) -> bool;
    /// An argument that is declared to be of this type and must not be null.
    fn required_of(&self, index: usize, typ: Oid, name: &str) -> Datum;
}

impl Given for Call {
    fn end(&self) -> usize {
        self.arguments()
    }

    fn argument(&self, index: usize) -> Cell<'_> {
        Call::argument(self, index)
    }

    fn argument_again(&self, index: usize, typ: Oid) -> Cell<'_> {
        // SAFETY: the type was looked up for this argument, and is the same in all calls.
        unsafe { self.cell(index, typ) }
    }

    fn collation(&self, index: usize) -> Oid {
        self.argument_collation(index)
    }

    fn brings_columns(&self, index: usize, typ: Oid) -> bool {
        brings_columns(self, index, typ)
    }

    fn required_of(&self, index: usize, typ: Oid, name: &str) -> Datum {
        let argument = self.argument_again(index, typ).datum();
        argument.unwrap_or_else(|| Failure::null(name).raise())
    }
}

/// A record whose attributes are the arguments of a call, the state left out.
pub struct RecordArguments {
    record: RecordReader,
    /// whether the last of them is an array that stands for several columns
    variadic: bool,
}

impl RecordArguments {
    /// The arguments in a record. What is kept for others like it lives in the current memory
    /// context.
    pub fn new(record: Cell<'_>, variadic: bool) -> Self {
        let Some(record) = RecordReader::new(record) else {
            null_record("argument")
        };
        RecordArguments { record, variadic }
    }

    /// Takes the arguments of the next row.
    pub fn load(&mut self, record: Cell<'_>) {
        if self.record.load(record).is_none() {
            null_record("argument");
        }
    }
}

impl Given for RecordArguments {
    fn end(&self) -> usize {
        1 + self.record.attributes.len()
    }

    fn argument(&self, index: usize) -> Cell<'_> {
        if index == 0 || index >= self.end() {
            Failure::invalid(format!("the record of arguments has no argument {index}"))
                .hint("It holds the arguments of the aggregate without its ending _across, in their order.")
                .raise();
        }
        self.record.cell(index - 1)
    }

    fn argument_again(&self, index: usize, _: Oid) -> Cell<'_> {
        self.argument(index)
    }

    fn collation(&self, index: usize) -> Oid {
        self.record.attributes[index - 1].collation
    }

    fn brings_columns(&self, index: usize, typ: Oid) -> bool {
        let array = type_capabilities::element_of(typ) != pg_sys::InvalidOid;
        self.variadic && array && index + 1 == self.end()
    }

    fn required_of(&self, index: usize, typ: Oid, name: &str) -> Datum {
        let argument = self.argument(index);
        if argument.typ() != typ {
            let label = quoting::type_label(typ);
            Failure::invalid(format!(
                "{name} in the record of arguments is not of type {label}"
            ))
            .hint(format!("Cast it: ROW(…, {name}::{label})."))
            .raise();
        }
        argument
            .datum()
            .unwrap_or_else(|| Failure::null(name).raise())
    }
}

/// What a record stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// a column for each attribute
    Apart,
    /// a value like any other, which may be null
    Whole,
}

/// Takes the values of one argument apart, row by row.
pub struct ArgumentReader {
    index: usize,
    typ: Oid,
    role: &'static str,
    shape: ArgumentShape,
}

enum ArgumentShape {
    Value {
        collation: Oid,
    },
    Record(RecordReader),
    Array {
        reader: ArrayReader,
        collation: Oid,
        length: usize,
    },
}

impl ArgumentReader {
    /// A reader for an argument of a call, whose value in some row is given: it shows what a
    /// record or an array consists of. It lives in the current memory context.
    pub fn new(
        given: &impl Given,
        index: usize,
        role: &'static str,
        records: Records,
        cell: Cell<'_>,
    ) -> Self {
        let typ = cell.typ();
        let collation = given.collation(index);
        let variadic = given.brings_columns(index, typ);
        let record = records == Records::Apart && type_capabilities::is_record(typ);
        if cell.is_null() && (variadic || record) {
            null_record(role);
        }
        let array = variadic.then(|| ArrayReader::of(typ)).flatten();
        let shape = if let Some(reader) = array {
            ArgumentShape::Array {
                length: reader.read(cell).len(),
                reader,
                collation,
            }
        } else if let Some(reader) = record.then(|| RecordReader::new(cell)).flatten() {
            ArgumentShape::Record(reader)
        } else {
            ArgumentShape::Value { collation }
        };
        ArgumentReader {
            index,
            typ,
            role,
            shape,
        }
    }

    /// A reader that takes an argument of any type as one value.
    pub fn whole(call: &Call, index: usize, role: &'static str) -> Self {
        let collation = call.argument_collation(index);
        ArgumentReader {
            index,
            typ: call.argument_type(index),
            role,
            shape: ArgumentShape::Value { collation },
        }
    }

    /// The columns the argument brings; `first` is the number of the first of them in messages.
    pub fn columns(&self, first: usize) -> Vec<ArgumentColumn> {
        let column = |offset: usize, typ, collation| ArgumentColumn {
            label: format!("{} column {}", self.role, first + offset),
            typ,
            collation,
        };
        match &self.shape {
            ArgumentShape::Value { collation } => vec![column(0, self.typ, *collation)],
            ArgumentShape::Array {
                reader,
                collation,
                length,
            } => (0..*length)
                .map(|offset| column(offset, reader.element, *collation))
                .collect(),
            ArgumentShape::Record(record) => {
                let attributes = record.attributes.iter().enumerate();
                attributes
                    .filter(|(_, attribute)| !attribute.dropped)
                    .map(|(offset, Attribute { typ, collation, .. })| {
                        column(offset, *typ, *collation)
                    })
                    .collect()
            }
        }
    }

    /// Hands the values of the argument to `take`, one for each column.
    pub fn read_given(&mut self, given: &impl Given, take: impl FnMut(Cell<'_>)) {
        self.read(given.argument_again(self.index, self.typ), take);
    }

    /// Hands the values of the argument in some row to `take`, one for each column.
    pub fn read(&mut self, cell: Cell<'_>, mut take: impl FnMut(Cell<'_>)) {
        cell.require(self.typ);
        match &mut self.shape {
            ArgumentShape::Value { .. } => take(cell),
            _ if cell.is_null() => null_record(self.role),
            ArgumentShape::Record(record) => {
                record.read(cell).into_iter().flatten().for_each(take);
            }
            ArgumentShape::Array { reader, length, .. } => {
                let values = reader.read(cell);
                if values.len() != *length {
                    uneven_arrays();
                }
                values.into_iter().for_each(take);
            }
        }
    }
}

/// Whether an argument is an array that stands for several columns: one passed as VARIADIC,
/// or an array of numbers in a window function, to which PostgreSQL does not say how it was
/// passed.
fn brings_columns(call: &Call, index: usize, typ: Oid) -> bool {
    if call.window().is_some() {
        let element = type_capabilities::element_of(typ);
        element != pg_sys::InvalidOid && Number::of(element).is_some()
    } else {
        index + 1 == call.arguments() && call.is_variadic()
    }
}

/// The method of this name.
pub fn method(name: &str) -> Method {
    Method::named(name).unwrap_or_else(|| {
        Failure::invalid(format!("unknown method \"{name}\""))
            .hint(format!("Methods are: {}.", Method::NAMES.join(", ")))
            .raise()
    })
}

/// A number of rows or values, which cannot be negative.
pub fn count(value: i32, name: &str) -> usize {
    usize::try_from(value).unwrap_or_else(|_| {
        Failure::invalid(format!("{name} must be at least 1, not {value}"))
            .hint(format!("Use {name} => 1 or more."))
            .raise()
    })
}

/// The share of the population that a sample is.
pub fn fraction(value: f64) -> SamplingFraction {
    SamplingFraction::new(value).unwrap_or_else(|| {
        Failure::invalid(format!(
            "fraction must be above 0 and at most 1, not {value}"
        ))
        .hint("It is the share of the population that is in the sample, for example 0.01.")
        .raise()
    })
}

#[cold]
fn null_record(role: &str) -> ! {
    Failure::null(&format!("the {role} record"))
        .hint(
            "Build it from columns, for example ROW(age, zip); the columns themselves may be null.",
        )
        .raise()
}

fn uneven_arrays() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_ARRAY_ELEMENT_ERROR,
        "arrays of different lengths in one call",
    )
    .raise()
}
