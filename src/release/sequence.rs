//! `continues => id`: a release that continues an earlier one, so that both together show no
//! more than one. `continues => 0` starts a sequence: only then is it remembered who is in
//! which group.

use crate::pg::errors::{Failure, number_of};
use crate::pg::function_call::{Call, v1};
use crate::pg::privileges;
use crate::pg::statements::{self, Row};
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::Source;
use crate::release::links;
use crate::release::{ReleaseMethod, sequence_memory};
use pgrx::IntoDatum;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{Datum, Oid};
use serde_json::Value;

/// Parameters that may differ from one release of a sequence to the next: they say how new
/// groups are formed, not what is promised or shown.
const MAY_DIFFER: [&str; 9] = [
    "method",
    "standardize",
    "refine",
    "weights",
    "categorical",
    "nulls",
    "max_suppressed",
    "continues",
    "attack",
];

/// The sequence that a release belongs to.
#[derive(Clone)]
pub struct Sequence {
    /// its first release; `None` where this one is
    pub first: Option<i64>,
    /// the release that this one continues, 0 for the first
    last: i64,
    parameters: Value,
}

/// An entry that is to be continued.
struct Continued {
    sequence: Option<i64>,
    newest: Option<i64>,
    method: String,
    parameters: String,
    source: Option<Oid>,
    /// what the source was called, if it is gone
    gone_source: Option<String>,
    publisher: Option<Oid>,
    remembered: bool,
}

impl Sequence {
    /// What a call asks for; `None` for a release that stands alone. Nobody else publishes the
    /// source meanwhile.
    pub fn of(
        arguments: &NamedArguments<'_>,
        source: &Source,
        method: ReleaseMethod,
        entity: Option<&str>,
    ) -> Option<Self> {
        let last: i64 = arguments.optional("continues")?;
        if entity.is_none() {
            no_entity();
        }
        let mut sequence = Sequence {
            first: None,
            last,
            parameters: Value::Null,
        };
        if last != 0 {
            let found = Continued::read(last);
            sequence.first = Some(found.require(last, source, method));
            sequence.parameters = serde_json::from_str(&found.parameters).unwrap_or_default();
        }
        Some(sequence)
    }

    /// Notes in the parameters what is continued, and refuses parameters that promise or show
    /// something else than those of the release before.
    pub fn record(&self, parameters: &mut Value) {
        parameters["continues"] = self.last.into();
        let (Some(ours), Some(theirs)) = (parameters.as_object(), self.parameters.as_object())
        else {
            return;
        };
        let names = ours.keys().chain(theirs.keys());
        let mut unlike = names.filter(|name| {
            !MAY_DIFFER.contains(&name.as_str()) && ours.get(*name) != theirs.get(*name)
        });
        if let Some(name) = unlike.next() {
            Failure::invalid(format!(
                "{name} differs from that of release {}, which this call continues",
                self.last
            ))
            .detail("All releases of a sequence must have the same columns and the same promise.")
            .hint(format!(
                "sdc.releases shows the parameters of release {}; continues => 0 starts another sequence.",
                self.last
            ))
            .raise();
        }
    }

    /// Enters a new release.
    pub fn enter(&self, id: i64) {
        let sequence = self.first.unwrap_or(id);
        let sql = format!(
            "INSERT INTO sdc.release_sequence (release, sequence) \
             VALUES ({id}::pg_catalog.int8, {sequence}::pg_catalog.int8)"
        );
        links::in_register(|| statements::run(&sql));
    }
}

impl Continued {
    fn read(id: i64) -> Self {
        let sql = format!(
            "SELECT q.sequence, \
                    (SELECT pg_catalog.max(n.release) FROM sdc.release_sequence n \
                     WHERE n.sequence OPERATOR(pg_catalog.=) q.sequence), \
                    r.method, r.parameters::pg_catalog.text, l.source, l.publisher, \
                    EXISTS (SELECT FROM sdc.membership m WHERE m.sequence OPERATOR(pg_catalog.=) q.sequence), \
                    CASE WHEN sdc.relation_name(l.source) IS NULL THEN r.source END \
             FROM sdc.release r \
             JOIN sdc.registered l ON l.id OPERATOR(pg_catalog.=) r.id \
             LEFT JOIN sdc.release_sequence q ON q.release OPERATOR(pg_catalog.=) r.id \
             WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
        );
        let entry = |row: &Row| Continued {
            sequence: row.get(1),
            newest: row.get(2),
            method: row.get(3).unwrap_or_default(),
            parameters: row.get(4).unwrap_or_default(),
            source: row.get(5),
            publisher: row.get(6),
            remembered: row.get(7).unwrap_or(false),
            gone_source: row.get(8),
        };
        let find = || links::in_register(|| statements::select(&sql, entry));
        let found = statements::seeing_own_writes(find).into_iter().next();
        let own = |found: &Continued| found.publisher.is_some_and(privileges::has_rights_of);
        let hint = "sdc.releases lists the releases; continues => 0 starts a sequence.";
        let found = found.filter(own);
        found.unwrap_or_else(|| links::not_published(id, hint))
    }

    /// The sequence, if the release is its last one, of this source and by this method.
    fn require(&self, id: i64, source: &Source, method: ReleaseMethod) -> i64 {
        let Some(sequence) = self.sequence.filter(|_| self.remembered) else {
            refuse(
                format!("release {id} belongs to no sequence, or its sequence has ended"),
                "continues => 0 starts a sequence, which later releases continue.".into(),
            )
        };
        if let Some(newest) = self.newest.filter(|&newest| newest != id) {
            refuse(
                format!("release {id} has been continued already"),
                format!("The last release of its sequence is {newest}: continues => {newest}."),
            )
        }
        self.refuse_unlike(id, source, method);
        sequence
    }

    fn refuse_unlike(&self, id: i64, source: &Source, method: ReleaseMethod) {
        // a source that is made again each time is the one of the same name
        let anew = self.gone_source.as_ref() == Some(&source.sql_name);
        if self.source != Some(source.oid) && !anew {
            refuse(
                format!("release {id} has another source than {}", source.sql_name),
                "A sequence has one source; continues => 0 starts another sequence.".into(),
            )
        }
        let (theirs, ours) = (&self.method, method.name());
        if theirs != ours {
            refuse(
                format!("release {id} is by {theirs}, not by {ours}"),
                "A sequence keeps its method: continues => 0 starts another one.".into(),
            )
        }
    }
}

/// Says so when a sequence shows too few of its persons to be of use.
pub fn warn_of_absent(absent: usize, persons: usize) {
    if 4 * absent <= persons {
        return;
    }
    Failure::new(
        PgSqlErrorCode::ERRCODE_WARNING,
        format!(
            "{absent} of {} are not in this release",
            number_of(persons as u64, "person")
        ),
    )
    .detail("Their values changed, or too few persons are left for their groups. The number grows with each release.")
    .hint("To show everybody again, start a new sequence with continues => 0. Give it only to readers who have not kept the old one.")
    .warn();
}

fn refuse(message: String, hint: String) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        message,
    )
    .hint(hint)
    .raise()
}

fn no_entity() -> ! {
    Failure::invalid("a sequence needs the column that tells persons apart")
        .hint("Name it: entity => 'id', or label it: SELECT sdc.declare('…', entity => 'id').")
        .raise()
}

/// The sequence that a call wants to continue.
pub fn continued(arguments: &NamedArguments<'_>) -> Option<i64> {
    let last = arguments
        .has("continues")
        .then(|| arguments.optional::<i64>("continues"));
    let last = last.flatten().filter(|&last| last != 0)?;
    Continued::read(last).sequence
}

/// `sdc.end_sequence`.
fn end_sequence(call: &Call) -> Option<Datum> {
    let id: i64 = call.required(0, "release");
    if let Some(source) = Continued::read(id).source {
        // nobody continues the sequence meanwhile
        links::lock_source(source);
    }
    let found = Continued::read(id);
    let Some(sequence) = found.sequence else {
        refuse(
            format!("release {id} belongs to no sequence"),
            "sdc.memberships shows the sequences that can be ended.".into(),
        )
    };
    sequence_memory::forget(sequence).into_datum()
}

v1! {
    sdc_end_sequence, pg_finfo_sdc_end_sequence => end_sequence;
}

/// A release is gone: with the last one of a sequence goes what it remembers.
pub fn forget_if_gone(id: i64) {
    let sql = format!(
        "SELECT q.sequence FROM sdc.release_sequence q \
         WHERE q.release OPERATOR(pg_catalog.=) {id}::pg_catalog.int8 AND NOT EXISTS ( \
             SELECT FROM sdc.release_sequence o WHERE o.sequence OPERATOR(pg_catalog.=) q.sequence \
             AND NOT EXISTS (SELECT FROM sdc.release_end e WHERE e.release OPERATOR(pg_catalog.=) o.release))"
    );
    let find = || links::in_register(|| statements::value::<i64>(&sql));
    if let Some(sequence) = statements::seeing_own_writes(find) {
        sequence_memory::forget(sequence);
    }
}
