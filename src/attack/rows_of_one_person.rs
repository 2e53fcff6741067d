//! 'rows of one person' in `sdc.attack`: what the groups of a person's rows show together, where
//! keys and values stand in tables of their own and the value is the same in all rows.

use crate::attack::attack_figures::{Finding, margin, share};
use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::Combined;
use crate::attack::torn_tables::TornTables;
use crate::attack::truth::linked_tables;
use crate::pg::errors::known;
use crate::pg::progress::Watch;
use crate::release::ReleaseMethod;
use sdc_engine::attack::{ConstantPersons, RowsOfPersons};

const ATTACKER: &str =
    "knows a person's keys, and that the value is the same in all rows of the person";
const SHARED: &str = "The groups of a person's rows share too few values. Publish one row for each person and value, use a smaller l, or use sdc.publish_microaggregated.";
const AS_PROMISED: &str = "Guesses are right no more often than promised.";

/// Whether rows of one person may be in several groups, and the groups can be found.
pub fn applies(release: &AttackedRelease) -> bool {
    release.is_apart() && release.entity().is_some()
}

/// A finding, if somebody has several rows of one value.
pub fn findings(release: &AttackedRelease) -> Option<Finding> {
    let mut watch = Watch::new(Some(release.source.oid));
    let mut persons = Persons::read(release, &mut watch);
    let found = attacked(release, &mut persons, &mut watch);
    let promised = release.promised_share();
    let measured = (found.persons > 0).then(|| found.right / found.persons as f64)?;
    let mut finding = Finding {
        attack: "rows of one person",
        attacker: ATTACKER,
        persons: found.persons,
        promised,
        baseline: baseline(&persons),
        measured: Some(measured),
        recall: Some(measured),
        margin: promised.map_or(0.0, |promised| margin(promised, found.persons)),
        note: String::new(),
    };
    finding.note = match finding.exceeds() {
        Some(true) => SHARED.into(),
        _ => AS_PROMISED.into(),
    };
    Some(finding)
}

fn attacked(
    release: &AttackedRelease,
    persons: &mut Persons,
    watch: &mut Watch,
) -> ConstantPersons {
    let promised = release.promised_values();
    if release.method == ReleaseMethod::Permutation {
        let tables = TornTables::read(release, persons, watch);
        let (torn, keys) = (tables.groups(persons), persons.keys_of_rows());
        return rows_of(persons).map_or_else(ConstantPersons::default, |rows| {
            known(rows.in_torn(&keys, &torn, &tables.values, promised, watch))
        });
    }
    let linked = linked_tables(release, persons, watch);
    let mut combined = Combined::default();
    let keys = combined.tell_apart(&persons.key_codes);
    let released = combined.tell_apart(&linked.key_codes);
    let released = (&released[..], &linked.group_of[..]);
    rows_of(persons).map_or_else(ConstantPersons::default, |rows| {
        known(rows.by_keys(&keys, released, &linked.values, promised, watch))
    })
}

fn rows_of(persons: &Persons) -> Option<RowsOfPersons<'_>> {
    let (_, of_persons) = persons.entity.as_ref()?;
    Some(RowsOfPersons {
        persons: of_persons.rows(),
        values: &persons.values[0],
    })
}

/// The share of the most frequent value: the best guess without any release.
fn baseline(persons: &Persons) -> Option<f64> {
    let values = persons.truth(0);
    let mut counts = vec![0u64; values.cardinality()];
    let codes = values.codes();
    codes.iter().for_each(|&code| counts[code as usize] += 1);
    share(counts.into_iter().max().unwrap_or(0), codes.len() as u64)
}
