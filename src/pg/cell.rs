//! A value of PostgreSQL together with its type. Code that takes one compares the type with the
//! one it was made for, so that code above this layer cannot mistake one value for another.

use crate::pg::datum_image::{self, Image};
use crate::pg::deleted_rows::RowPlace;
use crate::pg::errors::Failure;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::{FromDatum, IntoDatum};
use std::marker::PhantomData;

/// A value, or NULL. It is valid as long as what it was borrowed from, or as the memory
/// context in which it was made.
#[derive(Clone, Copy)]
pub struct Cell<'a> {
    datum: Datum,
    null: bool,
    typ: Oid,
    lives: PhantomData<&'a ()>,
}

impl<'a> Cell<'a> {
    /// # Safety
    /// `datum` must be a valid value of the type for as long as the cell is used, unless `null`.
    pub unsafe fn new(datum: Datum, null: bool, typ: Oid) -> Self {
        Cell {
            datum,
            null,
            typ,
            lives: PhantomData,
        }
    }

    /// A value, or NULL for `None`.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    pub unsafe fn from_option(datum: Option<Datum>, typ: Oid) -> Self {
        match datum {
            // SAFETY: as promised by the caller.
            Some(datum) => unsafe { Self::new(datum, false, typ) },
            None => Self::null(typ),
        }
    }

    /// NULL of a type.
    pub fn null(typ: Oid) -> Self {
        Cell {
            datum: Datum::from(0usize),
            null: true,
            typ,
            lives: PhantomData,
        }
    }

    /// A value that Rust can make, NULL for `None`. What it points to is allocated in the
    /// current memory context.
    pub fn of<T: IntoDatum>(value: Option<T>) -> Self {
        // SAFETY: the datum is of the type that T says.
        unsafe { Self::from_option(value.and_then(IntoDatum::into_datum), T::type_oid()) }
    }

    /// A text in the current memory context, NULL for `None`.
    pub fn text(text: Option<&[u8]>) -> Self {
        let text = text.map(crate::pg::text_casts::to_datum);
        // SAFETY: the datum is a text.
        unsafe { Self::from_option(text, pg_sys::TEXTOID) }
    }

    pub fn is_null(&self) -> bool {
        self.null
    }

    pub fn typ(&self) -> Oid {
        self.typ
    }

    /// The bare value; `None` for NULL.
    pub fn datum(&self) -> Option<Datum> {
        (!self.null).then_some(self.datum)
    }

    /// The bare value; 0 for NULL.
    pub fn word(&self) -> Datum {
        self.datum().unwrap_or(Datum::from(0usize))
    }

    /// The value in Rust; `None` for NULL.
    pub fn get<T: FromDatum + IntoDatum>(&self) -> Option<T> {
        if !T::is_compatible_with(self.typ) {
            wrong_type();
        }
        // SAFETY: the value is of a type that T stands for.
        unsafe { T::from_datum(self.datum, self.null) }
    }

    /// A whole number of a count or a group, which is never null.
    pub fn int8(&self) -> i64 {
        self.require(pg_sys::INT8OID);
        self.datum.value() as i64
    }

    /// Where a row is, as `ctid` says it, which is never null.
    pub fn row_place(&self) -> RowPlace {
        self.require(pg_sys::TIDOID);
        // SAFETY: a tid is kept by reference.
        RowPlace::of(unsafe { *self.datum.cast_mut_ptr::<pg_sys::ItemPointerData>() })
    }

    /// A double precision figure, which is never null.
    pub fn float8(&self) -> f64 {
        self.require(pg_sys::FLOAT8OID);
        f64::from_bits(self.datum.value() as u64)
    }

    /// A copy of a jsonb that outlives the row; `None` for NULL.
    pub fn jsonb(&self) -> Option<Image> {
        self.require(pg_sys::JSONBOID);
        // SAFETY: a non-null value of a type of variable length.
        self.datum()
            .map(|datum| unsafe { datum_image::of_varlena(datum) })
    }

    /// Refuses a value of another type than the one that was expected.
    #[inline]
    pub fn require(&self, typ: Oid) {
        if self.typ != typ {
            wrong_type();
        }
    }
}

#[cold]
fn wrong_type() -> ! {
    Failure::internal("a value of another type than expected").raise()
}
