//! The SQL functions that attack.

use crate::attack::attack_figures::{Finding, answer};
use crate::attack::attacked_release::{AttackedRelease, method_of};
use crate::attack::{
    dominance, fitted_rows, inference, intersection, linkage, membership, minimality,
    other_releases, rows_of_one_person, truth,
};
use crate::pg::errors::{Failure, complete};
use crate::pg::function_call::{Call, v1};
use crate::pg::sql_types::{Name, NameList, Relation};
use crate::pg::statements::seeing_own_writes;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::Source;
use crate::release::ReleaseMethod;
use pgrx::pg_sys::Datum;

/// How sure an attacker is who commits himself.
const CONFIDENCE: f64 = 0.9;
/// Half the width of an interval, in standard deviations.
const INTERVAL: f64 = 0.1;

fn attack_linkage(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let options = linkage::LinkageOptions {
        seed: arguments.optional("seed"),
        interval: arguments.required("width"),
    };
    let id = arguments.required("release");
    answer(
        call,
        seeing_own_writes(|| linkage::findings(&AttackedRelease::new(id), &options)),
    )
}

fn attack_inference(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let options = inference::InferenceOptions {
        seed: arguments.optional("seed"),
        confidence: between_0_and_1(arguments.required("confidence"), "confidence"),
    };
    let id = arguments.required("release");
    answer(
        call,
        seeing_own_writes(|| inference::findings(&AttackedRelease::new(id), &options)),
    )
}

fn attack_intersection(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let ids = complete(
        arguments.required::<Vec<Option<i64>>>("releases"),
        "releases",
    );
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < ids.len() {
        Failure::invalid("releases names one release twice")
            .hint("Name each release once.")
            .raise();
    }
    let entity: Option<Name> = arguments.optional("entity");
    let entity = entity.as_ref().map(|entity| entity.0.as_str());
    let seed = arguments.optional("seed");
    let found = seeing_own_writes(|| {
        let releases: Vec<AttackedRelease> = ids.into_iter().map(AttackedRelease::new).collect();
        intersection::findings(&releases, entity, seed)
    });
    answer(call, found)
}

fn attack_membership(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let id = arguments.required("release");
    let population = arguments.required::<Relation>("population").0;
    let threshold = between_0_and_1(arguments.required("threshold"), "threshold");
    let found = seeing_own_writes(|| {
        let release = AttackedRelease::new(id);
        membership::findings(&release, &Source::new(population), threshold)
    });
    answer(call, found)
}

fn attack_minimality(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let (id, seed) = (arguments.required("release"), arguments.optional("seed"));
    answer(
        call,
        seeing_own_writes(|| minimality::findings(&AttackedRelease::new(id), seed)),
    )
}

fn dominance(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required::<Relation>("source").0);
    let keys = arguments.required::<NameList>("keys").0;
    let (k, share) = (arguments.required("k"), arguments.required("share"));
    answer(call, dominance::findings(&source, &keys, k, share))
}

/// All attacks that need nothing but the release.
fn attack(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let id = arguments.required("release");
    let findings = seeing_own_writes(|| all(id, arguments.optional("seed")));
    answer(call, findings)
}

fn all(id: i64, seed: Option<i64>) -> Vec<Finding> {
    if method_of(id) == ReleaseMethod::Perturbation {
        return Vec::new();
    }
    let release = AttackedRelease::new(id);
    let mut findings = Vec::new();
    if fitted_rows::is_mixed(&release) {
        return findings;
    }
    if linkage::applies(&release) {
        let options = linkage::LinkageOptions {
            seed,
            interval: INTERVAL,
        };
        findings.extend(linkage::findings(&release, &options));
    }
    if !release.shows_values() {
        return findings;
    }
    let options = inference::InferenceOptions {
        seed,
        confidence: CONFIDENCE,
    };
    findings.extend(inference::findings(&release, &options));
    if rows_of_one_person::applies(&release) {
        findings.extend(rows_of_one_person::findings(&release));
    }
    if minimality::applies(&release) {
        findings.extend(minimality::findings(&release, seed));
    }
    if !truth::are_known(release.method) {
        return findings;
    }
    findings.extend(other_releases::findings(&release, seed));
    findings
}

fn between_0_and_1(value: f64, name: &str) -> f64 {
    if !(0.0..=1.0).contains(&value) {
        Failure::invalid(format!("{name} must be between 0 and 1"))
            .hint(format!("For example {name} => 0.9."))
            .raise();
    }
    value
}

v1! {
    sdc_attack_linkage, pg_finfo_sdc_attack_linkage => attack_linkage;
    sdc_attack_inference, pg_finfo_sdc_attack_inference => attack_inference;
    sdc_attack_intersection, pg_finfo_sdc_attack_intersection => attack_intersection;
    sdc_attack_membership, pg_finfo_sdc_attack_membership => attack_membership;
    sdc_attack_minimality, pg_finfo_sdc_attack_minimality => attack_minimality;
    sdc_dominance, pg_finfo_sdc_dominance => dominance;
    sdc_attack, pg_finfo_sdc_attack => attack;
}
