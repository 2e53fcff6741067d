//! `sdc.drop_release`.

use crate::pg::errors::{Failure, required};
use crate::pg::guard::guarded;
use crate::release::{ReleaseMethod, Target, layout};
use pgrx::prelude::*;

#[pg_extern(volatile, parallel_unsafe)]
fn drop_release(id: Option<i64>) {
    guarded(|| {
        let id = required(id, "id");
        let deleted = Spi::connect_mut(|client| {
            let rows = client.update(
            "DELETE FROM sdc.release r WHERE r.id OPERATOR(pg_catalog.=) $1 RETURNING r.target, r.method",
            None,
            &[id.into()],
        )?;
            match rows.is_empty() {
                true => Ok((None, None)),
                false => rows.first().get_two::<String, String>(),
            }
        });
        match deleted {
            Ok((Some(target), Some(method))) => {
                for relation in layout::of(ReleaseMethod::named(&method), &Target::named(&target)) {
                    relation.drop(id);
                }
            }
            Ok(_) => no_such_release(id),
            Err(error) => Failure::internal(format!("the register failed: {error}")).raise(),
        }
    })
}

fn no_such_release(id: i64) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
        format!("there is no release {id} that you published"),
    )
    .hint("sdc.releases lists the releases; each is dropped by who published it.")
    .raise()
}
