//! Whose group is whose in a sequence: that is remembered, for its publisher.

use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::CodedColumn;
use crate::attack::regrouped::OneTable;
use crate::pg::errors::known;
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::pg::statements;
use crate::pg::text_casts::TextOf;
use crate::release::{PresentProfiles, Remembered, checksum};
use sdc_engine::attack::{NOWHERE, RememberedGroup, shown_groups};
use sdc_engine::{ColumnTally, Interner, PersonRows};

/// What a sequence remembers of the persons of a release.
pub struct RememberedGroups {
    memory: Remembered,
    /// of each value of the entity column its place in the memory; nowhere for those who came after
    /// the release
    member_of: Vec<u32>,
}

impl RememberedGroups {
    /// What is remembered of a release; `None` if it is not part of a sequence of the caller's.
    pub fn of(release: &AttackedRelease, entity: &CodedColumn) -> Option<Self> {
        let memory = release.remembered()?;
        let there = |member: &u32| memory.since[*member as usize] <= release.id;
        let member = |text: &[u8]| memory.persons.find(text).filter(there).unwrap_or(NOWHERE);
        Some(RememberedGroups {
            member_of: of_persons(entity, member),
            memory,
        })
    }

    /// The members who are in their groups: they show what their slots show. Others wait.
    pub fn holders(
        &self,
        release: &AttackedRelease,
        entity: &CodedColumn,
        watch: &mut Watch,
    ) -> Vec<u32> {
        let memory = &self.memory;
        let mut members = collected(self.member_of.iter().copied());
        if let Some(shown) = release.shown_beside_keys() {
            let now = PresentProfiles::read(&release.source, &entity.name, &shown, watch);
            let profile = |text: &[u8]| {
                let found = now.of(text).and_then(|hash| memory.profiles.find(hash));
                found.unwrap_or(NOWHERE)
            };
            for (member, profile) in members.iter_mut().zip(of_persons(entity, profile)) {
                if *member != NOWHERE && memory.shown(*member) != Some(profile) {
                    *member = NOWHERE;
                }
            }
        }
        members
    }

    /// The released point of each row: the one that shows the keys of the person's group, if that
    /// is certain to be shown.
    pub fn points(
        &self,
        (person_rows, holders): (&PersonRows, &[u32]),
        keys: &mut [CodedColumn],
        (own, shown): (&[Vec<u32>], &OneTable),
    ) -> Vec<u32> {
        let codes = self.codes(keys);
        // strata are shown as they are
        let masked = codes.iter().map(Vec::len).max().unwrap_or(0);
        let mut seen = Interner::new();
        for point in 0..shown.sizes.len() {
            known(seen.intern(&bytes(shown.points.iter().map(|codes| codes[point]))));
        }
        let group_of = |person: u32| match holders[person as usize] {
            NOWHERE => NOWHERE,
            member => self.memory.groups[member as usize],
        };
        let point = |(row, &person): (usize, &u32)| {
            let shown = codes.get(group_of(person) as usize)?;
            let strata = own.iter().skip(masked).map(|codes| codes[row]);
            seen.find(&bytes(shown.iter().copied().chain(strata)))
        };
        let rows = person_rows.person_of().iter().enumerate();
        let points = collected(rows.map(|row| point(row).unwrap_or(NOWHERE)));
        let mut groups = self.groups(person_rows, holders, &points);
        for (group, codes) in groups.iter_mut().zip(&codes) {
            if own.len() == masked && group.point == NOWHERE {
                let point = seen.find(&bytes(codes.iter().copied()));
                group.point = point.filter(|_| group.rows.is_some()).unwrap_or(NOWHERE);
            }
        }
        let is_shown = known(shown_groups(&groups, &shown.sizes));
        let persons = person_rows.person_of().iter().zip(&points);
        let own = persons.map(|(&person, &point)| match point {
            NOWHERE => NOWHERE,
            _ if is_shown[group_of(person) as usize] => point,
            _ => NOWHERE,
        });
        collected(own)
    }

    /// The groups that there were when the release was made.
    fn groups(
        &self,
        person_rows: &PersonRows,
        holders: &[u32],
        points: &[u32],
    ) -> Vec<RememberedGroup> {
        let memory = &self.memory;
        let mut places = collected(memory.texts.iter().map(|_| 0u64));
        let mut held = collected(memory.texts.iter().map(|_| (0u64, 0u64, NOWHERE)));
        let signatures = memory.signatures.iter().max();
        let mut slots = collected((0..signatures.map_or(0, |&top| top + 1)).map(|_| 0u64));
        for &signature in &memory.signatures {
            slots[signature as usize] += 1;
        }
        for (&group, &slot) in memory.groups.iter().zip(&memory.places) {
            let signature = memory.signatures.get(slot as usize);
            if let (Some(places), Some(&of)) = (places.get_mut(group as usize), signature) {
                *places = slots[of as usize];
            }
        }
        let counts = person_rows.row_counts().iter().zip(holders);
        for (&rows, &member) in counts.filter(|of| *of.1 != NOWHERE) {
            let held = &mut held[memory.groups[member as usize] as usize];
            *held = (held.0 + 1, held.1 + u64::from(rows), NOWHERE);
        }
        for (&person, &point) in person_rows.person_of().iter().zip(points) {
            if point != NOWHERE {
                let member = holders[person as usize];
                held[memory.groups[member as usize] as usize].2 = point;
            }
        }
        let one_row = person_rows.len() == person_rows.person_of().len();
        let groups = places.iter().zip(&held);
        let group = |(&places, &(held, rows, point)): (&u64, &(u64, u64, u32))| RememberedGroup {
            point,
            rows: match (held == places, one_row) {
                _ if places == 0 => None,
                (true, _) => Some(rows),
                (false, true) => Some(places),
                (false, false) => None,
            },
            whole: places > 0 && held == places,
        };
        collected(groups.map(group))
    }

    /// The number of each person's set of values, and of each released group's.
    pub fn signatures(
        &self,
        person_of: &[u32],
        sensitive: &mut CodedColumn,
        released: &ColumnTally,
    ) -> (Vec<u32>, Vec<u32>) {
        let mut sets = Interner::new();
        let mut number = |mut values: Vec<u32>| {
            values.sort_unstable();
            known(sets.intern(&bytes(values.into_iter())))
        };
        let signed = statements::under(&checksum::SETTINGS, || {
            let mut code = |text: &Option<Vec<u8>>| sensitive.read(text);
            let mut set = |texts: &Vec<Option<Vec<u8>>>| texts.iter().map(&mut code).collect();
            self.memory
                .texts
                .iter()
                .map(&mut set)
                .collect::<Vec<Vec<u32>>>()
        });
        let signed: Vec<u32> = signed.into_iter().map(&mut number).collect();
        let of_group = |cells: &[(u32, u64)]| number(cells.iter().map(|cell| cell.0).collect());
        let of_groups = released.iter().map(of_group).collect();
        let of_person = |&person: &u32| {
            let member = self.member_of[person as usize];
            let group = self.memory.groups.get(member as usize);
            let set = group.and_then(|&group| signed.get(group as usize));
            set.copied().unwrap_or(NOWHERE)
        };
        (collected(person_of.iter().map(of_person)), of_groups)
    }

    /// The codes of what each group shows.
    fn codes(&self, keys: &mut [CodedColumn]) -> Vec<Vec<u32>> {
        let mut codes = |texts: &Vec<Option<Vec<u8>>>| {
            let pairs = keys.iter_mut().zip(texts);
            pairs.map(|(key, text)| key.read(text)).collect()
        };
        statements::under(&checksum::SETTINGS, || {
            self.memory.texts.iter().map(&mut codes).collect()
        })
    }
}

/// What is said of the text of each value of the entity column.
fn of_persons(entity: &CodedColumn, said: impl Fn(&[u8]) -> u32) -> Vec<u32> {
    statements::under(&checksum::SETTINGS, || {
        let mut text = TextOf::output(entity.typ);
        let mut spelled = Vec::new();
        let cells = entity.values.categories();
        collected(cells.map(|cell| {
            spelled.clear();
            text.append(cell, &mut spelled);
            said(&spelled)
        }))
    })
}

fn bytes(codes: impl Iterator<Item = u32>) -> Vec<u8> {
    codes.flat_map(u32::to_le_bytes).collect()
}
