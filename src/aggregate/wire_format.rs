//! Aggregate states as bytes, for the other processes of a parallel plan, and for other servers:
//! what a server numbers in its own way (types, collations, labels of enums) stands there by
//! its name.

use crate::aggregate::{Parameter, State, ValueColumn};
use crate::pg::catalog_names;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::memory;
use crate::read::codec::Codec;
use crate::read::numbers::Number;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::Oid;
use sdc_engine::{GroupCounts, GroupMoments, Moments};

/// A state as bytes.
pub fn write(state: &State) -> Vec<u8> {
    let mut out = Vec::new();
    write_parameter(state.parameter, &mut out);
    write_word(state.keys.len() as u64, &mut out);
    state
        .keys
        .iter()
        .for_each(|codec| write_codec(codec, &mut out));
    write_word(state.values.len() as u64, &mut out);
    state
        .values
        .iter()
        .for_each(|value| write_value(value, &mut out));
    errors::engine(state.counts.write(&mut out), Names::default());
    write_word(state.moments.cells().len() as u64, &mut out);
    state
        .moments
        .cells()
        .iter()
        .for_each(|cell| write_moments(cell, &mut out));
    out
}

/// A state from bytes.
pub fn read(mut bytes: &[u8]) -> State {
    let bytes = &mut bytes;
    let parameter = read_parameter(bytes);
    let keys = (0..read_word(bytes)).map(|_| read_codec(bytes)).collect();
    let values = (0..read_word(bytes)).map(|_| read_value(bytes)).collect();
    let mut state = State::new(keys, values, parameter);
    state.counts = errors::engine(GroupCounts::read(bytes), Names::default());
    let length = read_word(bytes) as usize;
    let mut cells = memory::reserved(length);
    cells.extend((0..length).map(|_| read_moments(bytes)));
    state.moments = GroupMoments::from_cells(state.moments.columns(), cells);
    state
}

fn write_word(word: u64, out: &mut Vec<u8>) {
    memory::append(out, &word.to_le_bytes());
}

fn read_word(bytes: &mut &[u8]) -> u64 {
    let Some((word, rest)) = bytes.split_first_chunk::<8>() else {
        cut_short()
    };
    *bytes = rest;
    u64::from_le_bytes(*word)
}

fn write_float(number: f64, out: &mut Vec<u8>) {
    write_word(number.to_bits(), out);
}

fn read_float(bytes: &mut &[u8]) -> f64 {
    f64::from_bits(read_word(bytes))
}

/// A table is another number on another server.
fn write_parameter(parameter: Parameter, out: &mut Vec<u8>) {
    match parameter {
        Parameter::None => write_word(0, out),
        Parameter::Number(number) => {
            write_word(1, out);
            write_float(number, out);
        }
        Parameter::Relation(relation) => {
            write_word(2, out);
            write_object(relation, catalog_names::relation_name, out);
        }
    }
}

fn read_parameter(bytes: &mut &[u8]) -> Parameter {
    match read_word(bytes) {
        0 => Parameter::None,
        1 => Parameter::Number(read_float(bytes)),
        _ => Parameter::Relation(read_object(catalog_names::relation_named, bytes)),
    }
}

fn write_codec(codec: &Codec, out: &mut Vec<u8>) {
    write_object(codec.typ(), catalog_names::type_name, out);
    write_object(codec.collation(), catalog_names::collation_name, out);
    if let Some(dictionary) = codec.dictionary() {
        write_word(dictionary.len() as u64, out);
        match dictionary.is_portable() {
            true => dictionary
                .images()
                .for_each(|image| write_image(image, out)),
            false => dictionary.texts(|text| write_text(text, out)),
        }
    }
}

fn write_image(image: &[u64], out: &mut Vec<u8>) {
    write_word(image.len() as u64, out);
    image.iter().for_each(|&word| write_word(word, out));
}

/// An OID that is the same everywhere, or a name.
fn write_object(oid: Oid, name: fn(Oid) -> String, out: &mut Vec<u8>) {
    match catalog_names::is_everywhere(oid) {
        true => write_word(u64::from(u32::from(oid)), out),
        false => {
            write_word(BY_NAME, out);
            write_text(name(oid).as_bytes(), out);
        }
    }
}

fn read_object(named: fn(&str) -> Oid, bytes: &mut &[u8]) -> Oid {
    match read_word(bytes) {
        BY_NAME => match std::str::from_utf8(&read_text(bytes)) {
            Ok(name) => named(name),
            Err(_) => cut_short(),
        },
        oid => Oid::from(oid as u32),
    }
}

/// Stands where an OID would; OIDs have 32 bits.
const BY_NAME: u64 = u64::MAX;

fn write_text(text: &[u8], out: &mut Vec<u8>) {
    write_word(text.len() as u64, out);
    memory::append(out, text);
}

fn read_text(bytes: &mut &[u8]) -> Vec<u8> {
    let length = read_word(bytes) as usize;
    let Some((text, rest)) = bytes.split_at_checked(length) else {
        cut_short()
    };
    *bytes = rest;
    let mut copy = memory::reserved(length);
    copy.extend_from_slice(text);
    copy
}

fn cut_short() -> ! {
    Failure::internal("serialized aggregate state is truncated").raise()
}

fn read_codec(bytes: &mut &[u8]) -> Codec {
    let typ = read_object(catalog_names::type_named, bytes);
    let collation = read_object(catalog_names::collation_named, bytes);
    let mut codec = Codec::new(typ, collation);
    if let Some(dictionary) = codec.dictionary_mut() {
        for number in 0..read_word(bytes) {
            let adopted = match dictionary.is_portable() {
                true => dictionary.adopt(&read_image(bytes)),
                false => dictionary.adopt_text(read_text(bytes)),
            };
            if u64::from(adopted) != number {
                unlike_values();
            }
        }
    }
    codec
}

fn read_image(bytes: &mut &[u8]) -> Vec<u64> {
    let length = read_word(bytes) as usize;
    if length > bytes.len() / 8 {
        cut_short();
    }
    let mut image = memory::reserved(length);
    image.extend((0..length).map(|_| read_word(bytes)));
    image
}

/// Two values that differ where they come from, and do not here.
fn unlike_values() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
        "values of a serialized aggregate state are compared differently on this server",
    )
    .hint("A type or collation of the same name must be the same on all servers.")
    .raise()
}

/// A number's label is for messages about rows; there are none to come in another process.
fn write_value(value: &ValueColumn, out: &mut Vec<u8>) {
    match value {
        ValueColumn::Category { index, codec } => {
            write_word(0, out);
            write_word(*index as u64, out);
            write_codec(codec, out);
        }
        ValueColumn::Number { index, kind, .. } => {
            write_word(1 + *kind as u64, out);
            write_word(*index as u64, out);
        }
    }
}

fn read_value(bytes: &mut &[u8]) -> ValueColumn {
    let kind = read_word(bytes);
    let index = read_word(bytes) as usize;
    match kind {
        0 => ValueColumn::Category {
            index,
            codec: read_codec(bytes),
        },
        kind => ValueColumn::Number {
            index,
            kind: Number::ALL[kind as usize - 1],
            reader: None,
            label: String::new(),
        },
    }
}

fn write_moments(cell: &Moments, out: &mut Vec<u8>) {
    write_word(cell.rows, out);
    for number in [cell.mean, cell.squares, cell.least, cell.greatest] {
        write_float(number, out);
    }
}

fn read_moments(bytes: &mut &[u8]) -> Moments {
    Moments {
        rows: read_word(bytes),
        mean: read_float(bytes),
        squares: read_float(bytes),
        least: read_float(bytes),
        greatest: read_float(bytes),
    }
}

#[cfg(any(test, feature = "pg_test"))]
#[pgrx::pg_schema]
mod tests {
    use super::*;
    use crate::pg::aggregate_call::AggregateState;
    use crate::pg::cell::Cell;
    use crate::pg::statements;
    use pgrx::PgTryBuilder;
    use pgrx::prelude::*;

    /// Keys that are a word, bytes and a dictionary's number; a counted and a measured value.
    const ROWS: &str = "SELECT (random() * 5)::int4, md5((random() * 3)::int4::text), \
                        nullif((random() * 4)::int4, 2)::numeric, (random() * 9)::int4, random() \
                        FROM generate_series(1, 400)";

    fn state() -> State {
        let codec = |typ| Codec::new(typ, pg_sys::DEFAULT_COLLATION_OID);
        let keys = [pg_sys::INT4OID, pg_sys::TEXTOID, pg_sys::NUMERICOID].map(codec);
        let number = ValueColumn::Number {
            index: 0,
            kind: Number::Float8,
            reader: None,
            label: String::new(),
        };
        let (index, codec) = (0, codec(pg_sys::INT4OID));
        let category = ValueColumn::Category { index, codec };
        let mut state = State::new(keys.into(), vec![category, number], Parameter::Number(2.5));
        statements::select(ROWS, |row| {
            add(&mut state, [0, 1, 2, 3, 4].map(|n| row.cell(n)))
        });
        state
    }

    fn add(state: &mut State, cells: [Cell<'_>; 5]) {
        let mut key = Vec::new();
        for (codec, cell) in state.keys.iter_mut().zip(cells) {
            codec.encode(cell, &mut key);
        }
        let group = state.counts.add_group(&key, 1).unwrap();
        let mut value = Vec::new();
        if let ValueColumn::Category { codec, .. } = &mut state.values[0] {
            codec.encode(cells[3], &mut value);
        }
        state.counts.add_value(0, group, &value, 1).unwrap();
        let number = cells[4].float8();
        state.moments.cell(group, 0).unwrap().add(number);
    }

    #[pg_test]
    fn a_state_comes_back_from_its_bytes() {
        for _ in 0..10 {
            let state = state();
            let bytes = write(&state);
            let again = read(&bytes);
            // pairs are kept by hash, so that their order among the bytes may change
            assert_eq!(write(&again).len(), bytes.len());
            assert!(again.moments.cells() == state.moments.cells());
            assert_eq!(again.counts.tally().unwrap(), state.counts.tally().unwrap());
            assert_eq!(again.parameter, Parameter::Number(2.5));
        }
    }

    #[pg_test]
    fn a_state_merged_from_bytes_counts_twice() {
        let mut twice = state();
        let other = read(&write(&twice));
        let once = twice.counts.tally().unwrap();
        twice.merge(&other);
        let twice = twice.counts.tally().unwrap();
        let sizes: Vec<u64> = once.sizes().iter().map(|size| 2 * size).collect();
        assert_eq!(twice.sizes(), sizes);
        assert_eq!(twice.rows(), 2 * once.rows());
    }

    /// Everything that a server numbers in its own way: an enum, a row type that holds one, an
    /// array of them, a domain, a collation.
    const OWN_TYPES: &str = "CREATE TYPE mood AS ENUM ('fine', 'sad, really'); \
        CREATE TYPE pair AS (feeling mood, number int4); CREATE DOMAIN few AS numeric; \
        CREATE COLLATION bytewise FROM \"C\"; CREATE SCHEMA \"a b\"; \
        CREATE TYPE \"a b\".\"Odd name\" AS ENUM ('x', 'y')";
    const OTHER_OIDS: &str = "DROP TYPE pair, mood, \"a b\".\"Odd name\"; DROP DOMAIN few; \
        DROP COLLATION bytewise; DROP SCHEMA \"a b\"";
    const OWN_ROWS: &str = "SELECT feeling, (feeling, n)::pair, ARRAY[feeling, NULL], n::few, \
        odd, label FROM (SELECT (enum_range(NULL::mood))[1 + n % 3] AS feeling, n, \
        (enum_range(NULL::\"a b\".\"Odd name\"))[1 + n % 2] AS odd, md5(n::text) COLLATE bytewise AS label \
        FROM generate_series(0, 5) AS n, generate_series(1, 4)) AS rows";

    /// The groups of rows with such columns, and the columns' types.
    fn state_of_own_types() -> State {
        let collation = Spi::get_one::<Oid>("SELECT 'bytewise'::regcollation::oid");
        let collation = collation.unwrap().unwrap();
        let mut state: Option<State> = None;
        statements::select(OWN_ROWS, |row| {
            let state = state.get_or_insert_with(|| {
                let codec = |cell: Cell<'_>| Codec::new(cell.typ(), collation);
                State::new(
                    row.cells().map(codec).collect(),
                    Vec::new(),
                    Parameter::None,
                )
            });
            let mut key = Vec::new();
            for (codec, cell) in state.keys.iter_mut().zip(row.cells()) {
                codec.encode(cell, &mut key);
            }
            state.counts.add_group(&key, 1).unwrap();
        });
        state.unwrap()
    }

    #[pg_test]
    fn a_state_is_understood_where_types_have_other_oids() {
        Spi::run(OWN_TYPES).unwrap();
        let there = state_of_own_types();
        let bytes = write(&there);
        Spi::run(OTHER_OIDS).unwrap();
        Spi::run(OWN_TYPES).unwrap();
        let mut here = state_of_own_types();
        let came = read(&bytes);
        for (mine, theirs) in here.keys.iter().zip(&came.keys) {
            assert_eq!(mine.typ(), theirs.typ());
            assert_eq!(mine.collation(), theirs.collation());
        }
        assert_ne!(there.keys[0].typ(), came.keys[0].typ());
        here.merge(&came);
        assert_eq!(here.counts.groups(), 6);
        assert_eq!(here.counts.sizes(), [8; 6]);
    }

    #[pg_test]
    #[should_panic(expected = "type \"public.mood\" does not exist")]
    fn a_state_of_a_type_that_is_not_there_is_refused() {
        Spi::run(OWN_TYPES).unwrap();
        let bytes = write(&state_of_own_types());
        Spi::run(OTHER_OIDS).unwrap();
        read(&bytes);
    }

    #[pg_test]
    fn bytes_that_are_cut_short_are_an_error() {
        let bytes = write(&state());
        for length in (0..bytes.len()).step_by(97) {
            let refused =
                PgTryBuilder::new(|| read(&bytes[..length]).counts.groups() == usize::MAX)
                    .catch_others(|_| true)
                    .execute();
            assert!(refused, "{length} of {} bytes", bytes.len());
        }
    }
}
