//! `sdc.verify_release`: whether the relations of a release are still what was published.

use crate::pg::errors::required;
use crate::pg::guard::guarded;
use crate::pg::statements;
use crate::read::relation::Source;
use crate::release::links::{self, Links};
use crate::release::weighted_view::WeightedView;
use crate::release::{Recorded, ReleaseMethod, checksum};
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;

/// What is left of a table of a release.
struct TableState {
    relation: Option<String>,
    unchanged: Option<bool>,
    note: &'static str,
}

#[pg_extern(volatile, parallel_unsafe)]
fn verify_release(
    id: Option<i64>,
) -> TableIterator<
    'static,
    (
        name!(relation, Option<String>),
        name!(unchanged, Option<bool>),
        name!(note, String),
    ),
> {
    let states = guarded(|| {
        let id = required(id, "id");
        let (_, method) = links::published_by_caller(id);
        let method = ReleaseMethod::named(&method);
        statements::seeing_own_writes(|| {
            let mut states = states(id, method);
            states.extend(method.and_then(|method| view_state(id, method)));
            states
        })
    });
    let row = |state: TableState| (state.relation, state.unchanged, state.note.to_string());
    TableIterator::new(states.into_iter().map(row))
}

/// Whether a table of a release is known not to be what was published.
pub fn is_changed(id: i64, method: Option<ReleaseMethod>) -> bool {
    let states = states(id, method);
    states.iter().any(|state| state.unchanged == Some(false))
}

fn states(id: i64, method: Option<ReleaseMethod>) -> Vec<TableState> {
    let published = checksums(id);
    let tables = Links::of(id).tables(method.is_some_and(ReleaseMethod::is_apart));
    let published = |place: usize| published.as_ref()?.get(place).cloned();
    let state = |(place, table)| TableState::of(table, published(place));
    tables.into_iter().enumerate().map(state).collect()
}

/// Whether the view over two tables shows what they hold: it is what readers use.
fn view_state(id: i64, method: ReleaseMethod) -> Option<TableState> {
    if !method.is_apart() {
        return None;
    }
    let links = Links::of(id);
    let Some(view) = links.target.and_then(Source::find) else {
        return Some(TableState::GONE);
    };
    let tables = [links.keys_table, links.values_table].map(|table| table.and_then(Source::find));
    let [Some(keys), Some(values)] = tables else {
        return Some(TableState::GONE);
    };
    view.require_trusted();
    let recorded = recorded_of(id, method);
    let expected = WeightedView {
        method,
        keys: &recorded.keys,
        sensitive: recorded.sensitive.first()?,
        tables: [keys.sql_name.clone(), values.sql_name.clone()],
    };
    // version 0.2 kept no checksums, and wrote views in another way
    let unchanged =
        checksums(id).map(|_| expected.fits([&keys, &values]) && expected.is_shown_by(&view));
    Some(TableState::known(
        view,
        unchanged,
        "shows what the tables hold",
    ))
}

fn recorded_of(id: i64, method: ReleaseMethod) -> Recorded {
    let sql = format!(
        "SELECT r.parameters::pg_catalog.text FROM sdc.release r WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
    );
    let parameters = links::in_register(|| statements::value::<String>(&sql));
    Recorded::parse(id, Some(method), &parameters.unwrap_or_default())
}

/// The checksums of the day of publication; version 0.2 kept none.
fn checksums(id: i64) -> Option<Vec<Option<String>>> {
    let sql = format!(
        "SELECT r.checksums FROM sdc.release r WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
    );
    links::in_register(|| statements::value(&sql))
}

impl TableState {
    const GONE: Self = TableState {
        relation: None,
        unchanged: Some(false),
        note: "gone, or not yours to read",
    };

    fn of(table: Option<Oid>, published: Option<Option<String>>) -> Self {
        let Some(table) = table.and_then(Source::find) else {
            return TableState::GONE;
        };
        table.require_trusted();
        let now = Some(checksum::kept(&table.sql_name));
        let unchanged = published.map(|published| published == now);
        TableState::known(table, unchanged, "as it was published")
    }

    fn known(table: Source, unchanged: Option<bool>, well: &'static str) -> Self {
        TableState {
            relation: Some(table.sql_name),
            unchanged,
            note: match unchanged {
                Some(true) => well,
                Some(false) => "changed since it was published",
                None => "published before checksums were kept",
            },
        }
    }
}
