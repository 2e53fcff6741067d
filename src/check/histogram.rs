//! `sdc.histogram`: how many rows hide in groups of which size, as bars in the terminal.

use crate::check::{Check, Requirements, refuse_unfit_rows};
use crate::pg::cell::Cell;
use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::pg::row_results;
use crate::pg::settings;
use crate::pg::sql_types::{NameList, Relation};
use crate::read::named_arguments::NamedArguments;
use pgrx::pg_sys::Datum;
use sdc_engine::spread;

const WIDEST: i32 = 1000;

fn histogram(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let width = checked_width(arguments.required("width"));
    let check = Check::new(
        Relation(arguments.required_source()),
        arguments.required("keys"),
        NameList::default(),
        Requirements::default(),
        None,
        arguments.optional("entity"),
    );
    refuse_unfit_rows(&check);
    let ranges = spread::ranges(&check.group_sizes(), None);
    let most = ranges.iter().map(|range| range.rows).max().unwrap_or(0);
    row_results::answer_table(call, |result| {
        for range in &ranges {
            let share = range.rows as f64 / most.max(1) as f64;
            let bar = bar(share * f64::from(width));
            result.push(&[
                Cell::text(Some(range.label().as_bytes())),
                Cell::of(Some(range.groups)),
                Cell::of(Some(range.rows)),
                Cell::text(Some(bar.as_bytes())),
            ]);
        }
    })
}

v1! {
    sdc_histogram, pg_finfo_sdc_histogram => histogram;
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
