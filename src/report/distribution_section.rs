//! How each key of a release is distributed, before and after.

use crate::pg::progress::Watch;
use crate::report::subject::Subject;
use crate::report::value_counts::{Side, ValueCount, counted};
use maud::{Markup, html};
use sdc_engine::{Monitor, Phase};
use sdc_page::format::whole;
use sdc_page::{Bar, Chart, Stroke, Tone};

/// A key's values in the source and in the release; one of them is not there where the
/// source is gone, or where the release names its values otherwise.
pub struct Distribution {
    column: String,
    before: bool,
    after: bool,
    bars: Vec<ValueCount>,
}

/// The distributions of all keys. They are nothing for the public; and where keys are published
/// apart they are what they were.
pub fn of(subject: &Subject, watch: &mut Watch) -> Vec<Distribution> {
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
    let source = release.source_now();
    watch.start(Phase::Reporting, release.keys.len() as u64);
    let mut all = Vec::new();
    for (done, key) in release.keys.iter().enumerate() {
        // raises by itself where the call is to stop
        watch.tick(done as u64);
        let before = source.as_ref().and_then(|source| Side::of(source, key));
        let after = Side::of(&subject.check.source, key);
        all.extend(of_key(key, before, after));
    }
    all
}

/// One chart where both sides have the same kind of values, else one for each side.
fn of_key(key: &str, before: Option<Side>, after: Option<Side>) -> Vec<Distribution> {
    let distribution = |before: Option<&Side>, after: Option<&Side>| Distribution {
        column: key.to_string(),
        before: before.is_some(),
        after: after.is_some(),
        bars: counted(before, after),
    };
    match (&before, &after) {
        (Some(b), Some(a)) if b.column.typ != a.column.typ => {
            vec![distribution(Some(b), None), distribution(None, Some(a))]
        }
        (None, None) => Vec::new(),
        (before, after) => vec![distribution(before.as_ref(), after.as_ref())],
    }
}

pub fn section(subject: &Subject, distributions: &[Distribution]) -> Markup {
    let apart = subject.is_apart();
    if subject.audience.is_public() || (distributions.is_empty() && !apart) {
        return html! {};
    }
    html! {
        section {
            h2 { "Keys before and after" }
            @if apart {
                p { "Each key has the same values as in the source, so its own distribution is the same." }
            } @else if !distributions.iter().any(|distribution| distribution.before) {
                p { "The source is gone, or not yours to read: only what was released is shown." }
            } @else {
                p { "How many rows have which values in the source as it is now, and in the release." }
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
