//! Anatomies of a sequence: everybody's group has the same set of values in each of them.

use crate::pg::cell::Cell;
use crate::pg::errors::{Failure, known, number_of};
use crate::pg::memory::{self, collected};
use crate::pg::progress::Watch;
use crate::pg::statements;
use crate::pg::text_casts::{TextOf, ValueOf};
use crate::read::columns::Decoder;
use crate::read::source_rows::KeptRows;
use crate::release::checksum;
use crate::release::person_profiles::{PersonProfiles, UNKNOWN};
use crate::release::sequence::{self, Sequence};
use crate::release::sequence_memory::{self, NewMember, Remembered};
use pgrx::pg_sys::Oid;
use sdc_engine::random::Generator;
use sdc_engine::sequence::{Balanced, Counterfeit, NEW, SignedRows, WAITS, balance};
use sdc_engine::{Categories, Interner, Partition};
use serde_json::{Value, json};

/// The mark of a person without a group.
const NONE: u32 = u32::MAX;

/// The groups of an anatomy that continues others, or starts a sequence.
pub struct SignedGroups {
    before: Remembered,
    persons: PersonProfiles,
    /// the number of each person in `before`
    member_of: Vec<u32>,
    typ: Oid,
    /// the values of each signature, those known from before first
    signatures: Vec<Vec<u32>>,
    /// (person, signature) of those who get one
    joined: Vec<(u32, u32)>,
    held_back: usize,
    suppressed: usize,
    pub counterfeits: Vec<Counterfeit>,
}

impl SignedGroups {
    /// Reads what is known of the persons, each of whom must have one row; the sensitive column is
    /// of this type.
    pub fn new(sequence: &Sequence, rows: &mut KeptRows, typ: Oid) -> Self {
        refuse_several_rows(rows);
        let before = Remembered::read(sequence.first);
        let persons = PersonProfiles::names(rows);
        let signatures = signatures(&before, typ, &mut rows.sensitive_values[0]);
        SignedGroups {
            member_of: persons.members(&before),
            before,
            persons,
            typ,
            signatures,
            joined: Vec::new(),
            held_back: 0,
            suppressed: 0,
            counterfeits: Vec::new(),
        }
    }

    /// How many rows of a first release fit into no group.
    pub fn suppressed(&self) -> usize {
        self.suppressed
    }

    /// The groups of a first release are as they are.
    pub fn start(&mut self, rows: &KeptRows, partition: &Partition) {
        let mut group_of = collected(self.persons.person_of.iter().map(|_| NONE));
        let mut values = collected(self.persons.person_of.iter().map(|_| NONE));
        let kept = rows.kept_rows().zip(partition.group_of());
        for ((row, &group), &value) in kept.zip(rows.sensitive[0].codes()) {
            (group_of[row], values[row]) = (group, value);
        }
        self.suppressed = rows.suppressed();
        let found = Balanced {
            group_of,
            groups: partition.groups(),
            counterfeits: Vec::new(),
        };
        self.sign(&found, &values);
    }

    /// Persons are dealt into groups by their signatures; those who wait leave `rows`.
    pub fn regroup(
        &mut self,
        rows: &mut KeptRows,
        l: usize,
        generator: &mut Generator,
        watch: &mut Watch,
    ) -> Partition {
        self.persons.refuse_strangers(&self.before);
        let values = collected(rows.sensitive[0].codes().iter().copied());
        let each = self.persons.person_of.iter().zip(&values);
        let signature_of =
            collected(each.map(|(&person, &value)| self.signature_of(person, value)));
        let signed = SignedRows {
            values: &values,
            strata: rows.strata.as_ref().map_or(&[], Categories::codes),
            signature_of: &signature_of,
            signatures: &self.signatures,
        };
        let found = known(balance(signed, l, generator, watch));
        self.sign(&found, &values);
        self.held_back = found.group_of.iter().filter(|&&g| g == NONE).count();
        if found.groups == 0 {
            Failure::invalid("nobody can be published now: everybody waits")
                .hint("Publish later, when there are more new persons, or start another sequence.")
                .raise();
        }
        let (partition, _) = known(found.shown());
        if self.held_back > 0 {
            rows.suppress(collected(found.group_of.iter().map(|&g| g != NONE)));
        }
        self.counterfeits = found.counterfeits;
        partition
    }

    /// A person keeps the signature as long as it has the person's value.
    fn signature_of(&self, person: u32, value: u32) -> u32 {
        let member = self.member_of[person as usize];
        let Some(&signature) = self.before.groups.get(member as usize) else {
            return NEW;
        };
        let values = self.signatures.get(signature as usize);
        match values.is_some_and(|values| values.binary_search(&value).is_ok()) {
            true => signature,
            false => WAITS,
        }
    }

    /// A new person has the values of the group as signature.
    fn sign(&mut self, found: &Balanced, values: &[u32]) {
        let sets = known(found.values(values));
        let mut numbers = Interner::new();
        for set in &self.signatures {
            known(numbers.intern(&bytes(set)));
        }
        // of each group, once it is known
        let mut number_of = collected(sets.iter().map(|_| NONE));
        for (row, &group) in found.group_of.iter().enumerate() {
            let person = self.persons.person_of[row];
            if group == NONE || self.is_known(person) {
                continue;
            }
            let number = &mut number_of[group as usize];
            if *number == NONE {
                let set = &sets[group as usize];
                *number = known(numbers.intern(&bytes(set)));
                if *number as usize == self.signatures.len() {
                    memory::push(&mut self.signatures, collected(set.iter().copied()));
                }
            }
            memory::push(&mut self.joined, (person, *number));
        }
    }

    /// Whether the person has been in an earlier release.
    fn is_known(&self, person: u32) -> bool {
        self.member_of[person as usize] != UNKNOWN
    }

    /// What the register says of the sequence.
    pub fn figures(&self, achieved: &mut Value) {
        achieved["held_back"] = json!(self.held_back);
        achieved["counterfeits"] = json!(self.counterfeits.len());
        sequence::warn_of_absent(self.held_back, self.persons.texts.len());
    }

    /// How many values of each group are nobody's.
    pub fn nobodys(&self, groups: usize) -> Vec<u64> {
        let mut counts = collected((0..groups).map(|_| 0));
        for of in &self.counterfeits {
            counts[of.group as usize] += 1;
        }
        counts
    }

    /// Groups and values, those of nobody included.
    pub fn with_nobodys(
        &self,
        partition: &Partition,
        values: &Categories,
    ) -> (Partition, Categories) {
        let extra = self.counterfeits.len();
        let mut group_of = memory::reserved(partition.rows() + extra);
        let mut codes = memory::reserved(partition.rows() + extra);
        group_of.extend(partition.group_of());
        codes.extend(values.codes());
        group_of.extend(self.counterfeits.iter().map(|of| of.group));
        codes.extend(self.counterfeits.iter().map(|of| of.value));
        let partition = known(Partition::new(group_of, partition.groups()));
        (partition, Categories::new(codes))
    }

    /// Remembers the release for the next one.
    pub fn remember(
        &self,
        sequence: &Sequence,
        release: i64,
        decoder: &Decoder,
        watch: &mut Watch,
    ) {
        let first = sequence.first.unwrap_or(release);
        let members = self.joined.iter().map(|&(person, group)| NewMember {
            person: self.persons.texts.get(person),
            group,
            place: 0,
        });
        sequence_memory::add_members(first, release, members, watch);
        let shown = self.new_texts(decoder);
        let shown = shown.iter().map(|of| (of.0, of.1, of.2.as_deref()));
        sequence_memory::add_groups(first, shown, watch);
    }

    /// (signature, number, text) of the values of new signatures.
    fn new_texts(&self, decoder: &Decoder) -> Vec<(u32, u32, Option<Vec<u8>>)> {
        let mut shown = Vec::new();
        statements::under(&checksum::SETTINGS, || {
            let mut text = TextOf::output(self.typ);
            let known = self.before.texts.len();
            for (group, set) in (0u32..).zip(&self.signatures).skip(known) {
                for (number, &value) in (0u32..).zip(set) {
                    let cell: Cell = decoder.category(value);
                    let mut bytes = Vec::new();
                    text.append(cell, &mut bytes);
                    let bytes = (!cell.is_null()).then_some(bytes);
                    memory::push(&mut shown, (group, number, bytes));
                }
            }
        });
        shown
    }
}

fn bytes(set: &[u32]) -> Vec<u8> {
    set.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The values of the signatures in the codes of the column.
fn signatures(before: &Remembered, typ: Oid, decoder: &mut Decoder) -> Vec<Vec<u32>> {
    statements::under(&checksum::SETTINGS, || {
        let mut all = memory::reserved(before.texts.len());
        let mut value = ValueOf::new(typ);
        for texts in &before.texts {
            let code = |text: &Option<Vec<u8>>| decoder.code(value.read(text.clone()));
            let mut codes: Vec<u32> = texts.iter().map(code).collect();
            codes.sort_unstable();
            all.push(codes);
        }
        all
    })
}

fn refuse_several_rows(rows: &KeptRows) {
    let persons = rows.persons.as_ref().map_or(0, |persons| persons.len());
    if persons != rows.rows {
        Failure::invalid(format!(
            "a sequence of anatomies needs one row for each person, not {} of {}",
            number_of(rows.rows as u64, "row"),
            number_of(persons as u64, "person"),
        ))
        .hint("Publish a view with one row for each person, for example the last one.")
        .raise();
    }
}
