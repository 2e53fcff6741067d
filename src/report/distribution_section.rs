//! How each column of a release is distributed, before and after.

use crate::pg::progress::Watch;
use crate::report::subject::Subject;
use crate::report::utility_section::{Utility, published};
use crate::report::value_counts::{self, Side, ValueCount, counted, values};
use maud::{Markup, html};
use sdc_engine::{Monitor, Phase};
use sdc_page::format::whole;
use sdc_page::{Bar, Chart, Stroke, Tone};

/// A column's values in the source and in the release; one of them is not there where the
/// source is gone, or where the release names its values otherwise.
pub struct Distribution {
    column: String,
    before: bool,
    after: bool,
    bars: Vec<ValueCount>,
}

/// The distributions of all keys, and of sensitive columns where the source is there. They are
/// nothing for the public; and where keys are published apart they are what they were.
pub fn of(subject: &Subject, utility: Option<&Utility>, watch: &mut Watch) -> Vec<Distribution> {
    let Some(release) = subject
        .release
        .as_ref()
        .filter(|release| !release.is_apart())
    else {
        return Vec::new();
    };
    if subject.audience.is_public() {
        return Vec::new();
    }
    let (source, table) = (release.source_now(), &subject.check.source);
    let names = match &source {
        Some(source) => published(release, source, table),
        None => release.keys.clone(),
    };
    watch.start(Phase::Reporting, names.len() as u64);
    let mut all = Vec::new();
    for (done, name) in names.iter().enumerate() {
        // raises by itself where the call is to stop
        watch.tick(done as u64);
        let before = source.as_ref().and_then(|source| Side::of(source, name));
        let after = Side::of(table, name);
        let is_code = subject.table.categorical.contains(name);
        all.extend(of_column((name, is_code), (before, after), utility));
    }
    all
}

/// One chart where both sides have the same kind of values, or where those of the release can be
/// read back, else one for each side.
fn of_column(
    (name, is_code): (&str, bool),
    (before, after): (Option<Side>, Option<Side>),
    utility: Option<&Utility>,
) -> Vec<Distribution> {
    let distribution = |before: Option<&Side>, after: Option<&Side>| Distribution {
        column: name.to_string(),
        before: before.is_some(),
        after: after.is_some(),
        bars: match is_code {
            true => values(before, after),
            false => counted(before, after),
        },
    };
    let (Some(b), Some(a)) = (&before, &after) else {
        return match before.is_none() && after.is_none() {
            true => Vec::new(),
            false => vec![distribution(before.as_ref(), after.as_ref())],
        };
    };
    let same_type = b.column.typ == a.column.typ;
    match utility.and_then(|utility| utility.read_back(name)) {
        Some(read) if !same_type || read.scale.is_none() => vec![Distribution {
            column: name.to_string(),
            before: true,
            after: true,
            bars: value_counts::of_read_back(read),
        }],
        _ if same_type => vec![distribution(Some(b), Some(a))],
        _ => vec![distribution(Some(b), None), distribution(None, Some(a))],
    }
}

pub fn section(subject: &Subject, distributions: &[Distribution]) -> Markup {
    let apart = subject.is_apart();
    if subject.audience.is_public() || (distributions.is_empty() && !apart) {
        return html! {};
    }
    html! {
        section {
            h2 { "Columns before and after" }
            @if apart {
                p { "Each key has the same values as in the source, so its own distribution is the same." }
            } @else if !distributions.iter().any(|distribution| distribution.before) {
                p { "The source is gone, or not yours to read: only what was released is shown." }
            } @else {
                p { "How many rows have which values in the source as it is now, and in the release. "
                    "A range counts evenly for what lies between its ends, a set for its elements." }
                p.legend { span.key.before {} " before  " span.key.plain {} " after" }
            }
            @for (place, distribution) in distributions.iter().enumerate() {
                h3 { code { (distribution.column) } (distribution.which()) }
                (distribution.chart(place).figure())
            }
        }
    }
}

impl Distribution {
    fn which(&self) -> &'static str {
        match (self.before, self.after) {
            (true, false) => " before",
            (false, true) => " after",
            _ => "",
        }
    }

    /// What there is of the two sides.
    fn sides<T>(&self, before: T, after: T) -> impl Iterator<Item = T> {
        let before = self.before.then_some(before);
        before.into_iter().chain(self.after.then_some(after))
    }

    fn chart(&self, place: usize) -> Chart {
        let stroke = |rows: i64, tone| Stroke {
            value: rows as f64,
            text: whole(rows),
            tone,
        };
        let bar = |counted: &ValueCount| Bar {
            label: counted.label.clone(),
            short: None,
            strokes: self
                .sides(
                    stroke(counted.before, Tone::Before),
                    stroke(counted.after, Tone::Plain),
                )
                .collect(),
        };
        let cells = |counted: &ValueCount| {
            let rows = self.sides(counted.before, counted.after).map(whole);
            [counted.label.clone()].into_iter().chain(rows).collect()
        };
        Chart {
            id: format!("distribution-{place}"),
            title: format!("Rows by value of {}{}", self.column, self.which()),
            bars: self.bars.iter().map(bar).collect(),
            headings: ["Value"]
                .into_iter()
                .chain(self.sides("Rows before", "Rows after"))
                .collect(),
            cells: self.bars.iter().map(cells).collect(),
        }
    }
}
