//! Releases of a sequence whose groups show the same of their members: microaggregation and
//! (p+,alpha).

use crate::pg::cell::Cell;
use crate::pg::errors::{Failure, known};
use crate::pg::memory::{self, collected};
use crate::pg::progress::Watch;
use crate::pg::statements;
use crate::pg::text_casts::{TextOf, ValueOf};
use crate::read::points::Points;
use crate::read::source_rows::KeptRows;
use crate::release::checksum;
use crate::release::left_groups;
use crate::release::person_profiles::{PersonProfiles, UNKNOWN};
use crate::release::sequence::{self, Sequence};
use crate::release::sequence_memory::{self, NewMember, Remembered};
use crate::release::slot_numbers::{NONE, SlotNumbers};
use pgrx::pg_sys::Oid;
use sdc_engine::measure::ShownLoss;
use sdc_engine::sequence::{ContinuedSlots, KeptSlots, NEW, Returning, Standing, continue_groups};
use sdc_engine::{Error, Interner, Monitor, Partition, Result, Space};
use serde_json::{Value, json};
use std::ops::Range;

/// Signatures that have this many groups on average are worth waiting for: new persons who fill no
/// slots form groups of other signatures only if they are enough for so many groups.
const GROUPS_TO_WAIT_FOR: usize = 8;
const GROUPS_OF_A_SIGNATURE: usize = 4;

/// The groups of a release that continues others, or starts a sequence.
pub struct ContinuedGroups {
    before: Remembered,
    persons: PersonProfiles,
    /// the number of each person in `before`
    member_of: Vec<u32>,
    /// how many persons a group has at least
    k: usize,
    /// what is shown of each person, and of each slot, as a number of `profiles`
    shown: Vec<u32>,
    profiles: Interner,
    slots: SlotNumbers,
    /// earlier groups that are shown again; they are the first of the release's groups
    again: Vec<u32>,
    /// (person, group, slot) of those who join a group, or move to another slot
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
        k: usize,
        watch: &mut Watch,
    ) -> Option<Self> {
        let sequence = sequence?;
        let before = Remembered::read(sequence.first);
        let persons = PersonProfiles::of(rows, shown, watch);
        let mut profiles = before.profiles.clone();
        let number = |hash: &String| known(profiles.intern(hash.as_bytes()));
        let numbers = collected(persons.profiles.hashes.iter().map(number));
        let shown = persons.profiles.number_of.iter();
        Some(ContinuedGroups {
            shown: collected(shown.map(|&shown| numbers[shown as usize])),
            member_of: persons.members(&before),
            slots: SlotNumbers::of(&before),
            k,
            profiles,
            persons,
            before,
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
        self.join(&group_of, 0);
        rows.suppressed()
    }

    /// Persons with a new group take slots of its signature; group numbers go on where they ended,
    /// after so many that were formed again.
    fn join(&mut self, group_of: &[u32], formed: usize) {
        let slots = self.slots.assign(group_of, &self.shown);
        let first = self.before.groups_so_far + formed as u32;
        let members = (0..).zip(group_of).filter(|of| *of.1 != NONE);
        for (person, &group) in members {
            let member = (person, first + group, slots[person as usize]);
            memory::push(&mut self.joined, member);
        }
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
        let found = self.continued(space, watch);
        let standings = &found.standings;
        let fresh: Vec<u32> = places_of(standings, |standing| standing == Standing::New);
        let mut group_new = |chosen: Option<&[u32]>, monitor: &mut dyn Monitor| {
            self.group_new(chosen, group, monitor)
        };
        let grouped = points.group_some(rows, &fresh, &mut group_new, watch);
        let mut new_groups = collected(standings.iter().map(|_| NONE));
        for (&person, &group) in fresh.iter().zip(&grouped.group_of) {
            new_groups[person as usize] = group;
        }
        let group_of = self.numbered(&found, &new_groups);
        self.join(&new_groups, found.formed);
        let left_out = places_of(standings, |s| s == Standing::LeftOut).len();
        let nowhere = group_of.iter().filter(|&&group| group == NONE).count();
        (self.left_out, self.held_back) = (left_out, nowhere - left_out);
        let groups = self.again.len() + found.formed + grouped.groups;
        self.suppress(rows, group_of, groups)
    }

    /// New persons who take no slot form groups, or wait for slots if few are left over where many
    /// groups show the same.
    fn group_new(
        &self,
        chosen: Option<&[u32]>,
        group: &mut GroupPoints<'_>,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        let rows = chosen.map_or(self.shown.len(), <[u32]>::len);
        let k = GROUPS_TO_WAIT_FOR * self.k;
        match self.is_alike() && rows < k {
            true => Err(Error::TooFewRows { rows, k }),
            false => group(chosen, monitor),
        }
    }

    /// Whether signatures have many groups.
    fn is_alike(&self) -> bool {
        let mut groups = collected(self.before.groups.iter().copied());
        groups.sort_unstable();
        groups.dedup();
        groups.len() >= GROUPS_OF_A_SIGNATURE * self.slots.signatures()
    }

    fn continued(&self, space: &Space, watch: &mut Watch) -> ContinuedSlots {
        let of = |known: &[u32], of: &u32| known.get(*of as usize).copied().unwrap_or(NEW);
        let members = &self.member_of;
        let signatures = collected(self.before.signatures.iter().copied());
        let kept = KeptSlots {
            signatures: &known(Partition::new(signatures, self.slots.signatures())),
            shown: &self.before.slots_show,
        };
        let persons = Returning {
            shown: &self.shown,
            slot_of: &collected(members.iter().map(|member| of(&self.before.places, member))),
            group_of: &collected(members.iter().map(|member| of(&self.before.groups, member))),
        };
        known(continue_groups(kept, persons, space, watch))
    }

    /// The group of each person in this release: earlier groups first, then those that are formed
    /// again, then those of new persons. Those who join a group, or move to another slot, are noted.
    fn numbered(&mut self, found: &ContinuedSlots, new_groups: &[u32]) -> Vec<u32> {
        let mut number_of = collected((0..self.before.groups_so_far).map(|_| NONE));
        let mut shown = collected(new_groups.iter().map(|_| NONE));
        for (person, &standing) in (0u32..).zip(&found.standings) {
            let Standing::Stays { slot } = standing else {
                continue;
            };
            let before = self.member_of[person as usize] as usize;
            let group = self.before.groups[before];
            let number = &mut number_of[group as usize];
            if *number == NONE {
                *number = self.again.len() as u32;
                memory::push(&mut self.again, group);
            }
            shown[person as usize] = *number;
            if slot != self.before.places[before] {
                memory::push(&mut self.joined, (person, group, slot));
            }
        }
        let formed = self.again.len() as u32;
        for (person, &standing) in (0u32..).zip(&found.standings) {
            if let Standing::Joins { group, slot } = standing {
                shown[person as usize] = formed + group;
                let group = self.before.groups_so_far + group;
                memory::push(&mut self.joined, (person, group, slot));
            }
        }
        let new = formed + found.formed as u32;
        collected(shown.iter().zip(new_groups).map(|of| match of {
            (&NONE, &NONE) => NONE,
            (&NONE, &group) => new + group,
            (&shown, _) => shown,
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
        let cells = |(key, &typ): (usize, &Oid)| {
            let mut value = ValueOf::new(typ);
            let cell = |&group: &u32| {
                let text = self.before.texts[group as usize].get(key);
                value.read(text.cloned().flatten())
            };
            self.again.iter().map(cell).collect()
        };
        statements::under(&checksum::SETTINGS, || {
            types.iter().enumerate().map(cells).collect()
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
        });
        sequence_memory::add_members(first, release, members, watch);
        let number = self.before.groups_so_far;
        let mut shown = memory::reserved(self.texts.len());
        for (group, texts) in (number..).zip(&self.texts) {
            for (key, text) in (0..).zip(texts) {
                memory::push(&mut shown, (group, key, text.as_deref()));
            }
        }
        sequence_memory::add_groups(first, shown.into_iter(), watch);
        let hash = |&(slot, signature, shown): &(u32, u32, u32)| {
            (slot, signature, self.profiles.get(shown))
        };
        sequence_memory::add_slots(first, self.slots.added.iter().map(hash), watch);
        if self.continues() {
            let joined = self.joined.iter();
            let joined = joined.map(|of| (self.member_of[of.0 as usize], of.1));
            let known = joined.filter(|of| of.0 != UNKNOWN);
            left_groups::forget(&self.before, (first, release), known);
        }
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
