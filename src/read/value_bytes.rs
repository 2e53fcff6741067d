//! The bytes of single values: what a [codec](crate::read::codec) writes and reads.

use crate::pg::memory;
use pgrx::pg_sys::{self, Datum};

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

/// # Safety
/// `datum` must point to a value of variable length.
pub unsafe fn encode_varlena(datum: Datum, out: &mut Vec<u8>) {
    // SAFETY: detoasting gives a plain value, freed below if it is a copy.
    unsafe {
        let original = datum.cast_mut_ptr::<pg_sys::varlena>();
        let plain = if is_plain(original) {
            original
        } else {
            pg_sys::pg_detoast_datum_packed(original)
        };
        let length = pgrx::varlena::varsize_any_exhdr(plain);
        let data = pgrx::varlena::vardata_any(plain).cast::<u8>();
        out.extend_from_slice(&(length as u32).to_le_bytes());
        memory::append(out, std::slice::from_raw_parts(data, length));
        if plain != original {
            pg_sys::pfree(plain.cast());
        }
    }
}

/// Whether the bytes of a value stand behind its header, which may be a short one. Seen here,
/// since asking PostgreSQL costs more than the rest for each value of each row.
///
/// # Safety
/// `value` must point to a value of variable length.
unsafe fn is_plain(value: *const pg_sys::varlena) -> bool {
    // SAFETY: as promised by the caller.
    unsafe {
        pgrx::varlena::varatt_is_4b_u(value)
            || (pgrx::varlena::varatt_is_1b(value) && !pgrx::varlena::varatt_is_1b_e(value))
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

pub fn copy_fixed(value: &[u8]) -> Datum {
    // SAFETY: palloc returns as many bytes as asked for, or raises.
    unsafe {
        let copy = pg_sys::palloc(value.len()).cast::<u8>();
        std::ptr::copy_nonoverlapping(value.as_ptr(), copy, value.len());
        Datum::from(copy)
    }
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}
