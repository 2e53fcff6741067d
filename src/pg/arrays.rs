//! Taking arrays apart, and the names in a `name[]`.

use crate::pg::errors::Failure;
use crate::pg::settings;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::CStr;

/// The names of a `name[]`; null elements are refused.
///
/// # Safety
/// `array` must be a non-null array of names.
pub unsafe fn name_array(array: Datum) -> Vec<String> {
    let name = |(datum, null): (Datum, bool)| {
        if null {
            Failure::null("a column name").raise();
        }
        // SAFETY: an element of an array of names.
        unsafe { name_text(datum) }
    };
    // SAFETY: as promised by the caller.
    let elements = unsafe { elements(array, pg_sys::NAMEOID) };
    elements.into_iter().map(name).collect()
}

/// The text of a `name`.
///
/// # Safety
/// `name` must be a non-null name.
pub unsafe fn name_text(name: Datum) -> String {
    // SAFETY: a name is a zero-terminated string.
    let name = unsafe { CStr::from_ptr(name.cast_mut_ptr()) };
    let name = name.to_string_lossy();
    settings::refuse_unwritable(&name);
    name.into_owned()
}

/// The elements of an array, and whether each is null.
///
/// # Safety
/// `array` must be a non-null array with elements of type `element`.
pub unsafe fn elements(array: Datum, element: Oid) -> Vec<(Datum, bool)> {
    let (mut length, mut by_value, mut align) = (0i16, false, 0);
    let (mut values, mut nulls) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut count = 0;
    // SAFETY: deconstruct_array allocates both vectors with `count` entries.
    unsafe {
        pg_sys::get_typlenbyvalalign(element, &mut length, &mut by_value, &mut align);
        let array = pg_sys::pg_detoast_datum(array.cast_mut_ptr()).cast();
        let length = i32::from(length);
        pg_sys::deconstruct_array(
            array,
            element,
            length,
            by_value,
            align,
            &mut values,
            &mut nulls,
            &mut count,
        );
        let element = |index| (*values.add(index), *nulls.add(index));
        (0..count as usize).map(element).collect()
    }
}
