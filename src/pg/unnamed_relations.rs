//! Relations that the caller has not named, but a register or a label has: whose code may run when
//! they are read or written is vetted. A function whose body is a string looks names up when it
//! runs, so it could call what somebody else has put into the caller's search_path. Therefore such
//! relations are read and written while names without a schema are PostgreSQL's own.

use crate::pg::attempt::hinted;
use crate::pg::statements::{OWN_NAMES, under};
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::Oid;
use std::cell::RefCell;

thread_local! {
    static UNNAMED: RefCell<Vec<Oid>> = const { RefCell::new(Vec::new()) };
}

/// A relation counts as unnamed as long as this lives.
pub struct Unnamed(Oid);

impl Unnamed {
    pub fn new(relation: Oid) -> Self {
        UNNAMED.with_borrow_mut(|unnamed| unnamed.push(relation));
        Unnamed(relation)
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        UNNAMED.with_borrow_mut(|unnamed| {
            if let Some(place) = unnamed.iter().rposition(|relation| *relation == self.0) {
                unnamed.swap_remove(place);
            }
        });
    }
}

/// Reads relations, in PostgreSQL's own names if one of them is unnamed.
pub fn reading<T>(relations: &[Oid], act: impl FnOnce() -> T) -> T {
    let unnamed = UNNAMED.with_borrow(|unnamed| unnamed.iter().any(|of| relations.contains(of)));
    match unnamed {
        true => in_own_names(act),
        false => act(),
    }
}

/// What PostgreSQL says where it does not find a name.
const NOT_FOUND: [PgSqlErrorCode; 4] = [
    PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION,
    PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
    PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
    PgSqlErrorCode::ERRCODE_INVALID_SCHEMA_NAME,
];

/// Does something while names without a schema are PostgreSQL's own.
pub fn in_own_names<T>(act: impl FnOnce() -> T) -> T {
    let hint = "pg_sdc reads and writes tables of releases under search_path = pg_catalog, pg_temp. \
                Write schemas into the functions that the table or view uses, or give them \
                a search_path: ALTER FUNCTION ... SET search_path = ...";
    under(&[OWN_NAMES], || hinted(&NOT_FOUND, hint.into(), act))
}
