//! The section on distinct sensitive values per group.

use crate::report::findings::Findings;
use crate::report::spread_chart::SpreadChart;
use crate::report::subject::Subject;
use maud::{Markup, html};
use sdc_engine::spread::Spread;

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

fn chart<'a>(
    subject: &Subject,
    column: &str,
    place: usize,
    values: &'a [Spread],
) -> SpreadChart<'a> {
    SpreadChart {
        id: format!("values-{place}"),
        title: format!("Rows by the number of different values of {column} in their group"),
        figure: "Different values",
        spread: values,
        least: subject.check.required.p.map_or(2, i64::from),
        audience: subject.audience,
    }
}
