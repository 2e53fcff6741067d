//! `sdc.time_hierarchy`: dates and timestamps to bins of growing width.

use crate::generalize::hierarchy_builders::{EVERYTHING, TIMES, ValuesOf};
use crate::pg::errors::{Failure, complete, required};
use crate::pg::guard::guarded;
use crate::pg::quoting::literal;
use crate::pg::sql_types::{Name, Relation};
use crate::pg::statements;
use pgrx::prelude::*;

/// Bins as PostgreSQL writes ranges: [2024-01-01 06:00:00,2024-01-01 12:00:00).
#[pg_extern(volatile, parallel_unsafe)]
fn time_hierarchy(
    source: Relation,
    attribute: Name,
    target: Option<&str>,
    widths: Option<Vec<Option<String>>>,
    origin: default!(Option<&str>, "'2000-01-01'"),
    replace: default!(Option<bool>, "false"),
) -> Relation {
    guarded(|| {
        let target = required(target, "target");
        let widths = complete(required(widths, "widths"), "widths");
        let origin = literal(required(origin, "origin"));
        let values = ValuesOf::new(source, &attribute.0);
        values.require(
            &TIMES,
            "Bins need dates or timestamps; for numbers use sdc.interval_hierarchy().",
        );
        refuse_widths(&widths);
        let mut levels: Vec<String> = widths.iter().map(|width| bin(width, &origin)).collect();
        levels.push(literal(EVERYTHING));
        values.build(target, &levels, required(replace, "replace"))
    })
}

fn bin(width: &str, origin: &str) -> String {
    let width = interval(width);
    let start = format!(
        "pg_catalog.date_bin({width}, q.v::pg_catalog.timestamp, {origin}::pg_catalog.timestamp)"
    );
    let written = |time: &str| format!("pg_catalog.to_char({time}, 'YYYY-MM-DD HH24:MI:SS')");
    let end = format!("({start} OPERATOR(pg_catalog.+) {width})");
    format!(
        "CASE WHEN pg_catalog.isfinite(q.v) THEN pg_catalog.format('[%s,%s)', {}, {}) \
         ELSE q.text END",
        written(&start),
        written(&end)
    )
}

fn interval(width: &str) -> String {
    format!("{}::pg_catalog.interval", literal(width))
}

/// Months have no fixed width, and each bin must consist of whole bins of the level below.
fn refuse_widths(widths: &[String]) {
    let mut seconds = Vec::new();
    for width in widths {
        let width = interval(width);
        let fixed = statements::value::<f64>(&format!(
            "SELECT CASE WHEN pg_catalog.date_part('month', {width}) OPERATOR(pg_catalog.=) 0 \
             AND pg_catalog.date_part('year', {width}) OPERATOR(pg_catalog.=) 0 \
             THEN pg_catalog.date_part('epoch', {width}) ELSE -1 END"
        ));
        match fixed.filter(|&seconds| seconds > 0.0) {
            Some(fixed) => seconds.push(fixed),
            None => refuse("widths must be positive and hold no months or years"),
        }
    }
    if seconds.windows(2).any(|pair| pair[1] % pair[0] != 0.0) {
        refuse("each width must be a multiple of the one before it");
    }
}

fn refuse(message: &str) -> ! {
    Failure::invalid(message)
        .hint("For example widths => '{15 minutes,6 hours,1 day}'; for months and years use sdc.date_hierarchy().")
        .raise()
}
