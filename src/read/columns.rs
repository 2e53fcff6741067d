//! Rows become typed columns: the one place where PostgreSQL's values enter the engine.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::memory;
use crate::read::codec::{self, Codec};
use crate::read::numbers::{Number, NumberReader, NumberWriter};
use crate::read::table_options::Nulls;
use pgrx::pg_sys::Oid;
use sdc_engine::{Categories, Column, Interner, Space, Table};

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
    values: ColumnValues,
}

enum ColumnValues {
    Numbers {
        reader: NumberReader,
        numbers: Vec<f64>,
        nulls: Nulls,
    },
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
        let number = NumberReader::of(typ).filter(|_| role == Role::Key);
        let values = match number {
            Some(reader) => ColumnValues::Numbers {
                reader,
                numbers: memory::reserved(rows),
                nulls: Nulls::Value,
            },
            None => ColumnValues::Categories(CategoryReader {
                codec: Codec::new(typ, collation),
                seen: Interner::new(),
                codes: memory::reserved(rows),
                encoding: Vec::new(),
            }),
        };
        ColumnReader { name, values }
    }

    /// What messages call the column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What to make of NULL, where the column is one of numbers.
    pub fn with_nulls(mut self, choice: Nulls) -> Self {
        if let ColumnValues::Numbers { nulls, .. } = &mut self.values {
            *nulls = choice;
        }
        self
    }

    /// Takes the next value, which is of the column's type.
    pub fn push(&mut self, cell: Cell<'_>) {
        match &mut self.values {
            ColumnValues::Numbers {
                reader,
                numbers,
                nulls,
            } => {
                let number = match (cell.is_null(), *nulls) {
                    // how the engine marks a missing value
                    (true, Nulls::Value) => f64::NAN,
                    _ => reader.finite(cell, &self.name),
                };
                memory::push(numbers, number);
            }
            ColumnValues::Categories(reader) => reader.push(cell),
        }
    }

    /// The column, and what turns its masked values back into PostgreSQL's.
    pub fn finish(self) -> (Column, Decoder) {
        match self.values {
            ColumnValues::Numbers {
                reader, numbers, ..
            } => (Column::Numeric(numbers), Decoder::Number(reader.kind())),
            ColumnValues::Categories(CategoryReader {
                codec, seen, codes, ..
            }) => {
                let column = Column::Categorical(Categories::new(codes));
                (column, Decoder::Category { codec, seen })
            }
        }
    }
}

impl CategoryReader {
    fn push(&mut self, cell: Cell<'_>) {
        self.encoding.clear();
        self.codec.encode(cell, &mut self.encoding);
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
    /// The value with this code. It may point into the decoder.
    pub fn category(&self, code: u32) -> Cell<'_> {
        match self {
            Decoder::Category { codec, seen } => codec.decode(seen.get(code)),
            Decoder::Number(_) => not_categorical(),
        }
    }

    /// The one of several equal values that is shown for all of them: the cell itself where equal
    /// values look alike.
    pub fn one_of_equal<'a>(&'a self, code: u32, cell: Cell<'a>) -> Cell<'a> {
        match self {
            Decoder::Category { codec, .. } if !codec.is_exact() => self.category(code),
            _ => cell,
        }
    }

    /// A number as a value of the column's type, which is rounded where the type is whole; NULL
    /// for one that is missing.
    pub fn number(&self, value: f64, typ: Oid, typmod: i32) -> Cell<'static> {
        match self {
            Decoder::Number(_) if value.is_nan() => Cell::null(typ),
            // an array's elements are numbers of another type than the array's own
            Decoder::Number(kind) => match NumberWriter::of(typ, typmod) {
                Some(mut writer) if writer.kind() == *kind => writer.cell(value),
                _ => Failure::internal("a number of another type than its column").raise(),
            },
            Decoder::Category { .. } => Failure::internal("numbers are of numeric columns").raise(),
        }
    }

    /// The values in the order of their codes.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = Cell<'_>> {
        (0..self.values() as u32).map(|code| self.category(code))
    }

    /// The code of a value from elsewhere, a new one if the column does not hold it.
    pub fn code(&mut self, cell: Cell<'_>) -> u32 {
        let Decoder::Category { codec, seen } = self else {
            not_categorical()
        };
        let mut encoding = Vec::new();
        codec.encode(cell, &mut encoding);
        errors::engine(seen.intern(&encoding), Names::default())
    }

    /// Whether the column holds a NULL.
    pub fn holds_null(&self) -> bool {
        match self {
            Decoder::Category { seen, .. } => seen.find(&codec::NULL).is_some(),
            Decoder::Number(_) => false,
        }
    }

    /// The number of different values.
    pub fn values(&self) -> usize {
        match self {
            Decoder::Category { seen, .. } => seen.len(),
            Decoder::Number(_) => 0,
        }
    }
}

fn not_categorical() -> ! {
    Failure::internal("codes are for categorical columns").raise()
}

/// Several columns that grow together.
pub struct TableReader {
    pub columns: Vec<ColumnReader>,
}

impl TableReader {
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

/// The keys as points, on one scale where `standardize` says so.
pub fn space(keys: Vec<Column>, standardize: bool, names: Names<'_>) -> Space {
    let table = errors::engine(Table::new(keys), names);
    weighted_space(&table, standardize, &[], names)
}

/// The same with the weight of each key; none at all stand for ones.
pub fn weighted_space(
    table: &Table,
    standardize: bool,
    weights: &[f64],
    names: Names<'_>,
) -> Space {
    errors::engine(Space::weighted(table, standardize, weights), names)
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
