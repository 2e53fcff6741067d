//! `sdc.report`, of a table and of a release.

use crate::pg::errors::{Failure, required};
use crate::pg::function_call::{Call, v1};
use crate::pg::guard::guarded;
use crate::pg::sql_types::{Name, Relation};
use crate::pg::statements;
use crate::read::label_text::ColumnRole;
use crate::read::named_arguments::NamedArguments;
use crate::read::table_options::TableOptions;
use crate::release::{Check, checked_ks, refuse_unfit_rows};
use crate::report::audience::Audience;
use crate::report::findings::Findings;
use crate::report::page;
use crate::report::released::Released;
use crate::report::subject::Subject;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;

fn report(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let audience: String = arguments.required("audience");
    let ks: Option<Vec<Option<i32>>> = arguments.optional("ks");
    if let Some(release) = release_number(&arguments) {
        return of_release(release, &audience, ks.unwrap_or_default()).into_datum();
    }
    let check = Check::of_arguments(&arguments);
    let audience = Audience::new(&audience, check.required.k);
    let ks = checked_ks(ks.unwrap_or_default());
    refuse_unfit_rows(&check);
    let page = written(&Subject {
        table: TableOptions {
            categorical: labelled_codes(&arguments),
            entity: check.entity.clone(),
            ..Default::default()
        },
        check,
        audience,
        release: None,
        weight: sampling_weight(&arguments),
        ks,
    });
    page.into_datum()
}

/// The keys that are labelled as codes.
fn labelled_codes(arguments: &NamedArguments<'_>) -> Vec<String> {
    let keys = arguments.columns("keys");
    let labels = arguments.labels();
    let mut codes = labels.with_role(|role| role == ColumnRole::KeyCategorical);
    codes.retain(|column| keys.contains(column));
    codes
}

/// The release that a literal names by its number, as in `sdc.report('7')`.
fn release_number(arguments: &NamedArguments<'_>) -> Option<i64> {
    let is_text = arguments.declared_type("source") == pgrx::pg_sys::TEXTOID;
    let text = is_text.then(|| arguments.given::<String>("source"));
    text.flatten()?.parse().ok()
}

/// The weight that the call names, or else the labels. One that is only labelled gives way to a
/// population.
fn sampling_weight(arguments: &NamedArguments<'_>) -> Option<String> {
    let population = arguments.optional::<Relation>("population");
    let weight = match population {
        None => arguments.optional::<Name>("weight"),
        Some(_) => arguments.given("weight"),
    };
    if population.is_some() && weight.is_some() {
        Failure::invalid("population and weight are given together")
            .hint("Give one of the two.")
            .raise();
    }
    weight.map(|name| name.0)
}

v1! {
    sdc_report, pg_finfo_sdc_report => report;
}

/// The short form has one argument and no options.
#[pg_extern(volatile, parallel_restricted, name = "report")]
fn report_short(release: Option<i64>) -> String {
    guarded(|| {
        of_release(
            required(release, "release"),
            "steward",
            DEFAULT_KS.map(Some).to_vec(),
        )
    })
}

#[pg_extern(volatile, parallel_restricted)]
fn report_release(
    release: Option<i64>,
    audience: default!(Option<&str>, "'steward'"),
    ks: default!(Option<Vec<Option<i32>>>, "'{2,3,5,10,20,50}'"),
) -> String {
    guarded(|| {
        let release = required(release, "release");
        let audience = required(audience, "audience");
        of_release(release, audience, ks.unwrap_or_default())
    })
}

const DEFAULT_KS: [i32; 6] = [2, 3, 5, 10, 20, 50];

/// A release may be as new as the statement that asks for its page.
fn of_release(release: i64, audience: &str, ks: Vec<Option<i32>>) -> String {
    statements::seeing_own_writes(|| page_of_release(release, audience, ks))
}

fn page_of_release(release: i64, audience: &str, ks: Vec<Option<i32>>) -> String {
    let ks = checked_ks(ks);
    let mut release = Released::new(release);
    let check = release.check();
    release.forget_changed();
    written(&Subject {
        audience: Audience::new(audience, check.required.k),
        check,
        table: TableOptions::recorded(&release.parameters),
        release: Some(release),
        weight: None,
        ks,
    })
}

fn written(subject: &Subject) -> String {
    page::page(subject, &Findings::gather(subject))
}
