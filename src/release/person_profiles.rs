//! By what a sequence knows persons again: their text, and a hash of what is shown of them as
//! it is. Texts are written under fixed settings, so that they are the same every night.

use crate::pg::cell::Cell;
use crate::pg::errors::{Failure, known, number_of};
use crate::pg::memory;
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::quoting::identifier;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::text_casts::TextOf;
use crate::read::relation::Source;
use crate::read::source_rows::KeptRows;
use crate::release::checksum;
use crate::release::sequence_memory::Remembered;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::Oid;
use sdc_engine::{Interner, Monitor, PersonRows, Phase};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// So many bytes of a hash are kept: values do not collide, and a list of them stays small.
const HASH_BYTES: usize = 16;

/// The persons of a release, as they were read.
pub struct PersonProfiles {
    /// numbered as the persons are
    pub texts: Interner,
    /// the person of each row
    pub person_of: Vec<u32>,
    /// what is shown of each person; nothing where only names are needed
    pub profiles: Profiles,
}

/// What is shown of persons as it is.
#[derive(Default)]
pub struct Profiles {
    /// of each person, its number in `hashes`
    pub number_of: Vec<u32>,
    /// as hexadecimal digits
    pub hashes: Vec<String>,
}

/// The mark of a person of whom a sequence does not know.
pub const UNKNOWN: u32 = u32::MAX;

impl PersonProfiles {
    /// The persons without what is shown of them.
    pub fn names(rows: &KeptRows) -> Self {
        let Some(persons) = &rows.persons else {
            Failure::internal("a sequence without persons").raise()
        };
        statements::under(&checksum::SETTINGS, || PersonProfiles {
            texts: texts(rows, persons.len()),
            person_of: memory::collected(persons.person_of().iter().copied()),
            profiles: Profiles::default(),
        })
    }

    /// `shown` are the columns that are published as they are.
    pub fn of(rows: &KeptRows, shown: Range<usize>, watch: &mut Watch) -> Self {
        let Some(persons) = &rows.persons else {
            Failure::internal("a sequence without persons").raise()
        };
        statements::under(&checksum::SETTINGS, || PersonProfiles {
            texts: texts(rows, persons.len()),
            person_of: memory::collected(persons.person_of().iter().copied()),
            profiles: profiles(rows, persons, shown, watch),
        })
    }
}

impl PersonProfiles {
    /// The number of each person in what a sequence remembers.
    pub fn members(&self, before: &Remembered) -> Vec<u32> {
        let texts = &self.texts;
        let member = |person: u32| match before.persons.is_empty() {
            true => UNKNOWN,
            false => before.persons.find(texts.get(person)).unwrap_or(UNKNOWN),
        };
        memory::collected((0..texts.len() as u32).map(member))
    }

    /// Refuses persons of whom the sequence knows none: all of them would be new, and a reader who
    /// keeps the releases before could compare the groups of each person.
    pub fn refuse_strangers(&self, before: &Remembered) {
        let is_known = |person: u32| before.persons.find(self.texts.get(person)).is_some();
        if before.persons.is_empty() || (0..self.texts.len() as u32).any(is_known) {
            return;
        }
        Failure::new(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!(
                "nobody in the source is among the {} of the sequence",
                number_of(before.persons.len() as u64, "person")
            ),
        )
        .detail("A sequence knows persons by the text of the entity column, which depends on its type.")
        .hint("Give the column back its type and texts. If all persons are others, continues => 0 starts another sequence.")
        .raise();
    }
}

/// The text of each person.
fn texts(rows: &KeptRows, persons: usize) -> Interner {
    let mut texts = Interner::new();
    let Some(decoder) = &rows.person_values else {
        return texts;
    };
    let mut text = None;
    for (person, cell) in decoder.categories().enumerate() {
        let text = text.get_or_insert_with(|| TextOf::output(cell.typ()));
        let mut bytes = Vec::new();
        text.append(cell, &mut bytes);
        if known(texts.intern(&bytes)) as usize != person {
            Failure::invalid("two values of the entity column have the same text")
                .hint("A sequence knows persons by the text of that column: choose another one.")
                .raise();
        }
    }
    if texts.len() != persons {
        Failure::internal("persons and their values differ in number").raise();
    }
    texts
}

/// What is shown of each person: the rows in any order.
fn profiles(
    rows: &KeptRows,
    persons: &PersonRows,
    shown: Range<usize>,
    watch: &mut Watch,
) -> Profiles {
    watch.start(Phase::Checking, rows.rows as u64);
    let mut sums = ProfileSums::default();
    rows.replay(watch, |row, cells| {
        sums.add(persons.person_of()[row] as usize, &cells[shown.clone()]);
    });
    sums.profiles(watch)
}

/// So many different rows are remembered with their hashes. Most tables show few.
const ROWS_REMEMBERED: usize = 10_000;

/// The sums of the hashes of each person's rows.
#[derive(Default)]
struct ProfileSums {
    /// and how many rows
    sums: Vec<([u64; 4], u32)>,
    texts: Vec<(Oid, TextOf)>,
    bytes: Vec<u8>,
    /// rows that were seen, and their hashes
    seen: Interner,
    seen_hashes: Vec<[u64; 4]>,
}

impl ProfileSums {
    fn add(&mut self, person: usize, cells: &[Cell<'_>]) {
        while self.sums.len() <= person {
            memory::push(&mut self.sums, ([0; 4], 0));
        }
        row_bytes(cells, &mut self.texts, &mut self.bytes);
        let hash = self.hash();
        let (sum, rows) = &mut self.sums[person];
        for (part, word) in sum.iter_mut().zip(hash) {
            *part = part.wrapping_add(word);
        }
        *rows += 1;
    }

    /// The hash of the row in `bytes`.
    fn hash(&mut self) -> [u64; 4] {
        if let Some(known) = self.seen.find(&self.bytes) {
            return self.seen_hashes[known as usize];
        }
        let hash = Sha256::digest(&self.bytes);
        let mut parts = [0; 4];
        for (part, word) in parts.iter_mut().zip(hash.as_chunks::<8>().0) {
            *part = u64::from_le_bytes(*word);
        }
        if self.seen.len() < ROWS_REMEMBERED {
            known(self.seen.intern(&self.bytes));
            memory::push(&mut self.seen_hashes, parts);
        }
        parts
    }

    fn profiles(&self, watch: &mut Watch) -> Profiles {
        let mut profiles = Profiles {
            number_of: memory::reserved(self.sums.len()),
            hashes: Vec::new(),
        };
        let mut sums = Interner::new();
        for (person, (sum, rows)) in self.sums.iter().enumerate() {
            let number = known(sums.intern(&sum_bytes(sum, *rows)));
            if number as usize == profiles.hashes.len() {
                memory::push(&mut profiles.hashes, digits(sum, *rows));
            }
            profiles.number_of.push(number);
            if person.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                watch.tick(person as u64);
            }
        }
        profiles
    }
}

/// What a source shows of its persons now.
pub struct PresentProfiles {
    texts: Interner,
    profiles: Profiles,
}

impl PresentProfiles {
    /// `shown` are the columns that are published as they are, in the order of the release.
    pub fn read(source: &Source, entity: &str, shown: &[String], watch: &mut Watch) -> Self {
        let names: Vec<&str> = std::iter::once(entity)
            .chain(shown.iter().map(String::as_str))
            .collect();
        let types = names.iter().filter_map(|name| source.attribute(name));
        let types: Vec<Oid> = types.map(|column| column.typ).collect();
        let columns: Vec<String> = names.iter().map(|name| identifier(name)).collect();
        let sql = format!("SELECT {} FROM {}", columns.join(", "), source.sql_name);
        watch.start(Phase::Reading, 0);
        let mut sink = ProfileSink {
            sums: ProfileSums::default(),
            texts: Interner::new(),
            person: TextOf::output(types[0]),
            columns: types.len(),
            rows: 0,
            watch,
        };
        statements::under(&checksum::SETTINGS, || {
            statements::read(&sql, &types, Order::Stored, &mut sink);
            PresentProfiles {
                profiles: sink.sums.profiles(sink.watch),
                texts: sink.texts,
            }
        })
    }

    /// What is shown of the person of this text.
    pub fn of(&self, person: &[u8]) -> Option<&[u8]> {
        let number = self.profiles.number_of[self.texts.find(person)? as usize];
        Some(self.profiles.hashes[number as usize].as_bytes())
    }
}

struct ProfileSink<'a> {
    sums: ProfileSums,
    texts: Interner,
    person: TextOf,
    columns: usize,
    rows: usize,
    watch: &'a mut Watch,
}

impl RowSink for ProfileSink<'_> {
    fn row(&mut self, row: &Row<'_>) {
        let mut text = Vec::new();
        self.person.append(row.cell(0), &mut text);
        let person = known(self.texts.intern(&text));
        let cells: Vec<Cell<'_>> = (1..self.columns).map(|place| row.cell(place)).collect();
        self.sums.add(person as usize, &cells);
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.watch.tick(self.rows as u64);
        }
    }
}

/// The cells of a row with their lengths, so that no two rows look alike.
fn row_bytes(cells: &[Cell<'_>], texts: &mut Vec<(Oid, TextOf)>, out: &mut Vec<u8>) {
    out.clear();
    for (place, cell) in cells.iter().enumerate() {
        if texts.len() == place {
            texts.push((cell.typ(), TextOf::output(cell.typ())));
        }
        let start = out.len();
        out.extend_from_slice(&[0; 8]);
        texts[place].1.append(*cell, out);
        let length = match cell.is_null() {
            true => u64::MAX,
            false => (out.len() - start - 8) as u64,
        };
        out[start..start + 8].copy_from_slice(&length.to_le_bytes());
    }
}

fn sum_bytes(sum: &[u64; 4], rows: u32) -> [u8; 36] {
    let mut bytes = [0; 36];
    let (parts, count) = bytes.split_at_mut(32);
    for (bytes, part) in parts.chunks_exact_mut(8).zip(sum) {
        bytes.copy_from_slice(&part.to_le_bytes());
    }
    count.copy_from_slice(&rows.to_le_bytes());
    bytes
}

fn digits(sum: &[u64; 4], rows: u32) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    let bytes = Sha256::digest(sum_bytes(sum, rows));
    let bytes = bytes.into_iter().take(HASH_BYTES);
    let halves = bytes.flat_map(|byte| [byte >> 4, byte & 15]);
    halves.map(digit).collect()
}
