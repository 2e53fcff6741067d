//! `sdc.attack_minimality`: what the method itself gives away about a p-sensitive release.

use crate::attack::attack_figures::{Finding, share};
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::recoding;
use crate::attack::truth::{self, Known, Persons};
use crate::pg::errors::{Failure, known};
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::release::ReleaseMethod;
use sdc_engine::assign::Method;
use sdc_engine::attack::minimality::{self, Joining};
use sdc_engine::{Partition, Space};

/// Whether groups may have been joined, or keys generalized, because of values.
pub fn applies(release: &AttackedRelease) -> bool {
    use ReleaseMethod::{Generalization, Microaggregation};
    [Microaggregation, Generalization].contains(&release.method)
        && !release.sensitive.is_empty()
        && release.parameter("p") == Some(2.0)
}

pub fn findings(release: &AttackedRelease, seed: Option<i64>) -> Vec<Finding> {
    if !applies(release) {
        Failure::invalid(format!(
            "release {} is not microaggregated or generalized with p = 2",
            release.id
        ))
        .hint("The attack asks why groups with one value were joined with others.")
        .raise();
    }
    if release.method == ReleaseMethod::Generalization {
        return vec![recoding::finding(release)];
    }
    let mut watch = Watch::new(Some(release.source.oid));
    let mut persons = Persons::read(release, &mut watch);
    let groups = truth::groups(release, &mut persons, seed, &mut watch);
    let everybody = persons.rows as u64;
    if groups.known != Known::Exactly {
        return vec![finding(everybody, None)];
    }
    let own = persons.table(&persons.key_codes);
    let space = known(Space::new(&own, true));
    let partition = Partition::new(collected(groups.own.iter().copied()), groups.sizes.len());
    let (partition, k) = (
        known(partition),
        release.parameter("k").unwrap_or(2.0) as usize,
    );
    let truth = persons.truth(0);
    let found = minimality::attack(&space, k, &partition, &truth, joining(release), &mut watch);
    vec![finding(everybody, Some(known(found)))]
}

/// What the reader knows of the method: its name is in the register.
fn joining(release: &AttackedRelease) -> Joining {
    match release.parameters["method"]
        .as_str()
        .and_then(Method::named)
    {
        Some(Method::Merge | Method::LeastLoss) => Joining::NearestHelper,
        _ => Joining::ByKeys,
    }
}

fn finding(persons: u64, found: Option<minimality::Findings>) -> Finding {
    let note = match &found {
        None => "The method draws at random or the source has changed, so nobody can recompute its groups, not even the steward.".to_string(),
        Some(found) if found.certain == 0 => {
            format!("{} groups are as keys alone would have them, {} are two joined: nobody's value follows.", found.single, found.double)
        }
        Some(found) => format!(
            "{} groups are as keys alone would have them, {} are two joined, and why they were gives values away. Use the default method.",
            found.single, found.double
        ),
    };
    Finding {
        attack: "minimality",
        attacker: "knows everybody's keys and the method, and runs it again",
        persons,
        promised: Some(0.0),
        baseline: Some(0.0),
        measured: found.and_then(|found| share(found.right as u64, persons)),
        recall: found.and_then(|found| share(found.certain as u64, persons)),
        margin: 0.0,
        note,
    }
}
