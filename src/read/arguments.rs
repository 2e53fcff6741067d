//! Arguments of a call as columns: a value is one column, a record gives one for each
//! attribute, an array passed as VARIADIC one for each element.

use crate::pg::arrays::ArrayReader;
use crate::pg::cell::Cell;
use crate::pg::composite::{Attribute, RecordReader};
use crate::pg::errors::Failure;
use crate::pg::function_call::Call;
use crate::pg::type_capabilities;
use crate::read::numbers::Number;
use pgrx::pg_sys::{self, Oid};
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
        call: &Call,
        index: usize,
        role: &'static str,
        records: Records,
        cell: Cell<'_>,
    ) -> Self {
        let typ = call.argument_type(index);
        cell.require(typ);
        let collation = call.argument_collation(index);
        let variadic = brings_columns(call, index, typ);
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

    /// Hands the values of the argument in a call to `take`, one for each column.
    pub fn read_call(&mut self, call: &Call, take: impl FnMut(Cell<'_>)) {
        // SAFETY: the type was looked up for this argument, and is the same in all calls.
        self.read(unsafe { call.cell(self.index, self.typ) }, take);
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
