//! Arguments of a call as columns: a value is one column, a record gives one for each
//! attribute, an array passed as VARIADIC one for each element.

use crate::errors::Failure;
use crate::number::Number;
use crate::record::{Attribute, RecordReader};
use crate::v1;
use pgrx::pg_sys::{self, Datum, FunctionCallInfo, Oid};
use pgrx::prelude::*;
use std::ffi::CStr;

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
    role: &'static str,
    shape: Shape,
}

enum Shape {
    Value {
        typ: Oid,
        collation: Oid,
    },
    Record(RecordReader),
    Array {
        element: Oid,
        collation: Oid,
        length: usize,
    },
}

impl ArgumentReader {
    /// A reader for argument `index` of a call, whose value in some row is given: it shows
    /// what a record or an array consists of.
    ///
    /// # Safety
    /// `fcinfo` must be valid, the datum a value of that argument; `context` must outlive
    /// the reader.
    pub unsafe fn new(
        fcinfo: FunctionCallInfo,
        index: usize,
        role: &'static str,
        records: Records,
        (datum, null): (Datum, bool),
        context: pg_sys::MemoryContext,
    ) -> Self {
        // SAFETY: as promised by the caller; a composite or array argument is non-null where read.
        let shape = unsafe {
            let typ = v1::argument_type(fcinfo, index);
            let collation = v1::argument_collation(fcinfo, index);
            if brings_columns(fcinfo, index, typ) {
                require(role, null);
                let element = pg_sys::get_element_type(typ);
                Shape::Array {
                    element,
                    collation,
                    length: elements(datum, element).len(),
                }
            } else if records == Records::Apart && pg_sys::type_is_rowtype(typ) {
                require(role, null);
                Shape::Record(RecordReader::new(datum, context))
            } else {
                Shape::Value { typ, collation }
            }
        };
        ArgumentReader { role, shape }
    }

    /// A reader that takes an argument of any type as one value.
    ///
    /// # Safety
    /// `fcinfo` must be valid and have this argument.
    pub unsafe fn whole(fcinfo: FunctionCallInfo, index: usize, role: &'static str) -> Self {
        // SAFETY: as promised by the caller.
        let (typ, collation) = unsafe {
            (
                v1::argument_type(fcinfo, index),
                v1::argument_collation(fcinfo, index),
            )
        };
        let shape = Shape::Value { typ, collation };
        ArgumentReader { role, shape }
    }

    /// The columns the argument brings; `first` is the number of the first of them in messages.
    pub fn columns(&self, first: usize) -> Vec<ArgumentColumn> {
        let column = |offset: usize, typ, collation| ArgumentColumn {
            label: format!("{} column {}", self.role, first + offset),
            typ,
            collation,
        };
        match &self.shape {
            Shape::Value { typ, collation } => vec![column(0, *typ, *collation)],
            Shape::Array {
                element,
                collation,
                length,
            } => (0..*length)
                .map(|offset| column(offset, *element, *collation))
                .collect(),
            Shape::Record(record) => {
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

    /// Hands the argument's values to `take`, one call for each column.
    ///
    /// # Safety
    /// The datum must be a value of the argument this reader was made for.
    pub unsafe fn read(&mut self, datum: Datum, null: bool, mut take: impl FnMut(Datum, bool)) {
        match &mut self.shape {
            Shape::Value { .. } => take(datum, null),
            Shape::Record(record) => {
                require(self.role, null);
                // SAFETY: a non-null composite value.
                let values = unsafe { record.read(datum) };
                values.for_each(|(value, null)| take(value, null));
            }
            Shape::Array {
                element, length, ..
            } => {
                require(self.role, null);
                // SAFETY: a non-null array of that element type.
                let values = unsafe { elements(datum, *element) };
                if values.len() != *length {
                    uneven_arrays();
                }
                values
                    .into_iter()
                    .for_each(|(value, null)| take(value, null));
            }
        }
    }
}

/// Whether an argument is an array that stands for several columns: one passed as VARIADIC,
/// or an array of numbers in a window function, to which PostgreSQL does not say how it was
/// passed.
unsafe fn brings_columns(fcinfo: FunctionCallInfo, index: usize, typ: Oid) -> bool {
    // SAFETY: the call info is valid and has this argument.
    unsafe {
        let in_window = !(*fcinfo).context.is_null()
            && pgrx::is_a((*fcinfo).context, pg_sys::NodeTag::T_WindowObjectData);
        if in_window {
            let element = pg_sys::get_element_type(typ);
            element != pg_sys::InvalidOid && Number::of(element).is_some()
        } else {
            let last = index + 1 == v1::arguments(fcinfo);
            last && pg_sys::get_fn_expr_variadic((*fcinfo).flinfo)
        }
    }
}

/// A number of rows or values, which cannot be negative.
pub fn count(value: i32, name: &str) -> usize {
    usize::try_from(value).unwrap_or_else(|_| {
        Failure::invalid(format!("{name} must be at least 1, not {value}"))
            .hint(format!("Use {name} => 1 or more."))
            .raise()
    })
}

/// The names of a `name[]`; null elements are refused.
///
/// # Safety
/// `array` must be a non-null array of names.
pub unsafe fn name_array(array: Datum) -> Vec<String> {
    let name = |(datum, null): (Datum, bool)| {
        if null {
            Failure::null("a column name").raise();
        }
        // SAFETY: an element of an array of names.
        unsafe { name_text(datum) }
    };
    // SAFETY: as promised by the caller.
    let elements = unsafe { elements(array, pg_sys::NAMEOID) };
    elements.into_iter().map(name).collect()
}

/// The text of a `name`.
///
/// # Safety
/// `name` must be a non-null name.
pub unsafe fn name_text(name: Datum) -> String {
    // SAFETY: a name is a zero-terminated string.
    let name = unsafe { CStr::from_ptr(name.cast_mut_ptr()) };
    name.to_string_lossy().into_owned()
}

/// # Safety
/// `array` must be a non-null array with elements of type `element`.
unsafe fn elements(array: Datum, element: Oid) -> Vec<(Datum, bool)> {
    let (mut length, mut by_value, mut align) = (0i16, false, 0);
    let (mut values, mut nulls) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut count = 0;
    // SAFETY: deconstruct_array allocates both vectors with `count` entries.
    unsafe {
        pg_sys::get_typlenbyvalalign(element, &mut length, &mut by_value, &mut align);
        let array = pg_sys::pg_detoast_datum(array.cast_mut_ptr()).cast();
        let length = i32::from(length);
        pg_sys::deconstruct_array(
            array,
            element,
            length,
            by_value,
            align,
            &mut values,
            &mut nulls,
            &mut count,
        );
        let element = |index| (*values.add(index), *nulls.add(index));
        (0..count as usize).map(element).collect()
    }
}

fn require(role: &str, null: bool) {
    if null {
        Failure::null(&format!("the {role} record"))
            .hint("Build it from columns, for example ROW(age, zip); the columns themselves may be null.")
            .raise();
    }
}

fn uneven_arrays() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_ARRAY_ELEMENT_ERROR,
        "arrays of different lengths in one call",
    )
    .raise()
}
