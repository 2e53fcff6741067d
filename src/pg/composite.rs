//! Taking records apart: `ROW(age, zip)` and rows of named composite types.

use crate::pg::cell::Cell;
use crate::pg::errors::Failure;
use crate::pg::tuple_store::TupleStore;
use crate::pg::type_capabilities;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::prelude::*;
use std::ffi::CStr;

/// One attribute of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// empty for the columns of an anonymous ROW
    pub name: String,
    pub typ: Oid,
    pub typmod: i32,
    pub collation: Oid,
    pub dropped: bool,
}

impl Attribute {
    /// A new column of a type without modifiers and collation.
    pub fn plain(name: &str, typ: Oid) -> Self {
        Attribute {
            name: name.into(),
            typ,
            typmod: -1,
            collation: pg_sys::InvalidOid,
            dropped: false,
        }
    }

    /// A new column of type text.
    pub fn text(name: &str) -> Self {
        Attribute {
            collation: pg_sys::DEFAULT_COLLATION_OID,
            ..Self::plain(name, pg_sys::TEXTOID)
        }
    }

    /// The modifier of the type below a domain, which may have one of its own, or the column's.
    pub fn base_typmod(&self) -> i32 {
        let mut typmod = self.typmod;
        // SAFETY: a catalog look-up that raises for an unknown type.
        unsafe { pg_sys::getBaseTypeAndTypmod(self.typ, &mut typmod) };
        typmod
    }
}

/// The attributes of a tuple descriptor.
///
/// # Safety
/// `descriptor` must be valid.
pub unsafe fn attributes(descriptor: pg_sys::TupleDesc) -> Vec<Attribute> {
    let attribute = |form: &pg_sys::FormData_pg_attribute| {
        let name = form.attname.data.map(|byte| byte as u8);
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Attribute {
            name: name.to_string_lossy().into_owned(),
            // a dropped column has no type any more, but stands for one int4 when it is read
            typ: if form.attisdropped {
                pg_sys::INT4OID
            } else {
                form.atttypid
            },
            typmod: form.atttypmod,
            collation: form.attcollation,
            dropped: form.attisdropped,
        }
    };
    // SAFETY: as promised by the caller.
    unsafe { forms(descriptor) }.iter().map(attribute).collect()
}

/// PostgreSQL 18 moved the full attributes behind an array of compact ones.
unsafe fn forms<'a>(descriptor: pg_sys::TupleDesc) -> &'a [pg_sys::FormData_pg_attribute] {
    // SAFETY: a descriptor has so many attributes, one behind the other.
    unsafe {
        let count = (*descriptor).natts as usize;
        #[cfg(not(feature = "pg18"))]
        let first = (*descriptor).attrs.as_ptr();
        #[cfg(feature = "pg18")]
        let first = (*descriptor).compact_attrs.as_ptr().add(count).cast();
        std::slice::from_raw_parts(first, count)
    }
}

/// Takes records of one row type apart.
pub struct RecordReader {
    typ: Oid,
    row_type: (Oid, i32),
    descriptor: pg_sys::TupleDesc,
    pub attributes: Vec<Attribute>,
    values: Vec<Datum>,
    nulls: Vec<bool>,
}

impl RecordReader {
    /// A reader for records like this one. The descriptor is allocated in the current memory
    /// context, which must outlive the reader. `None` for NULL and values that are no records.
    pub fn new(record: Cell<'_>) -> Option<Self> {
        let typ = record.typ();
        let value = record
            .datum()
            .filter(|_| type_capabilities::is_record(typ))?;
        // SAFETY: a composite value carries its row type in its header.
        unsafe {
            let row_type = row_type(detoast(value));
            let descriptor = pg_sys::lookup_rowtype_tupdesc_copy(row_type.0, row_type.1);
            let attributes = attributes(descriptor);
            let count = attributes.len();
            Some(RecordReader {
                typ,
                row_type,
                descriptor,
                attributes,
                values: vec![Datum::from(0usize); count],
                nulls: vec![true; count],
            })
        }
    }

    /// The values of a record's attributes, dropped ones left out; `None` for NULL.
    pub fn read(&mut self, record: Cell<'_>) -> Option<impl Iterator<Item = Cell<'_>>> {
        self.load(record)?;
        let live = (0..self.values.len()).filter(|&place| !self.attributes[place].dropped);
        Some(live.map(|place| self.cell(place)))
    }

    /// Takes a record apart; [`cell`](Self::cell) has its values then, as long as the record
    /// lives. `None` for NULL.
    pub fn load(&mut self, record: Cell<'_>) -> Option<()> {
        record.require(self.typ);
        let value = record.datum()?;
        // SAFETY: the header's row type is checked against the descriptor's before use.
        unsafe {
            let header = detoast(value);
            if row_type(header) != self.row_type {
                mixed_row_types();
            }
            let mut tuple = pg_sys::HeapTupleData {
                t_len: pgrx::varlena::varsize_any(header.cast()) as u32,
                t_data: header,
                ..Default::default()
            };
            let (values, nulls) = (self.values.as_mut_ptr(), self.nulls.as_mut_ptr());
            pg_sys::heap_deform_tuple(&raw mut tuple, self.descriptor, values, nulls);
        }
        Some(())
    }

    /// The value of an attribute in the record that was taken apart last.
    pub fn cell(&self, place: usize) -> Cell<'_> {
        // SAFETY: the descriptor has the values' types.
        unsafe {
            Cell::new(
                self.values[place],
                self.nulls[place],
                self.attributes[place].typ,
            )
        }
    }
}

/// Puts records of one row type without a name together.
pub struct RecordWriter {
    descriptor: pg_sys::TupleDesc,
    types: Vec<Oid>,
}

impl RecordWriter {
    /// For records of these attributes. The descriptor is allocated in the current memory context,
    /// which must outlive the writer.
    pub fn new(attributes: &[Attribute]) -> Self {
        let store = TupleStore::new(attributes);
        // SAFETY: the descriptor is complete, and stays when its store goes.
        let descriptor = unsafe { pg_sys::BlessTupleDesc(store.descriptor) };
        RecordWriter {
            descriptor,
            types: attributes.iter().map(|column| column.typ).collect(),
        }
    }

    /// A record of these values, in the current memory context.
    pub fn record(&self, cells: &[Cell<'_>]) -> Datum {
        assert_eq!(cells.len(), self.types.len(), "a value for each attribute");
        let typed = cells.iter().zip(&self.types);
        typed.for_each(|(cell, &typ)| cell.require(typ));
        let mut values: Vec<Datum> = cells.iter().map(Cell::word).collect();
        let mut nulls: Vec<bool> = cells.iter().map(Cell::is_null).collect();
        // SAFETY: a value for each attribute, of its type.
        unsafe {
            let (values, nulls) = (values.as_mut_ptr(), nulls.as_mut_ptr());
            let tuple = pg_sys::heap_form_tuple(self.descriptor, values, nulls);
            pg_sys::heap_copy_tuple_as_datum(tuple, self.descriptor)
        }
    }
}

unsafe fn detoast(record: Datum) -> pg_sys::HeapTupleHeader {
    let record = record.cast_mut_ptr::<pg_sys::varlena>();
    // SAFETY: composite values are of variable length.
    unsafe {
        if pgrx::varlena::varatt_is_4b_u(record) {
            return record.cast();
        }
        pg_sys::pg_detoast_datum(record).cast()
    }
}

unsafe fn row_type(header: pg_sys::HeapTupleHeader) -> (Oid, i32) {
    // SAFETY: as a datum the header's first words hold length, typmod and type.
    unsafe {
        let fields = (*header).t_choice.t_datum;
        (fields.datum_typeid, fields.datum_typmod)
    }
}

/// Rows of one call must have the same columns.
pub fn mixed_row_types() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
        "records of different row types in one call",
    )
    .hint("Build the record the same way for all rows, for example ROW(age, zip).")
    .raise()
}

#[cfg(any(test, feature = "pg_test"))]
#[pgrx::pg_schema]
mod tests {
    use super::*;
    use crate::pg::statements;
    use crate::pg::text_casts::TextOf;

    fn text(cell: Cell<'_>) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        TextOf::new(cell.typ()).append(cell, &mut text);
        (!cell.is_null()).then_some(text)
    }

    #[pg_test]
    fn a_record_gives_what_it_was_made_of() {
        let parts = "SELECT nullif((random() * 9)::int, 3) AS a, \
                     repeat('x', (random() * 5000)::int) AS b, \
                     nullif((random() * 3)::int, 1)::numeric AS c FROM generate_series(1, 200)";
        let sql = format!("SELECT ROW(a, b, c), a, b, c FROM ({parts} OFFSET 0) q");
        let mut reader = None;
        let compared = statements::select(&sql, |row| {
            let record = row.cell(0);
            let reader = reader.get_or_insert_with(|| RecordReader::new(record).unwrap());
            let read: Vec<_> = reader.read(record).unwrap().map(text).collect();
            assert_eq!(read, [1, 2, 3].map(|place| text(row.cell(place))));
        });
        assert_eq!(compared.len(), 200);
    }

    /// Types and random values of them, by value and by reference, of fixed and of other lengths.
    const RANDOM: [(&str, &str); 9] = [
        ("bool", "random() < 0.5"),
        ("int2", "(random() * 40)::int"),
        ("int8", "(random() * 40)::int * 10000000000"),
        ("float8", "random()"),
        ("numeric", "random()"),
        ("text", "repeat('x', (random() * 5000)::int)"),
        ("uuid", "md5(random()::text)"),
        ("interval", "(random() * 90)::int * interval '1 s'"),
        ("int4[]", "ARRAY[(random() * 3)::int, NULL]"),
    ];

    #[pg_test]
    fn a_record_that_was_put_together_comes_apart() {
        for first in 0..RANDOM.len() {
            // other types side by side each time, in other numbers
            let types = RANDOM.iter().cycle().skip(first).step_by(1 + first % 4);
            let columns = types.take(1 + first).map(|(typ, expression)| {
                format!("CASE WHEN random() > 0.2 THEN ({expression})::{typ} END")
            });
            let columns = columns.collect::<Vec<_>>().join(", ");
            let sql = format!("SELECT {columns} FROM generate_series(1, 50)");
            let mut both = None;
            let compared = statements::select(&sql, |row| {
                let cells: Vec<Cell<'_>> = row.cells().collect();
                let attribute = |cell: &Cell<'_>| Attribute::plain("", cell.typ());
                let (writer, reader) = both.get_or_insert_with(|| {
                    let writer =
                        RecordWriter::new(&cells.iter().map(attribute).collect::<Vec<_>>());
                    (writer, None)
                });
                // SAFETY: the writer makes records, which live as long as the row.
                let record = unsafe { Cell::new(writer.record(&cells), false, pg_sys::RECORDOID) };
                let reader: &mut RecordReader =
                    reader.get_or_insert_with(|| RecordReader::new(record).unwrap());
                let read: Vec<_> = reader.read(record).unwrap().map(text).collect();
                assert_eq!(read, cells.into_iter().map(text).collect::<Vec<_>>());
            });
            assert_eq!(compared.len(), 50);
        }
    }

    #[pg_test]
    #[should_panic(expected = "records of different row types in one call")]
    fn records_of_another_row_type_are_refused() {
        let mut reader = None;
        statements::select("SELECT ROW(1, 2) UNION ALL SELECT ROW(1, 'a')", |row| {
            let record = row.cell(0);
            let reader = reader.get_or_insert_with(|| RecordReader::new(record).unwrap());
            reader.read(record).unwrap().count()
        });
    }

    #[pg_test]
    fn dropped_columns_are_passed_over() {
        Spi::run("CREATE TABLE holed (a int, b int, c text); ALTER TABLE holed DROP COLUMN b")
            .unwrap();
        Spi::run("INSERT INTO holed VALUES (1, 'x')").unwrap();
        let read = statements::seeing_own_writes(|| {
            statements::select("SELECT holed FROM holed", |row| {
                let record = row.cell(0);
                let mut reader = RecordReader::new(record).unwrap();
                reader.read(record).unwrap().map(text).collect::<Vec<_>>()
            })
        });
        assert_eq!(read, [[Some(b"1".to_vec()), Some(b"x".to_vec())]]);
    }
}
