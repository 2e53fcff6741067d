//! What a sequence remembers: who is in which group and in which slot of its signature, what each
//! group shows, and what each slot. Persons and values are kept as text, whatever their types are.

use crate::pg::appended_rows;
use crate::pg::cell::Cell;
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
    /// number of what is shown of each person as it is, in `profiles`
    pub shown: Vec<u32>,
    pub since: Vec<i64>,
    /// hashes of what is shown
    pub profiles: Interner,
    /// the texts that each group shows, in their order
    pub texts: Vec<Vec<Option<Vec<u8>>>>,
    /// of each slot its signature, and what it shows in `profiles`
    pub signatures: Vec<u32>,
    pub slots_show: Vec<u32>,
    /// how many groups there have been
    pub groups_so_far: u32,
}

/// A person who joins a group.
pub struct NewMember<'a> {
    pub person: &'a [u8],
    pub group: u32,
    pub place: u32,
    pub shown: &'a [u8],
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
            "SELECT m.person, m.grp, m.place, m.shown, m.since FROM sdc.membership m \
             WHERE m.sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8 \
               AND m.since OPERATOR(pg_catalog.<=) {release}::pg_catalog.int8"
        );
        let types = &[TEXT, INT4, INT4, TEXT, INT8];
        remembered.each(&members, types, Remembered::member);
        let texts = format!(
            "SELECT g.grp, g.shown FROM sdc.sequence_group g \
             WHERE g.sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8 \
             ORDER BY g.grp, g.number"
        );
        remembered.each(&texts, &[INT4, TEXT], Remembered::text);
        let slots = format!(
            "SELECT s.signature, s.shown FROM sdc.sequence_slot s \
             WHERE s.sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8 \
             ORDER BY s.slot"
        );
        remembered.each(&slots, &[INT4, TEXT], Remembered::slot);
        remembered
    }

    fn each(&mut self, sql: &str, types: &[pg_sys::Oid], take: Take) {
        let sink = &mut MemorySink {
            into: self,
            text: &mut TextOf::new(TEXT),
            take,
        };
        let read = || statements::read(sql, types, Order::Queried, sink);
        statements::seeing_own_writes(|| links::in_register(read));
    }

    fn member(&mut self, row: &Row<'_>, text: &mut TextOf) {
        let bytes = |place: usize, text: &mut TextOf| {
            let mut bytes = Vec::new();
            text.append(row.cell(place), &mut bytes);
            bytes
        };
        let number = |place: usize| row.cell(place).get::<i32>().unwrap_or(0) as u32;
        let since = row.cell(4).int8();
        let person = known(self.persons.intern(&bytes(0, text))) as usize;
        if person == self.places.len() {
            memory::push(&mut self.groups, 0);
            memory::push(&mut self.places, 0);
            memory::push(&mut self.shown, 0);
            memory::push(&mut self.since, i64::MIN);
        }
        self.groups_so_far = self.groups_so_far.max(number(1) + 1);
        if since > self.since[person] {
            self.groups[person] = number(1);
            self.places[person] = number(2);
            self.shown[person] = known(self.profiles.intern(&bytes(3, text)));
            self.since[person] = since;
        }
    }

    fn slot(&mut self, row: &Row<'_>, text: &mut TextOf) {
        let mut bytes = Vec::new();
        text.append(row.cell(1), &mut bytes);
        let shown = known(self.profiles.intern(&bytes));
        let signature = row.cell(0).get::<i32>().unwrap_or(0) as u32;
        memory::push(&mut self.signatures, signature);
        memory::push(&mut self.slots_show, shown);
    }

    fn text(&mut self, row: &Row<'_>, text: &mut TextOf) {
        let group = row.cell(0).get::<i32>().unwrap_or(0) as usize;
        self.groups_so_far = self.groups_so_far.max(group as u32 + 1);
        while self.texts.len() <= group {
            memory::push(&mut self.texts, Vec::new());
        }
        let cell = row.cell(1);
        let mut bytes = Vec::new();
        text.append(cell, &mut bytes);
        let shown = (!cell.is_null()).then_some(bytes);
        memory::push(&mut self.texts[group], shown);
    }
}

type Take = fn(&mut Remembered, &Row<'_>, &mut TextOf);

struct MemorySink<'a> {
    into: &'a mut Remembered,
    text: &'a mut TextOf,
    take: Take,
}

impl RowSink for MemorySink<'_> {
    fn row(&mut self, row: &Row<'_>) {
        (self.take)(self.into, row, self.text);
    }
}

const INT4: pg_sys::Oid = pg_sys::INT4OID;
const INT8: pg_sys::Oid = pg_sys::INT8OID;
const TEXT: pg_sys::Oid = pg_sys::TEXTOID;

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
            Cell::text(Some(member.shown)),
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

/// Forgets the groups that persons have left, unless a release that is still there shows them.
pub fn forget_left_groups(sequence: i64) {
    let of_sequence = |alias: &str| {
        format!("{alias}.sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8")
    };
    let (members, groups) = (
        format!(
            "DELETE FROM sdc.membership m USING sdc.membership n WHERE {} AND {} \
               AND n.person OPERATOR(pg_catalog.=) m.person AND n.since OPERATOR(pg_catalog.>) m.since \
               AND n.since OPERATOR(pg_catalog.<=) (SELECT pg_catalog.min(q.release) FROM sdc.release_sequence q \
                   WHERE {} AND NOT EXISTS (SELECT FROM sdc.release_end e WHERE e.release OPERATOR(pg_catalog.=) q.release))",
            of_sequence("m"),
            of_sequence("n"),
            of_sequence("q")
        ),
        format!(
            "DELETE FROM sdc.sequence_group g WHERE {} AND NOT EXISTS ( \
               SELECT FROM sdc.membership m WHERE {} AND m.grp OPERATOR(pg_catalog.=) g.grp)",
            of_sequence("g"),
            of_sequence("m")
        ),
    );
    links::in_register(|| {
        statements::seeing_own_writes(|| {
            statements::run(&members);
            statements::run(&groups);
        });
    });
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
