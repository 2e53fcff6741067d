//! The section on distinct sensitive values per group.

use super::chart::{Bar, Chart, Stroke, Tone};
use super::findings::Findings;
use super::format::{share, whole};
use super::subject::Subject;
use crate::check::Spread;
use crate::group_sizes::{self, SizeRange};
use maud::{Markup, html};

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
                    Some((_, spread)) => (chart(subject, column, place, spread).figure()),
                    None => p { "Not shown: nothing that holds was required of this column." },
                }
            }
        }
    }
}

fn chart(subject: &Subject, column: &str, place: usize, spread: &[Spread]) -> Chart {
    let p = subject.check.required.p.map(i64::from);
    let ranges = group_sizes::ranges(spread, p);
    let rows: i64 = spread.iter().map(|spread| spread.rows).sum();
    let public = subject.audience.is_public();
    let bad = |range: &SizeRange| range.to < p.unwrap_or(2);
    let bar = |range: &SizeRange| Bar {
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
    let cells = |range: &SizeRange| match public {
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
