//! Whose group is whose, where a release shows ranges, sets and blanks: by which groups' keys
//! cover a person's.

use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::CodedColumn;
use crate::attack::regrouped::{no_hierarchy, one_table};
use crate::attack::truth::{Known, Persons, ReleasedGroups};
use crate::pg::arrays::ArrayReader;
use crate::pg::cell::Cell;
use crate::pg::errors::{Failure, known};
use crate::pg::memory::{self, collected};
use crate::pg::progress::Watch;
use crate::pg::statements;
use crate::pg::text_casts::{TextOf, read_cell};
use crate::read::hierarchy_table::HierarchyTable;
use crate::read::numbers::NumberReader;
use crate::read::relation::relation_of;
use pgrx::pg_sys;
use sdc_engine::attack::{Cover, CoveringKey, MISSING, covering_groups};
use sdc_engine::{ColumnTally, Interner};
use serde_json::Value;

/// Groups of ranges and sets.
pub fn of_ranges(
    release: &AttackedRelease,
    persons: &mut Persons,
    watch: &mut Watch,
) -> ReleasedGroups {
    let column = |name: &String| CodedColumn::new(&release.tables[0], name);
    let mut shown_keys: Vec<CodedColumn> = release.keys.iter().map(column).collect();
    let shown = one_table(release, (&mut shown_keys, &mut persons.sensitive), watch);
    // dates are written so in the release, whatever the session's style
    let iso = [(c"datestyle", c"ISO, YMD")];
    let keys = statements::under(&iso, || {
        let columns = persons.keys.iter().zip(&shown_keys).enumerate();
        let keys = columns.map(|(place, (own, shown_key))| {
            let values = OwnValues::of(release, own);
            CoveringKey {
                places: values.places(own, &persons.key_codes[place]),
                label_of: collected(shown.points[place].iter().copied()),
                covers: values.covers(shown_key),
            }
        });
        keys.collect::<Vec<CoveringKey>>()
    });
    found(keys, persons, (shown.sizes, shown.values), watch)
}

/// Groups of keys as they are, some of them blanked.
pub fn of_blanked(
    release: &AttackedRelease,
    persons: &mut Persons,
    watch: &mut Watch,
) -> ReleasedGroups {
    let columns = (&mut persons.keys[..], &mut persons.sensitive[..]);
    let shown = one_table(release, columns, watch);
    let keys = (0..persons.keys.len()).map(|place| {
        let null = null_code(&persons.keys[place]);
        let cover = |code| match Some(code) == null {
            true => Cover::All,
            false => Cover::Places(vec![code]),
        };
        CoveringKey {
            places: collected(persons.key_codes[place].iter().copied()),
            label_of: collected(shown.points[place].iter().copied()),
            covers: (0..persons.keys[place].count() as u32).map(cover).collect(),
        }
    });
    found(keys.collect(), persons, (shown.sizes, shown.values), watch)
}

fn found(
    keys: Vec<CoveringKey>,
    persons: &Persons,
    (sizes, values): (Vec<u64>, Vec<ColumnTally>),
    watch: &mut Watch,
) -> ReleasedGroups {
    let Some(shown) = values.first() else {
        Failure::invalid("a release without sensitive values has nothing to intersect")
            .hint("Name sensitive columns in what you publish.")
            .raise()
    };
    let (own, only) = known(covering_groups(&keys, &persons.values[0], shown, watch));
    ReleasedGroups {
        own,
        known: match only {
            true => Known::Exactly,
            false => Known::Likeliest,
        },
        sizes,
        values,
        points: None,
    }
}

fn null_code(column: &CodedColumn) -> Option<u32> {
    let place = column.values.categories().position(|cell| cell.is_null());
    place.map(|place| place as u32)
}

/// A key's own values, by which labels say what they cover.
enum OwnValues {
    /// of each code its place among the sorted numbers
    Numbers {
        reader: NumberReader,
        place_of: Vec<u32>,
        sorted: Vec<f64>,
    },
    /// the values' texts by their codes
    Texts { texts: Interner, sets: bool },
    /// each value's number in the hierarchy, by its code
    Nodes(Box<HierarchyTable>, Vec<u32>),
}

impl OwnValues {
    fn of(release: &AttackedRelease, own: &CodedColumn) -> Self {
        if let Value::String(table) = &release.parameters["hierarchies"][&own.name] {
            release.refuse_others();
            let Some(table) = relation_of(table) else {
                no_hierarchy(table, &own.name)
            };
            let table = HierarchyTable::new(table);
            let label = format!("column \"{}\"", own.name);
            let values = table.values_of(&label, own.typ, &own.values);
            return OwnValues::Nodes(Box::new(table), values);
        }
        let is_stratum = release.is_stratum(&own.name);
        let reader = NumberReader::of(own.typ).filter(|_| own.is_numeric() && !is_stratum);
        match reader {
            Some(reader) => OwnValues::of_numbers(reader, &own.numbers),
            None => OwnValues::Texts {
                texts: texts(own),
                sets: !is_stratum,
            },
        }
    }

    fn of_numbers(reader: NumberReader, numbers: &[f64]) -> Self {
        let mut sorted = memory::reserved(numbers.len());
        sorted.extend(numbers.iter().filter(|number| !number.is_nan()));
        sorted.sort_unstable_by(f64::total_cmp);
        let place = |number: &f64| match number.is_nan() {
            true => MISSING,
            false => sorted.partition_point(|other| other < number) as u32,
        };
        let place_of = collected(numbers.iter().map(place));
        OwnValues::Numbers {
            reader,
            place_of,
            sorted,
        }
    }

    /// The places of rows with these codes.
    fn places(&self, own: &CodedColumn, codes: &[u32]) -> Vec<u32> {
        let null = null_code(own);
        let place = |&code: &u32| match self {
            OwnValues::Numbers { place_of, .. } => place_of[code as usize],
            OwnValues::Nodes(..) => code,
            OwnValues::Texts { .. } if Some(code) == null => MISSING,
            OwnValues::Texts { .. } => code,
        };
        collected(codes.iter().map(place))
    }

    /// What each label of the release covers.
    fn covers(&self, shown: &CodedColumn) -> Vec<Cover> {
        let mut text = TextOf::new(shown.typ);
        let cover = |label: Cell<'_>| {
            let mut bytes = Vec::new();
            text.append(label, &mut bytes);
            match (label.is_null(), self) {
                (true, _) => Cover::All,
                (_, OwnValues::Numbers { reader, sorted, .. }) => range(*reader, sorted, &bytes),
                (_, OwnValues::Nodes(table, values)) => below(table, values, &bytes),
                (_, OwnValues::Texts { texts, sets: true }) => elements(texts, bytes),
                (_, OwnValues::Texts { texts, .. }) => one(texts.find(&bytes)),
            }
        };
        shown.values.categories().map(cover).collect()
    }
}

fn one(code: Option<u32>) -> Cover {
    Cover::Places(code.into_iter().collect())
}

fn texts(own: &CodedColumn) -> Interner {
    let (mut text, mut texts) = (TextOf::new(own.typ), Interner::new());
    for (code, cell) in own.values.categories().enumerate() {
        let mut bytes = Vec::new();
        match cell.is_null() {
            // no text, but a number of its own
            true => bytes.extend_from_slice(b"\0"),
            false => text.append(cell, &mut bytes),
        }
        if known(texts.intern(&bytes)) as usize != code {
            // two values that look the same: their number keeps the others' codes in step
            known(texts.intern(&[b"\0", &code.to_le_bytes()[..]].concat()));
        }
    }
    texts
}

/// The numbers in a range such as `[20,30)` or `["2024-01-01 00:00:00","2024-02-01 00:00:00"]`.
fn range(reader: NumberReader, sorted: &[f64], label: &[u8]) -> Cover {
    let text = String::from_utf8_lossy(label);
    let inner = text.strip_prefix('[').and_then(|text| {
        let closed = text.strip_suffix(']').map(|inner| (inner, true));
        closed.or_else(|| text.strip_suffix(')').map(|inner| (inner, false)))
    });
    let ends = inner.and_then(|(inner, closed)| Some((inner.split_once(',')?, closed)));
    let Some(((low, high), closed)) = ends else {
        Failure::internal("a label that is no range").raise()
    };
    let number = |end: &str| {
        let end = end.trim_matches('"').as_bytes().to_vec();
        let cell = read_cell(reader.typ(), Some(end));
        reader.number(cell).unwrap_or(f64::NAN)
    };
    let (low, high) = (number(low), number(high));
    let from = sorted.partition_point(|&other| other < low);
    let to = match closed {
        true => sorted.partition_point(|&other| other <= high),
        false => sorted.partition_point(|&other| other < high),
    };
    Cover::Span(from as u32, to.max(from) as u32)
}

/// The values of a set such as `{DE,FR}`.
fn elements(texts: &Interner, label: Vec<u8>) -> Cover {
    let Some(reader) = ArrayReader::of(pg_sys::TEXTARRAYOID) else {
        Failure::internal("no arrays of text").raise()
    };
    let set = read_cell(pg_sys::TEXTARRAYOID, Some(label));
    let mut text = TextOf::new(reader.element);
    let code = |element: Cell<'_>| {
        let mut bytes = Vec::new();
        match element.is_null() {
            true => bytes.extend_from_slice(b"\0"),
            false => text.append(element, &mut bytes),
        }
        texts.find(&bytes)
    };
    let mut places: Vec<u32> = reader.read(set).into_iter().filter_map(code).collect();
    places.sort_unstable();
    Cover::Places(places)
}

/// The values below a node of a hierarchy, those of its text at any level.
fn below(table: &HierarchyTable, values: &[u32], label: &[u8]) -> Cover {
    let is_below =
        |value: u32| (0..=table.top()).any(|level| table.label(level, value) == Some(label));
    let codes = (0u32..).zip(values);
    Cover::Places(codes.filter(|of| is_below(*of.1)).map(|of| of.0).collect())
}
