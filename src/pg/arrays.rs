//! Taking arrays apart, and the names in a `name[]`.

use crate::pg::cell::Cell;
use crate::pg::errors::Failure;
use crate::pg::settings;
use crate::pg::type_capabilities;
use pgrx::pg_sys::{self, Oid};
use std::ffi::{CStr, c_char};

/// The names of a `name[]`; null elements are refused.
pub fn name_array(array: Cell<'_>) -> Vec<String> {
    let elements = ArrayReader::of(array.typ()).map(|reader| reader.read(array));
    let name = |cell: Cell<'_>| name_text(cell).unwrap_or_else(|| null_name());
    elements.into_iter().flatten().map(name).collect()
}

fn null_name() -> ! {
    Failure::null("a column name").raise()
}

/// The text of a `name`; `None` for NULL.
pub fn name_text(name: Cell<'_>) -> Option<String> {
    name.require(pg_sys::NAMEOID);
    // SAFETY: a name is a zero-terminated string.
    let name = unsafe { CStr::from_ptr(name.datum()?.cast_mut_ptr()) };
    let name = name.to_string_lossy();
    settings::refuse_unwritable(&name);
    Some(name.into_owned())
}

/// Takes arrays of one type apart.
pub struct ArrayReader {
    typ: Oid,
    pub element: Oid,
    length: i16,
    by_value: bool,
    align: c_char,
}

impl ArrayReader {
    /// A reader for a type of arrays, or a domain over one; `None` for other types.
    pub fn of(typ: Oid) -> Option<Self> {
        let element = type_capabilities::element_of(type_capabilities::base_of(typ));
        if element == pg_sys::InvalidOid {
            return None;
        }
        let (mut length, mut by_value, mut align) = (0i16, false, 0);
        // SAFETY: a catalog look-up that raises for an unknown type and fills all three.
        unsafe { pg_sys::get_typlenbyvalalign(element, &mut length, &mut by_value, &mut align) };
        Some(ArrayReader {
            typ,
            element,
            length,
            by_value,
            align,
        })
    }

    /// The elements of an array; none for NULL.
    pub fn read<'a>(&self, array: Cell<'a>) -> Vec<Cell<'a>> {
        array.require(self.typ);
        let Some(array) = array.datum() else {
            return Vec::new();
        };
        let (mut values, mut nulls) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut count = 0;
        // SAFETY: an array of such elements; both vectors are allocated with `count` entries.
        unsafe {
            let array = pg_sys::pg_detoast_datum(array.cast_mut_ptr()).cast();
            let length = i32::from(self.length);
            pg_sys::deconstruct_array(
                array,
                self.element,
                length,
                self.by_value,
                self.align,
                &mut values,
                &mut nulls,
                &mut count,
            );
            let cell = |index| Cell::new(*values.add(index), *nulls.add(index), self.element);
            (0..count as usize).map(cell).collect()
        }
    }
}
