//! Rows about which a check could not say anything.

use crate::check::{Check, group_queries};
use crate::pg::errors::{Failure, number_of};
use crate::pg::quoting::identifier;
use crate::pg::statements;
use crate::read::null_reading::NullReading;
use pgrx::PgSqlErrorCode;

/// Refuses a table with values in no category, or with rows of nobody.
pub fn refuse_unfit_rows(check: &Check) {
    refuse_unclassified(check);
    refuse_rows_of_nobody(check);
    refuse_missing_keys(check);
    if check.nulls != NullReading::Wildcard {
        check.refuse_foreign_rows();
    }
}

/// NULL in a key where it is to be refused.
fn refuse_missing_keys(check: &Check) {
    if check.nulls == NullReading::Refused {
        check.key_counts().refuse_nulls();
    }
}

/// A row without a person counts as one in GROUP BY: all of them together as a single one, or one
/// more than there is.
fn refuse_rows_of_nobody(check: &Check) {
    let Some(entity) = &check.entity else {
        return;
    };
    let query = format!(
        "SELECT pg_catalog.count(*) FROM {} WHERE {} IS NULL",
        check.source.sql_name,
        identifier(entity)
    );
    let rows: Option<i64> = statements::value(&query);
    if let Some(rows) = rows.filter(|&rows| rows > 0) {
        Failure::new(
            PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
            format!(
                "column \"{entity}\" is null in {}, which {} nobody's",
                number_of(rows as u64, "row"),
                if rows == 1 { "is" } else { "are" }
            ),
        )
        .hint("Check a view that leaves such rows out with WHERE, or that gives each a value of its own.")
        .raise();
    }
}

/// An unclassified value has no weight, so nothing can be said about its group.
fn refuse_unclassified(check: &Check) {
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
        .hint("Every value must be listed in one of the arrays. NULL cannot be: use a view without its rows, or with coalesce.")
        .raise();
    }
}
