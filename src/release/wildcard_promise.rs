//! What a generalized release achieves where NULL matches every value.

use crate::check::{Check, Requirements};
use crate::generalize::Generalization;
use crate::pg::errors;
use crate::pg::progress::Watch;
use crate::pg::statements;
use crate::read::null_reading::NullReading;
use crate::read::relation::Source;
use crate::release::Target;
use crate::release::promise_check::broken_promise;
use sdc_engine::lattice::{self, Combinations, WildcardFigures};
use sdc_engine::model::Property;
use serde_json::{Value, json};

/// What the rows that a node keeps match.
pub fn matches(
    call: &Generalization,
    combinations: &Combinations,
    node: usize,
    kept: &[bool],
    watch: &mut Watch,
) -> Option<WildcardFigures> {
    let figures = lattice::wildcard_figures(combinations, node, kept, watch);
    errors::engine(figures, call.names())
}

/// Checks the released table as it stands, and adds what it achieves. p is counted by the engine:
/// checks of tables know no values of matches.
pub fn verify(
    call: &Generalization,
    target: &Target,
    matches: Option<&WildcardFigures>,
    required: Requirements,
    achieved: &mut Value,
) {
    let k = fewest_matches(target, &call.keys.names, required.k);
    let p = matches.and_then(|matches| matches.p.iter().min().copied());
    if p.is_some_and(|p| p < call.conditions.p as u64) {
        broken_promise(Property::PSensitivity);
    }
    achieved["k_wildcard"] = json!(k);
    achieved["p_wildcard"] = json!(p);
}

/// The fewest rows that match any row.
fn fewest_matches(target: &Target, keys: &[String], k: Option<i32>) -> Option<i64> {
    let required = Requirements {
        k,
        ..Requirements::default()
    };
    let table = Source::named(&target.sql_name());
    let check = Check {
        nulls: NullReading::Wildcard,
        ..Check::of(table, keys.to_vec(), Vec::new(), required)
    };
    let lines = statements::seeing_own_writes(|| check.lines());
    if let Some(line) = lines.iter().find(|line| line.satisfied() == Some(false)) {
        broken_promise(line.property);
    }
    let fewest = lines.iter().find_map(|line| line.actual);
    fewest.map(|rows| rows as i64)
}
