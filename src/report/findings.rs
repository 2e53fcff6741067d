//! The figures of a page, gathered by the queries that users call themselves.

use crate::pg::progress::Watch;
use crate::pg::type_capabilities::can_compare;
use crate::release::{Check, Line, Requirements};
use crate::report::attackers_section::Attackers;
use crate::report::curve_section::Curve;
use crate::report::distribution_section::{self, Distribution};
use crate::report::released::Released;
use crate::report::subject::Subject;
use crate::report::utility_section::Utility;
use sdc_engine::model::Property;
use sdc_engine::spread::Spread;
use sdc_engine::{Monitor, Phase};

/// All that a page says.
pub struct Findings {
    pub lines: Vec<Line>,
    /// rows of the smallest group when every published column is known
    pub least_of_all: Option<i64>,
    pub sizes: Vec<Spread>,
    /// for each sensitive column whose figures may be shown
    pub values: Vec<(String, Vec<Spread>)>,
    /// what attackers could do, where that may be shown
    pub attackers: Option<Attackers>,
    pub curve: Curve,
    /// for each column of a release
    pub distributions: Vec<Distribution>,
    /// the data before and after, where both may be read
    pub utility: Option<Utility>,
    /// for each table of a release its name and checksum
    pub checksums: Vec<(String, Option<String>)>,
}

impl Findings {
    /// Runs the queries one after the other; `sdc.progress` counts them.
    pub fn gather(subject: &Subject) -> Self {
        let mut steps = Steps::new(subject);
        let check = &subject.check;
        let lines = steps.take(|watch| lines(subject, watch));
        let least_of_all = steps.take(|_| least_of_all(subject));
        let sizes = steps.take(|_| check.group_sizes());
        let mut values = Vec::new();
        for column in &check.sensitive {
            let shown = subject.shows_values(&lines, column);
            let spread = steps.take(|_| shown.then(|| check.distinct_values(column)));
            values.extend(spread.map(|spread| (column.clone(), spread)));
        }
        let utility = steps.take(|watch| Utility::of(subject, watch));
        let distributions =
            steps.take(|watch| distribution_section::of(subject, utility.as_ref(), watch));
        let checksums = steps.take(|_| match &subject.release {
            Some(release) => release.checksums(),
            None => Vec::new(),
        });
        let attackers = steps.take(|_| Attackers::of(subject));
        let curve = steps.take(|watch| Curve::of(subject, watch));
        Findings {
            lines,
            least_of_all,
            sizes,
            values,
            attackers,
            curve,
            distributions,
            utility,
            checksums,
        }
    }

    pub fn rows(&self) -> i64 {
        self.sizes.iter().map(|size| size.rows).sum()
    }

    /// Whether nothing is said of k, because those who know some keys may know too many sets of them.
    pub fn has_uncounted_sets(&self) -> bool {
        let k = |line: &Line| line.property == Property::KAnonymity;
        self.rows() > 0 && !self.lines.iter().any(k)
    }

    pub fn groups(&self) -> i64 {
        self.sizes.iter().map(|size| size.groups).sum()
    }
}

/// The verdict on each property, by persons where they were told apart. A promise about attackers
/// who know some keys only is judged by the worst set of keys.
fn lines(subject: &Subject, watch: &mut Watch) -> Vec<Line> {
    let mut lines = subject.check.lines();
    let release = subject.release.as_ref();
    if let Some(known) = release.and_then(Released::known_keys) {
        lines.retain(|line| line.property != Property::KAnonymity);
        let worst = subject.check.line_of_known_keys(known, watch);
        lines.splice(0..0, worst);
    } else if let Some(persons) = subject.persons() {
        lines.iter_mut().for_each(|line| persons.judge(line));
    }
    lines
}

/// A release keeps its promise about its keys. Anyone who knows the other columns, too, is promised
/// nothing, so stewards are shown what is left then. Tables apart have no such columns.
fn least_of_all(subject: &Subject) -> Option<i64> {
    let release = subject.release.as_ref()?;
    if release.is_apart() || subject.audience.is_public() {
        return None;
    }
    let table = subject.check.source.again();
    let columns = table.attributes.iter();
    let columns = columns.filter(|column| !column.dropped && can_compare(column.typ));
    let names: Vec<String> = columns.map(|column| column.name.clone()).collect();
    let all = Check::of(table, names, Vec::new(), Requirements::default());
    let smallest = all.lines().into_iter().find_map(|line| line.actual);
    smallest.map(|rows| rows as i64)
}

/// Counts the steps of a page.
struct Steps {
    watch: Watch,
    done: u64,
    total: u64,
}

impl Steps {
    fn new(subject: &Subject) -> Self {
        Steps {
            watch: Watch::new(Some(subject.check.source.oid)),
            done: 0,
            total: 8 + subject.check.sensitive.len() as u64,
        }
    }

    /// Takes the next step; it may show phases of its own.
    fn take<T>(&mut self, step: impl FnOnce(&mut Watch) -> T) -> T {
        self.watch.start(Phase::Reporting, self.total);
        // raises by itself where the call is to stop
        self.watch.tick(self.done);
        self.done += 1;
        step(&mut self.watch)
    }
}
