//! Functions that build the usual hierarchies: a table of the values that a column has, with
//! columns level0 (the value), level1, … and a top level that holds everything together.

use crate::pg::errors::{Failure, complete, required};
use crate::pg::guard::guarded;
use crate::pg::quoting::type_label;
use crate::pg::quoting::{identifier, literal};
use crate::pg::sql_types::{Name, Relation};
use crate::pg::statements;
use crate::pg::type_capabilities;
use crate::read::hierarchy_table::HierarchyTable;
use crate::read::relation::{Source, relation_of};
use crate::write::table::create_table_as;
use crate::write::target::Target;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;

/// What the top level calls everything.
pub const EVERYTHING: &str = "*";
/// PostgreSQL allows 1600 columns; so many levels are never wanted.
const MOST_LEVELS: usize = 100;

/// A column of a source for whose values a hierarchy is built.
pub struct ValuesOf {
    pub source: Source,
    column: String,
    typ: Oid,
}

impl ValuesOf {
    pub fn new(source: Relation, attribute: &str) -> Self {
        let source = Source::new(source.0);
        let place = source.columns("attribute", &[attribute.to_string()])[0];
        let typ = type_capabilities::base_of(source.attributes[place].typ);
        ValuesOf {
            column: attribute.to_string(),
            source,
            typ,
        }
    }

    /// A query of the distinct values v and their texts. Equal values may have several texts
    /// (numeric 1.0 and 1.00), each of which needs a row.
    pub fn query(&self) -> String {
        let column = identifier(&self.column);
        format!(
            "SELECT DISTINCT {column} AS v, {column}::pg_catalog.text AS text FROM {}",
            self.source.sql_name
        )
    }

    pub fn require(&self, types: &[Oid], hint: &str) {
        if !types.contains(&self.typ) {
            Failure::new(
                PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
                format!(
                    "column \"{}\" is of type {}",
                    self.column,
                    type_label(self.typ)
                ),
            )
            .hint(hint)
            .raise();
        }
    }

    /// Creates the hierarchy with these levels, SQL over v and its text, and checks it. An
    /// existing one is filled again where `replace` says so.
    pub fn build(&self, target: &str, levels: &[String], replace: bool) -> Relation {
        refuse_many(levels.len());
        let columns: Vec<String> = (1..)
            .zip(levels)
            .map(|(number, level)| format!("{level}::pg_catalog.text AS level{number}"))
            .collect();
        let query = format!(
            "SELECT q.text AS level0, {} FROM ({}) q ORDER BY q.v, q.text",
            columns.join(", "),
            self.query()
        );
        // PostgreSQL itself looks the source up under its name, in the statement that writes
        let keep = || Target::named(&self.source.sql_name).keep_name_of(self.source.oid);
        let target = match existing(target, levels.len(), replace) {
            Some(target) => {
                keep();
                let name = target.sql_name();
                statements::run(&format!("INSERT INTO {name} {query}"));
                target
            }
            None => {
                let target = Target::new(target);
                keep();
                create_table_as(&target, &query);
                target
            }
        };
        checked(&target)
    }
}

/// The hierarchy of this name with so many levels above the values, emptied to be filled again;
/// grants and what depends on it live on. `None` where there is none; it must stay without
/// `replace`.
pub fn existing(target: &str, levels: usize, replace: bool) -> Option<Target> {
    let named = Target::named(target);
    let oid = relation_of(&named.sql_name())?;
    if !replace {
        already_there(&named);
    }
    let hierarchy = Source::new(oid);
    let live = hierarchy.attributes.iter().filter(|column| !column.dropped);
    let live: Vec<&str> = live.map(|column| column.name.as_str()).collect();
    let wanted: Vec<String> = (0..=levels).map(|level| format!("level{level}")).collect();
    if live != wanted {
        other_columns(&named, &wanted);
    }
    let name = named.sql_name();
    statements::run(&format!("LOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE"));
    named.keep_name_of(oid);
    statements::run(&format!("DELETE FROM {name}"));
    Some(named)
}

fn already_there(table: &Target) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DUPLICATE_TABLE,
        format!("relation {} already exists", table.sql_name()),
    )
    .hint("Add replace => true to fill a hierarchy again, or choose another target.")
    .raise()
}

fn other_columns(table: &Target, wanted: &[String]) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_INVALID_TABLE_DEFINITION,
        format!(
            "relation {} is not a hierarchy of {} levels",
            table.sql_name(),
            wanted.len() - 1
        ),
    )
    .detail(format!("Its columns must be {}.", wanted.join(", ")))
    .hint("Drop it, or choose another target.")
    .raise()
}

/// The new hierarchy, after it has been read once as its users will.
pub fn checked(target: &Target) -> Relation {
    let oid = Source::named(&target.sql_name()).oid;
    statements::seeing_own_writes(|| HierarchyTable::new(oid));
    Relation(oid)
}

/// Intervals of growing width, as PostgreSQL writes ranges: [20,30).
#[pg_extern(volatile, parallel_unsafe)]
fn interval_hierarchy(
    source: Relation,
    attribute: Name,
    target: Option<&str>,
    widths: Option<Vec<Option<f64>>>,
    origin: default!(Option<f64>, "0"),
    replace: default!(Option<bool>, "false"),
) -> Relation {
    guarded(|| {
        let target = required(target, "target");
        let widths = required(widths, "widths");
        let origin = required(origin, "origin");
        let values = ValuesOf::new(source, &attribute.0);
        let numbers = [
            pg_sys::INT2OID,
            pg_sys::INT4OID,
            pg_sys::INT8OID,
            pg_sys::FLOAT4OID,
            pg_sys::FLOAT8OID,
            pg_sys::NUMERICOID,
        ];
        values.require(
            &numbers,
            "Intervals need numbers; for dates use sdc.date_hierarchy().",
        );
        let widths = complete(widths, "widths");
        refuse_widths(&widths, origin);
        let interval = |width: &f64| interval(numeric(*width), numeric(origin));
        let mut levels: Vec<String> = widths.iter().map(interval).collect();
        levels.push(literal(EVERYTHING));
        values.build(target, &levels, required(replace, "replace"))
    })
}

/// Exact: the remainder of a numeric is, a quotient would be rounded.
fn interval(width: String, origin: String) -> String {
    let above = operate("q.v::pg_catalog.numeric", "-", &origin);
    let rest = operate(&operate(&above, "%", &width), "+", &width);
    let rest = operate(&rest, "%", &width);
    let start = operate("q.v::pg_catalog.numeric", "-", &rest);
    let end = operate(&start, "+", &width);
    format!(
        "CASE WHEN q.v IS NOT NULL THEN pg_catalog.format('[%s,%s)', \
         pg_catalog.trim_scale({start}), pg_catalog.trim_scale({end})) END"
    )
}

fn refuse_many(levels: usize) {
    if levels > MOST_LEVELS {
        Failure::invalid(format!("{levels} levels are more than {MOST_LEVELS}"))
            .hint("Use larger steps.")
            .raise();
    }
}

fn refuse_widths(widths: &[f64], origin: f64) {
    if !origin.is_finite() || !widths.iter().all(|width| *width > 0.0 && width.is_finite()) {
        Failure::invalid("widths must be positive numbers and origin a finite one")
            .hint("For example widths => '{5,10,50}', narrowest first.")
            .raise();
    }
    for pair in widths.windows(2) {
        let rest = operate(&numeric(pair[1]), "%", &numeric(pair[0]));
        let fits = statements::value::<bool>(&format!("SELECT {}", operate(&rest, "=", "0")));
        if fits != Some(true) {
            Failure::invalid(format!(
                "width {} is not a multiple of width {}",
                pair[1], pair[0]
            ))
            .hint("Each interval must consist of whole intervals of the level below.")
            .raise();
        }
    }
}

/// The text's end masked, step by step: 43102, 4310*, 431**, …
#[pg_extern(volatile, parallel_unsafe)]
fn prefix_hierarchy(
    source: Relation,
    attribute: Name,
    target: Option<&str>,
    step: default!(Option<i32>, "1"),
    replace: default!(Option<bool>, "false"),
) -> Relation {
    guarded(|| {
        let target = required(target, "target");
        let step = required(step, "step");
        let values = ValuesOf::new(source, &attribute.0);
        let step = usize::try_from(step).ok().filter(|&step| step > 0);
        let step = step.unwrap_or_else(|| {
            Failure::invalid("step must be at least 1")
                .hint("It is the number of further characters that each level masks.")
                .raise()
        });
        let longest = statements::value::<i32>(&format!(
            "SELECT pg_catalog.max(pg_catalog.length(q.text)) FROM ({}) q",
            values.query()
        ));
        let longest = longest.unwrap_or(0).max(1) as usize;
        // shorter values are masked to the same length, so that the top is one value, for nulls too
        let level = |masked: usize| match longest.saturating_sub(masked) {
            0 => literal(&"*".repeat(longest)),
            kept => format!("pg_catalog.rpad(pg_catalog.left(q.text, {kept}), {longest}, '*')"),
        };
        let count = longest.div_ceil(step);
        refuse_many(count);
        let levels: Vec<String> = (1..=count).map(|count| level(count * step)).collect();
        values.build(target, &levels, required(replace, "replace"))
    })
}

/// The units of dates that nest in each other, finest first, and how each is written.
const UNITS: [(&str, &str); 7] = [
    ("minute", "YYYY-MM-DD HH24:MI"),
    ("hour", "YYYY-MM-DD HH24:00"),
    ("day", "YYYY-MM-DD"),
    ("month", "YYYY-MM"),
    ("quarter", "YYYY-\"Q\"Q"),
    ("year", "YYYY"),
    ("decade", "YYYY\"s\""),
];

/// Types of values that are a time.
pub const TIMES: [Oid; 3] = [
    pg_sys::DATEOID,
    pg_sys::TIMESTAMPOID,
    pg_sys::TIMESTAMPTZOID,
];

/// Dates and times to ever larger units.
#[pg_extern(volatile, parallel_unsafe)]
fn date_hierarchy(
    source: Relation,
    attribute: Name,
    target: Option<&str>,
    units: default!(Option<Vec<Option<String>>>, "'{month,year,decade}'"),
    replace: default!(Option<bool>, "false"),
) -> Relation {
    guarded(|| {
        let target = required(target, "target");
        let units = required(units, "units");
        let values = ValuesOf::new(source, &attribute.0);
        values.require(
            &TIMES,
            "Units need dates or timestamps; for numbers use sdc.interval_hierarchy().",
        );
        let units = complete(units, "units");
        let places: Vec<usize> = units.iter().map(|unit| unit_place(unit)).collect();
        if !places.is_sorted_by(|a, b| a < b) {
            refuse_units("units must go from finer to coarser");
        }
        let level = |&place: &usize| {
            let (unit, format) = UNITS[place];
            format!(
                "pg_catalog.to_char(pg_catalog.date_trunc({}, q.v), {})",
                literal(unit),
                literal(format)
            )
        };
        let mut levels: Vec<String> = places.iter().map(level).collect();
        levels.push(literal(EVERYTHING));
        values.build(target, &levels, required(replace, "replace"))
    })
}

fn unit_place(unit: &str) -> usize {
    let place = UNITS.iter().position(|(name, _)| *name == unit);
    place.unwrap_or_else(|| refuse_units(&format!("unknown unit \"{unit}\"")))
}

fn refuse_units(message: &str) -> ! {
    let names: Vec<&str> = UNITS.iter().map(|(name, _)| *name).collect();
    Failure::invalid(message)
        .hint(format!(
            "Units are, in this order: {}. Weeks do not nest in months.",
            names.join(", ")
        ))
        .raise()
}

fn numeric(value: f64) -> String {
    format!("'{value}'::pg_catalog.numeric")
}

fn operate(a: &str, operator: &str, b: &str) -> String {
    format!("({a} OPERATOR(pg_catalog.{operator}) {b})")
}
