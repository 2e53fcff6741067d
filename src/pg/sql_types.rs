//! Argument and result types that pgrx does not know (`regclass`, `name`, `name[]`), or reads in
//! another way than users should see (`jsonb`).

use crate::pg::arrays;
use crate::pg::cell::Cell;
use crate::pg::datum_copies::copied;
use crate::pg::datum_image::Image;
use crate::pg::errors::Failure;
use crate::pg::settings;
use crate::pg::text_casts;
use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::nullable::Nullable;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::prelude::*;
use serde_json::Value;
use std::ffi::CStr;

/// A relation named in a call: `regclass`.
#[derive(Clone, Copy)]
pub struct Relation(pub Oid);

/// Columns named in a call: `name[]`.
#[derive(Clone, Default)]
pub struct NameList(pub Vec<String>);

/// A `jsonb` argument.
#[derive(Clone)]
pub struct Json(pub Value);

/// A `jsonb` in a result, as PostgreSQL holds it.
pub struct Jsonb(pub Image);

/// A name in a result: `name`.
#[derive(Clone)]
pub struct Name(pub String);

impl FromDatum for Relation {
    unsafe fn from_polymorphic_datum(datum: Datum, null: bool, typ: Oid) -> Option<Self> {
        // SAFETY: a regclass is an oid.
        unsafe { Oid::from_polymorphic_datum(datum, null, typ) }.map(Relation)
    }
}

impl IntoDatum for Relation {
    fn into_datum(self) -> Option<Datum> {
        self.0.into_datum()
    }

    fn type_oid() -> Oid {
        pg_sys::REGCLASSOID
    }
}

impl FromDatum for NameList {
    unsafe fn from_polymorphic_datum(datum: Datum, null: bool, _: Oid) -> Option<Self> {
        // SAFETY: the SQL declaration makes this an array of names.
        let names = unsafe { Cell::new(datum, null, pg_sys::NAMEARRAYOID) };
        (!null).then(|| NameList(arrays::name_array(names)))
    }
}

impl IntoDatum for NameList {
    fn into_datum(self) -> Option<Datum> {
        let names = self.0.into_iter().map(|name| Name(name).into_datum());
        let mut names: Vec<Datum> = names.collect::<Option<_>>()?;
        // SAFETY: names of fixed length, aligned as characters are.
        let array = unsafe {
            pg_sys::construct_array(
                names.as_mut_ptr(),
                names.len() as i32,
                pg_sys::NAMEOID,
                pg_sys::NAMEDATALEN as i32,
                false,
                b'c' as std::ffi::c_char,
            )
        };
        Some(Datum::from(array))
    }

    fn type_oid() -> Oid {
        pg_sys::NAMEARRAYOID
    }
}

impl FromDatum for Name {
    unsafe fn from_polymorphic_datum(datum: Datum, null: bool, _: Oid) -> Option<Self> {
        // SAFETY: the SQL declaration makes this a name.
        arrays::name_text(unsafe { Cell::new(datum, null, pg_sys::NAMEOID) }).map(Name)
    }
}

impl FromDatum for Json {
    unsafe fn from_polymorphic_datum(datum: Datum, null: bool, _: Oid) -> Option<Self> {
        if null {
            return None;
        }
        // SAFETY: the SQL declaration makes this a jsonb, whose text is a C string.
        let text =
            unsafe { pgrx::direct_function_call::<&CStr>(pg_sys::jsonb_out, &[Some(datum)])? };
        let Ok(text) = text.to_str() else {
            settings::beyond_ascii().raise()
        };
        let value = serde_json::from_str(text);
        Some(Json(value.unwrap_or_else(|_| too_deep())))
    }
}

/// PostgreSQL's jsonb are valid, so only their depth can be too much.
fn too_deep() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
        "a jsonb argument is nested too deeply",
    )
    .raise()
}

impl IntoDatum for Jsonb {
    fn into_datum(self) -> Option<Datum> {
        // as long as the image, whose header says how much of it counts
        Some(copied(&self.0))
    }

    fn type_oid() -> Oid {
        pg_sys::JSONBOID
    }
}

// SAFETY: the SQL type is the one whose datums `IntoDatum` makes.
unsafe impl SqlTranslatable for Jsonb {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Jsonb);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("jsonb"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("jsonb")));
}

impl IntoDatum for Name {
    fn into_datum(self) -> Option<Datum> {
        Some(text_casts::input(pg_sys::NAMEOID, self.0.into_bytes()))
    }

    fn type_oid() -> Oid {
        pg_sys::NAMEOID
    }
}

/// A row of the register: `sdc.release`.
pub struct Release {
    row: Datum,
    pub id: i64,
}

impl Release {
    /// # Safety
    /// The datum must be a row of sdc.release in the caller's memory, with this number.
    pub unsafe fn new(row: Datum, id: i64) -> Self {
        Release { row, id }
    }
}

impl IntoDatum for Release {
    fn into_datum(self) -> Option<Datum> {
        Some(self.row)
    }

    fn type_oid() -> Oid {
        pg_sys::RECORDOID
    }
}

// SAFETY: the datum is a row of sdc.release.
unsafe impl SqlTranslatable for Release {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Release);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
        Ok(SqlMappingRef::literal("sdc.release"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("sdc.release")));
}

macro_rules! sql_result {
    ($type:ty) => {
        // SAFETY: the datum is of the SQL type that the declaration says.
        unsafe impl BoxRet for $type {
            unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> pgrx::datum::Datum<'fcx> {
                match self.into_datum() {
                    // SAFETY: as above.
                    Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
                    None => fcinfo.return_null(),
                }
            }
        }
    };
}

sql_result!(Name);
sql_result!(Jsonb);
sql_result!(Release);
sql_result!(Relation);

macro_rules! sql_type {
    ($type:ty, $sql:literal) => {
        // SAFETY: the SQL type is the one whose datums `FromDatum` reads.
        unsafe impl SqlTranslatable for $type {
            const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!($type);
            const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
            const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
                Ok(SqlMappingRef::literal($sql));
            const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
                Ok(ReturnsRef::One(SqlMappingRef::literal($sql)));
        }

        // SAFETY: the argument's SQL type is the one declared above.
        unsafe impl<'fcx> ArgAbi<'fcx> for $type {
            unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
                // the position names it: what it is called is known to the catalog only
                let position = arg.index() + 1;
                // SAFETY: as above.
                let value = unsafe { arg.unbox_arg_using_from_datum() };
                value.unwrap_or_else(|| {
                    Failure::null(&format!("argument {position}, a {},", $sql)).raise()
                })
            }

            unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
                // SAFETY: as above.
                unsafe { arg.unbox_arg_using_from_datum().into() }
            }
        }
    };
}

sql_type!(Relation, "regclass");
sql_type!(NameList, "name[]");
sql_type!(Name, "name");
sql_type!(Json, "jsonb");
