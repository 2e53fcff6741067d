//! The register's entry for a release.

use crate::pg::citus;
use crate::pg::errors::Failure;
use crate::pg::privileges;
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Relation, Release};
use crate::pg::statements::{self, Row};
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::Source;
use crate::release::composition::{Composition, Shrunk};
use crate::release::continued_groups::ContinuedGroups;
use crate::release::layout::ReleasedRelation;
use crate::release::links::{self, Links};
use crate::release::sequence::{self, Sequence};
use crate::release::trial_attack::TrialAttack;
use crate::release::{
    ReleaseMethod, Target, checksum, layout, policy_rules, publishing_rules, replace,
    replaced_rows, together,
};
use crate::write::table;
use pgrx::JsonB;
use pgrx::pg_sys::Oid;
use serde_json::Value;

/// What the register says about a release.
pub struct Entry<'a> {
    pub source: &'a Source,
    pub target: &'a Target,
    pub method: ReleaseMethod,
    pub parameters: Value,
    pub rows: u64,
    pub groups: u64,
    pub suppressed: u64,
    pub achieved: Value,
    pub loss: Value,
}

/// Begins a release of a source, one at a time: the second must know of the first, or nobody
/// would warn of what both give away together. Others wait to the end of the transaction.
pub fn begin(arguments: &NamedArguments<'_>) -> (Source, Target) {
    let source = Source::new(arguments.required::<Relation>("source").0);
    let target = begin_from(&source, arguments);
    (source, target)
}

/// The same for a source that is open already.
pub fn begin_from(source: &Source, arguments: &NamedArguments<'_>) -> Target {
    let target = begin_apart(source, arguments);
    refuse_earlier(source, arguments);
    target
}

/// The same where the release is compared with earlier ones once it is there. The one that it
/// replaces is kept for that, if a column is shown that could be compared.
pub fn begin_compared(source: &Source, arguments: &NamedArguments<'_>) -> Target {
    let target = begin_apart(source, arguments);
    let shows = |name: &&str| arguments.has(name) && !arguments.columns(name).is_empty();
    if ["sensitive", "keep", "strata"].iter().any(shows) {
        replaced_rows::set_aside(&target, sequence::continued(arguments));
    }
    target
}

/// The same where the method counts what is given away together with earlier releases, and
/// decides then.
pub fn begin_apart(source: &Source, arguments: &NamedArguments<'_>) -> Target {
    refuse_single_rows(arguments);
    TrialAttack::of(arguments);
    links::lock_source(source.oid);
    links::relink();
    let name = arguments.required::<String>("target");
    let replace = arguments.has("replace") && arguments.required::<bool>("replace");
    let target = match replace {
        true => replace::target(&name),
        false => Target::new(&name),
    };
    target.refuse_temporary();
    publishing_rules::before(source, arguments);
    target
}

/// Refuses a k that hides nobody.
fn refuse_single_rows(arguments: &NamedArguments<'_>) {
    let k = arguments.has("k").then(|| arguments.optional::<i32>("k"));
    if let Some(k) = k.flatten().filter(|&k| k < 2) {
        Failure::invalid(format!("k must be at least 2 in a release, not {k}"))
            .hint("Use k => 2 or more. With k = 1 the release would show rows as they are.")
            .raise();
    }
}

impl Entry<'_> {
    /// Enters the release in the register; earlier releases of the same persons are warned about.
    pub fn register(self) -> Release {
        self.enter(None, Composition::Warn, None)
    }

    /// The same; earlier releases are an error, if the call wants it so.
    pub fn register_compared(self, arguments: &NamedArguments<'_>) -> Release {
        self.enter(None, Composition::of(arguments), None)
    }

    /// The same in a sequence, if the release belongs to one. `remember` notes what the next
    /// release must know.
    pub fn register_in(
        self,
        sequence: Option<&Sequence>,
        found: (Option<Shrunk>, Composition),
        remember: impl FnOnce(&Sequence, i64),
    ) -> Release {
        let (shrunk, composition) = found;
        let release = self.enter(shrunk, composition, sequence.and_then(|s| s.first));
        if let Some(sequence) = sequence {
            sequence.enter(release.id);
            remember(sequence, release.id);
        }
        release
    }

    /// The same for a call whose groups continue those of the releases before, if there are any.
    pub fn register_continued(
        self,
        arguments: &NamedArguments<'_>,
        sequence: Option<&Sequence>,
        continued: Option<&ContinuedGroups>,
        watch: &mut Watch,
    ) -> Release {
        let remember = |sequence: &Sequence, id| {
            if let Some(groups) = continued {
                groups.remember(sequence, id, watch);
            }
        };
        let found = (None, Composition::of(arguments));
        self.register_in(sequence, found, remember)
    }

    fn enter(
        self,
        shrunk: Option<Shrunk>,
        composition: Composition,
        sequence: Option<i64>,
    ) -> Release {
        policy_rules::after(&self);
        let earlier = EarlierReleases::of(self.source, sequence);
        let pairs = together::earlier(&self, sequence);
        let source = self.source;
        let links = self.links();
        let mut checksums = statements::seeing_own_writes(|| self.checksums(&links));
        if let Some(column) = self.column_to_spread_by(&links) {
            table::spread_like(&self.target.sql_name(), &column, self.source);
            let moved = statements::seeing_own_writes(|| self.checksums(&links));
            if std::mem::replace(&mut checksums, moved) != checksums {
                Failure::internal("rows of the release changed on their way to other nodes")
                    .raise();
            }
        }
        let old = self.target.replaces();
        let release = self.insert(checksums);
        links.enter(release.id);
        let tables = links.relations().into_iter().flatten();
        tables.for_each(|relation| layout::mark(relation, release.id, old));
        let measured = replaced_rows::standing_in(old, || together::measure(release.id, &pairs));
        if let Some(old) = old {
            links::end(old, Some(release.id));
        }
        let found = [shrunk, measured];
        earlier.judge(source, found, composition);
        release
    }

    /// The tables that hold the rows of the release, the one of sensitive values last.
    pub fn tables(&self) -> Vec<Source> {
        let tables = self.links().tables(self.method.is_apart());
        let tables = tables.into_iter().flatten();
        statements::seeing_own_writes(|| tables.map(Source::new).collect())
    }

    /// The column by which Citus has the source's rows, where strata hold it: no group crosses
    /// nodes then, and the release can be where the source is.
    fn column_to_spread_by(&self, links: &Links) -> Option<String> {
        if self.method.is_apart() || self.target.replaces().is_some() {
            return None;
        }
        // one whose rows were masked where the source is
        let target = links.target?;
        if statements::seeing_own_writes(|| citus::distribution_column(target)).is_some() {
            return None;
        }
        let strata = self.parameters["strata"].as_array()?;
        let column = citus::distribution_column(self.source.oid)?;
        strata.iter().any(|name| name == &column).then_some(column)
    }

    fn links(&self) -> Links {
        if let Some(old) = self.target.replaces() {
            return Links {
                source: Some(self.source.oid),
                ..Links::of(old)
            };
        }
        let relations = layout::of(Some(self.method), self.target);
        let number = |place: usize| relations.get(place).and_then(ReleasedRelation::number);
        statements::seeing_own_writes(|| Links {
            source: Some(self.source.oid),
            target: number(0),
            keys_table: number(1),
            values_table: number(2),
        })
    }

    fn checksums(&self, links: &Links) -> Vec<Option<String>> {
        let tables = links.tables(self.method.is_apart()).into_iter();
        let name = |table: Option<Oid>| table.and_then(layout::name_of);
        let sum = |table: Option<Oid>| name(table).map(|name| checksum::kept(&name));
        tables.map(sum).collect()
    }

    fn insert(self, checksums: Vec<Option<String>>) -> Release {
        let sql = format!(
            "INSERT INTO sdc.release AS r \
                 (source, target, method, parameters, rows, groups, suppressed, achieved, loss, checksums, published_by) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, pg_catalog.pg_get_userbyid({}::pg_catalog.oid)) \
             RETURNING {}",
            u32::from(privileges::caller()),
            links::ENTRY_COLUMNS
        );
        let values = [
            self.source.sql_name.clone().into(),
            self.target.sql_name().into(),
            self.method.name().into(),
            JsonB(self.parameters).into(),
            (self.rows as i64).into(),
            (self.groups as i64).into(),
            (self.suppressed as i64).into(),
            JsonB(self.achieved).into(),
            JsonB(self.loss).into(),
            checksums.into(),
        ];
        let register = links::register();
        let write = || statements::write_returning(register, &sql, &values);
        let entered = links::in_register(write);
        entered
            .unwrap_or_else(|| Failure::internal("the register did not take the release").raise())
    }
}

/// Earlier releases that may hold the same persons.
struct EarlierReleases {
    all: i64,
    /// of these, releases of another relation that shares a table with the source
    related: i64,
}

impl EarlierReleases {
    /// The releases that somebody may have read: the caller's own, replaced ones included, and
    /// others that the caller may read. Those of the sequence that is continued do not count.
    fn of(source: &Source, sequence: Option<i64>) -> Self {
        let sql = format!(
            "SELECT pg_catalog.count(*), pg_catalog.count(*) FILTER (WHERE l.source OPERATOR(pg_catalog.<>) {source}::pg_catalog.oid) \
             FROM sdc.release_relation l \
             WHERE l.source OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT sdc.related_relations({source}::pg_catalog.oid))) \
               AND NOT EXISTS (SELECT 1 FROM sdc.release_end e \
                               WHERE e.release OPERATOR(pg_catalog.=) l.release AND e.dropped_at IS NOT NULL) \
               AND NOT EXISTS (SELECT 1 FROM sdc.release_sequence q \
                               WHERE q.release OPERATOR(pg_catalog.=) l.release \
                                 AND q.sequence OPERATOR(pg_catalog.=) {sequence}::pg_catalog.int8) \
               AND (pg_catalog.pg_has_role({caller}::pg_catalog.oid, l.publisher, 'USAGE') \
                    OR pg_catalog.has_table_privilege({caller}::pg_catalog.oid, l.target, 'SELECT'))",
            source = u32::from(source.oid),
            caller = u32::from(privileges::caller()),
            // no sequence has this number
            sequence = sequence.unwrap_or(0),
        );
        let counts = |row: &Row| EarlierReleases {
            all: row.get(1).unwrap_or(0),
            related: row.get(2).unwrap_or(0),
        };
        let count = || links::in_register(|| statements::select(&sql, counts));
        let found = statements::seeing_own_writes(count).into_iter().next();
        found.unwrap_or(EarlierReleases { all: 0, related: 0 })
    }

    /// Warns of them, or refuses the release. One that gives nothing more away together with all
    /// of them is warned about at most.
    fn judge(&self, source: &Source, found: [Option<Shrunk>; 2], composition: Composition) {
        let found: Vec<Shrunk> = found.into_iter().flatten().collect();
        let compared: usize = found.iter().map(|shrunk| shrunk.compared).sum();
        let harmless = found.iter().all(|shrunk| shrunk.groups == 0);
        let composition = match harmless && compared as i64 == self.all {
            true => Composition::Warn,
            false => composition,
        };
        self.report(source, found, composition);
    }

    /// Says what was found.
    fn report(&self, source: &Source, found: Vec<Shrunk>, composition: Composition) {
        let times = match self.all {
            0 => return,
            1 => "once".to_string(),
            earlier => format!("{earlier} times"),
        };
        let said = Failure::new(
            composition.code(),
            format!("{} has been released {times} before", source.sql_name),
        )
        .hint("Releases of the same rows can be combined. Grant access to only one of them, and use sdc.drop_release(id) on those that nobody has read.");
        let related = match self.related {
            0 => None,
            related => Some(format!(
                "{related} of them under another name, over the same tables."
            )),
        };
        let details = found.into_iter().map(|shrunk| shrunk.sentence);
        let details = details.filter(|sentence| !sentence.is_empty());
        let details: Vec<String> = details.chain(related).collect();
        composition.report(match details.is_empty() {
            true => said,
            false => said.detail(details.join(" ")),
        });
    }
}

/// Refuses a release beside earlier ones before any work is done, where the call wants none and
/// nothing can tell how much they give away together.
fn refuse_earlier(source: &Source, arguments: &NamedArguments<'_>) {
    let composition = Composition::of(arguments);
    if composition == Composition::Refuse {
        let earlier = EarlierReleases::of(source, sequence::continued(arguments));
        earlier.report(source, Vec::new(), composition);
    }
}

/// A figure for each column, under its name.
pub fn by_name(names: &[String], figures: Vec<f64>) -> Value {
    let figures = figures.into_iter().map(Value::from);
    Value::Object(names.iter().cloned().zip(figures).collect())
}
