//! Earlier releases of the same source, and what they give away together with a new one.

use super::Target;
use super::apart::{Apart, GROUP, Shape};
use crate::columns::Decoder;
use crate::equality;
use crate::errors::{self, Names};
use crate::generate_sql::{identifier, identifiers};
use crate::memory;
use crate::progress::Watch;
use crate::query::{self, Order, RowSink};
use crate::rows::KeptRows;
use crate::source::Source;
use pgrx::JsonB;
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use sdc_engine::Interner;
use sdc_engine::intersection::{self, Shown};
use serde::Deserialize;

/// As many group numbers are shown in a message.
const SHOWN_GROUPS: usize = 10;

/// An earlier release by anatomy or permutation of the same sensitive column.
pub struct Earlier {
    torn: bool,
    pub keys: Vec<String>,
    key_table: String,
    value_table: String,
}

/// The part of the register's parameters that matters here.
#[derive(Deserialize)]
struct Parameters {
    keys: Vec<String>,
    sensitive: String,
}

impl Earlier {
    /// The releases that can be compared: both tables are there and readable, their columns
    /// still in the source, and keys can be told equal or not.
    pub fn of(source: &Source, keys: &[String], sensitive: &str) -> Vec<Self> {
        let groupable = |name: &String| match source.attribute(name) {
            Some(attribute) => equality::can_compare(attribute.typ),
            None => false,
        };
        if !keys.iter().all(groupable) {
            return Vec::new();
        }
        let found = Spi::connect(|client| {
            let rows = client.select(
                "SELECT r.target, r.method, r.parameters FROM sdc.release r \
                 WHERE r.source OPERATOR(pg_catalog.=) $1 \
                   AND r.method OPERATOR(pg_catalog.=) ANY ('{anatomy,permutation}'::pg_catalog.text[]) \
                   AND sdc.readable(r.target) \
                 ORDER BY r.id",
                None,
                &[source.sql_name.clone().into()],
            )?;
            let entry = |row: spi::SpiHeapTupleData| {
                let target: String = row.get(1).ok()??;
                let method: String = row.get(2).ok()??;
                let parameters: JsonB = row.get(3).ok()??;
                Some((target, method, serde_json::from_value(parameters.0).ok()?))
            };
            Ok::<Vec<(String, String, Parameters)>, spi::Error>(rows.filter_map(entry).collect())
        });
        let found = found.unwrap_or_default().into_iter();
        let same = found.filter(|(_, _, parameters)| parameters.sensitive == sensitive);
        same.filter_map(|(target, method, parameters)| {
            let torn = method == "permutation";
            let earlier = Earlier::new(&Target::named(&target), torn, parameters.keys);
            let fits = earlier.keys.iter().all(groupable) && earlier.comparable(source, sensitive);
            fits.then_some(earlier)
        })
        .collect()
    }

    fn new(target: &Target, torn: bool, keys: Vec<String>) -> Self {
        let [key_table, value_table] = match torn {
            true => ["_pqt", "_pst"],
            false => ["_qit", "_st"],
        }
        .map(|suffix| target.sibling(suffix).sql_name());
        Earlier {
            torn,
            keys,
            key_table,
            value_table,
        }
    }

    fn comparable(&self, source: &Source, sensitive: &str) -> bool {
        let holds = |table: &str, names: &[String]| {
            let readable = Spi::get_one_with_args("SELECT sdc.readable($1)", &[table.into()]);
            if readable.ok().flatten() != Some(true) {
                return false;
            }
            let table = Source::named(table);
            // nobody asked for this table by name: reading it must not run its owner's code
            if !table.is_plain() {
                return false;
            }
            let in_both = |name: &String| match (table.attribute(name), source.attribute(name)) {
                (Some(theirs), Some(ours)) => theirs.typ == ours.typ,
                _ => false,
            };
            table
                .attribute(GROUP)
                .is_some_and(|grp| grp.typ == pg_sys::INT4OID)
                && names.iter().all(in_both)
        };
        holds(&self.key_table, &self.keys) && holds(&self.value_table, &[sensitive.to_string()])
    }

    /// The release in the codes of the source's columns.
    fn read(&self, known: &[String], sensitive: &str, decoders: &mut [Decoder]) -> Shown {
        let place = |name: &String| known.iter().position(|other| other == name).unwrap_or(0);
        let places: Vec<usize> = self.keys.iter().map(place).collect();
        let mut groups = Interner::new();
        // the first decoder is the sensitive column's
        let decoded: Vec<usize> = places.iter().map(|place| place + 1).collect();
        let keys = identifiers(self.keys.iter().map(String::as_str));
        let keys = Columns::read(&self.key_table, &keys, decoded, decoders, &mut groups);
        let sensitive = identifier(sensitive);
        let values = Columns::read(
            &self.value_table,
            &sensitive,
            vec![0],
            decoders,
            &mut groups,
        );
        let columns = places.into_iter().zip(keys.codes.iter().map(Vec::as_slice));
        let columns: Vec<(usize, &[u32])> = columns.collect();
        let values = (&values.group_of[..], &values.codes[0][..]);
        let shown = if self.torn {
            Shown::permutation
        } else {
            Shown::anatomy
        };
        errors::engine(shown(&columns, &keys.group_of, values), Names::default())
    }
}

/// A table of a release, read as codes.
struct Columns<'a> {
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

impl Columns<'_> {
    fn read(
        table: &str,
        columns: &str,
        places: Vec<usize>,
        decoders: &mut [Decoder],
        groups: &mut Interner,
    ) -> Codes {
        let mut sink = Columns {
            groups,
            group_of: Vec::new(),
            codes: vec![Vec::new(); places.len()],
            places,
            decoders,
        };
        let sql = format!("SELECT {GROUP}, {columns} FROM {table}");
        query::read(&sql, Order::Queried, &mut sink);
        Codes {
            group_of: sink.group_of,
            codes: sink.codes,
        }
    }
}

impl RowSink for Columns<'_> {
    unsafe fn row(&mut self, _: *mut pg_sys::TupleTableSlot, values: &[Datum], nulls: &[bool]) {
        let group = (values[0].value() as i32).to_le_bytes();
        let group = errors::engine(self.groups.intern(&group), Names::default());
        memory::push(&mut self.group_of, group);
        for (column, &place) in self.places.iter().enumerate() {
            // SAFETY: the column has the type of the source's column of that name.
            let code = unsafe { self.decoders[place].code(values[column + 1], nulls[column + 1]) };
            memory::push(&mut self.codes[column], code);
        }
    }
}

/// What a person's keys and all these releases give away: a sentence about the groups in which
/// fewer than l values are left. `None` without anything to compare.
pub fn shrunk(
    release: &Apart,
    shape: &Shape,
    rows: &mut KeptRows,
    watch: &mut Watch,
) -> Option<String> {
    if release.earlier.is_empty() {
        return None;
    }
    let known = release.known();
    let decoders = &mut rows.sensitive_values;
    let read = |earlier: &Earlier| earlier.read(&known, &release.sensitive, decoders);
    let mut releases: Vec<Shown> = release.earlier.iter().map(read).collect();
    releases.push(new_release(release, shape, rows));
    let (columns, partition) = (&rows.sensitive[1..], shape.partition);
    let shrunk = intersection::shrunk_groups(columns, partition, &releases, release.l, watch);
    Some(sentence(
        release,
        shape,
        &errors::engine(shrunk, Names::default()),
    ))
}

/// The release that is being made; its keys come first among the known columns.
fn new_release(release: &Apart, shape: &Shape, rows: &KeptRows) -> Shown {
    let columns = rows.sensitive[1..].iter().take(release.keys.len());
    let columns: Vec<(usize, &[u32])> = columns.map(|column| column.codes()).enumerate().collect();
    let groups = shape.partition.group_of();
    let shown = match shape.method {
        "permutation" => Shown::permutation,
        _ => Shown::anatomy,
    };
    let shown = shown(&columns, groups, (groups, rows.sensitive[0].codes()));
    errors::engine(shown, Names::default())
}

fn sentence(release: &Apart, shape: &Shape, shrunk: &[u32]) -> String {
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
        "Who knows a person's keys and intersects {compared} with this one is left with fewer than l = {} \
         sensitive values in {} of {groups} groups{list}.",
        release.l,
        shrunk.len(),
    )
}
