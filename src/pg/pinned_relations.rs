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

/// Refuses a query that names a pinned relation and reads another one in its place.
pub fn verify(sql: &str, read: &[Oid]) {
    let replaced = PINNED.with_borrow(|pinned| {
        let replaced =
            |(name, relation): &&(String, Oid)| !read.contains(relation) && names(sql, name);
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

/// Whether the text names a relation: the name stands alone, outside of literals, and is not the
/// name of a type.
fn names(sql: &str, name: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '"' | '.');
    sql.match_indices(name).any(|(start, _)| {
        let (before, after) = (&sql[..start], &sql[start + name.len()..]);
        let alone = !before.ends_with(part_of_name) && !after.starts_with(part_of_name);
        let in_literal = before.matches('\'').count() % 2 == 1;
        alone && !in_literal && !before.ends_with("::")
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn finds_names_that_stand_alone() {
        assert!(names("SELECT a FROM public.t", "public.t"));
        assert!(names("SELECT a FROM (public.t) x", "public.t"));
        assert!(names("SELECT 'it''s' FROM public.t, s.u", "public.t"));
        assert!(names(r#"SELECT a FROM "A b"."c d" x"#, r#""A b"."c d""#));
    }

    #[test]
    fn passes_over_parts_of_names_literals_and_types() {
        assert!(!names("SELECT a FROM public.tab", "public.t"));
        assert!(!names("SELECT a FROM x_public.t", "public.t"));
        assert!(!names("SELECT public.t.a FROM public.tab", "public.t"));
        assert!(!names("SELECT to_regclass('public.t')", "public.t"));
        assert!(!names("SELECT NULL::public.t", "public.t"));
    }
}
