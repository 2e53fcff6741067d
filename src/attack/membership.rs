//! `sdc.attack_membership`: who of a population is in the release.

use crate::attack::attack_figures::{Finding, share};
use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::{self, Combined};
use crate::attack::fitted_rows::{self, FittedRows};
use crate::attack::torn_tables::TornTables;
use crate::attack::truth;
use crate::pg::errors::{Failure, known};
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::read::relation::Source;
use crate::release::ReleaseMethod;
use pgrx::PgSqlErrorCode;
use sdc_engine::Space;
use sdc_engine::attack::{Presence, claims, nearest_points};

/// Persons with equal keys, whom the attacker cannot tell apart.
struct Classes {
    /// the codes of each class's keys
    keys: Vec<Vec<u32>>,
    population: Vec<u64>,
    members: Vec<u64>,
}

pub fn findings(release: &AttackedRelease, population: &Source, threshold: f64) -> Vec<Finding> {
    if release.method == ReleaseMethod::Generalization {
        Failure::invalid(format!(
            "the keys of release {} are generalized",
            release.id
        ))
        .hint("sdc.risk(…, population => …) gives delta_min and delta_max of a generalized table.")
        .raise();
    }
    let mut watch = Watch::new(Some(population.oid));
    let mut persons = Persons::read(release, &mut watch);
    let classes = Classes::read(&mut persons, population, &mut watch);
    let beliefs = match release.method {
        ReleaseMethod::Anatomy => by_exact_keys(release, &mut persons, &classes, &mut watch),
        ReleaseMethod::Permutation => by_torn_keys(release, &mut persons, &classes, &mut watch),
        _ if fitted_rows::applies(release) => {
            by_fitting_rows(release, &mut persons, &classes, &mut watch)
        }
        _ => by_nearest_group(release, &mut persons, &classes, &mut watch),
    };
    vec![finding(&classes.presences(&beliefs), threshold)]
}

impl Classes {
    fn read(persons: &mut Persons, population: &Source, watch: &mut Watch) -> Self {
        for key in &persons.keys {
            let own = population.attribute(&key.name).map(|own| own.typ);
            if own != Some(key.typ) {
                no_such_key(&key.name, population);
            }
        }
        let mut columns: Vec<_> = persons.keys.iter_mut().collect();
        let codes = coded_rows::read(population, &mut columns, watch);
        let mut combined = Combined::default();
        let (others, own) = (combined.number(&codes), combined.number(&persons.key_codes));
        let drawn = persons.drawn_rows(&mut truth::generator(None));
        let members = match &drawn {
            Some(rows) => collected(rows.iter().map(|&row| own[row as usize])),
            None => collected(own.iter().copied()),
        };
        let mut keys = collected((0..combined.len()).map(|_| Vec::new()));
        let rows = others.iter().enumerate().map(|row| (row, &codes));
        let rows = rows.chain(own.iter().enumerate().map(|row| (row, &persons.key_codes)));
        for ((row, &class), codes) in rows {
            if keys[class as usize].is_empty() {
                keys[class as usize] = codes.iter().map(|codes| codes[row]).collect();
            }
        }
        Classes {
            population: truth::sizes(&others, combined.len()),
            members: truth::sizes(&members, combined.len()),
            keys,
        }
    }

    /// The codes of each key, of each class.
    fn key_columns(&self, persons: &Persons) -> Vec<Vec<u32>> {
        let of_key = |key: usize| collected(self.keys.iter().map(|codes| codes[key]));
        (0..persons.keys.len()).map(of_key).collect()
    }

    fn presences(&self, beliefs: &[f64]) -> Vec<Presence> {
        let counts = self.population.iter().zip(&self.members);
        let presence = |((&population, &members), &belief): ((&u64, &u64), &f64)| Presence {
            population,
            members,
            belief,
        };
        counts
            .zip(beliefs)
            .map(presence)
            .filter(|class| class.population > 0)
            .collect()
    }
}

/// Exact keys are published: as many of those who share them are in the release as have rows.
fn by_exact_keys(
    release: &AttackedRelease,
    persons: &mut Persons,
    classes: &Classes,
    watch: &mut Watch,
) -> Vec<f64> {
    let linked = truth::linked_tables(release, persons, watch);
    let mut combined = Combined::default();
    // the classes first, so that they keep their numbers
    combined.number(&classes.key_columns(persons));
    let released = combined.number(&linked.key_codes);
    let shown = truth::sizes(&released, combined.len());
    let belief = |(&shown, &population): (&u64, &u64)| shown as f64 / population.max(1) as f64;
    shown
        .iter()
        .zip(&classes.population)
        .map(belief)
        .map(|belief| belief.min(1.0))
        .collect()
}

fn by_torn_keys(
    release: &AttackedRelease,
    persons: &mut Persons,
    classes: &Classes,
    watch: &mut Watch,
) -> Vec<f64> {
    let tables = TornTables::read(release, persons, watch);
    known(tables.groups(persons).presence(&classes.keys, watch))
}

/// Everybody of the population is looked for in the rows that fit, which have room for so many.
fn by_fitting_rows(
    release: &AttackedRelease,
    persons: &mut Persons,
    classes: &Classes,
    watch: &mut Watch,
) -> Vec<f64> {
    let fitted = FittedRows::read(release, persons, watch);
    let codes = classes.key_columns(persons);
    fitted.search(|mut points| points.presence(&codes, &classes.population, watch))
}

/// Everybody of the population is looked for in the nearest group, which has room for its rows.
fn by_nearest_group(
    release: &AttackedRelease,
    persons: &mut Persons,
    classes: &Classes,
    watch: &mut Watch,
) -> Vec<f64> {
    let groups = truth::groups(release, persons, None, watch);
    let Some(points) = groups.points.as_ref().map(|points| persons.table(points)) else {
        Failure::internal("masked keys without points").raise()
    };
    let own = persons.table(&classes.key_columns(persons));
    let (space, released) = known(Space::pair(&own, &points));
    let nearest = known(nearest_points(&space, &released, watch));
    let mut near = collected(groups.sizes.iter().map(|_| 0u64));
    for (&point, &population) in nearest.iter().zip(&classes.population) {
        near[point as usize] += population;
    }
    let belief = |&point: &u32| {
        let (rows, persons) = (groups.sizes[point as usize], near[point as usize]);
        (rows as f64 / persons.max(1) as f64).min(1.0)
    };
    nearest.iter().map(belief).collect()
}

fn finding(classes: &[Presence], threshold: f64) -> Finding {
    let score = claims(classes, threshold);
    let members: u64 = classes
        .iter()
        .map(|class| class.members.min(class.population))
        .sum();
    let certain = claims(classes, 1.0);
    Finding {
        attack: "presence",
        attacker: "knows the keys of a population",
        persons: score.persons,
        promised: None,
        baseline: share(members, score.persons),
        measured: score.precision(),
        recall: Some(score.recall()),
        margin: 0.0,
        note: format!(
            "{:.1} % of those in the release are found, {:.1} % with certainty. Whether somebody is in a release is hidden by permutation, by generalizing keys, or by releasing a sample.",
            100.0 * share(score.right, members).unwrap_or(0.0),
            100.0 * share(certain.right, members).unwrap_or(0.0)
        ),
    }
}

fn no_such_key(key: &str, population: &Source) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
        format!(
            "{} has no column \"{key}\" of the source's type",
            population.sql_name
        ),
    )
    .hint("The population must have the keys of the release, for example in a view.")
    .raise()
}
