//! `sdc.mondrian`: multidimensional local recoding as a window function.

use crate::assign::{no_groups, refuse_no_sensitive};
use crate::pg::errors::{self, Failure};
use crate::pg::function_call::v1;
use crate::pg::memory::reserved;
use crate::pg::progress::Watch;
use crate::read::columns::{Decoder, Role, categories};
use crate::read::hierarchy_table::HierarchyTable;
use crate::read::ranks;
use crate::read::window_rows::{ColumnNames, WindowCall};
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::Oid;
use sdc_engine::{Categories, Column, Partition, Table, assign};

/// `mondrian(k, keys)`, `mondrian(k, p, keys, sensitive)`, or that with hierarchies.
fn mondrian(call: &WindowCall, watch: &mut Watch) -> Partition {
    let k = call.count(0, "k");
    let diverse = call.arguments() >= 4;
    let (p, first) = if diverse {
        (call.count(1, "p"), 2)
    } else {
        (1, 1)
    };
    let sensitive = (first + 1..call.arguments().min(4), Role::Sensitive);
    let read = call.read_keys_and_sensitive(first..first + 1, sensitive, watch);
    let Some((keys, sensitive)) = read else {
        return no_groups();
    };
    let named = ColumnNames::of(&keys, &sensitive);
    let names = named.names();
    refuse_no_sensitive(p, names);
    let hierarchies = hierarchies(call, names.keys.len());
    let (columns, decoders) = keys.finish();
    let columns = columns.into_iter().zip(&decoders);
    let keys = columns.zip(names.keys).zip(hierarchies);
    let ordered = keys.map(|(((column, values), label), table)| {
        let table = table.map(HierarchyTable::new);
        cut_order(column, values, label, table.as_ref())
    });
    let table = errors::engine(Table::new(ordered.collect()), names);
    let sensitive = categories(sensitive.finish().0);
    let groups = assign::mondrian(&table, &sensitive, k, p, watch);
    errors::engine(groups, names)
}

/// The hierarchy's table of each key, if it has one.
fn hierarchies(call: &WindowCall, keys: usize) -> Vec<Option<Oid>> {
    let given = match call.arguments() {
        5 => call.scalar::<Vec<Option<Oid>>>(4),
        _ => None,
    };
    let given = given.unwrap_or_else(|| vec![None; keys]);
    if given.len() != keys {
        Failure::invalid(format!(
            "there are {} hierarchies for {keys} keys",
            given.len()
        ))
        .hint("Give one for each key in the order of the keys, NULL for a key without one.")
        .raise();
    }
    given
}

/// A key whose values have the order in which they are cut: that of its hierarchy, or its type's.
pub fn cut_order(
    column: Column,
    values: &Decoder,
    label: &str,
    hierarchy: Option<&HierarchyTable>,
) -> Column {
    match hierarchy {
        Some(hierarchy) => by_hierarchy(column, values, label, hierarchy),
        None => by_order(column, values),
    }
}

/// Codes of a categorical key follow its type's order, so that a cut parts lower from higher
/// values; where the type has none, the order in which values came.
fn by_order(column: Column, values: &Decoder) -> Column {
    let Decoder::Category { codec, seen } = values else {
        return column;
    };
    match ranks::places(codec, seen) {
        Some(places) => renumbered(column, &places),
        None => column,
    }
}

/// Codes that keep the values of a hierarchy's groups together.
fn by_hierarchy(
    column: Column,
    values: &Decoder,
    label: &str,
    hierarchy: &HierarchyTable,
) -> Column {
    let Decoder::Category { codec, .. } = values else {
        Failure::new(
            PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
            format!("{label} is numeric and takes no hierarchy"),
        )
        .hint("Numbers and dates are split by value; give NULL in its place, or leave it out.")
        .raise()
    };
    let places = hierarchy.places_of(label, codec.typ(), values);
    renumbered(column, &places)
}

fn renumbered(column: Column, places: &[u32]) -> Column {
    let Column::Categorical(categories) = &column else {
        return column;
    };
    let mut codes = reserved(categories.codes().len());
    codes.extend(categories.codes().iter().map(|&code| places[code as usize]));
    Column::Categorical(Categories::new(codes))
}

v1! {
    sdc_mondrian, pg_finfo_sdc_mondrian => |call| crate::assign::assign(call, mondrian);
}
