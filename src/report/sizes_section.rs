//! The section on group sizes.

use crate::report::findings::Findings;
use crate::report::spread_chart::SpreadChart;
use crate::report::subject::Subject;
use maud::{Markup, html};

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
                (chart(subject, findings).figure())
            }
        }
    }
}

fn lead(subject: &Subject) -> &'static str {
    match (subject.is_apart(), &subject.check.entity) {
        (false, None) if subject.persons().is_some() => {
            "Rows that agree in all keys form a group. The release does not show persons, so this counts rows. How many rows are in groups of which size:"
        }
        (true, _) => {
            "Keys and sensitive values are linked by groups only. How many rows are in groups of which size:"
        }
        (false, Some(_)) => {
            "Rows that agree in all keys form a group. How many rows are in groups of how many persons:"
        }
        (false, None) => {
            "Rows that agree in all keys form a group. The keys do not tell them apart. How many rows are in groups of which size:"
        }
    }
}

fn chart<'a>(subject: &Subject, findings: &'a Findings) -> SpreadChart<'a> {
    SpreadChart {
        id: "sizes".into(),
        title: "Rows by the size of their group".into(),
        figure: "Group size",
        spread: &findings.sizes,
        least: subject.k().unwrap_or(1),
        audience: subject.audience,
    }
}
