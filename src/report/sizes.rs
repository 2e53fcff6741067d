//! The section on group sizes.

use super::findings::Findings;
use super::subject::Subject;
use maud::{Markup, html};
use sdc_engine::spread::{self, Range};
use sdc_page::format::{share, whole};
use sdc_page::{Bar, Chart, Stroke, Tone};

pub fn section(subject: &Subject, findings: &Findings) -> Markup {
    let k = subject.k();
    html! {
        section {
            h2 { "Group sizes" }
            p { (lead(subject)) }
            @if !subject.shows_sizes(&findings.lines) {
                p { "Some groups are smaller than required. Their sizes are not shown here." }
            } @else if findings.sizes.is_empty() {
                p { "There are no rows, and so no groups." }
            } @else {
                @if let Some(k) = k.filter(|_| !subject.audience.is_public()) {
                    p.legend { span.key.bad {} " below k = " (k) "  " span.key.plain {} " at least k" }
                }
                (chart(subject, findings, &spread::ranges(&findings.sizes, k)).figure())
            }
        }
    }
}

fn lead(subject: &Subject) -> &'static str {
    match (subject.is_apart(), &subject.check.entity) {
        (true, _) => {
            "Keys and sensitive values are linked by groups only. How many rows are in groups of which size:"
        }
        (false, Some(_)) => {
            "Rows that agree in all keys form a group. How many rows are in groups of how many persons:"
        }
        (false, None) => {
            "Rows that agree in all keys form a group: they cannot be told apart by them. How many rows are in groups of which size:"
        }
    }
}

/// The public is told shares of rows: the number of groups in a range may be below k.
fn chart(subject: &Subject, findings: &Findings, ranges: &[Range]) -> Chart {
    let (public, rows) = (subject.audience.is_public(), findings.rows());
    let text = |range: &Range| match public {
        true => share(range.rows, rows),
        false => whole(range.rows),
    };
    let below_k = |range: &Range| subject.k().is_some_and(|k| range.to < k);
    let bar = |range: &Range| Bar {
        label: range.label(),
        strokes: vec![Stroke {
            value: range.rows as f64,
            text: text(range),
            tone: if below_k(range) {
                Tone::Bad
            } else {
                Tone::Plain
            },
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
        id: "sizes".into(),
        title: "Rows by the size of their group".into(),
        bars: ranges.iter().map(bar).collect(),
        headings: match public {
            true => vec!["Group size", "Share of rows"],
            false => vec!["Group size", "Groups", "Rows", "Share of rows"],
        },
        cells: ranges.iter().map(cells).collect(),
    }
}
