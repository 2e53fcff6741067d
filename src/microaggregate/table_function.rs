//! `sdc.microaggregate`: a whole table in, masked rows out.

use crate::microaggregate::options::Microaggregation;
use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::row_results;
use crate::pg::sql_types::NameList;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::TableOptions;
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use sdc_engine::assign::GroupConditions;

fn microaggregate(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    refuse_name(call, &arguments);
    let keys = arguments.required::<NameList>("keys").0;
    let sensitive = arguments.required::<NameList>("sensitive").0;
    let table = TableOptions::of(&arguments);
    let options = Microaggregation::of(&arguments, table.weights(&keys));
    let source = Source::new(row_results::relation_of_rowtype(call));
    relation::refuse_empty("keys", &keys);
    let selection = Selection {
        columns: (0..source.attributes.len()).collect(),
        keys: source.columns("keys", &keys),
        sensitive: source.columns("sensitive", &sensitive),
        strata: source.columns("strata", &table.strata),
        entity: source.columns("entity", table.entity.as_slice()),
        shown: source.attributes.len(),
        options: &table,
        source: &source,
    };
    relation::refuse_overlap(("keys", &keys), ("sensitive", &sensitive));
    table.refuse_names(&source, &keys, &[("sensitive", &sensitive)]);
    row_results::answer_rowtype(call, |result| {
        let mut watch = Watch::new(Some(source.oid));
        let mut rows = KeptRows::read(&selection, &mut watch);
        rows.warn_of_codes();
        let grouped = options.group(
            &mut rows,
            GroupConditions::default(),
            table.max_suppressed,
            &mut watch,
        );
        rows.mask(&grouped.partition, result, &mut watch);
    })
}

/// A name does not tell PostgreSQL which columns the result has.
fn refuse_name(call: &Call, arguments: &NamedArguments<'_>) {
    let name = match arguments.has("rowtype") {
        true if call.argument_type(0) == pg_sys::REGCLASSOID => None,
        true => return,
        false => arguments.given::<String>("source"),
    };
    let table = name.unwrap_or_else(|| "my_table".into());
    Failure::new(
        PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
        "sdc.microaggregate() needs the row type of a table, not its name",
    )
    .detail("The row type says which columns the result has.")
    .hint(format!("Use NULL::{table} in place of the name, as in SELECT * FROM sdc.microaggregate(NULL::{table}, keys => '{{age}}', k => 5)."))
    .raise()
}

v1! {
    sdc_microaggregate, pg_finfo_sdc_microaggregate => microaggregate;
}
