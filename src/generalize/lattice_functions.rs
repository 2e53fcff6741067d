//! `sdc.minimal_generalizations` and `sdc.lattice`.

use crate::generalize::{Conditions, Further, Generalization};
use crate::pg::errors::{self, required};
use crate::pg::guard::guarded;
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, NameList, Relation};
use pgrx::JsonB;
use pgrx::prelude::*;
use sdc_engine::lattice::{Combinations, Figures, Requirement, every_node};

/// Reads the rows of a call and turns the nodes that `search` finds into rows of its result.
fn answer<T>(
    call: &Generalization,
    search: impl FnOnce(&Combinations, &Requirement<'_>, &mut Watch) -> Vec<Figures>,
    row: impl Fn(JsonB, Figures) -> T,
) -> Vec<T> {
    let mut watch = Watch::new(Some(call.source.oid));
    let rows = call.count(&mut watch);
    let combinations = call.combinations(&rows);
    let found = call
        .conditions
        .with_requirement(&rows, &combinations, |requirement| {
            search(&combinations, requirement, &mut watch)
        });
    let levels = |node| JsonB(call.keys.levels(combinations.lattice(), node));
    let rows = found.into_iter();
    rows.map(|figures| row(levels(figures.node), figures))
        .collect()
}

/// Declares a function that searches a lattice; `$call` is what its body works with.
macro_rules! lattice_function {
    (fn $name:ident($call:ident) -> { $($result:tt)* } $body:block) => {
        #[allow(clippy::too_many_arguments)]
        #[pg_extern(stable, parallel_restricted)]
        fn $name(
            source: Relation,
            hierarchies: Option<Json>,
            k: Option<i32>,
            sensitive: default!(NameList, "'{}'"),
            p: default!(Option<i32>, "1"),
            max_suppressed: default!(Option<i64>, "0"),
            l: default!(Option<f64>, "NULL"),
            t: default!(Option<f64>, "NULL"),
            alpha: default!(Option<f64>, "NULL"),
            categories: default!(Option<Json>, "NULL"),
        ) -> $($result)* {
            guarded(|| {
                let hierarchies = required(hierarchies, "hierarchies");
                let (k, p) = (required(k, "k"), required(p, "p"));
                let max_suppressed = required(max_suppressed, "max_suppressed");
                let further = Further {
                    l,
                    t,
                    alpha,
                    categories,
                };
                let $call = Generalization::new(source, &hierarchies, sensitive, |sensitive| {
                    Conditions::new(k, p, max_suppressed, sensitive, further)
                });
                $body
            })
        }
    };
}

lattice_function! {
    fn minimal_generalizations(call) -> {
        TableIterator<
            'static,
            (
                name!(levels, JsonB),
                name!(height, i32),
                name!(groups, i64),
                name!(suppressed, i64),
                name!(loss, f64),
            ),
        >
    } {
        let search = |combinations: &_, requirement: &Requirement<'_>, watch: &mut _| {
            call.minimal(combinations, requirement, watch)
        };
        TableIterator::new(answer(&call, search, |levels, node| {
            let (height, groups) = (node.height as i32, node.groups as i64);
            (levels, height, groups, node.suppressed as i64, node.loss)
        }))
    }
}

lattice_function! {
    fn lattice(call) -> {
        TableIterator<
            'static,
            (
                name!(levels, JsonB),
                name!(height, i32),
                name!(groups, i64),
                name!(suppressed, i64),
                name!(loss, f64),
                name!(satisfied, bool),
            ),
        >
    } {
        let search = |combinations: &_, requirement: &Requirement<'_>, watch: &mut Watch| {
            errors::engine(every_node(combinations, requirement, watch), call.names())
        };
        TableIterator::new(answer(&call, search, |levels, node| {
            let (height, groups) = (node.height as i32, node.groups as i64);
            let suppressed = node.suppressed as i64;
            (levels, height, groups, suppressed, node.loss, node.satisfied)
        }))
    }
}
