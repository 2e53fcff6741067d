//! The values of a column and their rows, in ranges or one by one, in one relation or in two.

use crate::pg::composite::Attribute;
use crate::pg::quoting::identifier;
use crate::pg::statements::select;
use crate::read::numbers::{self, Number};
use crate::read::relation::Source;
use crate::release::{ColumnDistribution, NumberScale, SharedOf, SharedValue};
use sdc_page::format::figure;

/// A value, or a range of values, and its rows.
pub struct ValueCount {
    pub label: String,
    pub before: i64,
    pub after: i64,
}

/// A relation's column.
pub struct Side<'a> {
    relation: &'a str,
    pub column: &'a Attribute,
}

/// The most ranges or values that a chart shows.
pub const BARS: i64 = 10;

/// What stands for numbers that a chart has no place for.
const NO_NUMBER: &str = "no number";
const ALL_OTHERS: &str = "all others";

/// What a release shows as ranges or sets, counted by what these stand for.
pub fn of_read_back(column: &ColumnDistribution) -> Vec<ValueCount> {
    let scale = column.scale.map_or(Scale::Real, Scale::of_numbers);
    let counted = |value: &SharedValue| ValueCount {
        label: match &value.of {
            SharedOf::Range { from, width } => scale.label(*from, *width),
            SharedOf::Value(text) => text.clone().unwrap_or_else(|| "null".into()),
            SharedOf::OtherValues => ALL_OTHERS.into(),
            SharedOf::Nothing if column.scale.is_none() => "null".into(),
            SharedOf::Nothing => NO_NUMBER.into(),
        },
        before: value.rows[0].round() as i64,
        after: value.rows[1].round() as i64,
    };
    column.values.iter().map(counted).collect()
}

impl<'a> Side<'a> {
    pub fn of(source: &'a Source, name: &str) -> Option<Self> {
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
    /// numeric, whose numbers may be larger than any double
    Decimal,
    Days,
}

impl Scale {
    fn of(column: &Attribute) -> Option<Self> {
        Some(match Number::of(column.typ)? {
            Number::Int2 | Number::Int4 | Number::Int8 => Scale::Whole,
            Number::Float4 | Number::Float8 => Scale::Real,
            Number::Numeric => Scale::Decimal,
            Number::Date | Number::Timestamp => Scale::Days,
            Number::Interval => return None,
        })
    }

    /// The scale of numbers that were read from texts.
    fn of_numbers(scale: NumberScale) -> Self {
        match scale {
            NumberScale::Whole => Scale::Whole,
            NumberScale::Real | NumberScale::Span => Scale::Real,
            NumberScale::Days | NumberScale::Seconds => Scale::Days,
        }
    }

    /// The column's values as float8; what has no place on the scale is NULL.
    fn sql(self, name: &str) -> String {
        let column = identifier(name);
        let number = match self {
            Scale::Whole | Scale::Real => format!("{column}::pg_catalog.float8"),
            // the cast of a number that is not a double would fail, and say the number
            Scale::Decimal => format!(
                "CASE WHEN {column} OPERATOR(pg_catalog.=) 0::pg_catalog.numeric \
                 OR pg_catalog.abs({column}) OPERATOR(pg_catalog.>) '1e-300'::pg_catalog.numeric \
                 AND pg_catalog.abs({column}) OPERATOR(pg_catalog.<) '1e300'::pg_catalog.numeric \
                 THEN {column}::pg_catalog.float8 END"
            ),
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
        let day = numbers::iso_date;
        let last = from + width - 1.0;
        match self {
            _ if width <= 0.0 => figure(from),
            Scale::Whole if last <= from => format!("{from}"),
            Scale::Whole => format!("{from}–{last}"),
            Scale::Days if last <= from => day(from),
            Scale::Days => format!("≥ {}", day(from)),
            Scale::Real | Scale::Decimal => format!("{}–{}", figure(from), figure(from + width)),
        }
    }
}

/// The values of both sides that are given; they must be of one type.
pub fn counted(before: Option<&Side>, after: Option<&Side>) -> Vec<ValueCount> {
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

/// Ranges of equal width over both sides, whole numbers in whole steps; then what is on no scale,
/// NULL among it, which LEAST would take for the largest.
fn ranges(scale: Scale, before: Option<&Side>, after: Option<&Side>) -> Vec<ValueCount> {
    let column = before
        .or(after)
        .map_or("", |side| side.column.name.as_str());
    let rows = union(&scale.sql(column), before, after);
    let width = match scale {
        Scale::Real | Scale::Decimal => format!(
            "(pg_catalog.max(v.x) OPERATOR(pg_catalog.-) pg_catalog.min(v.x)) OPERATOR(pg_catalog./) {BARS}"
        ),
        _ => format!(
            "pg_catalog.ceil((pg_catalog.max(v.x) OPERATOR(pg_catalog.-) pg_catalog.min(v.x) OPERATOR(pg_catalog.+) 1) OPERATOR(pg_catalog./) {BARS})"
        ),
    };
    let query = format!(
        "WITH v AS ({rows}), r AS (SELECT pg_catalog.min(v.x) AS low, {width} AS width FROM v) \
         SELECT CASE WHEN v.x IS NULL THEN NULL WHEN r.width OPERATOR(pg_catalog.>) 0 \
                     THEN LEAST(pg_catalog.floor((v.x OPERATOR(pg_catalog.-) r.low) OPERATOR(pg_catalog./) r.width), {BARS} OPERATOR(pg_catalog.-) 1) \
                     ELSE 0 END, {COUNTS}, r.low, r.width \
         FROM v, r GROUP BY 1, r.low, r.width ORDER BY 1 NULLS LAST"
    );
    let bins = select(&query, |row| {
        let float = |column| row.get::<f64>(column);
        let count = |column| row.get::<i64>(column).unwrap_or(0);
        Bin {
            place: float(1).map(|place| place as i64),
            before: count(2),
            after: count(3),
            low: float(4).unwrap_or(0.0),
            width: float(5).unwrap_or(0.0),
        }
    });
    with_empty_ranges(scale, &bins)
}

/// A range of a scale, or no place on it.
struct Bin {
    place: Option<i64>,
    before: i64,
    after: i64,
    low: f64,
    width: f64,
}

/// Ranges without rows are shown, too: a gap is something to see.
fn with_empty_ranges(scale: Scale, bins: &[Bin]) -> Vec<ValueCount> {
    let last = bins.iter().filter_map(|bin| bin.place).max();
    let places = (0..=last.unwrap_or(-1)).map(Some);
    let nowhere = bins.iter().any(|bin| bin.place.is_none());
    let (low, width) = bins.first().map_or((0.0, 0.0), |bin| (bin.low, bin.width));
    let counted = |place: Option<i64>| {
        let bin = bins.iter().find(|bin| bin.place == place);
        ValueCount {
            label: match place {
                Some(place) => scale.label(low + place as f64 * width, width),
                None => NO_NUMBER.into(),
            },
            before: bin.map_or(0, |bin| bin.before),
            after: bin.map_or(0, |bin| bin.after),
        }
    };
    places.chain(nowhere.then_some(None)).map(counted).collect()
}

/// The most frequent values of both sides; then all the others together.
pub fn values(before: Option<&Side>, after: Option<&Side>) -> Vec<ValueCount> {
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
        let count = |column| row.get::<i64>(column).unwrap_or(0);
        let label = row.get::<String>(1);
        ValueCount {
            label: label.unwrap_or_else(|| ALL_OTHERS.into()),
            before: count(2),
            after: count(3),
        }
    })
}
