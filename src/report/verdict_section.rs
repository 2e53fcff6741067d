//! The verdict: in two sentences, then each property with what is required and what is there.

use crate::release::Line;
use crate::report::findings::Findings;
use crate::report::released::Released;
use crate::report::subject::Subject;
use maud::{Markup, html};
use sdc_engine::model::Property;
use sdc_page::format::{figure, number_of, whole};

/// What a line of the table means, for people who have not met it before.
const fn definition(property: Property) -> &'static str {
    match property {
        Property::KAnonymity => "the size of the smallest group",
        Property::PSensitivity => "the fewest different sensitive values in any group",
        Property::LDiversity => {
            "the number of rows or persons of a group over the number of those that have its most frequent value; a guess is right at most once in l"
        }
        Property::TCloseness => {
            "how far a group's values are from those of the whole table, 0 being the same"
        }
        Property::PPlus => "the fewest different categories of sensitivity in any group",
        Property::AlphaWeight => "the least total weight of the categories in any group",
        Property::KMap => "the fewest persons of the population that any row may belong to",
        Property::DeltaPresence => {
            "the largest chance that a person of the population is in the table at all"
        }
    }
}

/// One line that says it all.
pub fn banner(findings: &Findings) -> Markup {
    let required = |line: &&Line| line.required.is_some();
    let missed = |line: &&Line| line.satisfied() == Some(false);
    let all = findings.lines.iter().filter(required).count();
    let missed = findings.lines.iter().filter(missed).count();
    let (class, text) = match (all, missed) {
        _ if findings.has_uncounted_sets() => (
            "banner",
            "No verdict: there are too many sets of known keys to count".to_string(),
        ),
        (0, _) => (
            "banner",
            "Nothing was required: figures, but no verdict".to_string(),
        ),
        (1, 0) => ("banner good", "✓ Meets its requirement".into()),
        (2, 0) => ("banner good", "✓ Meets both requirements".into()),
        (_, 0) => ("banner good", format!("✓ Meets all {all} requirements")),
        (1, _) => ("banner bad", "✗ Misses its requirement".into()),
        _ => (
            "banner bad",
            format!("✗ Misses {missed} of {all} requirements"),
        ),
    };
    html! { p class=(class) { (text) } }
}

/// What the figures mean for the people in the table, and what the steward can do next.
pub fn summary(subject: &Subject, findings: &Findings) -> Markup {
    html! {
        p { (in_a_crowd(subject, findings)) " " (hidden_values(subject, findings)) }
        @if !subject.audience.is_public() {
            p { strong { "Recommendation. " } (recommendation(subject, findings)) }
        }
    }
}

/// The least figure of a property that the reader may see.
fn least(subject: &Subject, findings: &Findings, property: Property) -> Option<f64> {
    let lines = findings.lines.iter();
    let lines = lines.filter(|line| line.property == property && subject.audience.may_see(line));
    lines.filter_map(|line| line.actual).reduce(f64::min)
}

/// The first sentence: how many others a person is hidden among.
fn in_a_crowd(subject: &Subject, findings: &Findings) -> String {
    let smallest = least(subject, findings, Property::KAnonymity).map(|k| k as i64);
    let (what, ending) = match subject.counts_persons() {
        true => ("person", "with the same keys"),
        false => ("row", "that could be theirs"),
    };
    let known = subject.release.as_ref().and_then(Released::known_keys);
    let keys = known.map_or("these keys".into(), |known| {
        format!("{known} of these keys")
    });
    match (smallest, subject.is_apart()) {
        _ if findings.rows() == 0 => "There are no rows.".into(),
        _ if subject.is_perturbed() => {
            "The keys were perturbed, so a row that shows a person's keys may be about somebody else."
                .into()
        }
        (None, _) if findings.has_uncounted_sets() => format!(
            "How many rows anyone finds who knows {keys} of a person was not counted, because there are too many sets of keys."
        ),
        (None, _) => "Some people can be found more easily than was required.".into(),
        (Some(k), true) => format!(
            "Sensitive values are linked to groups of at least {}, not to persons.",
            number_of(k, what)
        ),
        (Some(1), false) => {
            format!("At least one {what} is unique, so anyone who knows {keys} finds that {what}.")
        }
        (Some(k), false) => format!(
            "Anyone who knows {keys} of a person finds at least {} {ending}.",
            number_of(k, what)
        ),
    }
}

/// The second sentence: what a group gives away all the same.
fn hidden_values(subject: &Subject, findings: &Findings) -> String {
    let fewest = least(subject, findings, Property::PSensitivity);
    match (fewest, subject.check.sensitive.is_empty()) {
        _ if findings.rows() == 0 => "So there is nothing to judge.".into(),
        (_, true) => {
            "No sensitive column was named, so nothing is known about what groups reveal.".into()
        }
        (None, false) => "How well sensitive values are hidden is not shown here.".into(),
        (Some(p), false) if p < 2.0 => {
            "Some group has only one sensitive value, so it is known for everyone in it.".into()
        }
        (Some(p), false) => {
            let p = figure(p);
            format!("Every group has at least {p} different sensitive values.")
        }
    }
}

fn recommendation(subject: &Subject, findings: &Findings) -> &'static str {
    let asked = findings.lines.iter().any(|line| line.required.is_some());
    let missed = |line: &Line| line.satisfied() == Some(false);
    let failed = findings.lines.iter().any(missed);
    let attacks = subject.release.as_ref().map(|release| &release.attacks);
    let was_attacked =
        attacks.is_some_and(|attacks| attacks.as_array().is_some_and(|some| !some.is_empty()));
    match (subject.release.is_some(), failed) {
        _ if findings.rows() == 0 => "Fill the table, and make the report again.",
        _ if subject.is_perturbed() => {
            "Perturbation promises nothing. If you need a bound on what readers learn, publish with sdc.publish_microaggregated() or sdc.publish_mondrian()."
        }
        _ if findings.has_uncounted_sets() => {
            "The promise was checked when the release was made. sdc.verify_release() says whether its rows were changed since."
        }
        _ if !asked => {
            "Say what you require, for example k => 5 and p => 2, and make the report again."
        }
        (false, true) => {
            "Do not publish this table as it is. Mask it with one of the sdc.publish functions, which check what they publish."
        }
        (true, true) => {
            "Withdraw this release, because its rows do not keep its promise. sdc.verify_release() says whether they were changed."
        }
        (false, false) => {
            "The table meets what was required of these keys. Before you publish it, ask whether anyone could know other columns, too."
        }
        (true, false) if was_attacked => {
            "The release keeps its promise. Read the section Attacked before you grant access, and do not release the same rows in another way."
        }
        (true, false) => {
            "The release keeps its promise. Run sdc.attack() on it before you grant access, and do not release the same rows in another way."
        }
    }
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
            (meanings(subject, findings.lines.iter().filter(shown)))
            @if !public && subject.release.is_none() && findings.lines.iter().any(|line| line.satisfied() == Some(false)) {
                p { code { "sdc.violations()" } " with the same arguments lists the failing groups." }
            }
        }
    }
}

/// A definition of each word that the table uses.
fn meanings<'a>(subject: &Subject, lines: impl Iterator<Item = &'a Line>) -> Markup {
    html! {
        details {
            summary { "What these words mean" }
            dl {
                dt { "group" } dd { (group_of(subject)) }
                @for property in properties(lines) {
                    dt { (property.name()) } dd { (definition(property)) }
                }
            }
        }
    }
}

fn group_of(subject: &Subject) -> &'static str {
    match (subject.is_apart(), subject.counts_persons()) {
        (true, _) => "the rows whose keys and sensitive values have the same group number",
        (false, true) => "the rows that agree in all keys; its size is the number of persons",
        (false, false) => "the rows that agree in all keys",
    }
}

/// The properties of some lines, each once.
fn properties<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Property> {
    let mut properties: Vec<Property> = lines.map(|line| line.property).collect();
    properties.dedup();
    properties
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
