//! The source's rows as an attack sees them, and the persons that they are about.

use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::{self, CodedColumn};
use crate::pg::errors::known;
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::release::ReleaseMethod;
use sdc_engine::attack::NOWHERE;
use sdc_engine::random::Generator;
use sdc_engine::{Categories, PersonRows, Table};

/// The source's rows.
pub struct Persons {
    pub keys: Vec<CodedColumn>,
    /// the codes of each key
    pub key_codes: Vec<Vec<u32>>,
    pub sensitive: Vec<CodedColumn>,
    pub values: Vec<Vec<u32>>,
    pub rows: usize,
    /// the column that tells persons apart, and the person of each row
    pub entity: Option<(CodedColumn, PersonRows)>,
}

impl Persons {
    /// The codes of each row's keys.
    pub fn keys_of_rows(&self) -> Vec<Vec<u32>> {
        let row = |row: usize| self.key_codes.iter().map(|codes| codes[row]).collect();
        collected((0..self.rows).map(row))
    }

    pub fn read(release: &AttackedRelease, watch: &mut Watch) -> Self {
        Persons::read_with(release, None, watch)
    }

    /// The same where equal keys need not have equal codes.
    pub fn read_numbers(release: &AttackedRelease, watch: &mut Watch) -> Self {
        let mut keys = keys_of(release);
        // rows of one person are compared, and what a sequence remembers is looked up
        if release.method == ReleaseMethod::Microaggregation && release.entity().is_none() {
            keys.iter_mut().for_each(CodedColumn::number_cells);
        }
        Persons::read_keys(release, keys, None, watch)
    }

    /// The same with the first sensitive column numbered as another release's is.
    pub fn read_with(
        release: &AttackedRelease,
        numbered: Option<CodedColumn>,
        watch: &mut Watch,
    ) -> Self {
        Persons::read_keys(release, keys_of(release), numbered, watch)
    }

    fn read_keys(
        release: &AttackedRelease,
        mut keys: Vec<CodedColumn>,
        numbered: Option<CodedColumn>,
        watch: &mut Watch,
    ) -> Self {
        let column = |name: &String| CodedColumn::new(&release.source, name);
        let mut sensitive: Vec<CodedColumn> = release.sensitive.iter().map(column).collect();
        if let (Some(first), Some(numbered)) = (sensitive.first_mut(), numbered) {
            *first = numbered;
        }
        let mut entity = release.entity().as_ref().map(column);
        let columns = keys.iter_mut().chain(&mut sensitive).chain(&mut entity);
        let mut columns: Vec<&mut CodedColumn> = columns.collect();
        let mut key_codes = coded_rows::read(&release.source, &mut columns, watch);
        let mut values = key_codes.split_off(release.keys.len());
        let person_of = values.split_off(release.sensitive.len()).pop();
        let rows = key_codes.first().map_or(0, Vec::len);
        release.source.refuse_no_rows(rows);
        let person_of = person_of.map(|codes| known(PersonRows::new(&Categories::new(codes))));
        Persons {
            keys,
            key_codes,
            sensitive,
            values,
            rows,
            entity: entity.zip(person_of),
        }
    }

    /// How many persons there are.
    pub fn count(&self) -> usize {
        let persons = self.entity.as_ref().map(|entity| entity.1.len());
        persons.unwrap_or(self.rows)
    }

    /// One row of each person, drawn; `None` where each row is a person of its own.
    pub fn drawn_rows(&self, rng: &mut Generator) -> Option<Vec<u32>> {
        let (_, person_rows) = self.entity.as_ref()?;
        let mut drawn = collected((0..person_rows.len()).map(|_| NOWHERE));
        let mut seen = collected(drawn.iter().map(|_| 0u64));
        for (row, &person) in (0..).zip(person_rows.person_of()) {
            let (seen, drawn) = (&mut seen[person as usize], &mut drawn[person as usize]);
            *seen += 1;
            if sdc_engine::random::number(rng).is_multiple_of(*seen) {
                *drawn = row;
            }
        }
        Some(drawn)
    }

    /// The keys of each person, and the group that the person's rows share.
    pub fn points(&self, own: &[u32]) -> (Table, Vec<u32>) {
        let rows = self.table(&self.key_codes);
        let Some((_, person_rows)) = &self.entity else {
            return (rows, collected(own.iter().copied()));
        };
        let mut group_of = collected((0..person_rows.len()).map(|_| NOWHERE));
        for (&person, &group) in person_rows.person_of().iter().zip(own) {
            group_of[person as usize] = group;
        }
        (known(person_rows.points(&rows)), group_of)
    }

    /// The keys as they are.
    pub fn table(&self, codes: &[Vec<u32>]) -> Table {
        let columns = self.keys.iter().zip(codes);
        let columns = columns.map(|(key, codes)| key.column(codes));
        known(Table::new(columns.collect()))
    }

    /// The keys as a model learns from them.
    pub fn binned(&self) -> Vec<Categories> {
        let keys = self.keys.iter().zip(&self.key_codes);
        keys.map(|(key, codes)| key.binned(codes)).collect()
    }

    pub fn truth(&self, sensitive: usize) -> Categories {
        self.sensitive[sensitive].categories(&self.values[sensitive])
    }
}

fn keys_of(release: &AttackedRelease) -> Vec<CodedColumn> {
    let column = |name: &String| CodedColumn::new(&release.source, name);
    let mut keys: Vec<CodedColumn> = release.keys.iter().map(column).collect();
    use ReleaseMethod::{Generalization, Microaggregation, Mondrian, PAlpha};
    // before anything is read: what was read as numbers is numbered in another way
    let as_they_are = match release.method {
        Microaggregation | PAlpha => release.strata(),
        _ => Vec::new(),
    };
    let codes = keys
        .iter_mut()
        .filter(|key| release.is_categorical(&key.name) || as_they_are.contains(&key.name));
    codes.for_each(CodedColumn::as_categories);
    let by_labels = [Generalization, Mondrian, PAlpha];
    if !by_labels.contains(&release.method) {
        keys.iter_mut().for_each(CodedColumn::forget_values);
    }
    keys
}
