//! Errors the PostgreSQL way: SQLSTATE, message, DETAIL, HINT; never a value out of the data.

use crate::pg::{memory, settings};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use sdc_engine::Error;
use sdc_engine::model::Property;

/// An error on its way to the user.
pub struct Failure(ErrorReport);

impl Failure {
    pub fn new(code: PgSqlErrorCode, message: impl Into<String>) -> Self {
        Failure(ErrorReport::new(code, message.into(), "pg_sdc"))
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message)
    }

    pub fn null(what: &str) -> Self {
        let failure = Self::new(
            PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
            format!("{what} must not be null"),
        );
        match what {
            "categories" => {
                failure.hint(r#"For example categories => '[["HIV", "Cancer"], ["Flu"]]'."#)
            }
            "ks" => failure.hint("For example ks => '{2,5,10}'."),
            _ => failure,
        }
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, message)
            .hint("This is a bug in pg_sdc; please report it. Nothing was released.")
    }

    pub fn detail(self, detail: impl Into<String>) -> Self {
        Failure(self.0.set_detail(detail))
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Failure(self.0.set_hint(hint))
    }

    /// Says so, and goes on.
    pub fn warn(self) {
        self.0.report(PgLogLevel::WARNING);
    }

    /// Ends the statement.
    pub fn raise(self) -> ! {
        self.0.report(PgLogLevel::ERROR);
        unreachable!("an error report at level ERROR does not return")
    }
}

/// An argument that must not be null.
pub fn required<T>(value: Option<T>, name: &str) -> T {
    value.unwrap_or_else(|| Failure::null(name).raise())
}

/// The elements of an array none of which may be null.
pub fn complete<T>(values: Vec<Option<T>>, name: &str) -> Vec<T> {
    let what = format!("an element of {name}");
    values
        .into_iter()
        .map(|value| required(value, &what))
        .collect()
}

/// What the columns of a call are called, for messages about the n-th of them.
#[derive(Default, Clone, Copy)]
pub struct Names<'a> {
    pub keys: &'a [String],
    pub sensitive: &'a [String],
}

impl Names<'_> {
    fn key(&self, column: usize) -> &str {
        self.keys.get(column).map_or("key column", String::as_str)
    }

    /// What messages call a sensitive column.
    pub fn sensitive(&self, column: usize) -> &str {
        self.sensitive
            .get(column)
            .map_or("sensitive column", String::as_str)
    }
}

/// The engine's result, or its error in the words of this call.
pub fn engine<T>(result: sdc_engine::Result<T>, names: Names<'_>) -> T {
    result.unwrap_or_else(|error| {
        if error == Error::Interrupted {
            // PostgreSQL's own words: cancelled, timed out, terminated
            pgrx::check_for_interrupts!();
        }
        failure(error, names).raise()
    })
}

fn failure(error: Error, names: Names<'_>) -> Failure {
    let message = error.to_string();
    match error {
        Error::TooSmall { name, least, .. } => {
            Failure::invalid(message).hint(format!("Use {name} => {least} or more."))
        }
        Error::NotPositive { .. } => Failure::invalid(message),
        Error::UnevenWeights { .. } => Failure::invalid(message)
            .hint("For example 1 and 3, or 0.5 and 1; numeric keys take any weight."),
        Error::PersonsInSeveralStrata { persons } => Failure::invalid(format!(
            "{} rows in several strata",
            match persons {
                1 => "1 person has".into(),
                _ => format!("{persons} persons have"),
            }
        ))
        .detail("All rows of a person are in one group, and groups do not cross strata.")
        .hint("Take strata that are the same in all rows of a person, or leave strata or entity out."),
        Error::PersonsNotApart { .. } => Failure::invalid(message)
            .hint("Use a smaller l, or publish fewer rows of each person."),
        Error::PAboveK { k, .. } => Failure::invalid(message)
            .detail("A group of k rows holds at most k distinct values.")
            .hint(format!("Use p => {k} or less, or a larger k.")),
        Error::TooFewRows { rows, .. } => Failure::invalid(message).hint(match rows {
            0 => "There are no rows to group.".into(),
            rows => format!("The largest feasible k is {rows}."),
        }),
        Error::TooFewValues {
            p,
            column,
            distinct,
        } => Failure::invalid(format!(
            "p = {p} cannot be reached: {} has {}",
            names.sensitive(column),
            number_of(distinct as u64, "distinct value")
        ))
        .hint(format!("The largest feasible p is {distinct}.")),
        Error::IgnoresSensitive { .. } => Failure::invalid(message)
            .hint("Leave method out for p > 1, or name one of the p-sensitive methods."),
        Error::NotUnivariate { .. } => {
            Failure::invalid(message).hint("Leave method out, or take mdav.")
        }
        Error::NotEligible { l, largest } => Failure::invalid(format!(
            "l = {l} cannot be reached: one sensitive value has more than 1/{l} of the rows"
        ))
        .hint(format!("The largest feasible l is {largest}.")),
        Error::OutOfReach { .. } => out_of_reach(error, names),
        Error::WeightTooLarge {
            largest,
            k,
            largest_for_k,
            ..
        } => Failure::invalid(message).hint(format!(
            "Use alpha => {largest_for_k} or less for groups of k = {k} rows. One group of all rows reaches {largest}."
        )),
        other => failure_beyond_parameters(other, names),
    }
}

/// What even one group of all rows misses.
fn out_of_reach(error: Error, names: Names<'_>) -> Failure {
    match error {
        Error::OutOfReach {
            property,
            column,
            required,
            figure,
        } => Failure::invalid(format!(
            "{property} of {required} is out of reach: all rows together have {figure} of {}",
            names.sensitive(column)
        ))
        .hint(match property == Property::LDiversity.name() {
            true => format!("The largest feasible l is {figure}."),
            false => format!("The smallest feasible t is {figure}."),
        }),
        other => failure_beyond_parameters(other, names),
    }
}

/// The same for errors that say nothing about k, p, l and alpha.
fn failure_beyond_parameters(error: Error, names: Names<'_>) -> Failure {
    let message = error.to_string();
    match error {
        Error::Negative { name } => {
            Failure::invalid(message).hint(format!("Use {name} => 0 or more."))
        }
        Error::NotCoarser { .. } => Failure::new(PgSqlErrorCode::ERRCODE_CHECK_VIOLATION, message),
        Error::NotAPercentage { name } => {
            Failure::invalid(message).hint(format!("It is a percentage: {name} => 5 is 5 percent."))
        }
        Error::NotAProbability { name } => {
            Failure::invalid(message).hint(format!("It is a share: {name} => 0.9 is 90 percent."))
        }
        Error::TooManyNodes { .. } => {
            Failure::new(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, message)
                .hint("Use fewer keys, or hierarchies with fewer levels.")
        }
        Error::TooManyKeys { .. } => {
            Failure::new(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, message)
                .hint("Name fewer keys.")
        }
        Error::NoSuchLevel { column, level, top } => {
            Failure::invalid(format!("{} has no level {level}", names.key(column)))
                .hint(format!("Its hierarchy has levels 0 to {top}."))
        }
        Error::NotFinite { column } => not_finite(names.key(column)),
        Error::NoColumns => Failure::invalid("at least one key column is needed"),
        Error::OutOfMemory { .. } => {
            Failure::new(PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY, "out of memory").detail(message)
        }
        Error::OverLimit { bytes } => settings::memory_exceeded(memory::since_baseline(bytes), ""),
        Error::MethodOverLimit { bytes, instead, .. } => settings::memory_exceeded(
            memory::since_baseline(bytes),
            &format!(
                "use method => '{instead}' (sdc.microaggregate, sdc.publish_microaggregated), which needs less, "
            ),
        ),
        Error::NoThreads => Failure::new(PgSqlErrorCode::ERRCODE_INSUFFICIENT_RESOURCES, message)
            .hint("RESET sdc.threads, so that the backend computes on one core."),
        Error::TooManyRows { .. } => {
            Failure::new(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, message)
        }
        Error::NoRandomness => Failure::new(PgSqlErrorCode::ERRCODE_SYSTEM_ERROR, message),
        Error::Interrupted => Failure::new(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, message),
        _ => Failure::internal(message),
    }
}

/// A NaN or an infinity in a numeric key.
pub fn not_finite(column: &str) -> Failure {
    Failure::new(
        PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
        format!("{column} holds NaN or infinite values"),
    )
    .hint("Distances need finite numbers: leave such rows out with WHERE, or replace the values.")
}

/// A NULL in a numeric key.
pub fn null_key(column: &str) -> Failure {
    Failure::new(
        PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
        format!("{column} holds null values"),
    )
    .hint("Leave such rows out with WHERE, or use nulls => 'value' where the function takes it. Replacing nulls by one value shifts means.")
}

/// An engine result about what is known to be sound, so that no column has to be named.
pub fn known<T>(result: sdc_engine::Result<T>) -> T {
    engine(result, Names::default())
}

/// The same; `None` if the rows do not allow it. A limit, a cancel or a bug is an error all the same.
pub fn feasible<T>(result: sdc_engine::Result<T>) -> Option<T> {
    use Error::{NotUnivariate, PersonsInSeveralStrata};
    match result {
        Err(error) if error.is_infeasible() => None,
        Err(NotUnivariate { .. } | PersonsInSeveralStrata { .. }) => None,
        result => Some(known(result)),
    }
}

/// "1 row", "2 rows".
pub fn number_of(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
