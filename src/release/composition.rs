//! Earlier releases of the same source, and what they give away together with a new one.

use crate::pg::errors::{self, Failure, Names};
use crate::pg::memory;
use crate::pg::privileges;
use crate::pg::progress::Watch;
use crate::pg::quoting::{identifiers, literal};
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::type_capabilities;
use crate::read::columns::Decoder;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::Source;
use crate::read::source_rows::KeptRows;
use crate::release::ReleaseMethod;
use crate::release::apart::{Apart, ApartLayout, GROUP};
use crate::release::links::{self, Links};
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Oid};
use sdc_engine::Interner;
use sdc_engine::intersection::{self, Shown};
use serde::Deserialize;

/// As many group numbers are shown in a message.
const SHOWN_GROUPS: usize = 10;

/// An earlier release by anatomy or permutation of the same sensitive column.
pub struct Earlier {
    method: ReleaseMethod,
    pub keys: Vec<String>,
    key_table: Source,
    value_table: Source,
}

/// The part of the register's parameters that matters here.
#[derive(Deserialize)]
struct Parameters {
    keys: Vec<String>,
    sensitive: String,
}

impl Earlier {
    /// The releases that can be compared: the caller's own, with both tables there, their
    /// columns still in the source, and keys that can be told equal or not; those of the sequence
    /// that is continued aside.
    pub fn of(
        source: &Source,
        keys: &[String],
        sensitive: &str,
        sequence: Option<i64>,
    ) -> Vec<Self> {
        // a release that this one has waited for is newer than the statement's snapshot
        statements::seeing_own_writes(|| Self::find(source, keys, sensitive, sequence))
    }

    fn find(source: &Source, keys: &[String], sensitive: &str, sequence: Option<i64>) -> Vec<Self> {
        let groupable = |name: &String| match source.attribute(name) {
            Some(attribute) => type_capabilities::can_compare(attribute.typ),
            None => false,
        };
        if !keys.iter().all(groupable) {
            return Vec::new();
        }
        let sql = comparable_releases(source, sequence);
        let entry = |row: &Row| {
            let (method, parameters): (String, String) = (row.get(1)?, row.get(2)?);
            let parameters: Parameters = serde_json::from_str(&parameters).ok()?;
            Some((method, parameters, Links::from_row(row, 3)))
        };
        let found = links::in_register(|| statements::select(&sql, entry));
        let found = found.into_iter().flatten();
        let same = found.filter(|(_, parameters, _)| parameters.sensitive == sensitive);
        same.filter_map(|(method, parameters, links)| {
            let method = ReleaseMethod::named(&method)?;
            let fits = parameters.keys.iter().all(groupable);
            let keys = parameters.keys;
            let key_table = comparable(links.keys_table.filter(|_| fits)?, source, &keys)?;
            let sensitive = &[sensitive.to_string()];
            let value_table = comparable(links.values_table?, source, sensitive)?;
            Some(Earlier {
                method,
                keys,
                key_table,
                value_table,
            })
        })
        .collect()
    }

    /// The release in the codes of the source's columns.
    fn read(&self, release: &Apart, known: &[String], decoders: &mut [Decoder]) -> Shown {
        let place = |name: &String| known.iter().position(|other| other == name).unwrap_or(0);
        let places: Vec<usize> = self.keys.iter().map(place).collect();
        let mut groups = Interner::new();
        // the first decoder is the sensitive column's
        let decoded: Vec<usize> = places.iter().map(|place| place + 1).collect();
        let typ = |name: &String| release.source.attribute(name).map(|column| column.typ);
        let types: Vec<Oid> = self.keys.iter().filter_map(typ).collect();
        let keys = CodedTable::read(
            &self.key_table.sql_name,
            (&self.keys, &types),
            decoded,
            decoders,
            &mut groups,
        );
        let (name, typ) = (&release.sensitive, typ(&release.sensitive));
        let column = (std::slice::from_ref(name), typ.as_slice());
        let values = CodedTable::read(
            &self.value_table.sql_name,
            column,
            vec![0],
            decoders,
            &mut groups,
        );
        let columns = places.into_iter().zip(keys.codes.iter().map(Vec::as_slice));
        let columns: Vec<(usize, &[u32])> = columns.collect();
        let values = (&values.group_of[..], &values.codes[0][..]);
        shown(self.method, &columns, &keys.group_of, values)
    }
}

/// SQL of the caller's releases that a new one in two tables can be compared with: those of the
/// source, and of what it is made of, outside of the sequence.
fn comparable_releases(source: &Source, sequence: Option<i64>) -> String {
    format!(
        "SELECT r.method, r.parameters::pg_catalog.text, l.source, l.target, l.keys_table, l.values_table \
         FROM sdc.release_relation l JOIN sdc.release r ON r.id OPERATOR(pg_catalog.=) l.release \
         WHERE l.source OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT sdc.related_relations({}::pg_catalog.oid))) \
           AND l.publisher OPERATOR(pg_catalog.=) {}::pg_catalog.oid \
           AND r.method OPERATOR(pg_catalog.=) ANY ({}::pg_catalog.text[]) \
           AND NOT EXISTS (SELECT 1 FROM sdc.release_end e WHERE e.release OPERATOR(pg_catalog.=) r.id) \
           AND NOT EXISTS (SELECT 1 FROM sdc.release_sequence q WHERE q.release OPERATOR(pg_catalog.=) r.id \
                           AND q.sequence OPERATOR(pg_catalog.=) {}::pg_catalog.int8) \
         ORDER BY r.id",
        u32::from(source.oid),
        u32::from(privileges::caller()),
        literal(&format!(
            "{{{}}}",
            ReleaseMethod::APART.map(ReleaseMethod::name).join(",")
        )),
        // no sequence has this number
        sequence.unwrap_or(0)
    )
}

/// A table that can be compared with the source: the caller may read it, reading it
/// runs nothing of strangers, and it has groups and columns of the source's types. It may be
/// dropped meanwhile.
fn comparable(table: Oid, source: &Source, names: &[String]) -> Option<Source> {
    let table = Source::find(table)?;
    let in_both = |name: &String| match (table.attribute(name), source.attribute(name)) {
        (Some(theirs), Some(ours)) => theirs.typ == ours.typ,
        _ => false,
    };
    let grouped = table
        .attribute(GROUP)
        .is_some_and(|grp| grp.typ == pg_sys::INT4OID);
    (grouped && names.iter().all(in_both) && table.is_trusted()).then_some(table)
}

/// A table of a release, read as codes.
struct CodedTable<'a> {
    groups: &'a mut Interner,
    group_of: Vec<u32>,
    /// which decoder each column has
    places: Vec<usize>,
    decoders: &'a mut [Decoder],
    codes: Vec<Vec<u32>>,
}

/// The group of each row, and the codes of each column.
struct Codes {
    group_of: Vec<u32>,
    codes: Vec<Vec<u32>>,
}

impl CodedTable<'_> {
    fn read(
        table: &str,
        (names, types): (&[String], &[Oid]),
        places: Vec<usize>,
        decoders: &mut [Decoder],
        groups: &mut Interner,
    ) -> Codes {
        let mut sink = CodedTable {
            groups,
            group_of: Vec::new(),
            codes: vec![Vec::new(); places.len()],
            places,
            decoders,
        };
        let columns = identifiers(names.iter().map(String::as_str));
        let sql = format!("SELECT {GROUP}, {columns} FROM {table}");
        let types = [&[pg_sys::INT4OID], types].concat();
        statements::read(&sql, &types, Order::Queried, &mut sink);
        Codes {
            group_of: sink.group_of,
            codes: sink.codes,
        }
    }
}

impl RowSink for CodedTable<'_> {
    fn row(&mut self, row: &Row<'_>) {
        let group = row.cell(0).get::<i32>().unwrap_or(0).to_le_bytes();
        let group = errors::engine(self.groups.intern(&group), Names::default());
        memory::push(&mut self.group_of, group);
        for (column, &place) in self.places.iter().enumerate() {
            let code = self.decoders[place].code(row.cell(column + 1));
            memory::push(&mut self.codes[column], code);
        }
    }
}

/// What to do about releases that can be combined against each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Composition {
    Warn,
    Refuse,
}

impl Composition {
    /// As the call says it.
    pub fn of(arguments: &NamedArguments<'_>) -> Self {
        if !arguments.has("composition") {
            return Composition::Warn;
        }
        match &*arguments.required::<String>("composition") {
            "warning" => Composition::Warn,
            "error" => Composition::Refuse,
            other => Failure::invalid(format!(
                "composition must be 'warning' or 'error', not \"{other}\""
            ))
            .hint("'error' refuses a release that gives more away together with earlier ones.")
            .raise(),
        }
    }

    /// The SQLSTATE of what is said.
    pub fn code(self) -> PgSqlErrorCode {
        match self {
            Composition::Warn => PgSqlErrorCode::ERRCODE_WARNING,
            Composition::Refuse => PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        }
    }

    /// Says what was found.
    pub fn report(self, found: Failure) {
        match self {
            Composition::Warn => found.warn(),
            Composition::Refuse => found.raise(),
        }
    }
}

/// What a release gives away together with earlier ones.
pub struct Shrunk {
    pub sentence: String,
    /// groups in which fewer values are left than were promised
    pub groups: usize,
    /// earlier releases that were compared
    pub compared: usize,
}

/// What the earlier releases show. It is read before anything is written: the new release may take
/// the place of one of them.
pub fn shown_before(release: &Apart, rows: &mut KeptRows) -> Vec<Shown> {
    let known = release.known();
    let decoders = &mut rows.sensitive_values;
    let read = |earlier: &Earlier| earlier.read(release, &known, decoders);
    let earlier = release.earlier.iter();
    statements::seeing_own_writes(|| earlier.map(read).collect())
}

/// What a person's keys and all these releases give away, and the groups in which fewer than l
/// values are left. `None` without anything to compare.
pub fn shrunk(
    release: &Apart,
    earlier: Vec<Shown>,
    shape: &ApartLayout,
    rows: &KeptRows,
    watch: &mut Watch,
) -> Option<Shrunk> {
    if release.earlier.is_empty() {
        return None;
    }
    let mut releases = earlier;
    releases.push(new_release(release, shape, rows));
    let (columns, partition) = (&rows.sensitive[1..], shape.partition);
    let shrunk = intersection::shrunk_groups(columns, partition, &releases, release.l, watch);
    let groups = errors::engine(shrunk, Names::default());
    Some(Shrunk {
        sentence: sentence(release, shape, &groups),
        groups: groups.len(),
        compared: release.earlier.len(),
    })
}

/// The release that is being made; its keys come first among the known columns.
fn new_release(release: &Apart, shape: &ApartLayout, rows: &KeptRows) -> Shown {
    let columns = rows.sensitive[1..].iter().take(release.keys.len());
    let columns: Vec<(usize, &[u32])> = columns.map(|column| column.codes()).enumerate().collect();
    let groups = shape.partition.group_of();
    let values = (groups, rows.sensitive[0].codes());
    shown(shape.method, &columns, groups, values)
}

/// What a release shows: known columns, the group of each of their rows, and the sensitive
/// values with their groups.
fn shown(
    method: ReleaseMethod,
    columns: &[(usize, &[u32])],
    groups: &[u32],
    values: (&[u32], &[u32]),
) -> Shown {
    let shown = match method {
        ReleaseMethod::Permutation => Shown::permutation,
        _ => Shown::anatomy,
    };
    errors::engine(shown(columns, groups, values), Names::default())
}

fn sentence(release: &Apart, shape: &ApartLayout, shrunk: &[u32]) -> String {
    let groups = shape.partition.groups();
    let compared = match release.earlier.len() {
        1 => "the earlier release".to_string(),
        number => format!("{number} earlier releases"),
    };
    let numbers: Vec<String> = shrunk
        .iter()
        .take(SHOWN_GROUPS)
        .map(|group| (group + 1).to_string())
        .collect();
    let list = match shrunk.len() {
        0 => String::new(),
        1..=SHOWN_GROUPS => format!(": {GROUP} {}", numbers.join(", ")),
        _ => format!(", among them {GROUP} {}", numbers.join(", ")),
    };
    format!(
        "Anyone who knows a person's keys and intersects {compared} with this one is left with fewer than l = {} \
         sensitive values in {} of {groups} groups{list}.",
        release.l,
        shrunk.len(),
    )
}
