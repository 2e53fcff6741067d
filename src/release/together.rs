//! What a new release and each of the caller's earlier ones show together: `sdc.attack_intersection`
//! runs on each pair before the release leaves. Attacks are built on releases, so it is called as
//! SQL, by the caller, in the statement that publishes.

use crate::pg::privileges;
use crate::pg::quoting::literal;
use crate::pg::statements::{self, Row};
use crate::release::composition::Shrunk;
use crate::release::register::Entry;
use crate::release::{ReleaseMethod, links};
use serde_json::Value;

/// Earlier releases are compared from the newest on, and no more than these: each takes about as
/// long as publishing.
const MOST_COMPARED: usize = 10;

/// The methods whose groups can be found again.
const GROUPED: [ReleaseMethod; 5] = [
    ReleaseMethod::Microaggregation,
    ReleaseMethod::Generalization,
    ReleaseMethod::PAlpha,
    ReleaseMethod::Anatomy,
    ReleaseMethod::Permutation,
];

/// An earlier release to compare with.
pub struct Pair {
    id: i64,
    /// what it is called now
    name: String,
    /// the column that tells persons of two sources apart
    entity: Option<String>,
}

/// What two releases leave of persons, in shares of those who are in both.
struct PairFigures<'a> {
    name: &'a str,
    one_value: f64,
    fewer: f64,
    alone: Option<f64>,
}

/// The releases that an entry can be compared with: the caller's own, of the same source or with
/// the same column of persons, that show the same sensitive column. Those of the sequence that is
/// continued do not count, nor do two that are compared by their groups of values.
pub fn comparable(entry: &Entry<'_>, sequence: Option<i64>) -> Vec<Pair> {
    if !GROUPED.contains(&entry.method) || first_of(&entry.parameters["sensitive"]).is_none() {
        return Vec::new();
    }
    let source = u32::from(entry.source.oid);
    let sql = format!(
        "SELECT r.id, r.method, r.parameters::pg_catalog.text, l.source OPERATOR(pg_catalog.=) {source}::pg_catalog.oid, sdc.relation_name(l.target) \
         FROM sdc.release_relation l JOIN sdc.release r ON r.id OPERATOR(pg_catalog.=) l.release \
         WHERE l.source OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT sdc.related_relations({source}::pg_catalog.oid))) \
           AND l.publisher OPERATOR(pg_catalog.=) {}::pg_catalog.oid \
           AND NOT EXISTS (SELECT FROM sdc.release_end e WHERE e.release OPERATOR(pg_catalog.=) r.id) \
           AND NOT EXISTS (SELECT FROM sdc.release_sequence q WHERE q.release OPERATOR(pg_catalog.=) r.id \
                           AND q.sequence OPERATOR(pg_catalog.=) {}::pg_catalog.int8) \
         ORDER BY r.id DESC",
        u32::from(privileges::caller()),
        // no sequence has this number
        sequence.unwrap_or(0)
    );
    let find = || links::in_register(|| statements::select(&sql, |row| pair(row, entry)));
    let found = statements::seeing_own_writes(find).into_iter().flatten();
    let replaced = entry.target.replaces();
    let there = found.filter(|pair| Some(pair.id) != replaced);
    there.take(MOST_COMPARED).collect()
}

fn pair(row: &Row<'_>, entry: &Entry<'_>) -> Option<Pair> {
    let (id, method): (i64, String) = (row.get(1)?, row.get(2)?);
    let parameters: Value = serde_json::from_str(&row.get::<String>(3)?).ok()?;
    let method = ReleaseMethod::named(&method).filter(|method| GROUPED.contains(method))?;
    if method.is_apart() && entry.method.is_apart() {
        return None;
    }
    let theirs = first_of(&parameters["sensitive"])?;
    if first_of(&entry.parameters["sensitive"]) != Some(theirs) {
        return None;
    }
    let entity = match row.get::<bool>(4)? {
        true => None,
        false => {
            let entity = parameters["entity"].as_str()?;
            let same = entry.parameters["entity"].as_str() == Some(entity);
            Some(same.then(|| entity.to_string())?)
        }
    };
    let name = row.get(5)?;
    Some(Pair { id, name, entity })
}

/// The sensitive column, or the first of several.
fn first_of(sensitive: &Value) -> Option<&str> {
    sensitive.as_str().or_else(|| sensitive[0].as_str())
}

/// Compares a release that is in the register by now with earlier ones; `None` if that was not
/// possible with any.
pub fn measure(id: i64, pairs: &[Pair]) -> Option<Shrunk> {
    let figures = pairs.iter().map(|pair| PairFigures::of(id, pair));
    let found: Vec<PairFigures> = figures.flatten().collect();
    let worst = found.iter().max_by(|a, b| {
        let rank = |of: &PairFigures<'_>| (of.fewer, of.one_value, of.alone.unwrap_or(0.0));
        rank(a)
            .partial_cmp(&rank(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    })?;
    Some(Shrunk {
        sentence: worst.sentence(found.len()),
        groups: found.iter().filter(|of| of.is_harmful()).count(),
        compared: found.len(),
    })
}

impl<'a> PairFigures<'a> {
    /// `None` if the two cannot be compared: a source has lost a column, say.
    fn of(id: i64, pair: &'a Pair) -> Option<Self> {
        let entity = pair.entity.as_deref().map_or("NULL".into(), literal);
        let sql = format!(
            "SELECT t.one_value, t.fewer_values, t.alone FROM sdc.releases_together( \
                 {}::pg_catalog.int8, {id}::pg_catalog.int8, {entity}::pg_catalog.name) t",
            pair.id
        );
        let shares = |row: &Row| [1, 2, 3].map(|column| row.get::<f64>(column));
        let found = statements::seeing_own_writes(|| statements::select(&sql, shares));
        let [one_value, fewer, alone] = found.into_iter().next()?;
        Some(PairFigures {
            name: &pair.name,
            one_value: one_value?,
            fewer: fewer?,
            alone,
        })
    }

    fn is_harmful(&self) -> bool {
        self.one_value
            .max(self.fewer)
            .max(self.alone.unwrap_or(0.0))
            > 0.0
    }

    fn sentence(&self, compared: usize) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let alone = match self.alone {
            Some(alone) => format!("; {} are alone in both groups", percent(alone)),
            None => String::new(),
        };
        let most = match compared {
            1 => "".into(),
            number => format!(", the worst of {number} that were compared,"),
        };
        format!(
            "Anyone who knows a person's groups in this release and in {}{most} is left with one sensitive value \
             for {} of persons, and with fewer than promised for {}{alone}.",
            self.name,
            percent(self.one_value),
            percent(self.fewer),
        )
    }
}
