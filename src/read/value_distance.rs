//! How far apart two values of a sensitive column are, for t-closeness.

use crate::pg::errors::{Failure, known};
use crate::pg::memory;
use crate::read::codec::Codec;
use crate::read::numbers::NumberReader;
use crate::read::ranks;
use pgrx::PgSqlErrorCode;
use sdc_engine::Interner;
use sdc_engine::model::{Distribution, PrivacyModel, ValueCloseness, closeness_of};

/// The distance of two numbers or dates; values of other types are 1 apart.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ValueDistance {
    /// the values between them, as the authors of t-closeness have it
    #[default]
    Rank,
    /// their difference, in units of the column's range
    Value,
}

impl ValueDistance {
    /// The distance of this name.
    pub fn named(name: &str) -> Self {
        match name {
            "rank" => ValueDistance::Rank,
            "value" => ValueDistance::Value,
            _ => Failure::invalid(format!("unknown distance \"{name}\""))
                .hint("Distances are: rank, value.")
                .raise(),
        }
    }

    /// t-closeness to a table's distribution, whose values have the codes of the interner.
    pub fn closeness<'a>(
        self,
        table: &'a Distribution,
        codec: &Codec,
        values: &Interner,
    ) -> Box<dyn PrivacyModel + 'a> {
        if self == ValueDistance::Value
            && let Some(reader) = NumberReader::of(codec.typ())
        {
            let numbers = numbers(reader, codec, values);
            return Box::new(known(ValueCloseness::new(table, &numbers)));
        }
        let ranks = ranks::ranks(codec, values);
        known(closeness_of(table, ranks.as_deref()))
    }
}

fn numbers(reader: NumberReader, codec: &Codec, values: &Interner) -> Vec<f64> {
    let mut numbers = memory::reserved(values.len());
    for bytes in values.iter() {
        let cell = codec.decode(bytes);
        numbers.push(match reader.number(cell) {
            Some(number) if number.is_finite() => number,
            Some(_) => without_place("NaN or infinite values"),
            None => without_place("null values"),
        });
    }
    numbers
}

fn without_place(what: &str) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
        format!("a sensitive column holds {what}, which have no distance by value"),
    )
    .hint("Leave such rows out, or take the distance by rank, which puts NULL last.")
    .raise()
}
