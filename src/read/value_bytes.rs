//! The bytes of single values: what a [codec](crate::read::codec) writes and reads.

use pgrx::pg_sys::Datum;

/// -0 equals 0 and every NaN equals every other, as PostgreSQL has it.
pub fn float8_bits(datum: Datum) -> u64 {
    let value = f64::from_bits(datum.value() as u64);
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        (value + 0.0).to_bits()
    }
}

pub fn float4_bits(datum: Datum) -> u32 {
    let value = f32::from_bits(datum.value() as u32);
    if value.is_nan() {
        f32::NAN.to_bits()
    } else {
        (value + 0.0).to_bits()
    }
}

/// The sign is kept: PostgreSQL's by-value integers are sign-extended.
pub fn word(value: &[u8]) -> Datum {
    let mut bytes = [0; 8];
    bytes[..value.len()].copy_from_slice(value);
    let shift = 64 - 8 * value.len() as u32;
    let extended = (i64::from_le_bytes(bytes) << shift) >> shift;
    Datum::from(extended as usize)
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}
