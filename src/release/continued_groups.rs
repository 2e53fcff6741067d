//! Releases of a sequence whose groups stay as they were: microaggregation and (p+,alpha).

use crate::pg::cell::Cell;
use crate::pg::errors::{Failure, known};
use crate::pg::memory::{self, collected};
use crate::pg::progress::Watch;
use crate::pg::statements;
use crate::pg::text_casts::{self, TextOf};
use crate::read::points::Points;
use crate::read::source_rows::KeptRows;
use crate::release::checksum;
use crate::release::person_profiles::PersonProfiles;
use crate::release::sequence::{self, Sequence};
use crate::release::sequence_memory::{self, NewMember, Remembered};
use pgrx::pg_sys::Oid;
use sdc_engine::measure::ShownLoss;
use sdc_engine::sequence::{KeptGroups, NEW, Returning, Standing, continue_groups};
use sdc_engine::{Monitor, Partition, Result, Space};
use serde_json::{Value, json};
use std::ops::Range;

/// The mark of a person without a group.
const NONE: u32 = u32::MAX;

/// The groups of a release that continues others, or starts a sequence.
pub struct ContinuedGroups {
    before: Remembered,
    persons: PersonProfiles,
    /// earlier groups that are shown again; they are the first of the release's groups
    again: Vec<u32>,
    /// (person, group, place) of those who take a place
    joined: Vec<(u32, u32, u32)>,
    held_back: usize,
    left_out: usize,
    /// for each new group the texts of its keys
    texts: Vec<Vec<Option<Vec<u8>>>>,
}

/// What a method makes of some points.
type GroupPoints<'a> = dyn FnMut(Option<&[u32]>, &mut dyn Monitor) -> Result<Partition> + 'a;

impl ContinuedGroups {
    /// Reads what is known of the persons; `None` for a release that stands alone. `shown` are
    /// the columns that are published as they are.
    pub fn of(
        sequence: Option<&Sequence>,
        rows: &KeptRows,
        shown: Range<usize>,
        watch: &mut Watch,
    ) -> Option<Self> {
        let sequence = sequence?;
        Some(ContinuedGroups {
            before: Remembered::read(sequence.first),
            persons: PersonProfiles::of(rows, shown, watch),
            again: Vec::new(),
            joined: Vec::new(),
            held_back: 0,
            left_out: 0,
            texts: Vec::new(),
        })
    }

    /// Whether there are releases before this one.
    pub fn continues(&self) -> bool {
        !self.before.persons.is_empty()
    }

    /// The groups of a first release are as they are; says how many rows are suppressed.
    pub fn started(&mut self, rows: &KeptRows, partition: &Partition) -> usize {
        if self.continues() {
            return 0; // those who are not there wait
        }
        let mut group_of = collected((0..self.persons.texts.len()).map(|_| NONE));
        for (row, &group) in rows.kept_rows().zip(partition.group_of()) {
            group_of[self.persons.person_of[row] as usize] = group;
        }
        self.join(&group_of);
        rows.suppressed()
    }

    /// Persons with a new group take places of their own; group numbers go on where they ended.
    fn join(&mut self, group_of: &[u32]) {
        let groups = self.before.texts.len() as u32;
        let members = (0..).zip(group_of).filter(|of| *of.1 != NONE);
        for (place, (person, &group)) in (self.places()..).zip(members) {
            memory::push(&mut self.joined, (person, groups + group, place));
        }
    }

    /// How many places there are.
    fn places(&self) -> u32 {
        self.before.places.iter().max().map_or(0, |&top| top + 1)
    }

    /// Persons return to their groups, new ones fill them or form others; all others wait, and
    /// leave `rows`.
    pub fn regroup(
        &mut self,
        points: &Points,
        rows: &mut KeptRows,
        space: &Space,
        group: &mut GroupPoints<'_>,
        watch: &mut Watch,
    ) -> Partition {
        self.persons.refuse_strangers(&self.before);
        let standings = self.standings(space, watch);
        let fresh: Vec<u32> = places_of(&standings, |standing| standing == Standing::New);
        let grouped = points.group_some(rows, &fresh, group, watch);
        let mut new_groups = collected(standings.iter().map(|_| NONE));
        for (&person, &group) in fresh.iter().zip(&grouped.group_of) {
            new_groups[person as usize] = group;
        }
        let group_of = self.numbered(&standings, &new_groups);
        self.join(&new_groups);
        let left_out = places_of(&standings, |s| matches!(s, Standing::LeftOut(_))).len();
        let nowhere = group_of.iter().filter(|&&group| group == NONE).count();
        (self.left_out, self.held_back) = (left_out, nowhere - left_out);
        self.suppress(rows, group_of, self.again.len() + grouped.groups)
    }

    fn standings(&self, space: &Space, watch: &mut Watch) -> Vec<Standing> {
        let mut profiles = self.before.profiles.clone();
        let code = |hash: &String| known(profiles.intern(hash.as_bytes()));
        let shown = collected(self.persons.hashes.iter().map(code));
        let (group_of, of_place, last) = self.kept_places();
        let persons = 0..self.persons.texts.len() as u32;
        let before = collected(persons.map(|person| self.before_of(person)));
        let place = |of: &Option<usize>| of.map_or(NEW, |of| self.before.places[of]);
        let is_last = |of: &Option<usize>| {
            of.is_some_and(|of| last[self.before.places[of] as usize] == of as u32)
        };
        let kept = KeptGroups {
            places: &known(Partition::new(group_of, self.before.texts.len())),
            shown: &of_place,
        };
        let persons = Returning {
            shown: &shown,
            place_of: &collected(before.iter().map(place)),
            is_last: &collected(before.iter().map(is_last)),
        };
        known(continue_groups(kept, persons, space, watch))
    }

    /// The membership that a present person has had.
    fn before_of(&self, person: u32) -> Option<usize> {
        let text = self.persons.texts.get(person);
        self.before.persons.find(text).map(|known| known as usize)
    }

    /// Of each place its group, what it shows, and who took it last.
    fn kept_places(&self) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        let places = self.places() as usize;
        let mut group_of = collected((0..places).map(|_| NONE));
        let mut shown = collected((0..places).map(|_| NONE));
        let mut last = collected((0..places).map(|_| NONE));
        for (known, &place) in (0u32..).zip(&self.before.places) {
            let (place, member) = (place as usize, known as usize);
            group_of[place] = self.before.groups[member];
            shown[place] = self.before.shown[member];
            let newer = |other: u32| self.before.since[other as usize] < self.before.since[member];
            if last[place] == NONE || newer(last[place]) {
                last[place] = known;
            }
        }
        (group_of, shown, last)
    }

    /// The group of each person in this release: earlier groups first. Those who take an open
    /// place are noted.
    fn numbered(&mut self, standings: &[Standing], new_groups: &[u32]) -> Vec<u32> {
        let (group_of_place, ..) = self.kept_places();
        let mut number_of = collected(self.before.texts.iter().map(|_| NONE));
        let mut shown = collected(standings.iter().map(|_| NONE));
        for (person, standing) in (0u32..).zip(standings) {
            let Standing::Shown(place) = *standing else {
                continue;
            };
            let group = group_of_place[place as usize];
            let number = &mut number_of[group as usize];
            if *number == NONE {
                *number = self.again.len() as u32;
                memory::push(&mut self.again, group);
            }
            shown[person as usize] = *number;
            if self.before_of(person).is_none() {
                memory::push(&mut self.joined, (person, group, place));
            }
        }
        let first = self.again.len() as u32;
        collected(shown.iter().zip(new_groups).map(|of| match of {
            (&NONE, &NONE) => NONE,
            (&NONE, &group) => first + group,
            (&again, _) => again,
        }))
    }

    /// Rows of persons without a group are not published.
    fn suppress(&self, rows: &mut KeptRows, group_of: Vec<u32>, groups: usize) -> Partition {
        let of_row = |&person: &u32| group_of[person as usize];
        let mut of_rows = collected(self.persons.person_of.iter().map(of_row));
        if groups == 0 {
            Failure::invalid("nobody can be published now: everybody waits, or is left out")
                .hint("Publish later, when there are more new persons, or start another sequence.")
                .raise();
        }
        if of_rows.contains(&NONE) {
            rows.suppress(collected(of_rows.iter().map(|&group| group != NONE)));
            of_rows.retain(|&group| group != NONE);
        }
        known(Partition::new(of_rows, groups))
    }

    /// The keys that earlier groups have always shown, of these types, and what that costs.
    pub fn kept_keys(
        &self,
        rows: &mut KeptRows,
        types: &[Oid],
        partition: &Partition,
    ) -> (Vec<Vec<Cell<'static>>>, Vec<ShownLoss>) {
        let kept = self.kept_cells(types);
        let own = |(key, kept): (usize, &Vec<Cell<'static>>)| match rows.key_type(key) == types[key]
        {
            true => kept.clone(),
            // a label of a hierarchy is not a value of the key
            false => Vec::new(),
        };
        let own: Vec<_> = kept.iter().enumerate().map(own).collect();
        let losses = rows.losses_shown(&own, partition);
        (kept, losses)
    }

    fn kept_cells(&self, types: &[Oid]) -> Vec<Vec<Cell<'static>>> {
        let cell = |key: usize, group: u32| {
            let text = self.before.texts[group as usize].get(key);
            text_casts::read_cell(types[key], text.cloned().flatten())
        };
        let keys = 0..types.len();
        statements::under(&checksum::SETTINGS, || {
            keys.map(|key| self.again.iter().map(|&group| cell(key, group)).collect())
                .collect()
        })
    }

    /// Earlier groups show what they have always shown; notes what new ones show.
    pub fn keep_masks<'a>(&mut self, masks: &mut [Vec<Cell<'a>>], kept: &[Vec<Cell<'a>>]) {
        for (mask, kept) in masks.iter_mut().zip(kept) {
            mask[..kept.len()].copy_from_slice(kept);
        }
        let groups = masks.first().map_or(0, Vec::len);
        let mut texts: Vec<TextOf> = Vec::new();
        let types = masks.iter().filter_map(|mask| mask.first());
        statements::under(&checksum::SETTINGS, || {
            texts.extend(types.map(|cell| TextOf::output(cell.typ())));
            for group in self.again.len()..groups {
                let shown = masks.iter().zip(&mut texts).map(|(mask, text)| {
                    let mut bytes = Vec::new();
                    text.append(mask[group], &mut bytes);
                    (!mask[group].is_null()).then_some(bytes)
                });
                let shown = shown.collect();
                memory::push(&mut self.texts, shown);
            }
        });
    }

    /// What the register says of the sequence.
    pub fn figures(&self, achieved: &mut Value) {
        achieved["held_back"] = json!(self.held_back);
        achieved["left_out"] = json!(self.left_out);
        sequence::warn_of_absent(self.held_back + self.left_out, self.persons.texts.len());
    }

    /// Remembers the release for the next one.
    pub fn remember(&self, sequence: &Sequence, release: i64, watch: &mut Watch) {
        let first = sequence.first.unwrap_or(release);
        let members = self.joined.iter().map(|&(person, group, place)| NewMember {
            person: self.persons.texts.get(person),
            group,
            place,
            shown: self.persons.hashes[person as usize].as_bytes(),
        });
        sequence_memory::add_members(first, release, members, watch);
        let number = self.before.texts.len() as u32;
        let mut shown = memory::reserved(self.texts.len());
        for (group, texts) in (number..).zip(&self.texts) {
            for (key, text) in (0..).zip(texts) {
                memory::push(&mut shown, (group, key, text.as_deref()));
            }
        }
        sequence_memory::add_groups(first, shown.into_iter(), watch);
    }
}

/// The persons whose standing is wanted.
fn places_of(standings: &[Standing], wanted: impl Fn(Standing) -> bool) -> Vec<u32> {
    let mut found = memory::reserved(standings.len());
    let all = (0..)
        .zip(standings)
        .filter(|(_, standing)| wanted(**standing));
    found.extend(all.map(|(person, _)| person));
    found
}
