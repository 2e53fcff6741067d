//! Values as bytes that are equal exactly when `GROUP BY` calls the values equal.
//!
//! A NULL is one byte 0: a value like any other. Anything else is a byte 1 and an encoding
//! that no other value's encoding starts with, so that encodings can be strung together.

use crate::pg::cell::Cell;
use crate::pg::datum_copies::copied;
use crate::pg::errors::Failure;
use crate::pg::memory;
use crate::pg::text_casts::with_bytes;
use crate::pg::type_capabilities;
use crate::read::dictionary::Dictionary;
use crate::read::enum_labels::EnumLabels;
use crate::read::value_bytes::{float4_bits, float8_bits, u32_at, word};
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::prelude::*;

/// The encoding of NULL, whatever the type.
pub const NULL: [u8; 1] = [0];

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
    /// by its label, whose OID differs from server to server
    Enum(EnumLabels),
    /// everything else, by the type's own equality
    Listed(Box<Dictionary>),
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

    /// Appends the encoding of a value of the codec's type.
    pub fn encode(&mut self, cell: Cell<'_>, out: &mut Vec<u8>) {
        cell.require(self.typ);
        let Some(datum) = cell.datum() else {
            out.push(0);
            return;
        };
        out.push(1);
        match &mut self.kind {
            Kind::Word(bytes) => out.extend_from_slice(&datum.value().to_le_bytes()[..*bytes]),
            Kind::Float4 => out.extend_from_slice(&float4_bits(datum).to_le_bytes()),
            Kind::Float8 => out.extend_from_slice(&float8_bits(datum).to_le_bytes()),
            // SAFETY: the datum is of this kind's type, which is of variable length.
            Kind::Bytes => unsafe {
                with_bytes(datum, |bytes| {
                    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
                    memory::append(out, bytes);
                });
            },
            Kind::Fixed(bytes) => {
                // SAFETY: values of this type are exactly so many bytes by reference.
                let value =
                    unsafe { std::slice::from_raw_parts(datum.cast_mut_ptr::<u8>(), *bytes) };
                out.extend_from_slice(value);
            }
            Kind::Enum(labels) => labels.encode(cell, out),
            Kind::Listed(dictionary) => {
                out.extend_from_slice(&dictionary.id(cell).to_le_bytes());
            }
        }
    }

    /// Whether values that are equal look alike, too: 1.0 and 1.00 are equal numbers.
    pub fn is_exact(&self) -> bool {
        !matches!(self.kind, Kind::Float4 | Kind::Float8 | Kind::Listed(_))
    }

    /// Takes one encoding off the front of `bytes` and returns it without its value being read.
    pub fn split<'a>(&self, bytes: &mut &'a [u8]) -> &'a [u8] {
        let length = match (bytes[0], &self.kind) {
            (0, _) => 0,
            (_, Kind::Word(bytes) | Kind::Fixed(bytes)) => *bytes,
            (_, Kind::Float4 | Kind::Listed(_)) => 4,
            (_, Kind::Float8) => 8,
            (_, Kind::Bytes | Kind::Enum(_)) => 4 + u32_at(bytes, 1) as usize,
        };
        let (value, rest) = bytes.split_at(1 + length);
        *bytes = rest;
        value
    }

    /// The value of an encoding made by this codec, allocated in the current memory context
    /// where it is by reference.
    pub fn decode(&self, bytes: &[u8]) -> Cell<'_> {
        let value = &bytes[1..];
        let datum = (bytes[0] != 0).then(|| match &self.kind {
            Kind::Word(_) => word(value),
            Kind::Float4 => Datum::from(u32_at(value, 0) as usize),
            Kind::Float8 => word(value),
            Kind::Bytes => Datum::from(pgrx::rust_byte_slice_to_bytea(&value[4..]).into_pg()),
            Kind::Fixed(_) => copied(value),
            Kind::Enum(labels) => labels.decode(&value[4..]),
            Kind::Listed(dictionary) => dictionary.value(u32_at(value, 0)).word(),
        });
        // SAFETY: encodings of this codec are values of its type.
        unsafe { Cell::from_option(datum, self.typ) }
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
        let base = type_capabilities::base_of(typ);
        match base {
            pg_sys::BOOLOID | pg_sys::CHAROID => Kind::Word(1),
            pg_sys::INT2OID => Kind::Word(2),
            pg_sys::INT4OID | pg_sys::DATEOID | pg_sys::OIDOID => Kind::Word(4),
            pg_sys::INT8OID | pg_sys::TIMESTAMPOID | pg_sys::TIMESTAMPTZOID | pg_sys::TIMEOID => {
                Kind::Word(8)
            }
            _ if type_capabilities::is_enum(base) => Kind::Enum(EnumLabels::new(typ)),
            pg_sys::FLOAT4OID => Kind::Float4,
            pg_sys::FLOAT8OID => Kind::Float8,
            pg_sys::UUIDOID => Kind::Fixed(16),
            pg_sys::BYTEAOID => Kind::Bytes,
            pg_sys::TEXTOID | pg_sys::VARCHAROID if deterministic(collation) => Kind::Bytes,
            _ => Kind::Listed(Box::new(Dictionary::new(typ, collation))),
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

#[cfg(any(test, feature = "pg_test"))]
#[pgrx::pg_schema]
mod tests {
    use super::*;
    use crate::pg::statements;

    /// Types and random values of them: many are equal, some are null.
    const RANDOM: [(&str, &str); 20] = [
        ("bool", "random() < 0.5"),
        ("\"char\"", "chr(65 + (random() * 9)::int)"),
        ("int2", "(random() * 40 - 20)::int"),
        ("int4", "(random() * 40 - 20)::int"),
        ("int8", "(random() * 40 - 20)::int * 10000000000"),
        (
            "float4",
            "(ARRAY['NaN', '0', '-0', '-Infinity', '1.5'])[1 + (random() * 4)::int]",
        ),
        (
            "float8",
            "(ARRAY['NaN', '0', '-0', 'Infinity', '-2.25'])[1 + (random() * 4)::int]",
        ),
        (
            "numeric",
            "(ARRAY['1', '1.0', '1.00', 'NaN', '-7.5'])[1 + (random() * 4)::int]",
        ),
        (
            "text",
            "repeat(chr(97 + (random() * 5)::int), (random() * 3000)::int)",
        ),
        (
            "varchar(9)",
            "left(md5((random() * 9)::int::text), (random() * 3)::int)",
        ),
        ("char(5)", "left('ab  ', (random() * 4)::int)"),
        (
            "bytea",
            "decode(left(md5((random() * 9)::int::text), 8), 'hex')",
        ),
        ("uuid", "md5((random() * 9)::int::text)"),
        ("date", "date '2000-01-01' + (random() * 40 - 20)::int"),
        (
            "timestamp",
            "timestamp '2000-01-01' + (random() * 40 - 20)::int * interval '1 s'",
        ),
        (
            "time",
            "time '00:00' + (random() * 20)::int * interval '1 s'",
        ),
        (
            "interval",
            "(ARRAY['1 mon', '30 days', '720:00', '1 day'])[1 + (random() * 3)::int]",
        ),
        (
            "inet",
            "(ARRAY['10.0.0.1', '10.0.0.1/32', '::1'])[1 + (random() * 2)::int]",
        ),
        (
            "jsonb",
            "(ARRAY['{\"a\": 1}', '{\"a\": 1.0}', '[]', '0'])[1 + (random() * 3)::int]",
        ),
        ("int[]", "ARRAY[(random() * 3)::int, NULL]"),
    ];

    fn values(typ: &str, expression: &str) -> String {
        let cast = format!("({expression})::{typ}");
        format!("SELECT CASE WHEN random() > 0.1 THEN {cast} END AS v FROM generate_series(1, 300)")
    }

    /// Each value's encoding with its rank among the values in SQL's own order.
    fn encoded(codec: &mut Option<Codec>, typ: &str, expression: &str) -> Vec<(i64, Vec<u8>)> {
        let sql = values(typ, expression);
        let sql = format!("SELECT v, dense_rank() OVER (ORDER BY v) FROM ({sql} OFFSET 0) q");
        statements::select(&sql, |row| {
            let (cell, mut bytes) = (row.cell(0), Vec::new());
            let collation = pg_sys::DEFAULT_COLLATION_OID;
            let codec = codec.get_or_insert_with(|| Codec::new(cell.typ(), collation));
            codec.encode(cell, &mut bytes);
            (row.get(2).unwrap(), bytes)
        })
    }

    #[pg_test]
    fn encodings_are_equal_where_group_by_calls_values_equal() {
        for (typ, expression) in RANDOM {
            let all = encoded(&mut None, typ, expression);
            for (rank, bytes) in &all {
                let same = |other: &&(i64, Vec<u8>)| (other.0 == *rank) == (other.1 == *bytes);
                assert_eq!(all.iter().filter(same).count(), all.len(), "{typ}");
            }
        }
    }

    #[pg_test]
    fn values_come_back_from_their_encodings() {
        for (typ, expression) in RANDOM {
            let mut codec = None;
            let all = encoded(&mut codec, typ, expression);
            let mut codec = codec.unwrap();
            for (_, bytes) in all {
                let mut again = Vec::new();
                // the value may point into the codec's dictionary, so another one encodes it
                let image = codec.decode(&bytes).datum().is_none();
                assert_eq!(image, bytes == [0], "{typ}");
                let mut other = Codec::new(codec.typ(), codec.collation());
                other.encode(codec.decode(&bytes), &mut again);
                let ids = codec.adopt(&other);
                let mut translated = Vec::new();
                codec.translate(&again, &ids, &mut translated);
                assert_eq!(translated, bytes, "{typ}");
            }
        }
    }

    #[pg_test]
    fn encodings_in_a_row_can_be_told_apart() {
        for (typ, expression) in RANDOM {
            let mut codec = None;
            let all = encoded(&mut codec, typ, expression);
            let joined: Vec<u8> = all.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
            let (codec, mut rest) = (codec.unwrap(), &joined[..]);
            for (_, bytes) in &all {
                assert_eq!(codec.split(&mut rest), bytes, "{typ}");
            }
            assert!(rest.is_empty());
        }
    }

    #[pg_test]
    fn a_dictionary_lists_each_value_once() {
        for (typ, expression) in RANDOM {
            let mut codec = None;
            let all = encoded(&mut codec, typ, expression);
            let codec = codec.unwrap();
            let Some(dictionary) = codec.dictionary() else {
                continue;
            };
            let mut ranks: Vec<i64> = all.iter().filter(|e| e.1 != [0]).map(|e| e.0).collect();
            ranks.sort_unstable();
            ranks.dedup();
            assert_eq!(dictionary.len(), ranks.len(), "{typ}");
            assert_eq!(dictionary.images().count(), ranks.len(), "{typ}");
        }
    }

    #[pg_test]
    #[should_panic(expected = "a value of another type than expected")]
    fn a_codec_refuses_values_of_other_types() {
        let mut codec = Codec::new(pg_sys::INT4OID, pg_sys::InvalidOid);
        codec.encode(Cell::of(Some(7i64)), &mut Vec::new());
    }
}
