//! What a new release and each of the caller's earlier ones show together: `sdc.attack_intersection`
//! runs on each pair before the release leaves. Attacks are built on releases, so it is called as
//! SQL, by the caller, in the statement that publishes.

use crate::pg::attempt::attempt;
use crate::pg::privileges;
use crate::pg::quoting::literal;
use crate::pg::statements::{self, Row};
use crate::release::composition::Shrunk;
use crate::release::register::Entry;
use crate::release::{ReleaseMethod, links, replaced_rows};
use pgrx::PgSqlErrorCode;
use serde_json::Value;

/// Earlier releases are compared from the newest on, and no more than these: each takes about as
/// long as publishing.
const MOST_COMPARED: usize = 10;
/// So many names are written out.
const MOST_NAMED: usize = 5;

/// The methods whose groups can be found again.
const GROUPED: [ReleaseMethod; 7] = [
    ReleaseMethod::Microaggregation,
    ReleaseMethod::Generalization,
    ReleaseMethod::PAlpha,
    ReleaseMethod::Anatomy,
    ReleaseMethod::Permutation,
    ReleaseMethod::Mondrian,
    ReleaseMethod::Suppression,
];

/// Why an attack on two releases may stop: what the source was when the earlier one was made is
/// not what it is now, or the attack takes more memory than it may. Anything else is an error.
pub const INCOMPARABLE: [PgSqlErrorCode; 18] = [
    PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
    PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
    PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
    PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
    // a view of the source finds a function by the caller's search_path alone
    PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION,
    PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
    PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
    PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
    PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
    PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
    PgSqlErrorCode::ERRCODE_INVALID_TABLE_DEFINITION,
    PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
    PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
    PgSqlErrorCode::ERRCODE_CARDINALITY_VIOLATION,
    PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
    PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY,
    PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
    PgSqlErrorCode::ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
];

/// An earlier release of the same persons.
pub struct Pair {
    id: i64,
    /// what it is called now
    name: String,
    beside: Beside,
}

/// What the attack says where it has guessed.
pub const NOT_EXACT: &str = "Some groups could not be recomputed";

/// How it can be compared.
enum Beside {
    /// by the column that tells persons of two sources apart
    Persons { entity: Option<String> },
    /// neither has a sensitive column, and nothing says which rows may be the same person's
    Unlinked,
    /// not at all, and why
    Nothing(&'static str),
}

/// What two releases leave of persons, in shares of those who are in both.
struct PairFigures<'a> {
    name: &'a str,
    one_value: f64,
    fewer: f64,
    alone: Option<f64>,
    /// whether some persons' groups are not known exactly
    guessed: bool,
    /// what is left of: rows, where no sensitive column is shown
    of_rows: bool,
}

/// The earlier releases that an entry is to be compared with: the caller's own, of the same persons.
/// Those of the sequence that is continued do not count, nor do two that are compared by their
/// groups of values.
pub fn earlier(entry: &Entry<'_>, sequence: Option<i64>) -> Vec<Pair> {
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
    let named = |pair: Pair| match Some(pair.id) == replaced {
        true => pair.by_its_copy(),
        false => pair,
    };
    found.map(named).collect()
}

fn pair(row: &Row<'_>, entry: &Entry<'_>) -> Option<Pair> {
    let (id, method): (i64, String) = (row.get(1)?, row.get(2)?);
    let parameters: Value = serde_json::from_str(&row.get::<String>(3)?).ok()?;
    let method = ReleaseMethod::named(&method);
    if entry.method.is_apart() && method.is_some_and(ReleaseMethod::is_apart) {
        return None;
    }
    let same_source = row.get::<bool>(4)?;
    let beside = match is_linkable(entry, (method, &parameters))? {
        true => beside(entry, (method, &parameters), same_source),
        false => Beside::Unlinked,
    };
    Some(Pair {
        id,
        name: row.get(5)?,
        beside,
    })
}

impl Pair {
    fn has_ended(&self) -> bool {
        let sql = format!(
            "SELECT EXISTS (SELECT FROM sdc.release_end e WHERE e.release OPERATOR(pg_catalog.=) {}::pg_catalog.int8)",
            self.id
        );
        let ended = || links::in_register(|| statements::value(&sql));
        statements::seeing_own_writes(ended) == Some(true)
    }

    /// The release whose rows were exchanged, if a copy of them was made.
    fn by_its_copy(self) -> Self {
        let beside = match self.beside {
            Beside::Persons { .. } if replaced_rows::of(self.id).is_none() => {
                Beside::Nothing("you may not create temporary tables")
            }
            beside => beside,
        };
        Pair {
            name: "the one that it replaces".into(),
            beside,
            ..self
        }
    }
}

/// Whether a value that both show may link rows of the same person: a sensitive one, or one of
/// another column beside the keys. `None` where only the other one has a sensitive column.
fn is_linkable(
    entry: &Entry<'_>,
    (method, parameters): (Option<ReleaseMethod>, &Value),
) -> Option<bool> {
    let ours = &entry.parameters;
    let perturbed = ReleaseMethod::Perturbation;
    if entry.method == perturbed || first_of(&ours["sensitive"]).is_some() {
        return Some(true);
    }
    if method == Some(perturbed) || first_of(&parameters["sensitive"]).is_some() {
        return None;
    }
    let theirs = shown_beside_keys(parameters);
    Some(
        shown_beside_keys(ours)
            .iter()
            .any(|name| theirs.contains(name)),
    )
}

/// The columns that rows show as they are, beside sensitive ones.
fn shown_beside_keys(parameters: &Value) -> Vec<&str> {
    let names = |name: &str| parameters[name].as_array().into_iter().flatten();
    let all = names("keep").chain(names("strata"));
    all.filter_map(Value::as_str).collect()
}

fn beside(
    entry: &Entry<'_>,
    (method, parameters): (Option<ReleaseMethod>, &Value),
    same_source: bool,
) -> Beside {
    let grouped = |method: &ReleaseMethod| GROUPED.contains(method);
    if !grouped(&entry.method) || !method.as_ref().is_some_and(grouped) {
        return Beside::Nothing("noise does not say whose row is whose");
    }
    let ours = &entry.parameters;
    if first_of(&ours["sensitive"]) != first_of(&parameters["sensitive"]) {
        return Beside::Nothing("other sensitive columns");
    }
    if same_source {
        return Beside::Persons { entity: None };
    }
    match parameters["entity"].as_str() {
        Some(entity) if ours["entity"].as_str() == Some(entity) => Beside::Persons {
            entity: Some(entity.to_string()),
        },
        _ => Beside::Nothing("no entity in common"),
    }
}

/// The sensitive column, or the first of several.
fn first_of(sensitive: &Value) -> Option<&str> {
    sensitive.as_str().or_else(|| sensitive[0].as_str())
}

/// Compares a release that is in the register by now with earlier ones; `None` without any.
pub fn measure(id: i64, earlier: &[Pair]) -> Option<Shrunk> {
    let (mut found, mut not) = (Vec::new(), Vec::new());
    let (mut tried, mut unlinked) = (0, 0);
    for pair in earlier {
        let figures = match &pair.beside {
            Beside::Nothing(reason) => Err(reason.to_string()),
            Beside::Unlinked => {
                unlinked += 1;
                continue;
            }
            Beside::Persons { .. } if tried == MOST_COMPARED => continue,
            Beside::Persons { entity } => {
                tried += 1;
                PairFigures::of(id, pair, entity.as_deref())
            }
        };
        match figures {
            Ok(figures) => found.push(figures),
            // somebody replaced it while this release was made, by rows of another source
            Err(_) if pair.has_ended() => {}
            Err(reason) => not.push(format!("{} ({reason})", pair.name)),
        }
    }
    let worst = found.iter().max_by(|a, b| {
        let rank = |of: &PairFigures<'_>| (of.fewer, of.one_value, of.alone.unwrap_or(0.0));
        rank(a)
            .partial_cmp(&rank(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let sentences = worst.map(|worst| worst.sentence(found.len())).into_iter();
    let sentences: Vec<String> = sentences.chain(not_compared(&not)).collect();
    (!sentences.is_empty() || unlinked > 0).then(|| Shrunk {
        sentence: sentences.join(" "),
        groups: found.iter().filter(|of| of.is_harmful()).count(),
        compared: found.len() + unlinked,
    })
}

/// Which releases hold the same persons, and nobody knows what both show.
pub fn not_compared(names: &[String]) -> Option<String> {
    let shown = names.len().min(MOST_NAMED);
    let more = match names.len() - shown {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let list = names[..shown].join(", ");
    (shown > 0).then(|| {
        format!("It shares persons with releases that it cannot be compared with: {list}{more}.")
    })
}

impl<'a> PairFigures<'a> {
    /// An error says why the two cannot be compared.
    fn of(id: i64, pair: &'a Pair, entity: Option<&str>) -> Result<Self, String> {
        let entity = entity.map_or("NULL".into(), literal);
        let sql = format!(
            "SELECT pg_catalog.max(a.recall) FILTER (WHERE a.attack OPERATOR(pg_catalog.=) ANY ('{{\"intersection, one value\",\"intersection, one row\"}}')), \
                    pg_catalog.max(a.measured) FILTER (WHERE a.attack OPERATOR(pg_catalog.=) ANY ('{{\"intersection, fewer values\",\"intersection, fewer rows\"}}')), \
                    pg_catalog.max(a.measured) FILTER (WHERE a.attack OPERATOR(pg_catalog.=) 'intersection, alone' AND a.promised IS NOT NULL), \
                    pg_catalog.max(pg_catalog.sign(pg_catalog.strpos(a.note, '{NOT_EXACT}')::pg_catalog.float8)), \
                    pg_catalog.max(1::pg_catalog.float8) FILTER (WHERE a.attack OPERATOR(pg_catalog.=) 'intersection, one row') \
             FROM sdc.attack_intersection(ARRAY[{}, {id}]::pg_catalog.int8[], {entity}::pg_catalog.name) a",
            pair.id
        );
        let shares = |row: &Row| [1, 2, 3, 4, 5].map(|column| row.get::<f64>(column));
        let select = || statements::seeing_own_writes(|| statements::select(&sql, shares));
        let found = attempt(&INCOMPARABLE, select);
        let found = found?;
        let shares = found.into_iter().next().unwrap_or_default();
        let [Some(one_value), Some(fewer), alone, guessed, of_rows] = shares else {
            return Err("no person in common".into());
        };
        Ok(PairFigures {
            name: &pair.name,
            one_value,
            fewer,
            alone,
            guessed: guessed.is_some_and(|guessed| guessed > 0.0),
            of_rows: of_rows.is_some(),
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
            Some(alone) => format!(", and {} with nobody else in both groups", percent(alone)),
            None => String::new(),
        };
        let guessed = match self.guessed {
            true => " Some groups were guessed, so the figures are estimates.",
            false => "",
        };
        let most = match compared {
            1 => "".into(),
            number => format!(", the worst of {number} that were compared,"),
        };
        if self.of_rows {
            return format!(
                "Anyone who knows a person's groups in this release and in {}{} and compares the columns that \
                 both keep, is left with one row for {} of persons, and with fewer than k for {}.{guessed}",
                self.name,
                if compared == 1 { "," } else { most.as_str() },
                percent(self.one_value),
                percent(self.fewer),
            );
        }
        format!(
            "Anyone who knows everybody's groups in this release and in {}{most} can combine them. \
             That leaves {} of persons with one sensitive value, {} with fewer than promised{alone}.{guessed}",
            self.name,
            percent(self.one_value),
            percent(self.fewer),
        )
    }
}
