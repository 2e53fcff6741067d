//! Which labels `SECURITY LABEL FOR sdc` takes. Whether a named column or table exists is not
//! asked here: a restored dump may label before it creates.

use crate::pg::errors::Failure;
use crate::pg::label_provider::Labelled;
use crate::read::label_text::{ColumnLabel, Policy};
use crate::read::labels::understood;
use pgrx::prelude::*;

/// Raises an error for a label that says nothing.
pub fn check_label(labelled: Labelled, text: &str) {
    match labelled {
        Labelled::Column => drop(understood(ColumnLabel::parse(text))),
        Labelled::Relation => drop(understood(Policy::parse(text))),
        Labelled::Other => Failure::new(
            PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
            "only tables and their columns have labels of pg_sdc",
        )
        .hint("SECURITY LABEL FOR sdc ON COLUMN my_table.age IS 'key', or ON TABLE my_table IS 'k=5'.")
        .raise(),
    }
}
