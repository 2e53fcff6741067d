//! The register's entry for a release, and the check that lets it in.

use crate::check::{Check, Requirements};
use crate::pg::errors::Failure;
use crate::pg::quoting::literal;
use crate::pg::sql_types::{Relation, Release};
use crate::pg::statements;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{Source, relation_of};
use crate::release::{ReleaseMethod, Target, layout, policy_rules, publishing_rules};
use pgrx::JsonB;
use pgrx::pg_sys;
use pgrx::prelude::*;
use sdc_engine::model::Property;
use serde_json::{Value, json};

/// What the register says about a release.
pub struct Entry<'a> {
    pub source: &'a Source,
    pub target: &'a Target,
    pub method: ReleaseMethod,
    pub parameters: Value,
    pub rows: u64,
    pub groups: u64,
    pub suppressed: u64,
    pub achieved: Value,
    pub loss: Value,
}

/// Begins a release of a source, one at a time: the second shall know of the first, or nobody
/// would warn of what both give away together. Others wait to the end of the transaction.
pub fn begin(arguments: &NamedArguments<'_>) -> (Source, Target) {
    let source = Source::new(arguments.required::<Relation>("source").0);
    let target = begin_from(&source, arguments);
    (source, target)
}

/// The same for a source that is open already.
pub fn begin_from(source: &Source, arguments: &NamedArguments<'_>) -> Target {
    let target = Target::new(&arguments.required::<String>("target"));
    target.refuse_temporary();
    publishing_rules::before(source, arguments);
    let register = relation_of("sdc.release").unwrap_or(pg_sys::InvalidOid);
    statements::lock_pair(register, source.oid);
    target
}

impl Entry<'_> {
    /// Enters the release in the register; earlier releases of the same source are warned about.
    pub fn register(self) -> Release {
        self.register_with(None)
    }

    /// The same; `shrunk` says what the release gives away together with earlier ones.
    pub fn register_with(self, shrunk: Option<String>) -> Release {
        policy_rules::after(&self);
        self.warn_of_earlier(shrunk);
        let relations = layout::of(Some(self.method), self.target);
        let entered = statements::insert_returning(
            "INSERT INTO sdc.release AS r \
                 (source, target, method, parameters, rows, groups, suppressed, achieved, loss) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING r, r.id",
            &[
                self.source.sql_name.clone().into(),
                self.target.sql_name().into(),
                self.method.name().into(),
                JsonB(self.parameters).into(),
                (self.rows as i64).into(),
                (self.groups as i64).into(),
                (self.suppressed as i64).into(),
                JsonB(self.achieved).into(),
                JsonB(self.loss).into(),
            ],
        );
        let Some((row, id)) = entered else {
            Failure::internal("the register did not take the release").raise()
        };
        relations.iter().for_each(|relation| relation.mark(id));
        row
    }

    fn warn_of_earlier(&self, shrunk: Option<String>) {
        let sql = format!(
            "SELECT pg_catalog.count(*) FROM sdc.release r WHERE r.source OPERATOR(pg_catalog.=) {}",
            literal(&self.source.sql_name)
        );
        let earlier = statements::seeing_own_writes(|| statements::value::<i64>(&sql));
        let times = match earlier {
            None | Some(0) => return,
            Some(1) => "once".to_string(),
            Some(earlier) => format!("{earlier} times"),
        };
        let warning = Failure::new(
            PgSqlErrorCode::ERRCODE_WARNING,
            format!("{} has been released {times} before", self.source.sql_name),
        )
        .hint("Releases of the same rows can be combined against each other: grant access to one of them, and take those that nobody has seen back with sdc.drop_release(id).");
        match shrunk {
            Some(shrunk) => warning.detail(shrunk).warn(),
            None => warning.warn(),
        }
    }
}

/// A figure for each column, under its name.
pub fn by_name(names: &[String], figures: Vec<f64>) -> Value {
    let figures = figures.into_iter().map(Value::from);
    Value::Object(names.iter().cloned().zip(figures).collect())
}

/// Checks the released table against its promise and says what it achieves. A release that
/// fails is an error, which undoes it.
pub fn verify(
    target: &Target,
    keys: &[String],
    sensitive: &[String],
    required: Requirements,
) -> Value {
    verify_with(target, keys, sensitive, required, None)
}

/// The same where the one sensitive column has sensitivity categories.
pub fn verify_with(
    target: &Target,
    keys: &[String],
    sensitive: &[String],
    required: Requirements,
    categories: Option<Vec<Vec<String>>>,
) -> Value {
    let source = Source::named(&target.sql_name());
    let check = Check {
        categories,
        ..Check::of(source, keys.to_vec(), sensitive.to_vec(), required)
    };
    let lines = statements::seeing_own_writes(|| check.lines());
    if let Some(line) = lines.iter().find(|line| line.satisfied() == Some(false)) {
        Failure::internal(format!(
            "the release fails its own promise of {}",
            line.property.name()
        ))
        .raise();
    }
    let worst = |property: Property| {
        let lines = lines.iter().filter(|line| line.property == property);
        lines.filter_map(|line| line.actual).reduce(f64::min)
    };
    let whole = |property| worst(property).map(|figure| figure as i64);
    let mut achieved = json!({
        "k": whole(Property::KAnonymity), "p": whole(Property::PSensitivity), "l": worst(Property::LDiversity),
    });
    if check.categories.is_some() {
        achieved["p_plus"] = json!(whole(Property::PPlus));
        achieved["alpha"] = json!(worst(Property::AlphaWeight));
    }
    achieved
}
