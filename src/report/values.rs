//! The section on distinct sensitive values per group.

use super::findings::Findings;
use super::subject::Subject;
use maud::{Markup, html};
use sdc_engine::spread::{self, Range, Spread};
use sdc_page::format::{share, whole};
use sdc_page::{Bar, Chart, Stroke, Tone};

pub fn section(subject: &Subject, findings: &Findings) -> Markup {
    if subject.check.sensitive.is_empty() || findings.sizes.is_empty() {
        return html! {};
    }
    html! {
        section {
            h2 { "Distinct sensitive values in a group" }
            p {
                "A group whose rows all have the same sensitive value gives that value away, however "
                "large it is. How many rows are in groups with how many different values:"
            }
            @for (place, column) in subject.check.sensitive.iter().enumerate() {
                h3 { code { (column) } }
                @match findings.values.iter().find(|(name, _)| name == column) {
                    Some((_, values)) => (chart(subject, column, place, values).figure()),
                    None => p { "Not shown: nothing that holds was required of this column." },
                }
            }
        }
    }
}

fn chart(subject: &Subject, column: &str, place: usize, values: &[Spread]) -> Chart {
    let p = subject.check.required.p.map(i64::from);
    let ranges = spread::ranges(values, p);
    let rows: i64 = values.iter().map(|spread| spread.rows).sum();
    let public = subject.audience.is_public();
    let bad = |range: &Range| range.to < p.unwrap_or(2);
    let bar = |range: &Range| Bar {
        label: range.label(),
        strokes: vec![Stroke {
            value: range.rows as f64,
            text: match public {
                true => share(range.rows, rows),
                false => whole(range.rows),
            },
            tone: if bad(range) { Tone::Bad } else { Tone::Plain },
        }],
    };
    let cells = |range: &Range| match public {
        true => vec![range.label(), share(range.rows, rows)],
        false => vec![
            range.label(),
            whole(range.groups),
            whole(range.rows),
            share(range.rows, rows),
        ],
    };
    Chart {
        id: format!("values-{place}"),
        title: format!("Rows by the number of different values of {column} in their group"),
        bars: ranges.iter().map(bar).collect(),
        headings: match public {
            true => vec!["Different values", "Share of rows"],
            false => vec!["Different values", "Groups", "Rows", "Share of rows"],
        },
        cells: ranges.iter().map(cells).collect(),
    }
}
