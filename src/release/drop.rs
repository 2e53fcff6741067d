//! `sdc.drop_release`.

use crate::pg::errors::required;
use crate::pg::guard::guarded;
use crate::release::links::{self, Links};
use crate::release::{ReleaseMethod, Target, layout, sequence};
use pgrx::prelude::*;

#[pg_extern(volatile, parallel_unsafe)]
fn drop_release(id: Option<i64>) {
    guarded(|| {
        let id = required(id, "id");
        links::published_by_caller(id);
        links::relink();
        if let Some(source) = Links::of(id).source {
            // nobody continues or replaces the release meanwhile
            links::lock_source(source);
        }
        let (target, method) = links::kept_by_caller(id);
        let links = Links::of(id);
        let names = layout::of(ReleaseMethod::named(&method), &Target::named(&target));
        for (name, relation) in names.iter().zip(links.relations()) {
            name.drop(relation);
        }
        links::end(id, None);
        sequence::forget_if_gone(id);
    })
}
