//! Writing a table of a release: only the columns that were named, in an order that says
//! nothing about the source's, readable by its owner alone.

use crate::pg::citus;
use crate::pg::composite::Attribute;
use crate::pg::errors::Failure;
use crate::pg::quoting::{self, identifier, identifiers, literal};
use crate::pg::statements;
use crate::pg::stored_rows;
use crate::pg::tuple_store::TupleStore;
use crate::pg::unnamed_relations::in_own_names;
use crate::read::relation::Source;
use crate::write::shuffle::shuffled;
use crate::write::target::Target;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys;

/// Creates the table and fills it with the rows of the store, shuffled. Where the target is to
/// be replaced, the table stays and its rows are exchanged.
pub fn create_table(target: &Target, columns: &[Attribute], rows: &TupleStore) {
    if target.replaces().is_some() {
        return in_own_names(|| exchange_rows(target, columns, rows));
    }
    create_empty(target, columns);
    stored_rows::insert(&target.sql_name(), &shuffled(rows));
}

/// Creates the table without rows.
pub fn create_empty(target: &Target, columns: &[Attribute]) {
    statements::run(&format!(
        "CREATE TABLE {} ({})",
        target.sql_name(),
        definitions(columns)
    ));
    revoke_default_privileges(target);
}

/// Creates the table with the rows of a query.
pub fn create_table_as(target: &Target, query: &str) {
    statements::run(&format!("CREATE TABLE {} AS {query}", target.sql_name()));
    revoke_default_privileges(target);
}

/// Exchanges all rows of a table. Others see the old ones until the transaction ends, and wait for
/// nothing: TRUNCATE, or another file, would make them wait, and show older snapshots an empty
/// table.
fn exchange_rows(target: &Target, columns: &[Attribute], rows: &TupleStore) {
    let table = emptied(target, columns);
    let spread = citus::distribution_column(table.oid).is_some();
    let names = identifiers(columns.iter().map(|column| column.name.as_str()));
    let place = format!("{} ({names})", table.sql_name);
    match spread {
        true => insert_by_table(&place, columns, &shuffled(rows)),
        false => stored_rows::insert(&place, &shuffled(rows)),
    }
    if !is_plain(&table) {
        refuse_other_rows(&table, rows.rows());
    }
}

/// Whether nothing else can happen to rows that are written: there are no triggers, rules, policies,
/// child tables or other nodes.
fn is_plain(table: &Source) -> bool {
    let sql = format!(
        "SELECT NOT (c.relhastriggers OR c.relhasrules OR c.relhassubclass OR c.relrowsecurity) \
         FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
        u32::from(table.oid)
    );
    let local = citus::distribution_column(table.oid).is_none();
    // what was made before the table was locked, too
    let plain = statements::seeing_all_that_is_committed(|| statements::value(&sql));
    local && plain == Some(true)
}

/// A table that is there, with the columns of a new release, and without its rows.
pub fn emptied(target: &Target, columns: &[Attribute]) -> Source {
    let table = Source::named(&target.sql_name());
    refuse_other_columns(&table, columns);
    let spread = citus::distribution_column(table.oid).is_some();
    let only = if spread { "" } else { "ONLY " };
    // a policy that hides rows from their owner would leave them there
    statements::under(&[(c"row_security", c"off")], || {
        statements::run(&format!("DELETE FROM {only}{}", table.sql_name));
    });
    table
}

/// Inserts rows into a distributed table. Citus does not know rows that are not in a table.
fn insert_by_table(place: &str, columns: &[Attribute], rows: &TupleStore) {
    statements::run(&format!(
        "CREATE TEMP TABLE pg_sdc_rows_to_place ({}) ON COMMIT DROP",
        definitions(columns)
    ));
    stored_rows::insert("pg_temp.pg_sdc_rows_to_place", rows);
    statements::run(&format!(
        "INSERT INTO {place} SELECT * FROM pg_temp.pg_sdc_rows_to_place"
    ));
    statements::run("DROP TABLE pg_temp.pg_sdc_rows_to_place");
}

/// Spreads a table over the nodes of Citus by one of its columns, each row to the node that has
/// the source's rows of that value. The rows keep their random order.
pub fn spread_like(table: &str, column: &str, source: &Source) {
    spread_empty(table, column, source);
    let quoted = literal(table);
    // the rows that were moved are still here, where nobody sees them
    statements::run(&format!(
        "SELECT pg_catalog.truncate_local_data_after_distributing_table({quoted})"
    ));
}

/// The same for a table without rows.
pub fn spread_empty(table: &str, column: &str, source: &Source) {
    statements::run(&format!(
        "SELECT pg_catalog.create_distributed_table({}, {}, colocate_with => {})",
        literal(table),
        literal(column),
        literal(&source.sql_name)
    ));
}

/// Refuses to replace a relation by one of another kind or with other columns: views and grants
/// may depend on those that are there.
fn refuse_other_columns(table: &Source, columns: &[Attribute]) {
    let there = table.attributes.iter().filter(|column| !column.dropped);
    let same = |column: &Attribute| {
        let other = columns.iter().find(|other| other.name == column.name);
        other.is_some_and(|other| {
            (other.typ, other.typmod, other.collation)
                == (column.typ, column.typmod, column.collation)
        })
    };
    if table.kind() == b'r' && there.clone().count() == columns.len() && there.clone().all(same) {
        return;
    }
    let label = |column: &Attribute| {
        let typ = quoting::type_label(column.typ);
        format!("{} {typ}", identifier(&column.name))
    };
    let ours: Vec<String> = columns.iter().map(label).collect();
    let theirs: Vec<String> = there.map(label).collect();
    Failure::new(
        PgSqlErrorCode::ERRCODE_INVALID_TABLE_DEFINITION,
        format!(
            "{} cannot be replaced: its columns are not those of the new release",
            table.sql_name
        ),
    )
    .detail(format!(
        "It has {}; the new release has {}.",
        theirs.join(", "),
        ours.join(", ")
    ))
    .hint("Publish under another name, or drop what is there with sdc.drop_release() first.")
    .raise()
}

/// Refuses a table that does not hold what was written into it.
pub fn refuse_other_rows(table: &Source, rows: usize) {
    let sql = format!("SELECT pg_catalog.count(*) FROM {}", table.sql_name);
    let found = statements::seeing_own_writes(|| statements::value::<i64>(&sql));
    if found != Some(rows as i64) {
        Failure::new(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!(
                "{} holds {} rows where {rows} were written",
                table.sql_name,
                found.unwrap_or(0)
            ),
        )
        .hint("Triggers, rules or child tables of a release change its rows: remove them.")
        .raise();
    }
}

/// Creates the view of a release. Where the target is to be replaced the view stays, because its
/// tables stay, with the same columns.
pub fn create_view(target: &Target, query: &str) {
    if target.replaces().is_some() {
        return;
    }
    statements::run(&format!("CREATE VIEW {} AS {query}", target.sql_name()));
    revoke_default_privileges(target);
}

/// Columns as CREATE TABLE takes them.
pub fn definitions(columns: &[Attribute]) -> String {
    let definitions: Vec<String> = columns.iter().map(definition).collect();
    definitions.join(", ")
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
