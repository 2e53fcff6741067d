//! `sdc.attack_minimality` of a generalized release: why were keys not generalized less?

use crate::attack::attack_figures::{Finding, share};
use crate::attack::attacked_release::AttackedRelease;
use crate::pg::errors::{Names, engine, number_of};
use crate::pg::progress::Watch;
use crate::pg::sql_types::Json;
use crate::release::{CountedColumns, HierarchyKeys, count_rows};
use sdc_engine::attack::{RecodingFindings, attack_recoding};

/// What a release must be for the attack to be made.
const UNEXPLAINED: &str = "Not measured: rows were suppressed, persons have several rows, or weights or further requirements were given. The register does not say enough about such a release.";

pub fn finding(release: &AttackedRelease) -> Finding {
    release.refuse_others();
    let mut watch = Watch::new(Some(release.source.oid));
    let hierarchies = Json(release.parameters["hierarchies"].clone());
    let keys = HierarchyKeys::unnamed(&release.source, &hierarchies);
    let sensitive = release.source.columns("sensitive", &release.sensitive[..1]);
    let columns = CountedColumns {
        others: &sensitive,
        counted: 1,
        of_persons: false,
        keep: false,
    };
    let rows = count_rows(&release.source, &keys, &columns, &mut watch);
    let combinations = engine(rows.counter.combinations(), Names::default());
    let persons = combinations.rows();
    if !is_plain(release) {
        return written(persons, None);
    }
    let node = keys.node(combinations.lattice(), &release.parameters["levels"]);
    let k = release.parameter("k").unwrap_or(1.0) as usize;
    let found = attack_recoding(&combinations, k, node, &mut watch);
    written(persons, Some(engine(found, Names::default())))
}

/// Whether the register tells all that decided on the node.
fn is_plain(release: &AttackedRelease) -> bool {
    let more = [
        "l",
        "t",
        "alpha",
        "weights",
        "suppression_factor",
        "entity",
        "strata",
        "population",
        "nulls",
    ];
    let nothing_lost = release.parameters["max_suppressed"].as_f64() == Some(0.0);
    nothing_lost
        && release.sensitive.len() == 1
        && more.iter().all(|name| release.parameters[name].is_null())
}

fn written(persons: u64, found: Option<RecodingFindings>) -> Finding {
    let note = match &found {
        None => UNEXPLAINED.to_string(),
        Some(found) if found.certain == 0 => format!(
            "p ruled out {} that would lose less. No person's value follows from that.",
            number_of(found.better as u64, "recoding")
        ),
        Some(found) => format!(
            "p ruled out {} that would lose less. In {} of them exactly one group can have a single value, so a reader knows which. Choose levels by keys alone (levels => '…'), or use sdc.publish_microaggregated.",
            number_of(found.better as u64, "recoding"),
            found.explained
        ),
    };
    Finding {
        attack: "minimality",
        attacker: "knows everybody's keys, the hierarchies, and that the release loses as little as possible",
        persons,
        promised: Some(0.0),
        baseline: Some(0.0),
        measured: found.and_then(|found| share(found.right, persons)),
        recall: found.and_then(|found| share(found.certain, persons)),
        margin: 0.0,
        note,
    }
}
