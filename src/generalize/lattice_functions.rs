//! `sdc.minimal_generalizations` and `sdc.lattice`.

use crate::generalize::Generalization;
use crate::pg::cell::Cell;
use crate::pg::errors;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::row_results::answer_table;
use crate::read::named_arguments::NamedArguments;
use pgrx::JsonB;
use pgrx::pg_sys::Datum;
use sdc_engine::lattice::{Combinations, Figures, Requirement, every_node};

/// Which nodes a function looks for.
type Search = fn(&Generalization, &Combinations, &Requirement<'_>, &mut Watch) -> Vec<Figures>;

/// Answers a call with the nodes that `search` finds; `verdict` says whether each of them
/// satisfies the requirements.
fn answer(call: &Call, search: Search, verdict: bool) -> Option<Datum> {
    let request = Generalization::new(&NamedArguments::of(call));
    answer_table(call, |result| {
        let mut watch = Watch::new(Some(request.source.oid));
        let rows = request.count(&mut watch);
        let combinations = request.combinations(&rows);
        let conditions = &request.conditions;
        let found = conditions.with_requirement(&rows, &combinations, |requirement| {
            search(&request, &combinations, requirement, &mut watch)
        });
        for node in found {
            let levels = request.keys.levels(combinations.lattice(), node.node);
            let mut row = vec![
                Cell::of(Some(JsonB(levels))),
                Cell::of(Some(node.height as i32)),
                Cell::of(Some(node.groups as i64)),
                Cell::of(Some(node.suppressed as i64)),
                Cell::of(Some(node.loss)),
            ];
            row.extend(verdict.then(|| Cell::of(Some(node.satisfied))));
            result.push(&row);
        }
    })
}

fn minimal_generalizations(call: &Call) -> Option<Datum> {
    answer(call, Generalization::minimal, false)
}

fn lattice(call: &Call) -> Option<Datum> {
    let search: Search = |request, combinations, requirement, watch| {
        let nodes = every_node(combinations, requirement, watch);
        errors::engine(nodes, request.names())
    };
    answer(call, search, true)
}

v1! {
    sdc_minimal_generalizations, pg_finfo_sdc_minimal_generalizations => minimal_generalizations;
    sdc_lattice, pg_finfo_sdc_lattice => lattice;
}
