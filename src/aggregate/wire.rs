//! Aggregate states as bytes, for the other processes of a parallel plan.

use super::{State, ValueColumn};
use crate::codec::Codec;
use crate::errors::{self, Failure, Names};
use crate::memory;
use crate::number::Number;
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
