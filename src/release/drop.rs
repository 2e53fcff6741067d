//! `sdc.drop_release`.

use crate::pg::errors::required;
use crate::pg::guard::guarded;
use crate::pg::statements;
use crate::release::links::{self, Links};
use crate::release::{ReleaseMethod, Target, layout, sequence};
use pgrx::prelude::*;

#[pg_extern(volatile, parallel_unsafe)]
fn drop_release(id: Option<i64>) {
    guarded(|| {
        let id = required(id, "id");
        let (target, method) = links::published_by_caller(id);
        links::relink();
        let links = Links::of(id);
        if let Some(source) = links.source {
            // nobody continues the release meanwhile
            statements::lock_pair(links::register(), source);
        }
        let names = layout::of(ReleaseMethod::named(&method), &Target::named(&target));
        for (name, relation) in names.iter().zip(links.relations()) {
            name.drop(relation);
        }
        links::end(id, None);
        sequence::forget_if_gone(id);
    })
}
