//! What becomes of a panic: an error that asks for a report, and no crash.

use crate::pg::errors::Failure;
use crate::pg::memory;
use crate::pg::settings;
use pgrx::PgTryBuilder;
use pgrx::pg_sys::panic::CaughtError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How pgrx begins to say that a text is not UTF-8.
const UNREADABLE: &str = "datums converted to &str should be valid UTF-8";

/// Runs the body of one call. A panic's own words may hold values out of the data, so the
/// error names its place in the sources alone.
pub fn guarded<T>(call: impl FnOnce() -> T) -> T {
    memory::begin_call();
    guarded_row(call)
}

/// The same for a call that is one of many, one for each row: the first of them
/// [begins](memory::begin_call).
pub fn guarded_row<T>(call: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| stopped(payload))
}

/// Errors go on as they are; what is left is a panic.
#[cold]
fn stopped<T>(payload: Box<dyn Any + Send>) -> T {
    let payload = AssertUnwindSafe(payload);
    PgTryBuilder::new(|| resume_unwind({ payload }.0))
        .catch_rust_panic(|panic| broken(&panic))
        .execute()
}

fn broken(panic: &CaughtError) -> ! {
    if let CaughtError::RustPanic { ereport, .. } = panic
        && ereport.message().contains(UNREADABLE)
    {
        settings::beyond_ascii().raise();
    }
    let place = match panic {
        CaughtError::RustPanic { ereport, .. } => {
            format!(" at {}:{}", ereport.file(), ereport.line_number())
        }
        _ => String::new(),
    };
    Failure::internal(format!("internal error{place}")).raise()
}

#[cfg(any(test, feature = "pg_test"))]
#[pgrx::pg_schema]
mod tests {
    use super::guarded;
    use crate::pg::errors::Failure;
    use crate::pg::function_call::{Call, v1};
    use pgrx::pg_sys::Datum;
    use pgrx::prelude::*;

    #[pg_extern]
    fn panics_over_a_value(value: &str) -> i32 {
        guarded(|| panic!("no place for {value}"))
    }

    #[pg_extern]
    fn refuses(value: &str) -> i32 {
        guarded(|| Failure::invalid(format!("{} letters", value.len())).raise())
    }

    fn panic_in_v1(_: &Call) -> Option<Datum> {
        Some([0, 1, 2].get(7).copied().map(Datum::from).unwrap())
    }

    v1! {
        sdc_panic_in_v1, pg_finfo_sdc_panic_in_v1 => panic_in_v1;
    }

    extension_sql!(
        "CREATE FUNCTION tests.panic_in_v1() RETURNS int LANGUAGE c AS 'MODULE_PATHNAME', 'sdc_panic_in_v1';",
        name = "panic_in_v1",
        requires = [tests]
    );

    /// SQLSTATE, message and hint of the error that a statement ends with.
    fn error_of(statement: &str) -> (String, String, String) {
        Spi::run(
            "CREATE OR REPLACE FUNCTION pg_temp.error_of(statement text, OUT state text, OUT message text, OUT hint text)
             LANGUAGE plpgsql AS $$
             BEGIN
                 EXECUTE statement;
             EXCEPTION WHEN OTHERS THEN
                 GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
             END $$",
        )
        .unwrap();
        let answer = Spi::get_three_with_args::<String, String, String>(
            "SELECT * FROM pg_temp.error_of($1)",
            &[statement.into()],
        );
        let (state, message, hint) = answer.unwrap();
        (state.unwrap(), message.unwrap(), hint.unwrap())
    }

    #[pg_test]
    fn a_panic_is_an_error_that_asks_for_a_report() {
        for statement in [
            "SELECT tests.panics_over_a_value('secret')",
            "SELECT tests.panic_in_v1()",
        ] {
            let (state, message, hint) = error_of(statement);
            assert_eq!(state, "XX000");
            assert!(
                message.starts_with("internal error at src/pg/guard.rs:"),
                "{message}"
            );
            assert!(hint.contains("report"), "{hint}");
        }
    }

    #[pg_test]
    fn a_panic_keeps_values_to_itself() {
        let (_, message, hint) = error_of("SELECT tests.panics_over_a_value('secret')");
        assert!(!format!("{message}{hint}").contains("secret"));
    }

    #[pg_test]
    fn the_session_goes_on_after_a_panic() {
        error_of("SELECT tests.panics_over_a_value('secret')");
        assert_eq!(Spi::get_one::<i32>("SELECT 42"), Ok(Some(42)));
    }

    #[pg_test]
    fn other_errors_pass_as_they_are() {
        let (state, message, _) = error_of("SELECT tests.refuses('secret')");
        assert_eq!((state.as_str(), message.as_str()), ("22023", "6 letters"));
        let (state, _, _) = error_of("SELECT sdc.category_weight(1, 0 / 0)");
        assert_eq!(state, "22012");
    }
}
