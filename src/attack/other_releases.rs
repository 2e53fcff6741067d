//! What a release shows together with the caller's other releases of the same source, for
//! `sdc.attack`. What cannot be compared with it any more is left out, and named.

use crate::attack::attack_figures::Finding;
use crate::attack::attacked_release::{AttackedRelease, method_of};
use crate::attack::{fitted_rows, intersection, truth};
use crate::pg::attempt::attempt;
use crate::pg::quoting::literal;
use crate::pg::statements;
use crate::release::{INCOMPARABLE, not_compared};

/// As many other releases are intersected with the one that is attacked, the latest ones.
const OTHERS: usize = 4;
/// So many are looked at to find them.
const LOOKED_AT: usize = 32;

/// The others that a release is intersected with, and why some are left out.
struct Others {
    ids: Vec<i64>,
    left_out: Vec<String>,
}

/// Nothing without another release.
pub fn findings(release: &AttackedRelease, seed: Option<i64>) -> Vec<Finding> {
    let mut others = Others::of(release);
    let together = |others: &[i64]| {
        let all = others.iter().chain([&release.id]);
        let intersected = || {
            let releases: Vec<_> = all.copied().map(AttackedRelease::new).collect();
            intersection::findings(&releases, None, seed)
        };
        match others {
            [] => Ok(Vec::new()),
            _ => attempt(&INCOMPARABLE, intersected),
        }
    };
    let mut found = together(&others.ids);
    if found.is_err() {
        others.keep(|id| together(&[id]).map(drop));
        found = together(&others.ids);
    }
    if let Err(reason) = &found {
        others.keep(|_| Err(reason.clone()));
    }
    noted(found.unwrap_or_default(), &others.left_out)
}

/// The findings with a note about what they leave out.
fn noted(mut findings: Vec<Finding>, left_out: &[String]) -> Vec<Finding> {
    let Some(sentence) = not_compared(left_out) else {
        return findings;
    };
    match findings.first_mut() {
        Some(first) => first.note = format!("{} {sentence}", first.note),
        None => findings.push(intersection::not_measured(sentence)),
    }
    findings
}

impl Others {
    /// The caller's latest ones of the same source and sensitive column.
    fn of(release: &AttackedRelease) -> Self {
        let sql = format!(
            "SELECT r.id FROM sdc.releases r \
             WHERE r.source OPERATOR(pg_catalog.=) {} AND r.id OPERATOR(pg_catalog.<>) {}::pg_catalog.int8 \
               AND r.published_by OPERATOR(pg_catalog.=) current_user \
             ORDER BY r.id DESC LIMIT {LOOKED_AT}",
            literal(&release.source.sql_name),
            release.id
        );
        let ids = statements::select(&sql, |row| row.get::<i64>(1));
        let mut others = Others {
            ids: Vec::new(),
            left_out: Vec::new(),
        };
        for id in ids.into_iter().flatten() {
            if others.ids.len() == OTHERS {
                break;
            }
            match attempt(&INCOMPARABLE, || fits(release, id)) {
                Ok(true) => others.ids.push(id),
                Ok(false) => {}
                Err(reason) => others.leave_out(id, &reason),
            }
        }
        others
    }

    fn leave_out(&mut self, id: i64, reason: &str) {
        self.left_out.push(format!("release {id} ({reason})"));
    }

    /// Leaves out those that fail.
    fn keep(&mut self, test: impl Fn(i64) -> Result<(), String>) {
        for id in std::mem::take(&mut self.ids) {
            match test(id) {
                Ok(()) => self.ids.push(id),
                Err(reason) => self.leave_out(id, &reason),
            }
        }
    }
}

/// Whether both show values of the same column, and whose group is whose can be found.
fn fits(release: &AttackedRelease, id: i64) -> bool {
    if !truth::are_known(method_of(id)) {
        return false;
    }
    let other = AttackedRelease::about(id, release.sensitive.first());
    other.is_some_and(|other| {
        other.is_callers && other.shows_values() && !fitted_rows::is_mixed(&other)
    })
}
