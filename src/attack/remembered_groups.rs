//! Whose group is whose in a sequence: that is remembered, for its publisher.

use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::CodedColumn;
use crate::pg::errors::known;
use crate::pg::memory::collected;
use crate::pg::statements;
use crate::pg::text_casts::TextOf;
use crate::release::{Remembered, checksum};
use sdc_engine::attack::NOWHERE;
use sdc_engine::{ColumnTally, Interner};

/// The group of each person in a sequence, and what each group shows.
pub struct RememberedGroups {
    /// of each value of the entity column
    of_person: Vec<u32>,
    /// the keys of each group, or for anatomy its set of values
    texts: Vec<Vec<Option<Vec<u8>>>>,
}

impl RememberedGroups {
    /// What is remembered of a release; `None` if it is not part of a sequence of the caller's.
    pub fn of(release: &AttackedRelease, entity: &CodedColumn) -> Option<Self> {
        let remembered = release.remembered()?;
        Some(RememberedGroups {
            of_person: statements::under(&checksum::SETTINGS, || {
                groups_of(&remembered, entity, release.id)
            }),
            texts: remembered.texts,
        })
    }

    /// The released point of each person: the one that shows the keys of the person's group.
    pub fn points(
        &self,
        person_of: &[u32],
        keys: &mut [CodedColumn],
        (own, points): (&[Vec<u32>], &[Vec<u32>]),
    ) -> Vec<u32> {
        let shown = self.codes(keys);
        // strata are shown as they are
        let masked = shown.iter().map(Vec::len).max().unwrap_or(0);
        let mut seen = Interner::new();
        for point in 0..points.first().map_or(0, Vec::len) {
            known(seen.intern(&bytes(points.iter().map(|codes| codes[point]))));
        }
        let point = |(row, &person): (usize, &u32)| {
            let group = self.of_person[person as usize] as usize;
            let shown = shown.get(group)?;
            let strata = own.iter().skip(masked).map(|codes| codes[row]);
            seen.find(&bytes(shown.iter().copied().chain(strata)))
        };
        let rows = person_of.iter().enumerate();
        collected(rows.map(|row| point(row).unwrap_or(NOWHERE)))
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
            self.texts.iter().map(&mut set).collect::<Vec<Vec<u32>>>()
        });
        let signed: Vec<u32> = signed.into_iter().map(&mut number).collect();
        let of_group = |cells: &[(u32, u64)]| number(cells.iter().map(|cell| cell.0).collect());
        let of_groups = released.iter().map(of_group).collect();
        let of_person = |&person: &u32| {
            let group = self.of_person[person as usize] as usize;
            signed.get(group).copied().unwrap_or(NOWHERE)
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
            self.texts.iter().map(&mut codes).collect()
        })
    }
}

/// The group of each value of the entity column; nowhere for those who came after the release.
fn groups_of(remembered: &Remembered, entity: &CodedColumn, release: i64) -> Vec<u32> {
    let mut text = TextOf::output(entity.typ);
    let mut spelled = Vec::new();
    let mut group = |cell| {
        spelled.clear();
        text.append(cell, &mut spelled);
        let person = remembered.persons.find(&spelled)? as usize;
        let there = remembered.since[person] <= release;
        there.then_some(remembered.groups[person])
    };
    let cells = entity.values.categories();
    collected(cells.map(|cell| group(cell).unwrap_or(NOWHERE)))
}

fn bytes(codes: impl Iterator<Item = u32>) -> Vec<u8> {
    codes.flat_map(u32::to_le_bytes).collect()
}
