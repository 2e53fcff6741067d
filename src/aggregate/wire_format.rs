//! Aggregate states as bytes, for the other processes of a parallel plan.

use crate::aggregate::{State, ValueColumn};
use crate::pg::errors::{self, Failure, Names};
use crate::pg::memory;
use crate::read::codec::Codec;
use crate::read::numbers::Number;
use pgrx::pg_sys::Oid;
use sdc_engine::{GroupCounts, GroupMoments, Moments};

/// A state as bytes.
pub fn write(state: &State) -> Vec<u8> {
    let mut out = Vec::new();
    write_float(state.parameter, &mut out);
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
    let parameter = read_float(bytes);
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
        Failure::internal("serialized aggregate state is cut short").raise()
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

fn write_codec(codec: &Codec, out: &mut Vec<u8>) {
    write_word(u64::from(u32::from(codec.typ())), out);
    write_word(u64::from(u32::from(codec.collation())), out);
    if let Some(dictionary) = codec.dictionary() {
        write_word(dictionary.len() as u64, out);
        for image in dictionary.images() {
            write_word(image.len() as u64, out);
            image.iter().for_each(|&word| write_word(word, out));
        }
    }
}

fn read_codec(bytes: &mut &[u8]) -> Codec {
    let typ = Oid::from(read_word(bytes) as u32);
    let collation = Oid::from(read_word(bytes) as u32);
    let mut codec = Codec::new(typ, collation);
    if let Some(dictionary) = codec.dictionary_mut() {
        let mut image: Vec<u64> = Vec::new();
        for _ in 0..read_word(bytes) {
            image.clear();
            let length = read_word(bytes) as usize;
            memory::grow(&mut image, length);
            image.extend((0..length).map(|_| read_word(bytes)));
            dictionary.adopt(&image);
        }
    }
    codec
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
        let mut state = State::new(keys.into(), vec![category, number], 2.5);
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
            assert_eq!(again.parameter, 2.5);
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
