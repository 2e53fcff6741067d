//! How each key of a release is distributed, before and after.

use super::chart::{Bar, Chart, Stroke, Tone};
use super::format::{figure, whole};
use super::subject::Subject;
use crate::check::select;
use crate::generate_sql::identifier;
use crate::number::Number;
use crate::progress::Watch;
use crate::record::Attribute;
use crate::source::Source;
use maud::{Markup, html};
use pgrx::datum::{Date, ToIsoString};
use sdc_engine::{Monitor, Phase};

/// A key's values in the source and in the release; one of them is not there where the
/// source is gone, or where the release names its values otherwise.
pub struct Distribution {
    column: String,
    before: bool,
    after: bool,
    bars: Vec<Counted>,
}

/// A value, or a range of values, and its rows.
struct Counted {
    label: String,
    before: i64,
    after: i64,
}

/// A relation's column.
struct Side<'a> {
    relation: &'a str,
    column: &'a Attribute,
}

/// The most ranges or values that a chart shows.
const BARS: i64 = 10;

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
        let _ = watch.advance(done as u64);
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

impl<'a> Side<'a> {
    fn of(source: &'a Source, name: &str) -> Option<Self> {
        let column = source.attribute(name)?;
        let relation = &source.sql_name;
        Some(Side { relation, column })
    }

    /// The column's values in some form with their rows, marked as this side's.
    fn select(&self, values: &str, mark: i32) -> String {
        format!(
            "SELECT {values} AS x, {mark} AS side, pg_catalog.count(*) AS n FROM {} GROUP BY 1",
            self.relation
        )
    }
}

/// How numbers of a kind are cut into ranges.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Whole,
    Real,
    Days,
}

impl Scale {
    fn of(column: &Attribute) -> Option<Self> {
        Some(match Number::of(column.typ)? {
            Number::Int2 | Number::Int4 | Number::Int8 => Scale::Whole,
            Number::Float4 | Number::Float8 | Number::Numeric => Scale::Real,
            Number::Date | Number::Timestamp => Scale::Days,
            Number::Interval => return None,
        })
    }

    /// The column's values as float8; what has no place on the scale is NULL.
    fn sql(self, name: &str) -> String {
        let column = identifier(name);
        let number = match self {
            Scale::Whole | Scale::Real => format!("{column}::pg_catalog.float8"),
            Scale::Days => format!(
                "CASE WHEN pg_catalog.isfinite({column}) THEN {column}::pg_catalog.date \
                 OPERATOR(pg_catalog.-) '2000-01-01'::pg_catalog.date END::pg_catalog.float8"
            ),
        };
        match self {
            Scale::Real => format!(
                "(SELECT v.x FROM (SELECT {number} AS x) v WHERE v.x OPERATOR(pg_catalog.>) '-Infinity' \
                 AND v.x OPERATOR(pg_catalog.<) 'Infinity')"
            ),
            _ => number,
        }
    }

    fn label(self, from: f64, width: f64) -> String {
        let day = |days: f64| {
            // SAFETY: any number of days is a date.
            let date = unsafe { Date::from_pg_epoch_days(days as i32) };
            date.to_iso_string()
        };
        let last = from + width - 1.0;
        match self {
            Scale::Whole | Scale::Days if width < 1.0 => figure(from),
            Scale::Whole if last <= from => format!("{from}"),
            Scale::Whole => format!("{from}–{last}"),
            Scale::Days if last <= from => day(from),
            Scale::Days => format!("≥ {}", day(from)),
            Scale::Real => format!("{}–{}", figure(from), figure(from + width)),
        }
    }
}

fn counted(before: Option<&Side>, after: Option<&Side>) -> Vec<Counted> {
    let Some(any) = before.or(after) else {
        return Vec::new();
    };
    match Scale::of(any.column) {
        Some(scale) => ranges(scale, before, after),
        None => values(before, after),
    }
}

fn union(values: &str, before: Option<&Side>, after: Option<&Side>) -> String {
    let sides = [before.zip(Some(1)), after.zip(Some(2))]
        .into_iter()
        .flatten();
    let sides: Vec<String> = sides
        .map(|(side, mark)| side.select(values, mark))
        .collect();
    sides.join(" UNION ALL ")
}

/// The rows of each side that values v share, where each was counted.
const COUNTS: &str = "COALESCE(pg_catalog.sum(v.n) FILTER (WHERE v.side OPERATOR(pg_catalog.=) 1), 0)::pg_catalog.int8 AS before, \
                      COALESCE(pg_catalog.sum(v.n) FILTER (WHERE v.side OPERATOR(pg_catalog.=) 2), 0)::pg_catalog.int8 AS after";

/// Ranges of equal width over both sides, whole numbers in whole steps; then what is on no scale.
fn ranges(scale: Scale, before: Option<&Side>, after: Option<&Side>) -> Vec<Counted> {
    let column = before
        .or(after)
        .map_or("", |side| side.column.name.as_str());
    let rows = union(&scale.sql(column), before, after);
    let width = match scale {
        Scale::Real => format!(
            "(pg_catalog.max(v.x) OPERATOR(pg_catalog.-) pg_catalog.min(v.x)) OPERATOR(pg_catalog./) {BARS}"
        ),
        _ => format!(
            "pg_catalog.ceil((pg_catalog.max(v.x) OPERATOR(pg_catalog.-) pg_catalog.min(v.x) OPERATOR(pg_catalog.+) 1) OPERATOR(pg_catalog./) {BARS})"
        ),
    };
    let query = format!(
        "WITH v AS ({rows}), r AS (SELECT pg_catalog.min(v.x) AS low, {width} AS width FROM v) \
         SELECT CASE WHEN r.width OPERATOR(pg_catalog.>) 0 \
                     THEN LEAST(pg_catalog.floor((v.x OPERATOR(pg_catalog.-) r.low) OPERATOR(pg_catalog./) r.width), {BARS} OPERATOR(pg_catalog.-) 1) \
                     WHEN v.x IS NOT NULL THEN 0 END, {COUNTS}, r.low, r.width \
         FROM v, r GROUP BY 1, r.low, r.width ORDER BY 1 NULLS LAST"
    );
    let counted = select(&query, |row| {
        let float = |column| row.get::<f64>(column).ok().flatten();
        let count = |column| row.get::<i64>(column).ok().flatten().unwrap_or(0);
        let (low, width) = (float(4).unwrap_or(0.0), float(5).unwrap_or(0.0));
        Counted {
            label: match float(1) {
                Some(place) => scale.label(low + place * width, width),
                None => "no number".into(),
            },
            before: count(2),
            after: count(3),
        }
    });
    counted
}

/// The most frequent values of both sides; then all the others together.
fn values(before: Option<&Side>, after: Option<&Side>) -> Vec<Counted> {
    let column = before
        .or(after)
        .map_or("", |side| side.column.name.as_str());
    let rows = union(
        &format!("{}::pg_catalog.text", identifier(column)),
        before,
        after,
    );
    let query = format!(
        "WITH n AS (SELECT v.x, {COUNTS}, pg_catalog.row_number() OVER (ORDER BY pg_catalog.sum(v.n) DESC, v.x) AS place \
                    FROM ({rows}) v GROUP BY v.x) \
         SELECT CASE WHEN n.place OPERATOR(pg_catalog.<=) {BARS} THEN COALESCE(n.x, 'null') END, \
                pg_catalog.sum(n.before)::pg_catalog.int8, pg_catalog.sum(n.after)::pg_catalog.int8, \
                LEAST(n.place, {BARS} OPERATOR(pg_catalog.+) 1) \
         FROM n GROUP BY 1, 4 ORDER BY 4"
    );
    select(&query, |row| {
        let count = |column| row.get::<i64>(column).ok().flatten().unwrap_or(0);
        let label = row.get::<String>(1).ok().flatten();
        Counted {
            label: label.unwrap_or_else(|| "all others".into()),
            before: count(2),
            after: count(3),
        }
    })
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
        let bar = |counted: &Counted| Bar {
            label: counted.label.clone(),
            strokes: self
                .sides(
                    stroke(counted.before, Tone::Before),
                    stroke(counted.after, Tone::Plain),
                )
                .collect(),
        };
        let cells = |counted: &Counted| {
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
