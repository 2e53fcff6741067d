//! Writing a table of a release: only the columns that were named, in an order that says
//! nothing about the source's, readable by its owner alone.

use crate::pg::composite::Attribute;
use crate::pg::quoting::{self, identifier, literal};
use crate::pg::statements;
use crate::pg::stored_rows;
use crate::pg::tuple_store::TupleStore;
use crate::write::shuffle::shuffled;
use crate::write::target::Target;
use pgrx::pg_sys;

/// Creates the table and fills it with the rows of the store, shuffled.
pub fn create_table(target: &Target, columns: &[Attribute], rows: &TupleStore) {
    let definitions: Vec<String> = columns.iter().map(definition).collect();
    statements::run(&format!(
        "CREATE TABLE {} ({})",
        target.sql_name(),
        definitions.join(", ")
    ));
    revoke_default_privileges(target);
    stored_rows::insert(&target.sql_name(), &shuffled(rows));
}

/// Creates the table with the rows of a query.
pub fn create_table_as(target: &Target, query: &str) {
    statements::run(&format!("CREATE TABLE {} AS {query}", target.sql_name()));
    revoke_default_privileges(target);
}

/// Creates the view of a release.
pub fn create_view(target: &Target, query: &str) {
    statements::run(&format!("CREATE VIEW {} AS {query}", target.sql_name()));
    revoke_default_privileges(target);
}

fn definition(column: &Attribute) -> String {
    let typ = quoting::type_name(column.typ, column.typmod);
    let collate = collation(column.collation);
    format!("{} {typ}{collate}", identifier(&column.name))
}

/// The COLLATE clause of a column whose collation is not its type's usual one.
fn collation(collation: pg_sys::Oid) -> String {
    if collation == pg_sys::InvalidOid || collation == pg_sys::DEFAULT_COLLATION_OID {
        return String::new();
    }
    let name = statements::value::<String>(&format!(
        "SELECT pg_catalog.format('%I.%I', n.nspname, c.collname) \
         FROM pg_catalog.pg_collation c \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.collnamespace \
         WHERE c.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
        u32::from(collation)
    ));
    name.map_or(String::new(), |name| format!(" COLLATE {name}"))
}

/// ALTER DEFAULT PRIVILEGES may have granted the new table to others: granting is the
/// steward's own step.
fn revoke_default_privileges(target: &Target) {
    let sql = format!(
        "SELECT DISTINCT CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN 'PUBLIC' \
                ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END \
         FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a \
         WHERE c.oid OPERATOR(pg_catalog.=) {}::pg_catalog.regclass \
           AND a.grantee OPERATOR(pg_catalog.<>) c.relowner",
        literal(&target.sql_name())
    );
    let grantees =
        statements::seeing_own_writes(|| statements::select(&sql, |row| row.get::<String>(1)));
    for grantee in grantees.into_iter().flatten() {
        statements::run(&format!(
            "REVOKE ALL ON {} FROM {grantee}",
            target.sql_name()
        ));
    }
}
