//! The parameters of an entry of the register, read as if a stranger had written them: a dump
//! may have been edited, and version 0.2 let anybody enter what they liked.

use crate::check::Requirements;
use crate::pg::errors::Failure;
use crate::pg::sql_types::Json;
use crate::pg::statements;
use crate::read::null_reading::NullReading;
use crate::read::sensitivity_categories;
use crate::read::table_options::TableOptions;
use crate::release::{Links, PublishedSensitive, ReleaseMethod};
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};

/// PostgreSQL's tables have no more columns.
const MOST_COLUMNS: usize = 1600;

/// What the register says that a release promises.
pub struct Recorded {
    /// all parameters, for showing
    pub all: Value,
    pub keys: Vec<String>,
    pub sensitive: Vec<String>,
    pub required: Requirements,
    /// what NULL in a key stands for where the promise is kept
    pub nulls: NullReading,
    /// how many keys attackers know, where the promise is kept against those who do not know all
    pub known_keys: Option<usize>,
    publish: Option<String>,
    categories: Option<Vec<Vec<String>>>,
}

/// One name or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// The parameters that are read back; others are shown and nothing else.
#[derive(Deserialize)]
struct ReadBack {
    keys: Option<OneOrMany>,
    hierarchies: Option<Map<String, Value>>,
    methods: Option<Map<String, Value>>,
    sensitive: Option<OneOrMany>,
    k: Option<i32>,
    p: Option<i32>,
    l: Option<f64>,
    t: Option<f64>,
    alpha: Option<f64>,
    categories: Option<Value>,
    publish: Option<String>,
    nulls: Option<String>,
    reading: Option<String>,
    known_keys: Option<usize>,
}

impl Recorded {
    /// Parses the parameters of a release; what cannot be is an error.
    pub fn parse(id: i64, method: Option<ReleaseMethod>, parameters: &str) -> Self {
        let all: Value = match serde_json::from_str(parameters) {
            Ok(all @ Value::Object(_)) => all,
            _ => malformed(id, "they are not a JSON object, or nested too deeply"),
        };
        let read: ReadBack = match serde_json::from_value(all.clone()) {
            Ok(read) => read,
            Err(_) => malformed(id, "one of them has the wrong type"),
        };
        let apart = method.is_some_and(ReleaseMethod::is_apart);
        let recorded = Recorded {
            // generalized and perturbed columns stand beside what is done to them
            keys: match (read.keys, read.hierarchies.or(read.methods)) {
                (None, Some(columns)) => columns.keys().cloned().collect(),
                (keys, _) => names(keys),
            },
            sensitive: names(read.sensitive),
            required: Requirements {
                // l different values are l rows at least
                k: read.k.or(read.l.map(|l| l as i32).filter(|_| apart)),
                p: read.p,
                l: read.l,
                // 0.2 took any t, and no distance is above 1
                t: read.t.map(|t| t.min(1.0)),
                alpha: read.alpha,
            },
            // blanked cells have a reading where missing ones have nulls
            nulls: match read.nulls.or(read.reading).as_deref() {
                Some("wildcard") => NullReading::Wildcard,
                _ => NullReading::Value,
            },
            known_keys: read.known_keys,
            publish: read.publish,
            categories: read
                .categories
                .map(|categories| sensitivity_categories::parse(Json(categories))),
            all,
        };
        recorded.refuse_nonsense(id, apart);
        recorded
    }

    fn refuse_nonsense(&self, id: i64, apart: bool) {
        if self.keys.is_empty() || self.keys.len() + self.sensitive.len() > MOST_COLUMNS {
            malformed(id, "they name no keys, or too many");
        }
        if apart && (self.sensitive.len() != 1 || self.required.l.is_none()) {
            malformed(id, "they name no sensitive column, several, or no l");
        }
        self.required.refuse_nonsense();
        sensitivity_categories::refuse_unfit(
            self.categories.as_deref(),
            self.sensitive.len(),
            self.required.alpha,
        );
    }

    /// What the release must satisfy.
    pub fn requirements(&self) -> Requirements {
        Requirements {
            // p among matches is counted when the release is made
            p: self
                .required
                .p
                .filter(|_| !self.sensitive.is_empty() && self.nulls != NullReading::Wildcard),
            ..self.required
        }
    }

    /// The sensitive columns as the release shows them, and their categories.
    pub fn shown(&self) -> (Vec<String>, Option<Vec<Vec<String>>>) {
        match (&self.publish, &self.categories, self.sensitive.first()) {
            (Some(publish), Some(categories), Some(sensitive)) => {
                let published = PublishedSensitive::named(publish);
                let (column, categories) = published.shown(sensitive, categories);
                (vec![column], Some(categories))
            }
            _ => (self.sensitive.clone(), self.categories.clone()),
        }
    }
}

/// The numbers that are codes in the release at this relation, if it is one and the caller may see
/// its entry.
pub fn codes_of(target: Oid) -> Vec<String> {
    let Some(release) = Links::release_at(target) else {
        return Vec::new();
    };
    let parameters = statements::value::<String>(&format!(
        "SELECT r.parameters::pg_catalog.text FROM sdc.releases r \
         WHERE r.id OPERATOR(pg_catalog.=) {release}::pg_catalog.int8"
    ));
    let parameters = parameters.and_then(|text| serde_json::from_str(&text).ok());
    TableOptions::recorded(&parameters.unwrap_or_default()).categorical
}

fn names(parameter: Option<OneOrMany>) -> Vec<String> {
    match parameter {
        None => Vec::new(),
        Some(OneOrMany::One(name)) => vec![name],
        Some(OneOrMany::Many(names)) => names,
    }
}

fn malformed(id: i64, why: &str) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DATA_EXCEPTION,
        format!("the register's parameters of release {id} cannot be read: {why}"),
    )
    .hint("No publishing function wrote them. Check the release by its name: sdc.check_anonymity('…', '{…}').")
    .raise()
}
