//! What the steward knows and the attacker does not: whose group is whose.
//!
//! Rows of a release are shuffled and carry no number of a person. What is reconstructed, and
//! how exactly, depends on the method. With the seed that a release was drawn with, its groups
//! are drawn again. Without:
//!
//! - anatomy shows exact keys, so a person's row is one with the person's keys in a group with
//!   the person's value. Among several such rows one is drawn.
//! - generalization recodes each person's keys by the hierarchies and levels in the register.
//! - microaggregation is run again. If its groups are not those of the release, because it drew
//!   at random or the source has changed, everybody is taken to be in the nearest group.
//! - Mondrian and cell suppression: the group whose ranges, sets and blanks cover a person's
//!   keys, and which holds the person's value.
//! - permutation hides the group even from the steward: the likeliest one is taken.

use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::{self, CodedColumn, Combined};
use crate::attack::fitted_rows;
use crate::attack::regrouped;
use crate::attack::remembered_groups::RememberedGroups;
use crate::pg::errors::{Failure, feasible, known};
use crate::pg::memory::{self, collected};
use crate::pg::progress::Watch;
use crate::pg::settings;
use crate::read::relation::Source;
use crate::release::{COUNT, GROUP, ReleaseMethod};
use sdc_engine::attack::{NOWHERE, ShownKeys, own_groups};
use sdc_engine::random::Generator;
use sdc_engine::{Categories, ColumnTally, Interner, Partition, assign, random};

/// What a row takes while it is attacked: codes, groups and beliefs.
const BYTES_PER_PAIR: usize = 24;

/// How persons were put into groups.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// exactly, or at random among rows that nobody can tell apart
    Exactly,
    /// by the nearest masked keys
    Nearest,
    /// by the group in which the keys occur most
    Likeliest,
    /// at random among several groups that the person fits into
    Fitting,
}

/// The release's groups, and the persons in them.
pub struct ReleasedGroups {
    /// the group of each person
    pub own: Vec<u32>,
    pub known: Known,
    /// rows of each group
    pub sizes: Vec<u64>,
    /// the values of each group, for each sensitive column that the release shows
    pub values: Vec<ColumnTally>,
    /// the masked keys of each group, where they are of the source's types
    pub points: Option<Vec<Vec<u32>>>,
}

/// The release's groups with the persons in them. The seed is the one that the release was
/// drawn with, if it is known.
pub fn groups(
    release: &AttackedRelease,
    persons: &mut Persons,
    seed: Option<i64>,
    watch: &mut Watch,
) -> ReleasedGroups {
    match release.method {
        ReleaseMethod::Anatomy => of_anatomy(release, persons, seed, watch),
        ReleaseMethod::Permutation => regrouped::of_permutation(release, persons, watch),
        ReleaseMethod::Generalization => regrouped::of_recoded(release, persons, watch),
        _ if fitted_rows::applies(release) => fitted_rows::groups(release, persons, seed, watch),
        _ => regrouped::of_masked(release, persons, seed, watch),
    }
}

/// Whether a person's group in releases by this method can be found, or guessed by what the rows
/// hold: noise hides whose row is whose.
pub fn are_known(method: ReleaseMethod) -> bool {
    method != ReleaseMethod::Perturbation
}

/// The generator of attacks: the same figures each time unless another seed is asked for.
pub fn generator(seed: Option<i64>) -> Generator {
    known(random::generator(Some(seed.unwrap_or(0) as u64)))
}

fn of_anatomy(
    release: &AttackedRelease,
    persons: &mut Persons,
    seed: Option<i64>,
    watch: &mut Watch,
) -> ReleasedGroups {
    let mut combined = Combined::default();
    let classes = combined.tell_apart(&persons.key_codes);
    let linked = linked_tables(release, persons, watch);
    let (group_of, values) = (linked.group_of, linked.values);
    let released = combined.tell_apart(&linked.key_codes);
    let widest = values.iter().map(<[_]>::len).max().unwrap_or(0);
    memory::room(BYTES_PER_PAIR * widest * released.len());
    let signed = signed(release, persons, &values);
    let shown = ShownKeys {
        released: &released,
        groups: &group_of,
        persons: &classes,
        values: &persons.values[0],
    };
    let drawn = drawn_again(release, &shown, &linked.numbers, seed, watch);
    let own = drawn.unwrap_or_else(|| match &signed {
        None => known(own_groups(&shown, &values, &mut generator(seed), watch)),
        Some((own, counts)) => {
            let shown = ShownKeys {
                values: own,
                ..shown
            };
            known(own_groups(&shown, counts, &mut generator(seed), watch))
        }
    });
    ReleasedGroups {
        own,
        known: Known::Exactly,
        sizes: sizes(&group_of, linked.groups),
        values: vec![values],
        points: None,
    }
}

/// In a sequence everybody keeps a set of values: each person's value with the person's set, and
/// the values of each group with the group's set, numbered alike.
fn signed(
    release: &AttackedRelease,
    persons: &mut Persons,
    values: &ColumnTally,
) -> Option<(Vec<u32>, ColumnTally)> {
    let (entity, person_rows) = persons.entity.as_ref()?;
    let remembered = RememberedGroups::of(release, entity)?;
    let sensitive = &mut persons.sensitive[0];
    let (of_rows, of_groups) = remembered.signatures(person_rows.person_of(), sensitive, values);
    let mut pairs = Interner::new();
    let mut pair = |value: u32, set: u32| {
        known(pairs.intern(&[value.to_le_bytes(), set.to_le_bytes()].concat()))
    };
    let rows = persons.values[0].iter().zip(&of_rows);
    let own = collected(rows.map(|(&value, &set)| pair(value, set)));
    let mut counts = Vec::new();
    for ((group, cells), &set) in (0..).zip(values.iter()).zip(&of_groups) {
        for &(value, count) in cells {
            memory::push(&mut counts, (group, pair(value, set), count));
        }
    }
    Some((own, known(ColumnTally::new(values.groups(), &counts))))
}

/// The groups of an anatomy drawn again with its seed; `None` if they are not the release's.
fn drawn_again(
    release: &AttackedRelease,
    shown: &ShownKeys<'_>,
    numbers: &[f64],
    seed: Option<i64>,
    watch: &mut Watch,
) -> Option<Vec<u32>> {
    let seed = seed.or_else(settings::seed)?;
    let l = release.parameter("l")? as usize;
    let sensitive = Categories::new(collected(shown.values.iter().copied()));
    let mut rng = generator(Some(seed));
    let partition = feasible(assign::anatomy(&sensitive, l, &mut rng, watch))?;
    // groups are published from 1, and numbered here as they were read
    let mut code_of = collected((0..numbers.len() + 1).map(|_| NOWHERE));
    for (code, &number) in (0..).zip(numbers) {
        *code_of.get_mut(number as usize)? = code;
    }
    let group_of = partition.group_of().iter();
    let own = collected(group_of.map(|&group| {
        let code = code_of.get(group as usize + 1);
        code.copied().unwrap_or(NOWHERE)
    }));
    let mut given = collected(shown.persons.iter().zip(&own));
    let mut published = collected(shown.released.iter().zip(shown.groups));
    given.sort_unstable();
    published.sort_unstable();
    (given == published).then_some(own)
}

/// The tables of a release that has keys and sensitive values apart.
pub struct Linked {
    pub key_codes: Vec<Vec<u32>>,
    pub group_of: Vec<u32>,
    pub groups: usize,
    /// the published number of each group
    pub numbers: Vec<f64>,
    pub values: ColumnTally,
}

pub fn linked_tables(
    release: &AttackedRelease,
    persons: &mut Persons,
    watch: &mut Watch,
) -> Linked {
    let [keys, values] = &release.tables[..] else {
        Failure::internal("a release without tables of its own").raise()
    };
    let mut group = CodedColumn::new(keys, GROUP);
    group.forget_values();
    let mut columns: Vec<&mut CodedColumn> = persons.keys.iter_mut().chain([&mut group]).collect();
    let mut key_codes = coded_rows::read(keys, &mut columns, watch);
    let group_of = key_codes.pop().unwrap_or_default();
    let counts = counted(values, &mut group, &mut persons.sensitive[0], watch);
    let numbers = group_of.iter().chain(counts.iter().map(|count| &count.0));
    let groups = numbers.max().map_or(0, |&top| top as usize + 1);
    Linked {
        key_codes,
        group_of,
        groups,
        numbers: group.numbers,
        values: known(ColumnTally::new(groups, &counts)),
    }
}

/// (group, value, rows) of a table of sensitive values, with or without a column of counts.
fn counted(
    table: &Source,
    group: &mut CodedColumn,
    sensitive: &mut CodedColumn,
    watch: &mut Watch,
) -> Vec<(u32, u32, u64)> {
    let mut count = table
        .attribute(COUNT)
        .map(|_| CodedColumn::new(table, COUNT));
    let mut columns = vec![group, sensitive];
    columns.extend(count.as_mut());
    let codes = coded_rows::read(table, &mut columns, watch);
    let rows = |row: usize| match &count {
        Some(count) => count.numbers[codes[2][row] as usize] as u64,
        None => 1,
    };
    collected((0..codes[0].len()).map(|row| (codes[0][row], codes[1][row], rows(row))))
}

/// The rows of each group.
pub fn sizes(group_of: &[u32], groups: usize) -> Vec<u64> {
    let mut sizes = collected((0..groups).map(|_| 0));
    group_of
        .iter()
        .for_each(|&group| sizes[group as usize] += 1);
    sizes
}

/// The persons that have a group, and the groups that have persons.
pub struct Attackable {
    pub persons: Vec<u32>,
    pub partition: Partition,
    pub values: ColumnTally,
}

impl ReleasedGroups {
    /// Those who can be attacked for a sensitive column.
    pub fn attackable(&self, sensitive: usize) -> Attackable {
        let mut number = collected(self.sizes.iter().map(|_| NOWHERE));
        let mut groups = 0;
        let here = |person: &u32| self.own[*person as usize] != NOWHERE;
        let persons: Vec<u32> = (0..self.own.len() as u32).filter(here).collect();
        let group = |&person: &u32| {
            let number = &mut number[self.own[person as usize] as usize];
            if *number == NOWHERE {
                *number = groups;
                groups += 1;
            }
            *number
        };
        let group_of = collected(persons.iter().map(group));
        let counts = self.values[sensitive]
            .iter()
            .zip(&number)
            .filter(|of| *of.1 != NOWHERE);
        let counts = counts.flat_map(|(cells, &group)| {
            cells
                .iter()
                .map(move |&(value, count)| (group, value, count))
        });
        let counts: Vec<_> = counts.collect();
        Attackable {
            partition: known(Partition::new(group_of, groups as usize)),
            values: known(ColumnTally::new(groups as usize, &counts)),
            persons,
        }
    }
}
