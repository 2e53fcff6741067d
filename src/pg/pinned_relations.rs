//! Relations that were vetted by their number and are read by their name. The owner of a schema
//! could rename it meanwhile and put another relation under the name, with code that would run
//! as the caller. A query that names a pinned relation must therefore read the one that was vetted.

use crate::pg::errors::Failure;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::Oid;
use std::cell::RefCell;

thread_local! {
    static PINNED: RefCell<Vec<(String, Oid)>> = const { RefCell::new(Vec::new()) };
}

/// Holds a name to a relation as long as it lives.
pub struct Pin {
    name: String,
    relation: Oid,
}

impl Pin {
    /// Pins a quoted, schema-qualified name.
    pub fn new(name: &str, relation: Oid) -> Self {
        PINNED.with_borrow_mut(|pinned| pinned.push((name.to_string(), relation)));
        Pin {
            name: name.to_string(),
            relation,
        }
    }
}

impl Clone for Pin {
    fn clone(&self) -> Self {
        Pin::new(&self.name, self.relation)
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        let this =
            |(name, relation): &(String, Oid)| *name == self.name && *relation == self.relation;
        PINNED.with_borrow_mut(|pinned| {
            if let Some(place) = pinned.iter().rposition(this) {
                pinned.remove(place);
            }
        });
    }
}

/// Refuses a query that names a pinned relation and reads another one in its place, be it in one of
/// several places: each of them is looked up on its own.
pub fn verify(sql: &str, read: &[Oid]) {
    let replaced = PINNED.with_borrow(|pinned| {
        let replaced = |(name, relation): &&(String, Oid)| {
            let found = read.iter().filter(|&read| read == relation).count();
            found < times_read(sql, name)
        };
        pinned.iter().find(replaced).map(|(name, _)| name.clone())
    });
    if let Some(name) = replaced {
        Failure::new(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!("{name} was replaced by another relation before it was read"),
        )
        .hint("Somebody renamed it or its schema. Try again.")
        .raise();
    }
}

/// How often the text reads a relation: the name stands alone, outside of literals, where FROM and JOIN
/// have relations. Anywhere else it is a type, or the column of an alias that is called as a schema.
fn times_read(sql: &str, name: &str) -> usize {
    let part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '"' | '.');
    let bare = without_quoted(sql);
    let reads = |start: usize| {
        let (before, after) = (&sql[..start], &sql[start + name.len()..]);
        let alone = !before.ends_with(part_of_name) && !after.starts_with(part_of_name);
        alone && !in_quotes(before) && is_read(&bare[..start])
    };
    let places = sql.match_indices(name).map(|(start, _)| start);
    places.filter(|&start| reads(start)).count()
}

/// Whether a literal or a quoted name is open at the end of the text. A quote within the other kind
/// is a character like any other.
fn in_quotes(text: &str) -> bool {
    let mut within = None;
    for byte in text.bytes().filter(|byte| matches!(byte, b'\'' | b'"')) {
        within = match within {
            None => Some(byte),
            Some(quote) if quote == byte => None,
            open => open,
        };
    }
    within.is_some()
}

/// The text with spaces in place of literals and quoted names.
fn without_quoted(sql: &str) -> Vec<u8> {
    let mut within = None;
    let bare = sql.bytes().map(|byte| match (within, byte) {
        (None, b'\'' | b'"') => {
            within = Some(byte);
            b' '
        }
        (None, byte) => byte,
        (Some(quote), byte) => {
            if byte == quote {
                within = None;
            }
            b' '
        }
    });
    bare.collect()
}

/// Whether a relation stands behind this text: the last keyword of its list is one of FROM or JOIN.
fn is_read(before: &[u8]) -> bool {
    let listed = before.trim_ascii_end().ends_with(b",");
    let (mut end, mut closed) = (before.len(), 0);
    while let Some(&last) = before[..end].last() {
        match last {
            b')' => closed += 1,
            b'(' if closed > 0 => closed -= 1,
            // an argument of a function
            b'(' if before[..end - 1].last().is_some_and(is_word) => return false,
            _ => {}
        }
        let start = before[..end].iter().rposition(|byte| !is_word(byte));
        let start = start.map_or(0, |place| place + 1).min(end - 1);
        match &before[start..end] {
            b"FROM" | b"JOIN" if closed == 0 => return true,
            b"ON" if closed == 0 => return listed,
            word if closed == 0 && OTHERS.contains(&word) => return false,
            _ => end = start,
        }
    }
    false
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b':')
}

/// What begins a list without relations.
const OTHERS: [&[u8]; 7] = [
    b"SELECT",
    b"DISTINCT",
    b"WHERE",
    b"BY",
    b"HAVING",
    b"VALUES",
    b"SET",
];

#[cfg(test)]
mod tests {
    use super::times_read;

    fn names(sql: &str, name: &str) -> bool {
        times_read(sql, name) > 0
    }

    #[test]
    fn finds_names_that_stand_alone() {
        assert!(names("SELECT a FROM public.t", "public.t"));
        assert!(names("SELECT a FROM ONLY public.t x", "public.t"));
        assert!(names("SELECT a FROM s.u x, public.t y", "public.t"));
        assert!(names(
            "SELECT f(a, (SELECT 1 FROM s.u)) FROM s.u x JOIN s.v y ON f(x.a) OPERATOR(p.=) y.b AND true, public.t",
            "public.t"
        ));
        assert!(names(
            "SELECT (SELECT count(*) FROM public.t) FROM s.u",
            "public.t"
        ));
        assert!(names(
            "WITH x AS (SELECT 1 FROM s.v) SELECT 1 FROM x JOIN public.t y ON true",
            "public.t"
        ));
        assert!(names("SELECT 'it''s' FROM public.t, s.u", "public.t"));
        assert!(names(r#"SELECT a FROM "A b"."c d" x"#, r#""A b"."c d""#));
    }

    #[test]
    fn finds_names_beside_quotes_within_quotes() {
        assert_eq!(
            times_read(r#"SELECT "it's" FROM s.u x, public.t"#, "public.t"),
            1
        );
        assert_eq!(
            times_read(r#"SELECT 1 FROM "m'x".h JOIN public.t ON true"#, "public.t"),
            1
        );
        assert_eq!(
            times_read(r#"SELECT 'a "b' FROM s.u, "m'x".h"#, r#""m'x".h"#),
            1
        );
        assert_eq!(
            times_read(r#"SELECT 'FROM public.t' "FROM public.t ""#, "public.t"),
            0
        );
    }

    #[test]
    fn counts_each_place() {
        let sql = "SELECT 1 FROM public.t a JOIN public.t b ON a.x = b.x WHERE EXISTS (SELECT 1 FROM public.t)";
        assert_eq!(times_read(sql, "public.t"), 3);
    }

    #[test]
    fn passes_over_parts_of_names_literals_and_types() {
        assert!(!names("SELECT a FROM public.tab", "public.t"));
        assert!(!names("SELECT a FROM x_public.t", "public.t"));
        assert!(!names("SELECT public.t.a FROM public.tab", "public.t"));
        assert!(!names("SELECT to_regclass('public.t')", "public.t"));
        assert!(!names("SELECT NULL::public.t", "public.t"));
    }

    #[test]
    fn passes_over_columns_of_an_alias() {
        assert!(!names(
            "SELECT r.method, r.target FROM sdc.releases r WHERE r.id = 1",
            "r.method"
        ));
        assert!(!names(
            "SELECT r.method, r.target FROM sdc.releases r WHERE r.id = 1",
            "r.target"
        ));
        assert!(!names(
            "SELECT 1 FROM sdc.release r JOIN sdc.x l ON l.id = r.id",
            "l.id"
        ));
        assert!(!names(
            "SELECT 1 FROM sdc.release r JOIN sdc.x l ON l.id = r.id",
            "r.id"
        ));
        assert!(!names(
            "SELECT 1 FROM s.t r, pg_catalog.unnest(r.id) u",
            "r.id"
        ));
        assert!(!names(
            "SELECT 1 FROM s.t r WHERE r.a = ANY (ARRAY(SELECT f(r.id)))",
            "r.id"
        ));
        assert!(!names(
            "SELECT CASE WHEN r.a THEN r.id END FROM s.t r",
            "r.id"
        ));
        assert!(!names(
            "SELECT 1 FROM s.t r JOIN s.u l ON r.a AND r.id = 1",
            "r.id"
        ));
        assert!(!names(
            "SELECT 1 FROM s.t r ORDER BY r.a, r.id DESC",
            "r.id"
        ));
    }
}
