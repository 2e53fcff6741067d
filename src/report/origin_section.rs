//! Where a release comes from: parameters, date, publisher, checksums.

use crate::release::checksum;
use crate::report::findings::Findings;
use crate::report::released::Released;
use crate::report::subject::Subject;
use maud::{Markup, html};
use serde_json::Value;

/// The parameters that tell the public what was done. Others name tables of the source's, or
/// values that it holds.
const PUBLIC: [&str; 11] = [
    "keys",
    "sensitive",
    "keep",
    "k",
    "p",
    "l",
    "t",
    "alpha",
    "levels",
    "max_suppressed",
    "method",
];

pub fn section(subject: &Subject, release: &Released, findings: &Findings) -> Markup {
    let audience = subject.audience;
    html! {
        section {
            h2 { "Where it comes from" }
            dl {
                dt { "Method" } dd { (release.method) }
                dt { "Published" } dd {
                    @if audience.is_public() {
                        (release.published_at.split(' ').next().unwrap_or_default())
                    } @else {
                        (release.published_at) " by " code { (release.published_by) }
                        " from " code { (release.source) }
                    }
                }
                dt { "Rows" } dd { (audience.count(release.rows)) }
                @if release.suppressed > 0 {
                    dt { "Suppressed rows" } dd { (audience.count(release.suppressed)) }
                }
                @for (name, value) in parameters(subject, release) {
                    dt { code { (name) } } dd { (value) }
                }
            }
            @if !audience.is_public() {
                @for (table, sum) in &findings.checksums { (checksum(table, sum.as_deref())) }
            }
        }
    }
}

fn parameters(subject: &Subject, release: &Released) -> Vec<(String, String)> {
    let Value::Object(parameters) = &release.parameters else {
        return Vec::new();
    };
    let shown = |name: &str| !subject.audience.is_public() || PUBLIC.contains(&name);
    let parameters = parameters.iter().filter(|(name, _)| shown(name));
    parameters
        .map(|(name, value)| (name.clone(), words(value)))
        .collect()
}

/// A parameter without JSON's signs, where it is a word, a number or a list of them.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if !items.iter().any(Value::is_array) => {
            let items: Vec<String> = items.iter().map(words).collect();
            match items.is_empty() {
                true => "none".into(),
                false => items.join(", "),
            }
        }
        value => value.to_string(),
    }
}

fn checksum(table: &str, sum: Option<&str>) -> Markup {
    html! {
        h3 { "Checksum of " code { (table) } }
        p { code.sum { (sum.unwrap_or("no rows")) } }
        details {
            summary { "How to compute it from a copy of the rows" }
            p { "The order of rows does not matter, that of columns does. Any PostgreSQL will do:" }
            pre { code { (checksum::recipe(table)) } }
        }
    }
}
