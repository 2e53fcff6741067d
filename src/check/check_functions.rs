//! `sdc.check_anonymity`, `sdc.violations` and `sdc.assert_anonymity`.

use crate::check::verdict::Line;
use crate::check::violations::{self, Violation};
use crate::check::{Check, Requirements, group_queries};
use crate::pg::errors::{Failure, number_of};
use crate::pg::guard::guarded;
use crate::pg::quoting::identifier;
use crate::pg::sql_types::{Json, Jsonb, Name, NameList, Relation};
use crate::pg::statements;
use pgrx::prelude::*;

/// An unclassified value has no weight, so nothing can be said about its group.
pub fn refuse_unclassified(check: &Check) {
    let Some(categories) = &check.categories else {
        return;
    };
    let column = &check.sensitive[0];
    let query = format!(
        "SELECT pg_catalog.count(*) FROM (SELECT 1 FROM {} WHERE {} IS NULL GROUP BY {}) q",
        check.source.sql_name,
        group_queries::category(column, categories),
        identifier(column)
    );
    let values: Option<i64> = statements::value(&query);
    if let Some(values) = values.filter(|&values| values > 0) {
        Failure::invalid(format!(
            "column \"{column}\" holds {} in none of the categories",
            number_of(values as u64, "distinct value")
        ))
        .hint("Every value must be listed in one of the arrays; NULL cannot be classified.")
        .raise();
    }
}

/// Declares a function that takes what every check of a table takes; `$check` is the check that
/// its body works with. Further arguments stand behind the semicolon.
macro_rules! check_function {
    (
        #[$volatility:ident]
        fn $name:ident($check:ident $(; $($further:tt)*)?) $(-> { $($result:tt)* })? $body:block
    ) => {
        #[allow(clippy::too_many_arguments)]
        #[pg_extern($volatility, parallel_restricted)]
        fn $name(
            source: Relation,
            keys: NameList,
            sensitive: default!(NameList, "'{}'"),
            k: default!(Option<i32>, "NULL"),
            p: default!(Option<i32>, "NULL"),
            l: default!(Option<f64>, "NULL"),
            t: default!(Option<f64>, "NULL"),
            alpha: default!(Option<f64>, "NULL"),
            categories: default!(Option<Json>, "NULL"),
            entity: default!(Option<Name>, "NULL"),
            $($($further)*)?
        ) $(-> $($result)*)? {
            guarded(|| {
                let required = Requirements { k, p, l, t, alpha };
                let $check = Check::new(source, keys, sensitive, required, categories, entity);
                $body
            })
        }
    };
}
pub(crate) use check_function;

check_function! {
    #[stable]
    fn check_anonymity(check) -> {
        TableIterator<
            'static,
            (
                name!(property, String),
                name!(attribute, Option<Name>),
                name!(required, Option<f64>),
                name!(actual, Option<f64>),
                name!(satisfied, Option<bool>),
                name!(violating_groups, Option<i64>),
                name!(violating_rows, Option<i64>),
            ),
        >
    } {
        refuse_unclassified(&check);
        let row = |line: Line| {
            let satisfied = line.satisfied();
            (
                line.property.name().to_string(),
                line.attribute.map(Name),
                line.required,
                line.actual,
                satisfied,
                line.violating_groups,
                line.violating_rows,
            )
        };
        TableIterator::new(check.lines().into_iter().map(row).collect::<Vec<_>>())
    }
}

check_function! {
    #[stable]
    fn violations(check) -> {
        TableIterator<
            'static,
            (
                name!(key_values, Jsonb),
                name!(rows, i64),
                name!(property, String),
                name!(attribute, Option<Name>),
                name!(actual, f64),
            ),
        >
    } {
        check.required.refuse_none("violated");
        refuse_unclassified(&check);
        let row = |found: Violation| {
            (
                Jsonb(found.key_values),
                found.rows,
                found.missed.property.name().to_string(),
                found.missed.attribute.map(|name| Name(name.to_string())),
                found.actual,
            )
        };
        TableIterator::new(violations::violations(&check).into_iter().map(row))
    }
}

check_function! {
    #[stable]
    fn assert_anonymity(check) {
        check.required.refuse_none("asserted");
        refuse_unclassified(&check);
        let missed = |line: &Line| line.satisfied() == Some(false);
        let missed: Vec<Line> = check.lines().into_iter().filter(missed).collect();
        if !missed.is_empty() {
            assertion_failed(&check, &missed);
        }
    }
}

fn assertion_failed(check: &Check, missed: &[Line]) -> ! {
    let sentences: Vec<String> = missed.iter().map(sentence).collect();
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!("{} is not as anonymous as required", check.source.sql_name),
    )
    .detail(format!("{}.", sentences.join("; ")))
    .hint("sdc.violations() with the same arguments lists the failing groups.")
    .raise()
}

/// What a property misses: "k-anonymity is 2, required at least 3: 1 group (2 rows) fails".
fn sentence(line: &Line) -> String {
    let name = line.attribute.as_deref();
    let of = name.map_or(String::new(), |name| format!(" of column \"{name}\""));
    let groups = line.violating_groups.unwrap_or(0);
    format!(
        "{}{of} is {}, required {} {}: {} ({}) {}",
        line.property.name(),
        line.actual.unwrap_or(f64::NAN),
        line.bound(),
        line.required.unwrap_or(f64::NAN),
        number_of(groups as u64, "group"),
        number_of(line.violating_rows.unwrap_or(0) as u64, "row"),
        if groups == 1 { "fails" } else { "fail" }
    )
}
