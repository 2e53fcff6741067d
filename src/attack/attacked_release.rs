//! A release that is attacked, as the register has it, with its source.

use crate::pg::errors::Failure;
use crate::pg::statements;
use crate::read::relation::Source;
use crate::release::{
    Links, Recorded, ReleaseMethod, Remembered, is_callers_own, name_of, no_such_release,
};
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use serde_json::Value;

pub struct AttackedRelease {
    pub id: i64,
    pub source: Source,
    pub method: ReleaseMethod,
    pub parameters: Value,
    pub keys: Vec<String>,
    pub sensitive: Vec<String>,
    /// the tables that hold the rows, the one of sensitive values last
    pub tables: Vec<Source>,
    pub is_callers: bool,
}

/// What the register says, before any relation is looked at.
struct RegisterLine {
    method: ReleaseMethod,
    recorded: Recorded,
    is_callers: bool,
    source: Option<Oid>,
    tables: Vec<Option<Oid>>,
}

impl AttackedRelease {
    /// The release of this number, if the caller may see its entry, its relations are there, and
    /// the caller trusts whose code reading them may run. Reading itself asks for privileges.
    pub fn new(id: i64) -> Self {
        AttackedRelease::of(id, RegisterLine::read(id))
    }

    /// The same; `None` where its first sensitive column is another one.
    pub fn about(id: i64, sensitive: Option<&String>) -> Option<Self> {
        let line = RegisterLine::read(id);
        let same = line.recorded.sensitive.first() == sensitive;
        same.then(|| AttackedRelease::of(id, line))
    }

    fn of(id: i64, line: RegisterLine) -> Self {
        let source = found(line.source, id, SOURCE);
        let tables = line.tables.iter();
        let tables: Vec<Source> = tables.map(|&table| found(table, id, "a table")).collect();
        source.require_trusted();
        tables.iter().for_each(Source::require_trusted);
        let Recorded {
            all,
            mut keys,
            sensitive,
            ..
        } = line.recorded;
        if line.method == ReleaseMethod::Generalization {
            keys.extend(strata_of(&all));
        }
        source.columns("keys", &keys);
        source.columns("sensitive", &sensitive);
        let entity = all["entity"].as_str().map(String::from);
        source.columns("entity", &Vec::from_iter(entity));
        AttackedRelease {
            id,
            source,
            method: line.method,
            parameters: all,
            keys,
            sensitive,
            tables,
            is_callers: line.is_callers,
        }
    }

    /// A number among the call's arguments.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters[name].as_f64()
    }

    /// The column that tells persons apart, if rows are not persons.
    pub fn entity(&self) -> Option<String> {
        self.parameters["entity"].as_str().map(String::from)
    }

    /// The columns whose values groups do not cross.
    pub fn strata(&self) -> Vec<String> {
        strata_of(&self.parameters).collect()
    }

    /// Who is in which group of the release's sequence, if it is one of the caller's.
    pub fn remembered(&self) -> Option<Remembered> {
        self.is_callers.then(|| Remembered::of_release(self.id))?
    }

    /// The columns beside the keys that rows show as they are; `None` if one is gone.
    pub fn shown_beside_keys(&self) -> Option<Vec<String>> {
        let kept = self.parameters["keep"].as_array().into_iter().flatten();
        let kept = kept.filter_map(|name| name.as_str().map(String::from));
        let names = self.sensitive.iter().cloned().chain(kept);
        let names: Vec<String> = names.chain(self.strata()).collect();
        let there = |name: &String| self.source.attribute(name).is_some();
        names.iter().all(there).then_some(names)
    }

    /// Whether a key was declared to be a code.
    pub fn is_categorical(&self, key: &str) -> bool {
        let declared = self.parameters["categorical"].as_array();
        declared.is_some_and(|names| names.iter().any(|name| name == key))
    }

    /// The largest share that a value is promised to have in any group. What groups happen to
    /// achieve is no promise.
    pub fn promised_share(&self) -> Option<f64> {
        let promised = self.parameter("l");
        promised.filter(|&l| l > 1.0).map(|l| 1.0 / l)
    }

    /// How many different values each group is promised to have.
    pub fn promised_values(&self) -> usize {
        let values = self.parameter("p").into_iter().chain(self.parameter("l"));
        values.fold(1.0, f64::max) as usize
    }

    /// Whether keys and sensitive values stand in tables of their own.
    pub fn is_apart(&self) -> bool {
        self.method.is_apart()
    }

    /// Whether the release shows the values of its first sensitive column, not categories of them.
    pub fn shows_values(&self) -> bool {
        let name = self.sensitive.first();
        let column = |table: &Source| {
            name.and_then(|name| table.attribute(name))
                .map(|own| own.typ)
        };
        let own = column(&self.source);
        own.is_some() && self.tables.last().and_then(column) == own
    }

    /// Refuses to look up what only names it: hierarchies are found by the caller's search_path.
    pub fn refuse_others(&self) {
        if !self.is_callers {
            Failure::new(
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("release {} is not yours", self.id),
            )
            .detail("Its hierarchies are looked up by name, so only its publisher may attack it.")
            .hint("Attack releases as the role that published them.")
            .raise();
        }
    }
}

fn strata_of(parameters: &Value) -> impl Iterator<Item = String> {
    let names = parameters["strata"].as_array().into_iter().flatten();
    names.filter_map(|name| name.as_str().map(String::from))
}

/// How a release was made, if the caller may see its entry.
pub fn method_of(id: i64) -> ReleaseMethod {
    let sql = format!(
        "SELECT r.method FROM sdc.releases r WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
    );
    match statements::value::<String>(&sql) {
        Some(method) => ReleaseMethod::named(&method).unwrap_or_else(|| unknown_method(id)),
        None => no_such_release(id),
    }
}

impl RegisterLine {
    fn read(id: i64) -> Self {
        let sql = format!(
            "SELECT r.method, r.parameters::pg_catalog.text \
             FROM sdc.releases r WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
        );
        let entries = statements::select(&sql, |row| {
            let text = |column| row.get::<String>(column).unwrap_or_default();
            (text(1), text(2))
        });
        let Some((method, parameters)) = entries.into_iter().next() else {
            no_such_release(id)
        };
        let Some(method) = ReleaseMethod::named(&method) else {
            unknown_method(id)
        };
        let links = Links::of(id);
        RegisterLine {
            recorded: Recorded::parse(id, Some(method), &parameters),
            is_callers: is_callers_own(id),
            source: links.source,
            tables: links.tables(method.is_apart()),
            method,
        }
    }
}

const SOURCE: &str = "the source";

/// A relation of a release. One that the caller may not read is refused without its name.
fn found(relation: Option<Oid>, id: i64, what: &str) -> Source {
    if let Some(found) = relation.and_then(Source::find) {
        return found;
    }
    if relation.and_then(name_of).is_some() {
        Failure::new(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("permission denied for {what} of release {id}"),
        )
        .hint("An attack compares a release with its source. Run it as a role that may read both.")
        .raise();
    }
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
        format!("{what} of release {id} does not exist any more"),
    )
    .hint(match what {
        SOURCE => "An attack compares a release with its source, so both must be there.".into(),
        _ => format!("SELECT sdc.drop_release({id}) removes its entry."),
    })
    .raise()
}

fn unknown_method(id: i64) -> ! {
    Failure::invalid(format!("release {id} has an unknown method"))
        .hint("Only releases that a publishing function of sdc made can be attacked.")
        .raise()
}
