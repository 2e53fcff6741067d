//! `sdc.drop_release`.

use crate::pg::errors::required;
use crate::pg::guard::guarded;
use crate::pg::statements;
use crate::release::links::{self, Links};
use crate::release::{ReleaseMethod, Target, layout};
use pgrx::prelude::*;

#[pg_extern(volatile, parallel_unsafe)]
fn drop_release(id: Option<i64>) {
    guarded(|| {
        let id = required(id, "id");
        let (target, method) = links::published_by_caller(id);
        links::relink();
        let links = Links::of(id);
        let names = layout::of(ReleaseMethod::named(&method), &Target::named(&target));
        for (name, relation) in names.iter().zip(links.relations()) {
            name.drop(relation);
        }
        // the entry stays, for history: what was read cannot be taken back
        links::forget(id);
        links::in_register(|| {
            statements::run(&format!(
                "UPDATE sdc.release SET dropped_at = pg_catalog.now() WHERE id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
            ));
        });
    })
}
