//! `sdc.histogram`: how many rows hide in groups of which size, as bars in the terminal.

use crate::check::{Check, Requirements};
use crate::pg::errors::{Failure, required};
use crate::pg::guard::guarded;
use crate::pg::settings;
use crate::pg::sql_types::{Name, NameList, Relation};
use pgrx::prelude::*;
use sdc_engine::spread;

const WIDEST: i32 = 1000;

#[pg_extern(stable, parallel_restricted)]
fn histogram(
    source: Relation,
    keys: NameList,
    width: default!(Option<i32>, "40"),
    entity: default!(Option<Name>, "NULL"),
) -> TableIterator<
    'static,
    (
        name!(group_size, String),
        name!(groups, i64),
        name!(rows, i64),
        name!(bar, String),
    ),
> {
    guarded(|| {
        let width = checked_width(required(width, "width"));
        let nothing = Requirements::default();
        let check = Check::new(source, keys, NameList::default(), nothing, None, entity);
        let ranges = spread::ranges(&check.group_sizes(), None);
        let most = ranges.iter().map(|range| range.rows).max().unwrap_or(0);
        let row = |range: spread::Range| {
            let share = range.rows as f64 / most.max(1) as f64;
            let bar = bar(share * f64::from(width));
            (range.label(), range.groups, range.rows, bar)
        };
        TableIterator::new(ranges.into_iter().map(row).collect::<Vec<_>>())
    })
}

fn checked_width(width: i32) -> i32 {
    if !(1..=WIDEST).contains(&width) {
        Failure::invalid(format!("width must be from 1 to {WIDEST}, not {width}"))
            .hint("It is the length of the longest bar in characters.")
            .raise();
    }
    width
}

/// A bar of this many characters, to an eighth of one where the database can show that.
fn bar(length: f64) -> String {
    if !settings::is_utf8() {
        return "#".repeat(length.ceil() as usize);
    }
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (length * 8.0).ceil() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}
