//! `sdc.attack_minimality`: what the method itself gives away about a p-sensitive release.

use crate::attack::attack_figures::{Finding, share};
use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::recoding;
use crate::attack::run_again::space_of;
use crate::attack::truth::{self, Known};
use crate::pg::errors::{Failure, known};
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::release::ReleaseMethod;
use sdc_engine::assign::Method;
use sdc_engine::attack::minimality::{self, Joining};
use sdc_engine::{Categories, Partition, Space};

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
    let everybody = persons.count() as u64;
    if let Some(reason) = unknown_method(release) {
        return vec![finding(everybody, Err(reason))];
    }
    let groups = truth::groups(release, &mut persons, seed, &mut watch);
    let is_plain = persons.entity.is_none() && release.strata().is_empty();
    if groups.known != Known::Exactly || !is_plain {
        return vec![finding(everybody, Err(NOT_AGAIN.into()))];
    }
    let own = persons.table(&persons.key_codes);
    let Some(space) = space_of(release, &own) else {
        return vec![finding(everybody, Err(NOT_AGAIN.into()))];
    };
    let partition = Partition::new(collected(groups.own.iter().copied()), groups.sizes.len());
    let partition = known(partition);
    let k = release.parameter("k").unwrap_or(2.0) as usize;
    let truth = persons.truth(0);
    let joining = match method(release) {
        Some(Method::Symmetric) => Joining::ByKeys,
        _ => Joining::NearestHelper,
    };
    if method(release) == Some(Method::LeastLoss)
        && !is_merge(&space, &truth, k, &partition, &mut watch)
    {
        return vec![finding(everybody, Err(OTHERS_TAKEN.into()))];
    }
    let found = minimality::attack(&space, k, &partition, &truth, joining, &mut watch);
    vec![finding(everybody, Ok(known(found)))]
}

const NOT_AGAIN: &str = "the groups could not be formed again. The method draws at random, the source has changed, or the release has entity, strata or refine.";
const OTHERS_TAKEN: &str =
    "least_loss did not take merge, and the attack does not know how other methods form groups.";

/// What the reader knows of the method: its name is in the register.
fn method(release: &AttackedRelease) -> Option<Method> {
    let name = release.parameters["method"].as_str();
    name.and_then(Method::named)
}

/// Why nobody can say what a method gives away that this attack was not made for.
fn unknown_method(release: &AttackedRelease) -> Option<String> {
    match method(release) {
        Some(Method::Symmetric) => None,
        Some(Method::Merge | Method::LeastLoss) if release.sensitive.len() == 1 => None,
        Some(Method::Merge | Method::LeastLoss) => {
            Some("the attack knows why groups are joined for one sensitive column only.".into())
        }
        other => Some(format!(
            "the attack knows how merge and symmetric join groups, not how {} forms them by their values. Use the default method.",
            other.map_or("this method", Method::name)
        )),
    }
}

/// Whether the groups are those of `merge`.
fn is_merge(
    space: &Space,
    truth: &Categories,
    k: usize,
    partition: &Partition,
    watch: &mut Watch,
) -> bool {
    let mut rng = known(Method::Merge.generator(None));
    let sensitive = std::slice::from_ref(truth);
    let merged = known(Method::Merge.group(space, sensitive, k, 2, &mut rng, watch));
    merged.canonical() == partition.canonical()
}

fn finding(persons: u64, found: Result<minimality::Findings, String>) -> Finding {
    let note = match &found {
        Err(reason) => format!("Not measured: {reason}"),
        Ok(found) if found.certain == 0 => {
            format!(
                "{} groups are as MDAV forms them from the keys, and {} are two such groups joined. The attack finds no person's value.",
                found.single, found.double
            )
        }
        Ok(found) => format!(
            "{} groups are as MDAV forms them from the keys, and {} are two such groups joined. The reason for joining them gives values away. Use the default method.",
            found.single, found.double
        ),
    };
    Finding {
        attack: "minimality",
        attacker: "knows everybody's keys and the method, and runs it again",
        persons,
        promised: Some(0.0),
        baseline: Some(0.0),
        measured: found
            .as_ref()
            .ok()
            .and_then(|found| share(found.right as u64, persons)),
        recall: found
            .as_ref()
            .ok()
            .and_then(|found| share(found.certain as u64, persons)),
        margin: 0.0,
        note,
    }
}
