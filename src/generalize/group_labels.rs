//! What the groups of a local recoding show: a range of numbers or dates as PostgreSQL writes
//! ranges, a set of values as it writes arrays. Both can be cast back. A group of which half the
//! numbers or more are missing shows none.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Names};
use crate::pg::memory;
use crate::pg::progress::Watch;
use crate::pg::text_casts::TextOf;
use crate::read::columns::Decoder;
use crate::read::numbers::Number;
use crate::read::ranks;
use crate::read::source_rows::KeptRows;
use pgrx::pg_sys::Oid;
use sdc_engine::{Categories, Partition, mask};

/// For each group the rows with the least and the largest value of a numeric column.
pub struct GroupEnds {
    /// the column's place among those that are replayed
    pub place: usize,
    typ: Oid,
    ends: Vec<[u32; 2]>,
    /// groups that show nothing, because half their values or more are missing
    hidden: Vec<bool>,
    texts: Vec<[String; 2]>,
}

impl GroupEnds {
    pub fn new(place: usize, typ: Oid, values: &[f64], partition: &Partition) -> Self {
        let groups = partition.groups();
        let mut ends = memory::reserved(groups);
        ends.resize(groups, [u32::MAX; 2]);
        for (row, &group) in (0u32..).zip(partition.group_of()) {
            let [least, largest] = &mut ends[group as usize];
            let value = values[row as usize];
            if value.is_nan() {
                continue;
            }
            if *least == u32::MAX || value < values[*least as usize] {
                *least = row;
            }
            if *largest == u32::MAX || value > values[*largest as usize] {
                *largest = row;
            }
        }
        let mut texts = memory::reserved(groups);
        texts.resize(groups, [String::new(), String::new()]);
        let means = errors::engine(mask::means(values, partition), Names::default());
        GroupEnds {
            place,
            typ,
            ends,
            hidden: memory::collected(means.iter().map(|mean| mean.is_nan())),
            texts,
        }
    }

    /// The range that each group shows.
    pub fn labels(&self) -> Vec<Cell<'static>> {
        let whole = Number::of(self.typ).filter(|kind| {
            matches!(
                kind,
                Number::Int2 | Number::Int4 | Number::Int8 | Number::Date
            )
        });
        let label = |([least, largest], &hidden): (&[String; 2], &bool)| {
            if hidden {
                return Cell::text(None);
            }
            let next = whole.and_then(|kind| next(kind, largest));
            let range = match next {
                Some(next) => format!("[{least},{next})"),
                None => format!("[{least},{largest}]"),
            };
            Cell::text(Some(range.as_bytes()))
        };
        memory::collected(self.texts.iter().zip(&self.hidden).map(label))
    }
}

/// Reads the texts of the ends from the rows themselves, which have digits that doubles lack.
pub fn read_ends(
    columns: &mut [GroupEnds],
    rows: &KeptRows,
    partition: &Partition,
    watch: &mut Watch,
) {
    let mut texts: Vec<TextOf> = columns.iter().map(|c| TextOf::new(c.typ)).collect();
    let mut bytes = Vec::new();
    rows.replay(watch, |row, cells| {
        let group = partition.group_of()[row] as usize;
        for (column, text) in columns.iter_mut().zip(&mut texts) {
            for end in 0..2 {
                if column.ends[group][end] as usize == row {
                    bytes.clear();
                    text.append(cells[column.place], &mut bytes);
                    column.texts[group][end] = String::from_utf8_lossy(&bytes).into_owned();
                }
            }
        }
    });
}

/// The next whole number or day, as the upper end that a range leaves out.
fn next(kind: Number, text: &str) -> Option<String> {
    match kind {
        Number::Date => next_day(text),
        _ => Some(text.parse::<i64>().ok()?.checked_add(1)?.to_string()),
    }
}

/// The day after one that is written as ISO 8601 has it.
fn next_day(text: &str) -> Option<String> {
    let mut parts = text.splitn(3, '-').map(|part| part.parse::<u32>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let (year, month, day) = match (day < days, month < 12) {
        (true, _) => (year, month, day + 1),
        (false, true) => (year, month + 1, 1),
        (false, false) => (year + 1, 1, 1),
    };
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// The set of values that each group shows, in the order of their type where it has one.
pub fn sets(
    codes: &Categories,
    values: &Decoder,
    typ: Oid,
    partition: &Partition,
) -> Vec<Cell<'static>> {
    let elements = elements(values, typ);
    let places = match values {
        Decoder::Category { codec, seen } => ranks::places(codec, seen),
        Decoder::Number(_) => None,
    };
    let place = |code: &u32| {
        places
            .as_ref()
            .map_or(*code, |places| places[*code as usize])
    };
    let members = errors::engine(partition.members(), Names::default());
    let mut shown: Vec<u32> = Vec::new();
    let label = |rows: &[u32]| {
        shown.clear();
        memory::grow(&mut shown, rows.len());
        shown.extend(rows.iter().map(|&row| codes.codes()[row as usize]));
        shown.sort_unstable_by_key(place);
        shown.dedup();
        let mut text = vec![b'{'];
        for (number, &code) in shown.iter().enumerate() {
            if number > 0 {
                text.push(b',');
            }
            memory::append(&mut text, &elements[code as usize]);
        }
        text.push(b'}');
        Cell::text(Some(&text))
    };
    memory::collected(members.iter().map(label))
}

/// Each value as an element of an array's text.
fn elements(values: &Decoder, typ: Oid) -> Vec<Vec<u8>> {
    let mut text = TextOf::new(typ);
    let element = |value: Cell<'_>| {
        if value.is_null() {
            return b"NULL".to_vec();
        }
        let mut bytes = Vec::new();
        text.append(value, &mut bytes);
        quoted(bytes)
    };
    values.categories().map(element).collect()
}

/// An array's text needs quotes around what it would read otherwise.
fn quoted(bytes: Vec<u8>) -> Vec<u8> {
    let special = |byte: &u8| b"{}\",\\ \t\n\r\x0b\x0c".contains(byte);
    let plain = !bytes.is_empty() && !bytes.iter().any(special);
    if plain && !bytes.eq_ignore_ascii_case(b"null") {
        return bytes;
    }
    let mut quoted = vec![b'"'];
    for byte in bytes {
        if byte == b'"' || byte == b'\\' {
            quoted.push(b'\\');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    quoted
}
