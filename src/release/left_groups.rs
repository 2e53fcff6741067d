//! Groups that persons have left are forgotten, unless a release that is still there shows them.

use crate::pg::deleted_rows::{self, RowPlace};
use crate::pg::memory::{self, collected};
use crate::pg::statements;
use crate::release::links;
use crate::release::sequence_memory::{Membership, Remembered};

/// Forgets them after a release in which these persons have joined these groups, both as `before`
/// numbers them. Where the rows are is known from reading them: to find them again by SQL takes as
/// long as grouping all persons.
pub fn forget(
    before: &Remembered,
    (sequence, release): (i64, i64),
    joined: impl Iterator<Item = (u32, u32)>,
) {
    let mut members = collected((0..before.groups_so_far).map(|_| 0i64));
    let mut joins = collected(before.groups.iter().map(|_| false));
    for (person, group) in joined {
        joins[person as usize] = true;
        if let Some(members) = members.get_mut(group as usize) {
            *members += 1; // in another slot of the same group
        }
    }
    let left = left_members(before, &joins, first_there(sequence), release);
    for member in &left {
        members[member.group as usize] -= 1;
    }
    // without one of its members a group is never whole again
    let texts = before.text_rows.iter();
    let texts = texts.filter(|of| members[of.0 as usize] < 0);
    let texts: Vec<RowPlace> = texts.map(|of| of.1).collect();
    let rows = collected(left.iter().map(|member| member.row));
    delete(sequence, &rows, &texts);
}

fn delete(sequence: i64, members: &[RowPlace], texts: &[RowPlace]) {
    let condition = format!("sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8");
    links::in_register(|| {
        statements::seeing_own_writes(|| {
            deleted_rows::delete("sdc.membership", &condition, members);
            deleted_rows::delete("sdc.sequence_group", &condition, texts);
        });
    });
}

/// The memberships that no release shows: those whose person was in another group by the first
/// release that is still there.
fn left_members(
    before: &Remembered,
    joins: &[bool],
    first_there: i64,
    release: i64,
) -> Vec<Membership> {
    let members = moved_members(before, joins);
    let mut left = memory::reserved(members.len());
    for (place, member) in members.iter().enumerate() {
        let next = members.get(place + 1).map(|next| (next.person, next.since));
        let next = match next {
            Some((person, since)) if person == member.person => Some(since),
            _ => joins[member.person as usize].then_some(release),
        };
        if next.is_some_and(|next| next <= first_there) {
            left.push(*member);
        }
    }
    left
}

/// All memberships of those who have several, or join a group now, from each person's first on.
fn moved_members(before: &Remembered, joins: &[bool]) -> Vec<Membership> {
    let mut moved = collected(joins.iter().copied());
    for member in &before.earlier {
        moved[member.person as usize] = true;
    }
    let mut members = memory::reserved(before.earlier.len() + before.rows.len());
    members.extend(&before.earlier);
    let last = (0..before.rows.len() as u32).filter(|&person| moved[person as usize]);
    members.extend(last.map(|person| before.last_of(person)));
    members.sort_unstable_by_key(|member| (member.person, member.since));
    members
}

/// The first release of a sequence that is still there.
fn first_there(sequence: i64) -> i64 {
    let sql = format!(
        "SELECT pg_catalog.min(q.release) FROM sdc.release_sequence q \
         WHERE q.sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8 \
           AND NOT EXISTS (SELECT FROM sdc.release_end e WHERE e.release OPERATOR(pg_catalog.=) q.release)"
    );
    let find = || links::in_register(|| statements::value(&sql));
    statements::seeing_own_writes(find).unwrap_or(0)
}
