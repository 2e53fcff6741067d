//! What a sequence remembers: who is in which group and in which slot of its signature, what each
//! group shows, and what each slot. Persons and values are kept as text, whatever their types are.

use crate::pg::appended_rows;
use crate::pg::cell::Cell;
use crate::pg::deleted_rows::RowPlace;
use crate::pg::errors::known;
use crate::pg::memory;
use crate::pg::progress::Watch;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::text_casts::TextOf;
use crate::read::relation::relation_of;
use crate::release::links;
use pgrx::pg_sys;
use sdc_engine::{Interner, Monitor, Phase};

/// The memberships of a sequence, numbered by persons.
#[derive(Default)]
pub struct Remembered {
    pub persons: Interner,
    /// of each person, as of the last group
    pub places: Vec<u32>,
    pub groups: Vec<u32>,
    pub since: Vec<i64>,
    /// where the rows of these are
    pub rows: Vec<RowPlace>,
    /// memberships before the last one
    pub earlier: Vec<Membership>,
    /// hashes of what is shown
    pub profiles: Interner,
    /// the texts that each group shows, in their order; none where nobody can be in the group again
    pub texts: Vec<Vec<Option<Vec<u8>>>>,
    /// the group of each text, and where its row is
    pub text_rows: Vec<(u32, RowPlace)>,
    /// of each slot its signature, and what it shows in `profiles`
    pub signatures: Vec<u32>,
    pub slots_show: Vec<u32>,
    /// how many groups there have been
    pub groups_so_far: u32,
}

/// A group in which a person is, or was.
#[derive(Clone, Copy)]
pub struct Membership {
    pub person: u32,
    pub group: u32,
    pub since: i64,
    pub row: RowPlace,
}

/// A person who joins a group.
pub struct NewMember<'a> {
    pub person: &'a [u8],
    pub group: u32,
    pub place: u32,
}

impl Remembered {
    /// What the sequence of a release remembers; `None` for a release that stands alone.
    pub fn of_release(id: i64) -> Option<Self> {
        let sql = format!(
            "SELECT q.sequence FROM sdc.release_sequence q \
             WHERE q.release OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
        );
        let find = || links::in_register(|| statements::value::<i64>(&sql));
        let sequence = statements::seeing_own_writes(find)?;
        Some(Remembered::up_to(sequence, id))
    }

    /// Reads what a sequence remembers; nothing for a new one.
    pub fn read(sequence: Option<i64>) -> Self {
        match sequence {
            Some(sequence) => Remembered::up_to(sequence, i64::MAX),
            None => Remembered::default(),
        }
    }

    /// What was remembered when a release was made.
    fn up_to(sequence: i64, release: i64) -> Self {
        let mut remembered = Remembered::default();
        let members = format!(
            "SELECT m.person, m.grp, m.place, m.since, m.ctid FROM sdc.membership m \
             WHERE m.sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8 \
               AND m.since OPERATOR(pg_catalog.<=) {release}::pg_catalog.int8"
        );
        remembered.each(&members, &[TEXT, INT4, INT4, INT8, TID], Remembered::member);
        // not sorted, because each text has its number
        let texts = format!(
            "SELECT g.shown, g.grp, g.number, g.ctid FROM sdc.sequence_group g \
             WHERE g.sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8"
        );
        remembered.each(&texts, &[TEXT, INT4, INT4, TID], Remembered::text);
        // the last groups may have no texts any more
        remembered.make_room_for_texts(remembered.groups_so_far as usize);
        let slots = format!(
            "SELECT s.shown, s.signature FROM sdc.sequence_slot s \
             WHERE s.sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8 \
             ORDER BY s.slot"
        );
        remembered.each(&slots, &[TEXT, INT4], Remembered::slot);
        remembered
    }

    fn each(&mut self, sql: &str, types: &[pg_sys::Oid], take: Take) {
        let sink = &mut MemorySink {
            into: self,
            text: TextOf::new(TEXT),
            bytes: Vec::new(),
            take,
        };
        let read = || statements::read(sql, types, Order::Queried, sink);
        statements::seeing_own_writes(|| links::in_register(read));
    }

    fn member(&mut self, row: &Row<'_>, person: &[u8]) {
        let (group, place) = (number(row, 1), number(row, 2));
        let (since, row) = (row.cell(3).int8(), row.cell(4).row_place());
        self.groups_so_far = self.groups_so_far.max(group + 1);
        let person = known(self.persons.intern(person));
        let own = person as usize;
        if own == self.places.len() {
            memory::push(&mut self.groups, group);
            memory::push(&mut self.places, place);
            memory::push(&mut self.since, since);
            memory::push(&mut self.rows, row);
            return;
        }
        let mut earlier = Membership {
            person,
            group,
            since,
            row,
        };
        if since > self.since[own] {
            earlier = self.last_of(person);
            self.places[own] = place;
            (self.groups[own], self.since[own], self.rows[own]) = (group, since, row);
        }
        memory::push(&mut self.earlier, earlier);
    }

    /// The last group of a person.
    pub fn last_of(&self, person: u32) -> Membership {
        let own = person as usize;
        Membership {
            person,
            group: self.groups[own],
            since: self.since[own],
            row: self.rows[own],
        }
    }

    fn slot(&mut self, row: &Row<'_>, shown: &[u8]) {
        let shown = known(self.profiles.intern(shown));
        memory::push(&mut self.signatures, number(row, 1));
        memory::push(&mut self.slots_show, shown);
    }

    fn text(&mut self, row: &Row<'_>, shown: &[u8]) {
        let (group, place) = (number(row, 1), number(row, 2) as usize);
        memory::push(&mut self.text_rows, (group, row.cell(3).row_place()));
        self.make_room_for_texts(group as usize + 1);
        let texts = &mut self.texts[group as usize];
        while texts.len() <= place {
            memory::push(texts, None);
        }
        texts[place] = (!row.cell(0).is_null()).then(|| shown.to_vec());
    }

    fn make_room_for_texts(&mut self, groups: usize) {
        while self.texts.len() < groups {
            memory::push(&mut self.texts, Vec::new());
        }
    }

    /// What is shown of a person as it is, as a number of `profiles`: what the slot shows. Nothing
    /// for anatomy, which has no slots.
    pub fn shown(&self, person: u32) -> Option<u32> {
        let slot = self.places[person as usize];
        self.slots_show.get(slot as usize).copied()
    }
}

fn number(row: &Row<'_>, place: usize) -> u32 {
    row.cell(place).get::<i32>().unwrap_or(0) as u32
}

/// Takes a row and the text in its first column.
type Take = fn(&mut Remembered, &Row<'_>, &[u8]);

struct MemorySink<'a> {
    into: &'a mut Remembered,
    text: TextOf,
    bytes: Vec<u8>,
    take: Take,
}

impl RowSink for MemorySink<'_> {
    fn row(&mut self, row: &Row<'_>) {
        self.bytes.clear();
        self.text.append(row.cell(0), &mut self.bytes);
        (self.take)(self.into, row, &self.bytes);
    }
}

const INT4: pg_sys::Oid = pg_sys::INT4OID;
const INT8: pg_sys::Oid = pg_sys::INT8OID;
const TEXT: pg_sys::Oid = pg_sys::TEXTOID;
const TID: pg_sys::Oid = pg_sys::TIDOID;

/// Notes who has taken which place in a release.
pub fn add_members<'a>(
    sequence: i64,
    release: i64,
    members: impl ExactSizeIterator<Item = NewMember<'a>>,
    watch: &mut Watch,
) {
    watch.start(Phase::Writing, members.len() as u64);
    let rows = members.map(|member| {
        [
            Cell::of(Some(sequence)),
            Cell::text(Some(member.person)),
            Cell::of(Some(member.group as i32)),
            Cell::of(Some(member.place as i32)),
            Cell::of(Some(release)),
        ]
    });
    append("sdc.membership", rows, watch);
}

/// Notes what new groups show.
pub fn add_groups<'a>(
    sequence: i64,
    groups: impl ExactSizeIterator<Item = (u32, u32, Option<&'a [u8]>)>,
    watch: &mut Watch,
) {
    let rows = groups.map(|(group, number, shown)| {
        [
            Cell::of(Some(sequence)),
            Cell::of(Some(group as i32)),
            Cell::of(Some(number as i32)),
            Cell::text(shown),
        ]
    });
    append("sdc.sequence_group", rows, watch);
}

/// Notes new slots: number, signature, and the hash of what is shown.
pub fn add_slots<'a>(
    sequence: i64,
    slots: impl ExactSizeIterator<Item = (u32, u32, &'a [u8])>,
    watch: &mut Watch,
) {
    let rows = slots.map(|(slot, signature, shown)| {
        [
            Cell::of(Some(sequence)),
            Cell::of(Some(slot as i32)),
            Cell::of(Some(signature as i32)),
            Cell::text(Some(shown)),
        ]
    });
    append("sdc.sequence_slot", rows, watch);
}

/// The tables are the library's own: nobody else may write to them, and nothing hangs on them.
fn append<'a, const N: usize>(
    table: &str,
    rows: impl Iterator<Item = [Cell<'a>; N]>,
    watch: &mut Watch,
) {
    let table = relation_of(table).unwrap_or(pg_sys::InvalidOid);
    appended_rows::append(table, rows, |written| watch.tick(written as u64));
}

/// Forgets all that a sequence remembers; says how many persons were known.
pub fn forget(sequence: i64) -> i64 {
    let delete = |table: &str| {
        format!(
            "DELETE FROM {table} WHERE sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8"
        )
    };
    let count = format!(
        "SELECT pg_catalog.count(*) FROM sdc.membership \
         WHERE sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8"
    );
    links::in_register(|| {
        let persons = statements::seeing_own_writes(|| statements::value::<i64>(&count));
        statements::run(&delete("sdc.membership"));
        statements::run(&delete("sdc.sequence_group"));
        statements::run(&delete("sdc.sequence_slot"));
        persons.unwrap_or(0)
    })
}
