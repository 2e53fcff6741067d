//! Numeric key types: between PostgreSQL's values and the engine's doubles.

use crate::pg::cell::Cell;
use crate::pg::datum_copies::copied;
use crate::pg::domain::Constraints;
use crate::pg::errors::{self, Failure};
use crate::pg::type_capabilities;
use pgrx::PgSqlErrorCode;
use pgrx::datum::{Date, ToIsoString};
use pgrx::pg_sys::{self, Datum, Oid};
use std::cmp::Ordering;
use std::ops::RangeInclusive;

const MICROSECONDS_PER_DAY: f64 = 86_400_000_000.0;
const DAYS_PER_MONTH: f64 = 30.0;
/// From 4714-11-24 BC to 5874897-12-31, in days since 2000-01-01.
const DATES: RangeInclusive<i64> = -2_451_545..=2_145_031_948;
/// From 4714-11-24 BC to the last microsecond of 294276, in microseconds since 2000-01-01.
const TIMESTAMPS: RangeInclusive<i64> = -211_813_488_000_000_000..=9_223_371_331_199_999_999;

/// The types whose values are numbers to the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    /// days
    Date,
    /// microseconds, with or without time zone
    Timestamp,
    /// microseconds, a month counted as 30 days as PostgreSQL's own comparison does
    Interval,
}

/// Reads the values of one numeric type.
#[derive(Clone, Copy)]
pub struct NumberReader {
    typ: Oid,
    kind: Number,
}

impl NumberReader {
    /// A reader for a type that is numeric, or a domain over one; `None` for categorical types.
    pub fn of(typ: Oid) -> Option<Self> {
        Number::of(typ).map(|kind| NumberReader { typ, kind })
    }

    pub fn kind(self) -> Number {
        self.kind
    }

    /// The value as a double, infinite for infinities; `None` for NULL.
    pub fn number(self, cell: Cell<'_>) -> Option<f64> {
        cell.require(self.typ);
        // SAFETY: a non-null value of this type.
        cell.datum().map(|datum| unsafe { self.kind.to_f64(datum) })
    }

    /// The value as a finite double; NULL, NaN and the infinities are errors about `column`.
    pub fn finite(self, cell: Cell<'_>, column: &str) -> f64 {
        let Some(number) = self.number(cell) else {
            errors::null_key(column).raise()
        };
        if !number.is_finite() {
            errors::not_finite(column).raise();
        }
        number
    }
}

/// Writes doubles as values of one numeric column.
pub struct NumberWriter {
    typ: Oid,
    typmod: i32,
    kind: Number,
    constraints: Constraints,
}

impl NumberWriter {
    /// A writer for a column of a type that is numeric, or a domain over one. `typmod` is the
    /// column's (precision and scale of a numeric).
    pub fn of(typ: Oid, typmod: i32) -> Option<Self> {
        Number::of(typ).map(|kind| NumberWriter {
            typ,
            typmod,
            kind,
            constraints: Constraints::of(typ),
        })
    }

    pub fn kind(&self) -> Number {
        self.kind
    }

    /// A number as a value of the column, rounded where the type is whole; NULL for NaN. One beyond
    /// the type's range is an error. What a domain does not allow is PostgreSQL's error.
    pub fn cell(&mut self, value: f64) -> Cell<'static> {
        if value.is_nan() {
            return Cell::null(self.typ);
        }
        let number = self.kind.datum(value, self.typmod);
        let checked = self.constraints.checked(number);
        // SAFETY: a number of the column's type, by value or in the current memory context.
        unsafe { Cell::new(checked, false, self.typ) }
    }
}

/// A date as ISO 8601 writes it, given in days since 2000-01-01; the first or the last one beyond
/// the range of dates.
pub fn iso_date(days: f64) -> String {
    let days = (days as i64).clamp(*DATES.start(), *DATES.end());
    // SAFETY: within the range of dates, which an i32 holds.
    unsafe { Date::from_pg_epoch_days(days as i32) }.to_iso_string()
}

impl Number {
    /// All kinds in their order, for reading a kind back from its number.
    pub const ALL: [Number; 9] = [
        Number::Int2,
        Number::Int4,
        Number::Int8,
        Number::Float4,
        Number::Float8,
        Number::Numeric,
        Number::Date,
        Number::Timestamp,
        Number::Interval,
    ];

    /// The kind of number a type (or the type below a domain) is; `None` for categorical types.
    pub fn of(typ: Oid) -> Option<Self> {
        Some(match type_capabilities::base_of(typ) {
            pg_sys::INT2OID => Number::Int2,
            pg_sys::INT4OID => Number::Int4,
            pg_sys::INT8OID => Number::Int8,
            pg_sys::FLOAT4OID => Number::Float4,
            pg_sys::FLOAT8OID => Number::Float8,
            pg_sys::NUMERICOID => Number::Numeric,
            pg_sys::DATEOID => Number::Date,
            pg_sys::TIMESTAMPOID | pg_sys::TIMESTAMPTZOID => Number::Timestamp,
            pg_sys::INTERVALOID => Number::Interval,
            _ => return None,
        })
    }

    /// Whether values are whole numbers, which may as well be codes.
    pub fn is_whole(self) -> bool {
        matches!(self, Number::Int2 | Number::Int4 | Number::Int8)
    }

    /// The value as a double; infinite for the infinities of date and timestamp.
    ///
    /// # Safety
    /// `datum` must be a non-null value of this type.
    pub unsafe fn to_f64(self, datum: Datum) -> f64 {
        let word = datum.value();
        match self {
            Number::Int2 => f64::from(word as i16),
            Number::Int4 => f64::from(word as i32),
            Number::Int8 => word as i64 as f64,
            Number::Float4 => f64::from(float4(datum)),
            Number::Float8 => float8(datum),
            // SAFETY: the datum is a numeric.
            Number::Numeric => unsafe { numeric_to_f64(datum) },
            Number::Date => match word as i32 {
                i32::MIN | i32::MAX => f64::INFINITY,
                days => f64::from(days),
            },
            Number::Timestamp => match word as i64 {
                i64::MIN | i64::MAX => f64::INFINITY,
                microseconds => microseconds as f64,
            },
            // SAFETY: the datum points to an interval.
            Number::Interval => unsafe {
                interval_to_f64(&*datum.cast_mut_ptr::<pg_sys::Interval>())
            },
        }
    }

    /// How two values compare, for kinds that PostgreSQL passes by value.
    pub fn compare_words(self, a: Datum, b: Datum) -> Ordering {
        match self {
            Number::Float4 => float4(a).total_cmp(&float4(b)),
            Number::Float8 => float8(a).total_cmp(&float8(b)),
            _ => (a.value() as i64).cmp(&(b.value() as i64)),
        }
    }

    /// A double as a value of the type: whole types are rounded, half away from zero. One beyond
    /// the type's range is an error. `typmod` is the column's (precision and scale of a numeric).
    pub fn datum(self, value: f64, typmod: i32) -> Datum {
        match self {
            Number::Int2 => Datum::from(whole(value, i16::MIN.into()..=i16::MAX.into()) as i16),
            Number::Int4 => Datum::from(whole(value, i32::MIN.into()..=i32::MAX.into()) as i32),
            Number::Int8 => Datum::from(whole(value, i64::MIN..=i64::MAX)),
            Number::Date => Datum::from(whole(value, DATES) as i32),
            Number::Timestamp => Datum::from(whole(value, TIMESTAMPS)),
            Number::Float4 => Datum::from((finite(f64::from(value as f32)) as f32).to_bits()),
            Number::Float8 => Datum::from(finite(value).to_bits() as usize),
            Number::Numeric => numeric_from_f64(finite(value), typmod),
            Number::Interval => interval_from_f64(value),
        }
    }

    /// The number that a column has after this one was written to it.
    pub fn stored(self, value: f64, typmod: i32) -> f64 {
        match value.is_nan() {
            true => value,
            // SAFETY: the datum was made for this type.
            false => unsafe { self.to_f64(self.datum(value, typmod)) },
        }
    }
}

fn float4(datum: Datum) -> f32 {
    f32::from_bits(datum.value() as u32)
}

fn float8(datum: Datum) -> f64 {
    f64::from_bits(datum.value() as u64)
}

/// # Safety
/// `datum` must be a numeric.
unsafe fn numeric_to_f64(datum: Datum) -> f64 {
    // SAFETY: the function takes one numeric; one beyond a double's range becomes infinite,
    // where numeric_float8 would raise an error that says the number.
    let value =
        unsafe { pgrx::direct_function_call(pg_sys::numeric_float8_no_overflow, &[Some(datum)]) };
    value.unwrap_or(f64::NAN)
}

/// The shortest decimal that stands for the double, cut to the column's scale.
fn numeric_from_f64(value: f64, typmod: i32) -> Datum {
    numeric_from_text(&format!("{value}"), typmod)
}

/// A numeric from its digits.
pub fn numeric_from_text(digits: &str, typmod: i32) -> Datum {
    let text = std::ffi::CString::new(digits).unwrap_or_default();
    let arguments = [
        Some(Datum::from(text.as_ptr())),
        Some(Datum::from(0usize)),
        Some(Datum::from(typmod)),
    ];
    // SAFETY: numeric_in takes a C string, an unused type oid and the typmod.
    let datum = unsafe { pgrx::direct_function_call_as_datum(pg_sys::numeric_in, &arguments) };
    datum.unwrap_or(Datum::from(0usize))
}

fn interval_to_f64(interval: &pg_sys::Interval) -> f64 {
    let endless = |month: i32, day: i32, time: i64| {
        (interval.month, interval.day, interval.time) == (month, day, time)
    };
    // PostgreSQL 17's infinite intervals; before it nobody writes such values
    if endless(i32::MAX, i32::MAX, i64::MAX) || endless(i32::MIN, i32::MIN, i64::MIN) {
        return f64::INFINITY;
    }
    let days = f64::from(interval.month) * DAYS_PER_MONTH + f64::from(interval.day);
    days * MICROSECONDS_PER_DAY + interval.time as f64
}

/// Days and a time of less than a day. Beyond the days that fit, months of 30 days, so that
/// the interval still compares as the number does.
fn interval_from_f64(microseconds: f64) -> Datum {
    let within = |number: f64| number.clamp(f64::from(-i32::MAX), f64::from(i32::MAX));
    let days = (microseconds / MICROSECONDS_PER_DAY).trunc();
    let month = match within(days) == days {
        true => 0.0,
        false => within((days / DAYS_PER_MONTH).trunc()),
    };
    let day = within(days - month * DAYS_PER_MONTH);
    let time = microseconds - (month * DAYS_PER_MONTH + day) * MICROSECONDS_PER_DAY;
    copied(&[pg_sys::Interval {
        // PostgreSQL 17 takes the ends for infinities
        time: whole(time, i64::MIN + 1..=i64::MAX - 1),
        day: day as i32,
        month: month as i32,
    }])
}

/// A whole number within a range. A double has too few digits for the ends of the largest one:
/// 2^63 stands for the last of them.
fn whole(value: f64, range: RangeInclusive<i64>) -> i64 {
    let rounded = value.round();
    // the cast ends at the ends of its type, which shows when it is undone
    let number = rounded as i64;
    if number as f64 != rounded || !range.contains(&number) {
        beyond_range();
    }
    number
}

/// The number, unless it was too large for its type.
fn finite(value: f64) -> f64 {
    if !value.is_finite() {
        beyond_range();
    }
    value
}

fn beyond_range() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
        "a changed value is beyond the range of the column's type",
    )
    .detail("Means, noise, bounds and units can lead beyond it.")
    .hint("Leave rows near the end of the range out, change values less, or take a view that gives the column a larger type.")
    .raise()
}
