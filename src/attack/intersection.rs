//! `sdc.attack_intersection`: what several releases of the same persons show together.

use crate::attack::attack_figures::{Finding, share};
use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::{self, CodedColumn};
use crate::attack::linked_rows::{LinkedRows, promised_rows};
use crate::attack::truth::{self, Known, ReleasedGroups};
use crate::pg::errors::{Failure, known};
use crate::pg::memory;
use crate::pg::progress::Watch;
use crate::release::NOT_EXACT;
use pgrx::PgSqlErrorCode;
use sdc_engine::ColumnTally;
use sdc_engine::attack::{Intersected, NOWHERE, SeenGroups, intersect};

const ATTACKER: &str = "knows a person's group in every release";
const GUESSED: &str = ", so their members are assumed to be in the nearest or likeliest one.";

/// The releases as persons and their groups.
struct Seen {
    /// the group of each person in each release
    group_of: Vec<Vec<u32>>,
    values: Vec<ColumnTally>,
    truth: Vec<u32>,
    exactly: bool,
    in_tables: bool,
}

pub fn findings(
    releases: &[AttackedRelease],
    entity: Option<&str>,
    seed: Option<i64>,
) -> Vec<Finding> {
    let mut linked = LinkedRows::of(releases);
    refuse_unlike(releases, entity, linked.is_some());
    let mut watch = Watch::new(releases.first().map(|release| release.source.oid));
    let seen = Seen::read(releases, entity, (seed, linked.as_mut()), &mut watch);
    let parts = releases.iter().zip(&seen.group_of).zip(&seen.values);
    let lists: Vec<SeenGroups> = parts
        .map(|((release, group_of), values)| SeenGroups {
            group_of,
            values,
            rows: promised_rows(release),
        })
        .collect();
    let promised = releases.iter().map(AttackedRelease::promised_values).min();
    // one value is what any group has
    let promised = promised.filter(|&values| values > 1);
    let mut found = |lists: &[SeenGroups<'_>]| {
        known(intersect(
            lists,
            promised.unwrap_or(1),
            &seen.truth,
            &mut watch,
        ))
    };
    let alone: Vec<Intersected> = lists.chunks(1).map(&mut found).collect();
    let together = found(&lists);
    match linked {
        None => written(&seen, promised, &together, &alone),
        Some(linked) => linked.written(releases, (&together, &alone), &seen.caveat()),
    }
}

fn written(
    seen: &Seen,
    promised: Option<usize>,
    together: &Intersected,
    alone: &[Intersected],
) -> Vec<Finding> {
    let mean = share(together.candidates, together.persons).unwrap_or(0.0);
    let caveat = seen.caveat();
    let worst = |part: fn(&Intersected) -> u64| {
        let shares = alone
            .iter()
            .filter_map(|found| share(part(found), found.persons));
        shares.reduce(f64::max)
    };
    let finding = |attack, part: fn(&Intersected) -> u64, note| Finding {
        attack,
        attacker: ATTACKER,
        persons: together.persons,
        promised: promised.map(|_| 0.0),
        baseline: worst(part),
        measured: share(part(together), together.persons),
        recall: share(part(together), together.persons),
        margin: 0.0,
        note,
    };
    let left = format!("{mean:.2} values are left on average.");
    let one = format!("{left}{}{caveat}", advice(together.one_left));
    let fewer = match promised {
        Some(values) => format!(
            "Each release promises {values} values.{}",
            advice(together.fewer)
        ),
        None => "Not every release promises p or l values, so none can be missing.".into(),
    };
    let nobody = "Nobody else is in all of these persons' groups.".into();
    vec![
        Finding {
            recall: share(together.one_left, together.persons),
            ..finding("intersection, one value", |found| found.right, one)
        },
        finding("intersection, fewer values", |found| found.fewer, fewer),
        Finding {
            promised: seen.in_tables.then_some(0.0),
            ..finding("intersection, alone", |found| found.alone, nobody)
        },
    ]
}

/// What is said where there is nothing to compare with.
pub fn not_measured(reason: String) -> Finding {
    Finding {
        attack: "intersection, one value",
        attacker: ATTACKER,
        persons: 0,
        promised: None,
        baseline: None,
        measured: None,
        recall: None,
        margin: 0.0,
        note: format!("Not measured. {reason}"),
    }
}

fn advice(persons: u64) -> &'static str {
    match persons {
        0 => " Nobody loses by the releases together.",
        _ => " Publish a sequence (continues => id), or let readers have one of the releases only.",
    }
}

impl Seen {
    fn read(
        releases: &[AttackedRelease],
        entity: Option<&str>,
        (seed, mut linked): (Option<i64>, Option<&mut LinkedRows>),
        watch: &mut Watch,
    ) -> Self {
        let mut seen = Seen {
            group_of: Vec::new(),
            values: Vec::new(),
            truth: Vec::new(),
            exactly: true,
            in_tables: releases.iter().all(|release| !release.is_apart()),
        };
        let source = releases[0].source.oid;
        let of_one_source = releases.iter().all(|other| other.source.oid == source);
        let mut before: Option<(&AttackedRelease, Persons)> = None;
        let mut entities = entity.map(|name| CodedColumn::new(&releases[0].source, name));
        for release in releases {
            let mut persons = match before {
                Some((last, persons)) if is_alike(last, release) => persons,
                Some((_, mut last)) => {
                    let numbered = match last.sensitive.is_empty() {
                        true => None,
                        false => Some(last.sensitive.swap_remove(0)),
                    };
                    Persons::read_with(release, numbered, watch)
                }
                None => Persons::read(release, watch),
            };
            let person_of = entities.as_mut().map(|column| {
                refuse_other_type(release, column);
                coded_rows::read(&release.source, &mut [column], watch).remove(0)
            });
            let mut groups = truth::groups(release, &mut persons, seed, watch);
            seen.exactly &= groups.known == Known::Exactly;
            let chosen = persons.drawn_rows(&mut truth::generator(seed));
            if let Some(chosen) = chosen.filter(|_| of_one_source) {
                leave_others(&mut groups.own, &chosen);
            }
            let read = linked.as_mut().map(|linked| {
                let groups = (&groups.own[..], groups.sizes.len());
                linked.read(release, groups, watch)
            });
            let own = read
                .as_ref()
                .map_or_else(|| &persons.values[0], |read| &read.0);
            seen.add(&groups, person_of.as_deref(), own);
            seen.values
                .push(read.map_or_else(|| groups.values.swap_remove(0), |read| read.1));
            before = Some((release, persons));
        }
        let persons = seen.truth.len();
        seen.group_of
            .iter_mut()
            .for_each(|groups| fill(groups, persons));
        seen
    }

    /// What a finding says where groups had to be guessed.
    fn caveat(&self) -> String {
        match self.exactly {
            true => String::new(),
            false => format!(" {NOT_EXACT}{GUESSED}"),
        }
    }

    /// Persons are rows of the one source, or the values of the entity column.
    fn add(&mut self, groups: &ReleasedGroups, person_of: Option<&[u32]>, values: &[u32]) {
        let mut group_of = Vec::new();
        for (row, (&group, &value)) in groups.own.iter().zip(values).enumerate() {
            let person = person_of.map_or(row, |person_of| person_of[row] as usize);
            if person >= group_of.len() {
                fill(&mut group_of, person + 1);
            }
            if person >= self.truth.len() {
                fill(&mut self.truth, person + 1);
            }
            if group == NOWHERE {
                continue;
            }
            if group_of[person] != NOWHERE {
                several_rows();
            }
            group_of[person] = group;
            self.truth[person] = value;
        }
        self.group_of.push(group_of);
    }
}

/// Of several rows of a person one counts, in every release the same.
fn leave_others(own: &mut [u32], chosen: &[u32]) {
    let mut is_chosen = memory::collected(own.iter().map(|_| false));
    chosen
        .iter()
        .for_each(|&row| is_chosen[row as usize] = true);
    let others = own.iter_mut().zip(&is_chosen).filter(|of| !of.1);
    others.for_each(|(own, _)| *own = NOWHERE);
}

/// Whether the persons of two releases are read alike, so that once is enough.
fn is_alike(a: &AttackedRelease, b: &AttackedRelease) -> bool {
    a.source.oid == b.source.oid
        && (&a.keys, &a.sensitive) == (&b.keys, &b.sensitive)
        && a.method == b.method
        && ["categorical", "entity", "strata"]
            .iter()
            .all(|name| a.parameters[name] == b.parameters[name])
}

fn fill(items: &mut Vec<u32>, len: usize) {
    if let Some(more) = len.checked_sub(items.len()) {
        if len > items.capacity() {
            memory::grow(items, more.max(items.len() / 2));
        }
        items.resize(len, NOWHERE);
    }
}

fn refuse_unlike(releases: &[AttackedRelease], entity: Option<&str>, linked: bool) {
    if releases.len() < 2 {
        Failure::invalid(format!(
            "releases must name at least 2, not {}",
            releases.len()
        ))
        .hint("For example sdc.attack_intersection('{1,2}', 'id').")
        .raise();
    }
    let unlike = |release: &AttackedRelease| {
        release.sensitive.first() != releases[0].sensitive.first() || !release.shows_values()
    };
    if !linked && releases.iter().any(unlike) {
        Failure::invalid("the releases have no sensitive column in common")
            .hint("Their first sensitive column must be the same, and each must show its values. Releases without any must show another column in common, in keep or strata.")
            .raise();
    }
    let elsewhere = |release: &AttackedRelease| release.source.oid != releases[0].source.oid;
    if entity.is_none() && releases.iter().any(elsewhere) {
        Failure::invalid("the releases have different sources, so entity is needed")
            .hint("Name the column that tells persons apart: entity => 'id'.")
            .raise();
    }
}

fn refuse_other_type(release: &AttackedRelease, entity: &CodedColumn) {
    let own = release.source.attribute(&entity.name).map(|own| own.typ);
    if own != Some(entity.typ) {
        Failure::new(
            PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
            format!(
                "column \"{}\" of {} is missing, or of another type",
                entity.name, release.source.sql_name
            ),
        )
        .hint("The entity column must be the same in all sources.")
        .raise();
    }
}

fn several_rows() -> ! {
    Failure::invalid("entity is not unique in a source")
        .hint("Attack releases of one row for each person, for example of a view that keeps the last one.")
        .raise()
}
