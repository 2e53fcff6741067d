//! Taking records apart: `ROW(age, zip)` and rows of named composite types.

use crate::pg::cell::Cell;
use crate::pg::errors::Failure;
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
    // SAFETY: as promised by the caller.
    let count = unsafe { (*descriptor).natts as usize };
    let attribute = |index| {
        // SAFETY: the index is below the descriptor's number of attributes.
        let form = unsafe { &*form(descriptor, index) };
        // SAFETY: a name is a zero-terminated string.
        let name = unsafe { CStr::from_ptr(form.attname.data.as_ptr()) };
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
    (0..count).map(attribute).collect()
}

/// PostgreSQL 18 moved the full attributes behind an array of compact ones.
unsafe fn form(
    descriptor: pg_sys::TupleDesc,
    index: usize,
) -> *const pg_sys::FormData_pg_attribute {
    // SAFETY: the index is below the descriptor's number of attributes.
    unsafe {
        #[cfg(not(feature = "pg18"))]
        return (*descriptor).attrs.as_ptr().add(index);
        #[cfg(feature = "pg18")]
        return (*descriptor)
            .compact_attrs
            .as_ptr()
            .add((*descriptor).natts as usize)
            .cast::<pg_sys::FormData_pg_attribute>()
            .add(index);
    }
}

/// Takes records of one row type apart.
pub struct RecordReader {
    row_type: (Oid, i32),
    descriptor: pg_sys::TupleDesc,
    pub attributes: Vec<Attribute>,
    values: Vec<Datum>,
    nulls: Vec<bool>,
}

impl RecordReader {
    /// A reader for records like this one. The descriptor is allocated in the current memory
    /// context, which must outlive the reader.
    ///
    /// # Safety
    /// `record` must be a non-null composite value.
    pub unsafe fn new(record: Datum) -> Self {
        // SAFETY: a composite value carries its row type in its header.
        unsafe {
            let row_type = row_type(detoast(record));
            let descriptor = pg_sys::lookup_rowtype_tupdesc_copy(row_type.0, row_type.1);
            let attributes = attributes(descriptor);
            let count = attributes.len();
            RecordReader {
                row_type,
                descriptor,
                attributes,
                values: vec![Datum::from(0usize); count],
                nulls: vec![true; count],
            }
        }
    }

    /// The values of a record's attributes, dropped ones left out.
    ///
    /// # Safety
    /// `record` must be a non-null composite value.
    pub unsafe fn read(&mut self, record: Datum) -> impl Iterator<Item = Cell<'_>> {
        // SAFETY: as promised by the caller.
        unsafe { self.load(record) };
        let live = (0..self.values.len()).filter(|&place| !self.attributes[place].dropped);
        live.map(|place| self.cell(place))
    }

    /// Takes a record apart; [`cell`](Self::cell) has its values then, as long as the record lives.
    ///
    /// # Safety
    /// `record` must be a non-null composite value.
    pub unsafe fn load(&mut self, record: Datum) {
        // SAFETY: the header's row type is checked against the descriptor's before use.
        unsafe {
            let header = detoast(record);
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
            let record = row.cell(0).datum().unwrap();
            // SAFETY: a non-null composite value, and all of one row type.
            let read: Vec<_> = unsafe {
                let reader = reader.get_or_insert_with(|| RecordReader::new(record));
                reader.read(record).map(text).collect()
            };
            assert_eq!(read, [1, 2, 3].map(|place| text(row.cell(place))));
        });
        assert_eq!(compared.len(), 200);
    }

    #[pg_test]
    #[should_panic(expected = "records of different row types in one call")]
    fn records_of_another_row_type_are_refused() {
        let mut reader = None;
        statements::select("SELECT ROW(1, 2) UNION ALL SELECT ROW(1, 'a')", |row| {
            let record = row.cell(0).datum().unwrap();
            // SAFETY: a non-null composite value.
            unsafe {
                let reader = reader.get_or_insert_with(|| RecordReader::new(record));
                reader.read(record).count()
            }
        });
    }

    #[pg_test]
    fn dropped_columns_are_passed_over() {
        Spi::run("CREATE TABLE holed (a int, b int, c text); ALTER TABLE holed DROP COLUMN b")
            .unwrap();
        Spi::run("INSERT INTO holed VALUES (1, 'x')").unwrap();
        let read = statements::seeing_own_writes(|| {
            statements::select("SELECT holed FROM holed", |row| {
                let record = row.cell(0).datum().unwrap();
                // SAFETY: a non-null composite value.
                unsafe {
                    RecordReader::new(record)
                        .read(record)
                        .map(text)
                        .collect::<Vec<_>>()
                }
            })
        });
        assert_eq!(read, [[Some(b"1".to_vec()), Some(b"x".to_vec())]]);
    }
}
