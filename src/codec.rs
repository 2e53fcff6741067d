//! Values as bytes that are equal exactly when `GROUP BY` calls the values equal.
//!
//! A NULL is one byte 0: a value like any other. Anything else is a byte 1 and an encoding
//! that no other value's encoding starts with, so that encodings can be strung together.

use crate::dictionary::Dictionary;
use crate::errors::Failure;
use crate::memory;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::prelude::*;
use std::ffi::CStr;

/// How values of a type become bytes.
enum Kind {
    /// by value, bits equal when values are; this many bytes of it count
    Word(usize),
    Float4,
    Float8,
    /// variable length, bytes equal when values are: text under a deterministic collation
    Bytes,
    /// fixed length by reference, bytes equal when values are
    Fixed(usize),
    /// everything else, by the type's own equality
    Listed(Dictionary),
}

/// Encodes the values of one type under one collation.
pub struct Codec {
    typ: Oid,
    collation: Oid,
    kind: Kind,
}

impl Codec {
    pub fn new(typ: Oid, collation: Oid) -> Self {
        let kind = Kind::of(typ, collation);
        Codec {
            typ,
            collation,
            kind,
        }
    }

    pub fn typ(&self) -> Oid {
        self.typ
    }

    pub fn collation(&self) -> Oid {
        self.collation
    }

    /// Appends the encoding of a value.
    ///
    /// # Safety
    /// `datum` must be a valid value of the codec's type unless `null`.
    pub unsafe fn encode(&mut self, datum: Datum, null: bool, out: &mut Vec<u8>) {
        if null {
            out.push(0);
            return;
        }
        out.push(1);
        match &mut self.kind {
            Kind::Word(bytes) => out.extend_from_slice(&datum.value().to_le_bytes()[..*bytes]),
            Kind::Float4 => out.extend_from_slice(&float4_bits(datum).to_le_bytes()),
            Kind::Float8 => out.extend_from_slice(&float8_bits(datum).to_le_bytes()),
            // SAFETY: the datum is of this kind's type, which is of variable length.
            Kind::Bytes => unsafe { encode_varlena(datum, out) },
            Kind::Fixed(bytes) => {
                // SAFETY: values of this type are exactly so many bytes by reference.
                let value =
                    unsafe { std::slice::from_raw_parts(datum.cast_mut_ptr::<u8>(), *bytes) };
                out.extend_from_slice(value);
            }
            Kind::Listed(dictionary) => {
                // SAFETY: the datum is of the dictionary's type.
                let id = unsafe { dictionary.id(datum) };
                out.extend_from_slice(&id.to_le_bytes());
            }
        }
    }

    /// Takes one encoding off the front of `bytes` and returns it without its value being read.
    pub fn split<'a>(&self, bytes: &mut &'a [u8]) -> &'a [u8] {
        let length = match (bytes[0], &self.kind) {
            (0, _) => 0,
            (_, Kind::Word(bytes) | Kind::Fixed(bytes)) => *bytes,
            (_, Kind::Float4 | Kind::Listed(_)) => 4,
            (_, Kind::Float8) => 8,
            (_, Kind::Bytes) => 4 + u32_at(bytes, 1) as usize,
        };
        let (value, rest) = bytes.split_at(1 + length);
        *bytes = rest;
        value
    }

    /// The value of an encoding made by this codec, allocated in the current memory context
    /// where it is by reference; `None` for NULL.
    pub fn decode(&self, bytes: &[u8]) -> Option<Datum> {
        if bytes[0] == 0 {
            return None;
        }
        let value = &bytes[1..];
        Some(match &self.kind {
            Kind::Word(_) => word(value),
            Kind::Float4 => Datum::from(u32_at(value, 0) as usize),
            Kind::Float8 => word(value),
            Kind::Bytes => Datum::from(pgrx::rust_byte_slice_to_bytea(&value[4..]).into_pg()),
            Kind::Fixed(_) => copy_fixed(value),
            Kind::Listed(dictionary) => dictionary.value(u32_at(value, 0)),
        })
    }

    /// Lists another codec's values here too; returns the number each of them has here, for
    /// [`translate`](Self::translate). Empty where values are not listed.
    pub fn adopt(&mut self, other: &Codec) -> Vec<u32> {
        match (&mut self.kind, &other.kind) {
            (Kind::Listed(mine), Kind::Listed(theirs)) => {
                let mut ids = memory::reserved(theirs.len());
                ids.extend(theirs.images().map(|image| mine.adopt(image)));
                ids
            }
            _ => Vec::new(),
        }
    }

    /// Translates an encoding made by another codec of the same type and collation.
    pub fn translate(&self, bytes: &[u8], ids: &[u32], out: &mut Vec<u8>) {
        match self.kind {
            Kind::Listed(_) if bytes[0] != 0 => {
                out.push(1);
                out.extend_from_slice(&ids[u32_at(bytes, 1) as usize].to_le_bytes());
            }
            _ => memory::append(out, bytes),
        }
    }

    /// The dictionary behind the codec, if values are listed in one.
    pub fn dictionary(&self) -> Option<&Dictionary> {
        match &self.kind {
            Kind::Listed(dictionary) => Some(dictionary),
            _ => None,
        }
    }

    pub fn dictionary_mut(&mut self) -> Option<&mut Dictionary> {
        match &mut self.kind {
            Kind::Listed(dictionary) => Some(dictionary),
            _ => None,
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.dictionary().map_or(0, Dictionary::memory)
    }
}

impl Kind {
    fn of(typ: Oid, collation: Oid) -> Self {
        // SAFETY: catalog look-ups that raise for an unknown type.
        let (base, is_enum) = unsafe {
            let base = pg_sys::getBaseType(typ);
            (
                base,
                pg_sys::get_typtype(base) as u8 == pg_sys::TYPTYPE_ENUM,
            )
        };
        match base {
            pg_sys::BOOLOID | pg_sys::CHAROID => Kind::Word(1),
            pg_sys::INT2OID => Kind::Word(2),
            pg_sys::INT4OID | pg_sys::DATEOID | pg_sys::OIDOID => Kind::Word(4),
            pg_sys::INT8OID | pg_sys::TIMESTAMPOID | pg_sys::TIMESTAMPTZOID | pg_sys::TIMEOID => {
                Kind::Word(8)
            }
            _ if is_enum => Kind::Word(4),
            pg_sys::FLOAT4OID => Kind::Float4,
            pg_sys::FLOAT8OID => Kind::Float8,
            pg_sys::UUIDOID => Kind::Fixed(16),
            pg_sys::BYTEAOID => Kind::Bytes,
            pg_sys::TEXTOID | pg_sys::VARCHAROID if deterministic(collation) => Kind::Bytes,
            _ => Kind::Listed(Dictionary::new(base, collation)),
        }
    }
}

/// Whether equal under the collation means equal bytes.
pub fn deterministic(collation: Oid) -> bool {
    if collation == pg_sys::InvalidOid {
        Failure::new(
            PgSqlErrorCode::ERRCODE_INDETERMINATE_COLLATION,
            "could not determine which collation to use for comparing text",
        )
        .hint("Columns of different collations are given: pass them as ROW(…), or use COLLATE.")
        .raise()
    }
    // SAFETY: a catalog look-up that raises for an unknown collation.
    unsafe { pg_sys::get_collation_isdeterministic(collation) }
}

/// -0 equals 0 and every NaN equals every other, as PostgreSQL has it.
fn float8_bits(datum: Datum) -> u64 {
    let value = f64::from_bits(datum.value() as u64);
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        (value + 0.0).to_bits()
    }
}

fn float4_bits(datum: Datum) -> u32 {
    let value = f32::from_bits(datum.value() as u32);
    if value.is_nan() {
        f32::NAN.to_bits()
    } else {
        (value + 0.0).to_bits()
    }
}

/// # Safety
/// `datum` must point to a value of variable length.
unsafe fn encode_varlena(datum: Datum, out: &mut Vec<u8>) {
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
fn word(value: &[u8]) -> Datum {
    let mut bytes = [0; 8];
    bytes[..value.len()].copy_from_slice(value);
    let shift = 64 - 8 * value.len() as u32;
    let extended = (i64::from_le_bytes(bytes) << shift) >> shift;
    Datum::from(extended as usize)
}

fn copy_fixed(value: &[u8]) -> Datum {
    // SAFETY: palloc returns as many bytes as asked for, or raises.
    unsafe {
        let copy = pg_sys::palloc(value.len()).cast::<u8>();
        std::ptr::copy_nonoverlapping(value.as_ptr(), copy, value.len());
        Datum::from(copy)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

/// The SQL name of a type, for messages.
pub fn type_name(typ: Oid) -> String {
    // SAFETY: format_type_be returns a palloc'd string for every oid.
    unsafe {
        CStr::from_ptr(pg_sys::format_type_be(typ))
            .to_string_lossy()
            .into_owned()
    }
}
