//! t-closeness is searched for with regard to all rows. Those that are left after suppression may
//! be too far from their own distribution, which is not a bug and has a message of its own.

use crate::check::{Check, Line, Requirements};
use crate::pg::errors::Failure;
use crate::pg::statements;
use crate::read::relation::Source;
use crate::release::Target;
use pgrx::prelude::*;

/// Refuses a release whose rows are not t-close to each other any more.
pub fn require_closeness(target: &Target, keys: &[String], sensitive: &[String], t: f64) {
    let only_t = Requirements {
        t: Some(t),
        ..Default::default()
    };
    let left = Source::named(&target.sql_name());
    let check = Check::of(left, keys.to_vec(), sensitive.to_vec(), only_t);
    let failing = |line: &Line| line.satisfied() == Some(false);
    let lines = statements::seeing_own_writes(|| check.lines());
    if lines.iter().any(failing) {
        Failure::new(
            PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
            "the rows left after suppression are not t-close to their own distribution",
        )
        .hint("Use max_suppressed => 0, other levels, or a larger t.")
        .raise();
    }
}
