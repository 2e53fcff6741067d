//! The verdict: each property, what is required, what is there.

use crate::release::Line;
use crate::report::findings::Findings;
use crate::report::subject::Subject;
use maud::{Markup, html};
use sdc_page::format::{figure, whole};

/// One line that says it all.
pub fn banner(findings: &Findings) -> Markup {
    let required = |line: &&Line| line.required.is_some();
    let missed = |line: &&Line| line.satisfied() == Some(false);
    let all = findings.lines.iter().filter(required).count();
    let missed = findings.lines.iter().filter(missed).count();
    let (class, text) = match (all, missed) {
        (0, _) => (
            "banner",
            "Nothing was required: figures, but no verdict".to_string(),
        ),
        (1, 0) => ("banner good", "✓ Meets its requirement".into()),
        (_, 0) => ("banner good", format!("✓ Meets all {all} requirements")),
        (1, _) => ("banner bad", "✗ Misses its requirement".into()),
        _ => (
            "banner bad",
            format!("✗ Misses {missed} of {all} requirements"),
        ),
    };
    html! { p class=(class) { (text) } }
}

pub fn section(subject: &Subject, findings: &Findings) -> Markup {
    let public = subject.audience.is_public();
    let shown = |line: &&Line| !public || line.required.is_some();
    // without rows nothing has a figure; with rows all but a t-closeness of too many values
    let missing = match findings.lines.iter().any(|line| line.actual.is_some()) {
        true => "not computed",
        false => "no rows",
    };
    html! {
        section {
            h2 { "Verdict" }
            div.scroll.verdict {
                table {
                    thead {
                        tr {
                            th scope="col" { "Property" }
                            th scope="col" { "Satisfied" }
                            th scope="col" { "Column" }
                            th scope="col" { "Required" }
                            th scope="col" { "Actual" }
                            @if !public {
                                th scope="col" { "Failing groups" }
                                th scope="col" { "Failing rows" }
                            }
                        }
                    }
                    tbody { @for line in findings.lines.iter().filter(shown) { (row(subject, line, missing)) } }
                }
            }
            @if !public && subject.release.is_none() && findings.lines.iter().any(|line| line.satisfied() == Some(false)) {
                p { code { "sdc.violations()" } " with the same arguments lists the failing groups." }
            }
        }
    }
}

fn row(subject: &Subject, line: &Line, missing: &str) -> Markup {
    let count = |count: Option<i64>| count.map_or(String::new(), whole);
    html! {
        tr {
            th scope="row" { (line.property.name()) }
            td {
                @match line.satisfied() {
                    Some(true) => span.good { "✓ yes" },
                    Some(false) => span.bad { "✗ no" },
                    None => {},
                }
            }
            td { @if let Some(column) = &line.attribute { code { (column) } } }
            td { @if let Some(required) = line.required { (line.bound()) " " (figure(required)) } }
            td { (actual(subject, line, missing)) }
            @if !subject.audience.is_public() {
                td { (count(line.violating_groups)) }
                td { (count(line.violating_rows)) }
            }
        }
    }
}

fn actual(subject: &Subject, line: &Line, missing: &str) -> String {
    match line.actual {
        _ if !subject.audience.may_see(line) => "not shown".into(),
        Some(actual) => figure(actual),
        None => missing.into(),
    }
}
