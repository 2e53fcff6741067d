//! `sdc.attack_linkage`: nearest-record linkage, and intervals around masked numbers.

use crate::attack::attack_figures::{Finding, share};
use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::fitted_rows::{self, FittedRows};
use crate::attack::truth::{self, Known, ReleasedGroups};
use crate::pg::errors::{Failure, known};
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::release::ReleaseMethod;
use sdc_engine::Space;
use sdc_engine::attack::{NOWHERE, link, within_intervals};
use sdc_engine::random::Generator;

/// How the attack is made.
pub struct LinkageOptions {
    pub seed: Option<i64>,
    /// half the width of an interval, in standard deviations
    pub interval: f64,
}

/// Whether the method masks keys by keys of the same kind, which distances can be taken from.
pub fn applies(release: &AttackedRelease) -> bool {
    use ReleaseMethod::{Microaggregation, PAlpha};
    [Microaggregation, PAlpha].contains(&release.method) || fitted_rows::applies(release)
}

pub fn findings(release: &AttackedRelease, options: &LinkageOptions) -> Vec<Finding> {
    if !applies(release) {
        Failure::invalid(format!("linkage cannot be measured on release {}", release.id))
            .hint("It needs keys that are shown as averages, ranges, sets or blanks. See sdc.attack_inference and sdc.attack_membership.")
            .raise();
    }
    let mut watch = Watch::new(Some(release.source.oid));
    let mut persons = Persons::read_numbers(release, &mut watch);
    if fitted_rows::applies(release) {
        return vec![fitting(release, &mut persons, options, &mut watch)];
    }
    let mut rng = truth::generator(options.seed);
    let groups = truth::groups(release, &mut persons, options.seed, &mut watch);
    let Some(points) = groups.points.as_ref().map(|points| persons.table(points)) else {
        Failure::internal("masked keys without points").raise()
    };
    let (keys, own) = persons.points(&groups.own);
    let spaces = known(Space::pair(&keys, &points));
    let by_persons = ReleasedGroups {
        // released rows of one person are as good as each other
        sizes: match persons.entity {
            Some(_) => persons_in(&own, groups.sizes.len()),
            None => groups.sizes,
        },
        own,
        ..groups
    };
    vec![
        linked(release, &spaces, &by_persons, &mut watch),
        disclosed(&spaces, &by_persons, options.interval, &mut rng),
    ]
}

/// Links each person to one of the rows whose cells hold the person's keys.
fn fitting(
    release: &AttackedRelease,
    persons: &mut Persons,
    options: &LinkageOptions,
    watch: &mut Watch,
) -> Finding {
    let fitted = FittedRows::read(release, persons, watch);
    let drawn = persons.drawn_rows(&mut truth::generator(options.seed));
    let pick = |codes: &Vec<u32>| match &drawn {
        Some(rows) => collected(rows.iter().map(|&row| codes[row as usize])),
        None => collected(codes.iter().copied()),
    };
    let codes: Vec<Vec<u32>> = persons.key_codes.iter().map(pick).collect();
    // any of a person's rows is a right link
    let own = persons.entity.as_ref().map(|entity| entity.1.row_counts());
    let found = fitted.search(|mut points| points.link(&codes, own, watch));
    Finding {
        attack: "linkage",
        attacker: "knows everybody's keys, and links each person to a released row that fits",
        persons: found.persons,
        promised: release.parameter("k").map(|k| 1.0 / k),
        baseline: share(1, persons.rows as u64),
        measured: (found.persons > 0).then(|| found.expected / found.persons as f64),
        recall: share(found.persons, persons.count() as u64),
        margin: 1e-9,
        note: "Rows fit whose ranges, sets and blanks hold the person's keys. A larger k makes more of them fit.".into(),
    }
}

/// How many persons each point has. Where groups are not known, nobody may be nearest to one.
fn persons_in(own: &[u32], points: usize) -> Vec<u64> {
    let mut persons = collected((0..points).map(|_| 0));
    let own = own.iter().filter(|&&point| point != NOWHERE);
    own.for_each(|&point| persons[point as usize] += 1);
    persons
}

fn linked(
    release: &AttackedRelease,
    (persons, points): &(Space, Space),
    groups: &ReleasedGroups,
    watch: &mut Watch,
) -> Finding {
    let found = known(link(persons, points, &groups.sizes, &groups.own, watch));
    let nearest = share(found.own_nearest, found.persons).unwrap_or(0.0);
    let caveat = match groups.known {
        Known::Exactly => "",
        Known::Fitting => {
            " Persons who fit into several groups are taken to be in one of them at random."
        }
        _ => {
            " This is an upper bound, because the groups could not be recomputed and everybody is assumed to be in the nearest one."
        }
    };
    Finding {
        attack: "linkage",
        attacker: "knows everybody's keys, and links each person to the nearest released row",
        persons: found.persons,
        promised: release.parameter("k").map(|k| 1.0 / k),
        baseline: share(1, persons.rows() as u64),
        measured: (found.persons > 0).then(|| found.expected / found.persons as f64),
        recall: Some(1.0),
        margin: 1e-9,
        note: format!(
            "{:.1} % of persons are nearest to their own group. A larger k hides them among more rows.{caveat}",
            100.0 * nearest
        ),
    }
}

/// The baseline draws a group for everybody.
fn disclosed(
    (persons, points): &(Space, Space),
    groups: &ReleasedGroups,
    interval: f64,
    rng: &mut Generator,
) -> Finding {
    let close = |own: &[u32]| within_intervals(persons, points, &groups.sizes, own, interval);
    let rows = groups.own.iter().filter(|&&group| group != NOWHERE).count() as u64;
    let drawn = collected(groups.own.iter().map(|&own| match own {
        NOWHERE => NOWHERE,
        _ => (sdc_engine::random::number(rng) % groups.sizes.len() as u64) as u32,
    }));
    Finding {
        attack: "interval",
        attacker: "takes the masked numbers of a person's group for the person's own",
        persons: rows,
        promised: None,
        baseline: share(close(&drawn), rows),
        measured: share(close(&groups.own), rows),
        recall: Some(1.0),
        margin: 0.0,
        note: format!(
            "Share of persons all of whose numbers lie within {interval} standard deviations of the masked ones. A larger k, or fewer keys, moves them apart."
        ),
    }
}
