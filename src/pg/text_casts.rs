//! The text of a value, as `value::text` gives it.

use crate::pg::cell::Cell;
use crate::pg::memory;
use pgrx::pg_sys::{self, CoercionContext, CoercionPathType, Datum, FmgrInfo, Oid};
use pgrx::varlena;
use std::ffi::{CStr, CString};

/// Turns values of one type into text.
pub struct TextOf {
    typ: Oid,
    conversion: Conversion,
}

enum Conversion {
    /// the value is text already
    None,
    /// the type's cast to text, where it has one of its own (bool, char(n), inet …)
    Cast(Box<FmgrInfo>),
    Output(Box<FmgrInfo>),
}

impl TextOf {
    /// For values of a type, in the current memory context, which must outlive the converter.
    pub fn new(typ: Oid) -> Self {
        // SAFETY: catalog look-ups that raise for an unknown type.
        let conversion = unsafe {
            let mut cast = pg_sys::InvalidOid;
            let explicit = CoercionContext::COERCION_EXPLICIT;
            match pg_sys::find_coercion_pathway(pg_sys::TEXTOID, typ, explicit, &mut cast) {
                CoercionPathType::COERCION_PATH_RELABELTYPE => Conversion::None,
                CoercionPathType::COERCION_PATH_FUNC if pg_sys::get_func_nargs(cast) == 1 => {
                    Conversion::Cast(function(cast))
                }
                _ if pg_sys::getBaseType(typ) == pg_sys::TEXTOID => Conversion::None,
                _ => Conversion::Output(output_function(typ)),
            }
        };
        TextOf { typ, conversion }
    }

    /// For texts as the type itself writes and reads them, whatever casts there are.
    pub fn output(typ: Oid) -> Self {
        TextOf {
            typ,
            conversion: Conversion::Output(output_function(typ)),
        }
    }

    /// Appends the text of a value, nothing for NULL.
    pub fn append(&mut self, cell: Cell<'_>, out: &mut Vec<u8>) {
        cell.require(self.typ);
        let Some(datum) = cell.datum() else { return };
        // SAFETY: a non-null value of the converter's type; both functions take one such value.
        unsafe {
            match &mut self.conversion {
                Conversion::None => with_bytes(datum, |bytes| memory::append(out, bytes)),
                Conversion::Cast(cast) => {
                    let collation = pg_sys::DEFAULT_COLLATION_OID;
                    let text = pg_sys::FunctionCall1Coll(&raw mut **cast, collation, datum);
                    with_bytes(text, |bytes| memory::append(out, bytes));
                }
                Conversion::Output(output) => {
                    let text = pg_sys::OutputFunctionCall(&raw mut **output, datum);
                    memory::append(out, CStr::from_ptr(text).to_bytes());
                    pg_sys::pfree(text.cast());
                }
            }
        }
    }
}

/// How to call a function, in the current memory context.
fn function(oid: Oid) -> Box<FmgrInfo> {
    let mut info = Box::new(FmgrInfo::default());
    // SAFETY: fills the whole struct, or raises.
    unsafe { pg_sys::fmgr_info_cxt(oid, &raw mut *info, pg_sys::CurrentMemoryContext) };
    info
}

fn output_function(typ: Oid) -> Box<FmgrInfo> {
    let (mut output, mut varlena) = (pg_sys::InvalidOid, false);
    // SAFETY: a catalog look-up that raises for an unknown type.
    unsafe { pg_sys::getTypeOutputInfo(typ, &mut output, &mut varlena) };
    function(output)
}

/// Turns texts into values of one type.
pub struct ValueOf {
    typ: Oid,
    input: Box<FmgrInfo>,
    parameter: Oid,
}

impl ValueOf {
    /// In the current memory context, which must outlive the converter.
    pub fn new(typ: Oid) -> Self {
        let (mut input, mut parameter) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
        // SAFETY: a catalog look-up that raises for an unknown type.
        unsafe { pg_sys::getTypeInputInfo(typ, &mut input, &mut parameter) };
        ValueOf {
            typ,
            input: function(input),
            parameter,
        }
    }

    /// The value that has this text, in the current memory context.
    pub fn input(&mut self, text: Vec<u8>) -> Datum {
        let text = CString::new(text).unwrap_or_default();
        let (input, text) = (&raw mut *self.input, text.as_ptr().cast_mut());
        // SAFETY: the type's own input function, with the arguments that it wants.
        unsafe { pg_sys::InputFunctionCall(input, text, self.parameter, -1) }
    }

    /// The same as a cell, NULL for `None`.
    pub fn read(&mut self, text: Option<Vec<u8>>) -> Cell<'static> {
        let datum = text.map(|text| self.input(text));
        // SAFETY: what the type's own input function made, which stays in the current memory context.
        unsafe { Cell::from_option(datum, self.typ) }
    }
}

/// The value of a type that has this text, in the current memory context.
pub fn input(typ: Oid, text: Vec<u8>) -> Datum {
    ValueOf::new(typ).input(text)
}

/// The same as a cell, NULL for `None`.
pub fn read_cell(typ: Oid, text: Option<Vec<u8>>) -> Cell<'static> {
    ValueOf::new(typ).read(text)
}

/// Lends the bytes of a value of variable length, without its header.
///
/// # Safety
/// `datum` must be a non-null value of variable length.
pub unsafe fn with_bytes(datum: Datum, take: impl FnOnce(&[u8])) {
    // SAFETY: detoasting gives a plain value, freed below if it is a copy.
    unsafe {
        let original = datum.cast_mut_ptr::<pg_sys::varlena>();
        // seen here, because asking PostgreSQL costs more than the rest for each value of each row
        let is_plain = varlena::varatt_is_4b_u(original)
            || (varlena::varatt_is_1b(original) && !varlena::varatt_is_1b_e(original));
        let plain = match is_plain {
            true => original,
            false => pg_sys::pg_detoast_datum_packed(original),
        };
        let data = varlena::vardata_any(plain).cast::<u8>();
        take(std::slice::from_raw_parts(
            data,
            varlena::varsize_any_exhdr(plain),
        ));
        if plain != original {
            pg_sys::pfree(plain.cast());
        }
    }
}

/// A new text in the current memory context.
pub fn to_datum(text: &[u8]) -> Datum {
    // SAFETY: copies that many bytes.
    let text = unsafe { pg_sys::cstring_to_text_with_len(text.as_ptr().cast(), text.len() as i32) };
    Datum::from(text)
}
