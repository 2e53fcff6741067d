//! `sdc.check_anonymity`, `sdc.violations` and `sdc.assert_anonymity`.

use crate::check::verdict::Line;
use crate::check::violations;
use crate::check::{Check, refuse_unfit_rows};
use crate::pg::cell::Cell;
use crate::pg::errors::{Failure, number_of};
use crate::pg::function_call::{self, Call, v1};
use crate::pg::row_results;
use crate::pg::sql_types::{Jsonb, Name};
use crate::read::named_arguments::NamedArguments;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;

fn check_anonymity(call: &Call) -> Option<Datum> {
    let check = Check::of_arguments(&NamedArguments::of(call));
    refuse_unfit_rows(&check);
    row_results::answer_items(call, check.lines(), |line| {
        let satisfied = line.satisfied();
        [
            Cell::of(Some(line.property.name())),
            Cell::of(line.attribute.map(Name)),
            Cell::of(line.required),
            Cell::of(line.actual),
            Cell::of(satisfied),
            Cell::of(line.violating_groups),
            Cell::of(line.violating_rows),
        ]
    })
}

fn list_violations(call: &Call) -> Option<Datum> {
    let check = Check::of_arguments(&NamedArguments::of(call));
    check.refuse_none();
    refuse_unfit_rows(&check);
    row_results::answer_items(call, violations::violations(&check), |found| {
        let attribute = found.missed.attribute;
        [
            Cell::of(Some(Jsonb(found.key_values))),
            Cell::of(Some(found.rows)),
            Cell::of(Some(found.missed.property.name())),
            Cell::of(attribute.map(|name| Name(name.to_string()))),
            Cell::of(Some(found.actual)),
        ]
    })
}

fn assert_anonymity(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let check = Check::of_arguments(&arguments);
    check.refuse_none();
    refuse_unfit_rows(&check);
    let lines = check.lines();
    // only a table without rows has no figure for something that is required of it
    let empty = |line: &Line| line.required.is_some() && line.actual.is_none();
    if lines.iter().any(empty) && !arguments.required::<bool>("allow_empty") {
        nothing_to_assert(&check);
    }
    let missed = |line: &Line| line.satisfied() == Some(false);
    let missed: Vec<Line> = lines.into_iter().filter(missed).collect();
    if !missed.is_empty() {
        assertion_failed(&check, &missed);
    }
    function_call::void()
}

v1! {
    sdc_check_anonymity, pg_finfo_sdc_check_anonymity => check_anonymity;
    sdc_violations, pg_finfo_sdc_violations => list_violations;
    sdc_assert_anonymity, pg_finfo_sdc_assert_anonymity => assert_anonymity;
}

fn nothing_to_assert(check: &Check) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!("{} has no rows", check.source.sql_name),
    )
    .detail("An empty table shows nothing about anonymity.")
    .hint("Pass allow_empty => true if the table may be empty.")
    .raise()
}

fn assertion_failed(check: &Check, missed: &[Line]) -> ! {
    let sentences: Vec<String> = missed.iter().map(sentence).collect();
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!("{} is not as anonymous as required", check.source.sql_name),
    )
    .detail(format!("{}.", sentences.join("; ")))
    .hint("sdc.violations() with the same arguments lists the failing groups.")
    .raise()
}

/// What a property misses: "k-anonymity is 2, required at least 3: 1 group (2 rows) fails".
fn sentence(line: &Line) -> String {
    let name = line.attribute.as_deref();
    let of = name.map_or(String::new(), |name| format!(" of column \"{name}\""));
    let groups = line.violating_groups.unwrap_or(0);
    format!(
        "{}{of} is {}, required {} {}: {} ({}) {}",
        line.property.name(),
        line.actual.unwrap_or(f64::NAN),
        line.bound(),
        line.required.unwrap_or(f64::NAN),
        number_of(groups as u64, "group"),
        number_of(line.violating_rows.unwrap_or(0) as u64, "row"),
        if groups == 1 { "fails" } else { "fail" }
    )
}
