//! Rows as codes: equal values of a column have the same code, in the source and in all tables
//! of a release.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Names, known};
use crate::pg::memory::{self, collected};
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::quoting::identifier;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::text_casts::read_cell;
use crate::read::codec::Codec;
use crate::read::columns::Decoder;
use crate::read::numbers::{Number, NumberReader};
use crate::read::relation::Source;
use pgrx::pg_sys::Oid;
use sdc_engine::attack::binned;
use sdc_engine::{Categories, Column, Interner, Monitor, NumberCodes, Phase};

/// The values of a column that were seen, numbered.
pub struct CodedColumn {
    pub name: String,
    pub typ: Oid,
    pub values: Decoder,
    reader: Option<NumberReader>,
    numbering: Numbering,
    /// the number that each code stands for; NaN for NULL, and nothing where values are no
    /// numbers
    pub numbers: Vec<f64>,
}

/// What decides which cells have the same code.
enum Numbering {
    /// their values, which can be seen again
    Values,
    /// the numbers that they are
    Numbers(NumberCodes),
    /// nothing: each cell has a code of its own
    Cells,
}

impl CodedColumn {
    /// A column of a relation.
    pub fn new(relation: &Source, name: &str) -> Self {
        let place = relation.columns("keys", std::slice::from_ref(&name.to_string()))[0];
        let attribute = &relation.attributes[place];
        CodedColumn {
            name: name.to_string(),
            typ: attribute.typ,
            values: Decoder::Category {
                codec: Codec::new(attribute.typ, attribute.collation),
                seen: Interner::new(),
            },
            reader: NumberReader::of(attribute.typ),
            numbering: Numbering::Values,
            numbers: Vec::new(),
        }
    }

    /// Keeps the codes of numbers only, not the values behind them, where equal values are equal
    /// numbers: that is quicker.
    pub fn forget_values(&mut self) {
        use Number::{Date, Float4, Float8, Int2, Int4};
        let kind = self.reader.map(NumberReader::kind);
        let exact = kind.is_some_and(|kind| [Date, Float4, Float8, Int2, Int4].contains(&kind));
        self.numbering = match exact {
            true => Numbering::Numbers(NumberCodes::default()),
            false => Numbering::Values,
        };
    }

    /// Gives each cell a code of its own where only codes of numbers would be kept. Looking up which
    /// cells are equal takes longer than reading them.
    pub fn number_cells(&mut self) {
        if matches!(self.numbering, Numbering::Numbers(_)) {
            self.numbering = Numbering::Cells;
        }
    }

    /// Appends what tells values with different codes apart: two cells have the same bytes if and
    /// only if they are equal.
    pub fn append(&self, code: u32, bytes: &mut Vec<u8>) {
        match self.numbering {
            Numbering::Cells => append_number(self.numbers[code as usize], bytes),
            _ => bytes.extend_from_slice(&code.to_le_bytes()),
        }
    }

    /// The same of a number that no cell may have; `None` where cells are told apart otherwise.
    pub fn append_mean(&self, number: f64, bytes: &mut Vec<u8>) -> Option<()> {
        matches!(self.numbering, Numbering::Cells).then(|| append_number(number, bytes))
    }

    /// How many different values were seen.
    pub fn count(&self) -> usize {
        match &self.numbering {
            Numbering::Numbers(seen) => seen.len(),
            Numbering::Cells => self.numbers.len(),
            Numbering::Values => self.values.values(),
        }
    }

    /// The code of a value that is kept as text.
    pub fn read(&mut self, text: &Option<Vec<u8>>) -> u32 {
        self.code(read_cell(self.typ, text.clone()))
    }

    fn code(&mut self, cell: Cell<'_>) -> u32 {
        let code = match (&mut self.numbering, self.reader) {
            (Numbering::Numbers(seen), Some(reader)) => {
                let number = quick_number(reader, cell, &self.name);
                let code = known(seen.code(number.to_bits()));
                if code as usize == self.numbers.len() {
                    memory::push(&mut self.numbers, number);
                }
                return code;
            }
            (Numbering::Cells, Some(reader)) => {
                let number = quick_number(reader, cell, &self.name);
                memory::push(&mut self.numbers, number);
                return (self.numbers.len() - 1) as u32;
            }
            _ => self.values.code(cell),
        };
        if let Some(reader) = self.reader.filter(|_| code as usize >= self.numbers.len()) {
            let number = match cell.is_null() {
                true => f64::NAN,
                false => reader.finite(cell, &format!("column \"{}\"", self.name)),
            };
            memory::push(&mut self.numbers, number);
        }
        code
    }

    /// The code of NULL, if it occurs.
    pub fn null(&self) -> Option<u32> {
        let null = match &self.numbering {
            Numbering::Values => self.values.categories().position(|cell| cell.is_null()),
            _ => self.numbers.iter().position(|number| number.is_nan()),
        };
        null.map(|code| code as u32)
    }

    pub fn is_numeric(&self) -> bool {
        self.reader.is_some()
    }

    /// The column of rows with these codes: numbers as they are, NaN for NULL.
    pub fn column(&self, codes: &[u32]) -> Column {
        if !self.is_numeric() {
            return Column::Categorical(self.categories(codes));
        }
        let number = |&code: &u32| self.numbers[code as usize];
        Column::Numeric(collected(codes.iter().map(number)))
    }

    /// Takes the column's numbers for codes of categories, as the release did.
    pub fn as_categories(&mut self) {
        self.reader = None;
        self.numbering = Numbering::Values;
    }

    pub fn categories(&self, codes: &[u32]) -> Categories {
        Categories::new(collected(codes.iter().copied()))
    }

    /// The column as a model learns from it: numbers in bins, NULL in one of its own.
    pub fn binned(&self, codes: &[u32]) -> Categories {
        if !self.is_numeric() {
            return self.categories(codes);
        }
        let null = self.numbers.iter().position(|number| number.is_nan());
        let numbers = self.numbers.iter().filter(|number| !number.is_nan());
        let numbers: Vec<f64> = numbers.copied().collect();
        let bins = errors::engine(binned(&Column::Numeric(numbers)), Names::default());
        let bin = |&code: &u32| match null.map(|null| (code as usize).cmp(&null)) {
            Some(std::cmp::Ordering::Equal) => bins.cardinality() as u32,
            Some(std::cmp::Ordering::Greater) => bins.codes()[code as usize - 1],
            _ => bins.codes()[code as usize],
        };
        Categories::new(collected(codes.iter().map(bin)))
    }
}

/// The number of a cell; all NULLs are one, and so are both zeros.
fn quick_number(reader: NumberReader, cell: Cell<'_>, name: &str) -> f64 {
    match cell.is_null() {
        true => f64::NAN,
        false => reader.finite(cell, name) + 0.0,
    }
}

fn append_number(number: f64, bytes: &mut Vec<u8>) {
    let number = if number.is_nan() {
        f64::NAN
    } else {
        number + 0.0
    };
    bytes.extend_from_slice(&number.to_bits().to_le_bytes());
}

/// Reads the columns of a relation; gives the codes of each. The columns go on numbering where
/// they are.
pub fn read(
    relation: &Source,
    columns: &mut [&mut CodedColumn],
    watch: &mut Watch,
) -> Vec<Vec<u32>> {
    watch.start(Phase::Reading, 0);
    let named = |column: &&mut CodedColumn| identifier(&column.name);
    let names: Vec<String> = columns.iter().map(named).collect();
    let types: Vec<Oid> = columns.iter().map(|column| column.typ).collect();
    let mut sink = CodeSink {
        codes: columns.iter().map(|_| Vec::new()).collect(),
        columns,
        rows: 0,
        watch,
    };
    let sql = format!("SELECT {} FROM {}", names.join(", "), relation.sql_name);
    statements::read(&sql, &types, Order::Stored, &mut sink);
    sink.codes
}

struct CodeSink<'a, 'b> {
    columns: &'a mut [&'b mut CodedColumn],
    codes: Vec<Vec<u32>>,
    rows: usize,
    watch: &'a mut Watch,
}

impl RowSink for CodeSink<'_, '_> {
    fn row(&mut self, row: &Row<'_>) {
        for (place, (column, codes)) in self.columns.iter_mut().zip(&mut self.codes).enumerate() {
            let code = column.code(row.cell(place));
            memory::push(codes, code);
        }
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.watch.tick(self.rows as u64);
        }
    }
}

/// Combinations of codes, numbered.
#[derive(Default)]
pub struct Combined {
    seen: Interner,
}

/// Rows whose combinations are looked up together.
const BATCH: usize = 256;

impl Combined {
    /// The number of each row's combination.
    pub fn number(&mut self, columns: &[Vec<u32>]) -> Vec<u32> {
        let rows = columns.first().map_or(0, Vec::len);
        self.number_rows(rows, |row, bytes| {
            for column in columns {
                bytes.extend_from_slice(&column[row].to_le_bytes());
            }
        })
    }

    /// The same by what tells the values of columns apart.
    pub fn number_cells(&mut self, columns: &[CodedColumn], codes: &[Vec<u32>]) -> Vec<u32> {
        let rows = codes.first().map_or(0, Vec::len);
        self.number_rows(rows, |row, bytes| {
            for (column, codes) in columns.iter().zip(codes) {
                column.append(codes[row], bytes);
            }
        })
    }

    fn number_rows(&mut self, rows: usize, append: impl Fn(usize, &mut Vec<u8>)) -> Vec<u32> {
        let (mut bytes, mut ends) = (Vec::new(), memory::reserved(BATCH));
        let mut numbers = memory::reserved(rows);
        for start in (0..rows).step_by(BATCH) {
            bytes.clear();
            ends.clear();
            for row in start..rows.min(start + BATCH) {
                append(row, &mut bytes);
                ends.push(bytes.len());
            }
            known(self.seen.intern_all(&bytes, &ends, &mut numbers));
        }
        numbers
    }

    /// The number of a combination that was seen.
    pub fn find(&self, bytes: &[u8]) -> Option<u32> {
        self.seen.find(bytes)
    }

    /// The same where some numbers may be left out: one column's codes will do.
    pub fn tell_apart(&mut self, columns: &[Vec<u32>]) -> Vec<u32> {
        match columns {
            [codes] => collected(codes.iter().copied()),
            columns => self.number(columns),
        }
    }

    pub fn len(&self) -> usize {
        self.seen.len()
    }
}
