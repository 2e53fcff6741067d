//! Rows become typed columns: the one place where PostgreSQL's values enter the engine.

use crate::codec::Codec;
use crate::errors::{self, Failure, Names};
use crate::memory;
use crate::number::Number;
use crate::settings;
use pgrx::pg_sys::{Datum, Oid};
use sdc_engine::{Categories, Column, Interner};

/// What a column is for: keys of numeric types become numbers, sensitive columns and all
/// other keys are compared by equality.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Key,
    Sensitive,
    /// the one sensitive column of a method: a record or an array is one value of it
    SensitiveValue,
}

/// Collects one column, value by value.
pub struct ColumnReader {
    name: String,
    values: Values,
}

enum Values {
    Numbers { kind: Number, numbers: Vec<f64> },
    Categories(CategoryReader),
}

struct CategoryReader {
    codec: Codec,
    seen: Interner,
    codes: Vec<u32>,
    encoding: Vec<u8>,
}

impl ColumnReader {
    /// A reader for `rows` values (0 when unknown) of a type.
    pub fn new(name: String, typ: Oid, collation: Oid, role: Role, rows: usize) -> Self {
        let number = Number::of(typ).filter(|_| role == Role::Key);
        let values = match number {
            Some(kind) => Values::Numbers {
                kind,
                numbers: memory::reserved(rows),
            },
            None => Values::Categories(CategoryReader {
                codec: Codec::new(typ, collation),
                seen: Interner::new(),
                codes: memory::reserved(rows),
                encoding: Vec::new(),
            }),
        };
        ColumnReader { name, values }
    }

    /// Takes the next value.
    ///
    /// # Safety
    /// `datum` must be a valid value of the column's type unless `null`.
    pub unsafe fn push(&mut self, datum: Datum, null: bool) {
        match &mut self.values {
            Values::Numbers { .. } if null => errors::null_key(&self.name).raise(),
            Values::Numbers { kind, numbers } => {
                // SAFETY: as promised by the caller.
                let number = unsafe { kind.to_f64(datum) };
                if !number.is_finite() {
                    errors::not_finite(&self.name).raise();
                }
                memory::push(numbers, number);
            }
            // SAFETY: as promised by the caller.
            Values::Categories(reader) => unsafe { reader.push(datum, null) },
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        match &self.values {
            Values::Numbers { numbers, .. } => 8 * numbers.capacity(),
            Values::Categories(reader) => {
                4 * reader.codes.capacity() + reader.seen.memory() + reader.codec.memory()
            }
        }
    }

    /// The column, and what turns its masked values back into PostgreSQL's.
    pub fn finish(self) -> (Column, Decoder) {
        match self.values {
            Values::Numbers { kind, numbers } => (Column::Numeric(numbers), Decoder::Number(kind)),
            Values::Categories(CategoryReader {
                codec, seen, codes, ..
            }) => {
                let column = Column::Categorical(Categories::new(codes));
                (column, Decoder::Category { codec, seen })
            }
        }
    }
}

impl CategoryReader {
    unsafe fn push(&mut self, datum: Datum, null: bool) {
        self.encoding.clear();
        // SAFETY: as promised by the caller.
        unsafe { self.codec.encode(datum, null, &mut self.encoding) };
        let code = errors::engine(self.seen.intern(&self.encoding), Names::default());
        memory::push(&mut self.codes, code);
    }
}

/// Turns the engine's values of a column back into PostgreSQL's.
pub enum Decoder {
    Number(Number),
    Category { codec: Codec, seen: Interner },
}

impl Decoder {
    /// The value with this code, `None` for NULL. It may point into the decoder.
    pub fn category(&self, code: u32) -> Option<Datum> {
        match self {
            Decoder::Category { codec, seen } => codec.decode(seen.get(code)),
            Decoder::Number(_) => None,
        }
    }

    /// The code of a value from elsewhere, a new one if the column does not hold it.
    ///
    /// # Safety
    /// `datum` must be a valid value of the column's type unless `null`.
    pub unsafe fn code(&mut self, datum: Datum, null: bool) -> u32 {
        let Decoder::Category { codec, seen } = self else {
            Failure::internal("codes are for categorical columns").raise()
        };
        let mut encoding = Vec::new();
        // SAFETY: as promised by the caller.
        unsafe { codec.encode(datum, null, &mut encoding) };
        errors::engine(seen.intern(&encoding), Names::default())
    }

    /// Whether the column holds a NULL.
    pub fn holds_null(&self) -> bool {
        let values = 0..self.values() as u32;
        values.into_iter().any(|code| self.category(code).is_none())
    }

    /// The number of different values.
    pub fn values(&self) -> usize {
        match self {
            Decoder::Category { seen, .. } => seen.len(),
            Decoder::Number(_) => 0,
        }
    }
}

/// Several columns that grow together, watched against `sdc.max_memory`.
pub struct TableReader {
    pub columns: Vec<ColumnReader>,
}

impl TableReader {
    /// To be called every thousand rows or so.
    pub fn check_memory(&self) {
        settings::check_memory(self.columns.iter().map(ColumnReader::memory).sum());
    }

    pub fn names(&self) -> Vec<String> {
        self.columns
            .iter()
            .map(|column| column.name.clone())
            .collect()
    }

    pub fn finish(self) -> (Vec<Column>, Vec<Decoder>) {
        self.columns.into_iter().map(ColumnReader::finish).unzip()
    }
}

/// The columns of sensitive readers, which are categorical by construction.
pub fn categories(columns: Vec<Column>) -> Vec<Categories> {
    let category = |column| match column {
        Column::Categorical(categories) => categories,
        Column::Numeric(_) => Failure::internal("a sensitive column was read as numbers").raise(),
    };
    columns.into_iter().map(category).collect()
}

impl Role {
    /// How messages call columns of the role.
    pub fn label(self) -> &'static str {
        match self {
            Role::Key => "key",
            Role::Sensitive | Role::SensitiveValue => "sensitive",
        }
    }
}
