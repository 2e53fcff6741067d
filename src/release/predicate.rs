//! Conditions of an estimate as SQL: written again, every name quoted, every literal cast to its
//! column's type, every operator the one of the type's own order.

use crate::pg::composite::Attribute;
use crate::pg::errors::Failure;
use crate::pg::quoting::type_label;
use crate::pg::quoting::{self, identifier, literal};
use crate::pg::statements;
use crate::pg::type_capabilities;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;
use sdc_engine::predicate::{self, Comparison, Literal, Predicate, Test};

/// A condition as text, or an error that says how far it could be read.
pub fn parse(text: &str) -> Predicate {
    predicate::parse(text).unwrap_or_else(|error| {
        Failure::new(
            PgSqlErrorCode::ERRCODE_SYNTAX_ERROR,
            "a predicate must be one comparison of one column with literals",
        )
        .detail(match (error.expected, error.position + 1) {
            (predicate::END, place) => {
                format!("Only one comparison is allowed; the text goes on at character {place}.")
            }
            (expected, place) => format!("At character {place} there should be {expected}."),
        })
        .hint("For example 'age BETWEEN 40 AND 70', 'sex = ''F''', 'ward IN (''A'', ''B'')' or 'born IS NOT NULL'; one predicate for each column.")
        .raise()
    })
}

/// SQL that is true where the column meets the condition.
pub fn sql(test: &Test, column: &Attribute) -> String {
    let compare = |comparison, value: &Literal| Compared::new(column, value).sql(comparison);
    let (condition, negated) = match test {
        Test::Compare(Comparison::NotEqual, value) => (compare(Comparison::Equal, value), true),
        Test::Compare(comparison, value) => (compare(*comparison, value), false),
        Test::Between { low, high, negated } => {
            let low = compare(Comparison::GreaterOrEqual, low);
            let high = compare(Comparison::LessOrEqual, high);
            (format!("({low} AND {high})"), *negated)
        }
        Test::In { values, negated } => {
            let values = values.iter().map(|value| compare(Comparison::Equal, value));
            (
                format!("({})", values.collect::<Vec<_>>().join(" OR ")),
                *negated,
            )
        }
        Test::Null { negated } => (format!("({} IS NULL)", identifier(&column.name)), *negated),
    };
    match negated {
        true => format!("(NOT {condition})"),
        false => condition,
    }
}

/// A column beside a literal, both of one type.
struct Compared {
    column: String,
    literal: String,
    typ: Oid,
}

impl Compared {
    /// The literal takes the column's type, unless it is a number beyond a column of whole
    /// numbers, as in `age < 17.5`: then both are compared as numeric.
    fn new(column: &Attribute, value: &Literal) -> Self {
        let base = type_capabilities::base_of(column.typ);
        let name = identifier(&column.name);
        let (text, wide) = match value {
            Literal::Text(text) => (text.as_str(), false),
            Literal::Number(digits) => (digits.as_str(), beyond(digits, base)),
            Literal::Truth(true) => ("true", false),
            Literal::Truth(false) => ("false", false),
        };
        let typ = if wide { pg_sys::NUMERICOID } else { base };
        let sql_type = quoting::type_name(typ, -1);
        Compared {
            column: if wide {
                format!("{name}::{sql_type}")
            } else {
                name
            },
            literal: format!("{}::{sql_type}", literal(text)),
            typ,
        }
    }

    fn sql(&self, comparison: Comparison) -> String {
        let operator = operator(self.typ, comparison);
        format!("({} {operator} {})", self.column, self.literal)
    }
}

/// Whether a number is not a value of a type of whole numbers.
fn beyond(digits: &str, typ: Oid) -> bool {
    match typ {
        pg_sys::INT2OID => digits.parse::<i16>().is_err(),
        pg_sys::INT4OID => digits.parse::<i32>().is_err(),
        pg_sys::INT8OID => digits.parse::<i64>().is_err(),
        _ => false,
    }
}

/// A type's own operator for a comparison, with its schema.
fn operator(typ: Oid, comparison: Comparison) -> String {
    let operator = type_capabilities::comparison_operator(typ, strategy(comparison));
    let Some(operator) = operator else {
        no_order(typ)
    };
    let name = statements::value(&format!(
        "SELECT pg_catalog.format('OPERATOR(%I.%s)', n.nspname, o.oprname) \
         FROM pg_catalog.pg_operator o \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) o.oprnamespace \
         WHERE o.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
        u32::from(operator)
    ));
    name.unwrap_or_else(|| no_order(typ))
}

fn strategy(comparison: Comparison) -> u32 {
    match comparison {
        Comparison::Less => pg_sys::BTLessStrategyNumber,
        Comparison::LessOrEqual => pg_sys::BTLessEqualStrategyNumber,
        Comparison::Equal | Comparison::NotEqual => pg_sys::BTEqualStrategyNumber,
        Comparison::GreaterOrEqual => pg_sys::BTGreaterEqualStrategyNumber,
        Comparison::Greater => pg_sys::BTGreaterStrategyNumber,
    }
}

fn no_order(typ: Oid) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION,
        format!(
            "values of type {} cannot be compared like this",
            type_label(typ)
        ),
    )
    .raise()
}
