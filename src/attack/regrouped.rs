//! Whose group is whose, where it must be reconstructed: by running the method again, by
//! recoding keys, or by looking for the nearest and the likeliest group.

use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::{self, CodedColumn, Combined};
use crate::attack::truth::{Known, Persons, ReleasedGroups, linked_tables, sizes};
use crate::pg::errors::{Failure, known};
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::pg::settings;
use crate::pg::sql_types::Json;
use crate::pg::text_casts::TextOf;
use crate::read::column_weights;
use crate::read::hierarchy_table::{HierarchyTable, spell};
use crate::read::numbers::Number;
use crate::read::relation::relation_of;
use sdc_engine::assign::Method;
use sdc_engine::attack::{NOWHERE, TornGroups, nearest_points};
use sdc_engine::{Categories, Column, ColumnTally, Interner, Partition, Space, Table, mask};
use serde_json::Value;

/// How far a published number may be from its group's mean: whole numbers are rounded, others
/// lose digits.
const ROUNDED: f64 = 0.5 + 1e-6;
const LOST_DIGITS: f64 = 0.01;

/// The released table of a one-table method: the point of each row, and the values.
struct OneTable {
    /// the codes of each point's keys
    points: Vec<Vec<u32>>,
    sizes: Vec<u64>,
    values: Vec<ColumnTally>,
}

fn one_table(
    release: &AttackedRelease,
    (keys, sensitive): (&mut [CodedColumn], &mut [CodedColumn]),
    watch: &mut Watch,
) -> OneTable {
    let table = &release.tables[0];
    let number = keys.len();
    // a method may publish categories in place of values
    let same = |column: &&mut CodedColumn| {
        table
            .attribute(&column.name)
            .is_some_and(|shown| shown.typ == column.typ)
    };
    let shown = sensitive.iter_mut().filter(same);
    let mut columns: Vec<&mut CodedColumn> = keys.iter_mut().chain(shown).collect();
    let mut codes = coded_rows::read(table, &mut columns, watch);
    let values = codes.split_off(number);
    let mut combined = Combined::default();
    let point_of = combined.number(&codes);
    let mut first = collected((0..combined.len()).map(|_| 0));
    for (row, &point) in point_of.iter().enumerate().rev() {
        first[point as usize] = row;
    }
    let of_points = |codes: &Vec<u32>| collected(first.iter().map(|&row| codes[row]));
    let tally = |values: &Vec<u32>| {
        let triples = point_of.iter().zip(values);
        let triples = collected(triples.map(|(&point, &value)| (point, value, 1)));
        known(ColumnTally::new(combined.len(), &triples))
    };
    OneTable {
        points: codes.iter().map(of_points).collect(),
        sizes: sizes(&point_of, combined.len()),
        values: values.iter().map(tally).collect(),
    }
}

/// Groups of masked keys: by running the method again where that gives the same release, else
/// the nearest ones.
pub fn of_masked(
    release: &AttackedRelease,
    persons: &mut Persons,
    seed: Option<i64>,
    watch: &mut Watch,
) -> ReleasedGroups {
    let same = |key: &CodedColumn| {
        let shown = release.tables[0].attribute(&key.name);
        shown.is_some_and(|shown| shown.typ == key.typ)
    };
    if !persons.keys.iter().all(same) {
        not_points(release);
    }
    let columns = (&mut persons.keys[..], &mut persons.sensitive[..]);
    let shown = one_table(release, columns, watch);
    let (own, points) = (
        persons.table(&persons.key_codes),
        persons.table(&shown.points),
    );
    let again = run_again(release, persons, &own, seed, watch);
    let again = again.and_then(|partition| {
        let point_of = points_of_groups(persons, &own, &points, &partition, watch)?;
        let group_of = partition.group_of().iter();
        let own = collected(group_of.map(|&group| point_of[group as usize]));
        (sizes(&own, shown.sizes.len()) == shown.sizes).then_some(own)
    });
    let (own, by) = match again {
        Some(own) => (own, Known::Exactly),
        None => {
            let (space, released) = known(Space::pair(&own, &points));
            (
                known(nearest_points(&space, &released, watch)),
                Known::Nearest,
            )
        }
    };
    ReleasedGroups {
        own,
        known: by,
        sizes: shown.sizes,
        values: shown.values,
        points: Some(shown.points),
    }
}

/// The groups that the method forms of the source as it is now.
fn run_again(
    release: &AttackedRelease,
    persons: &Persons,
    keys: &Table,
    seed: Option<i64>,
    watch: &mut Watch,
) -> Option<Partition> {
    let parameters = &release.parameters;
    let method = Method::named(parameters["method"].as_str()?)?;
    let is_simple = ["entity", "strata"]
        .iter()
        .all(|name| parameters[name].is_null());
    if parameters["refine"].as_bool() == Some(true) || !is_simple {
        return None;
    }
    let (k, p) = (
        release.parameter("k")? as usize,
        release.parameter("p")? as usize,
    );
    let standardize = parameters["standardize"].as_bool()?;
    let weights = match &parameters["weights"] {
        Value::Null => Vec::new(),
        weights => column_weights::parse("weights", &Json(weights.clone()), &release.keys),
    };
    let space = known(Space::weighted(keys, standardize, &weights));
    let sensitive = (0..persons.sensitive.len()).map(|column| persons.truth(column));
    let sensitive: Vec<Categories> = sensitive.collect();
    let seed = seed.or_else(settings::seed).map(|seed| seed as u64);
    let mut rng = known(method.generator(seed));
    // a source that has changed may not allow it any more
    match method.group(&space, &sensitive, k, p, &mut rng, watch) {
        Err(error @ sdc_engine::Error::Interrupted) => known(Err(error)),
        grouped => grouped.ok(),
    }
}

/// The released point that each group's means were rounded to; `None` if one has none.
fn points_of_groups(
    persons: &Persons,
    keys: &Table,
    points: &Table,
    partition: &Partition,
    watch: &mut Watch,
) -> Option<Vec<u32>> {
    let masked = known(mask::of_groups(keys, partition));
    let (_, means) = known(Space::pair(keys, &masked));
    let (_, released) = known(Space::pair(keys, points));
    let found = known(nearest_points(&means, &released, watch));
    let tolerances = persons.keys.iter().zip(keys.columns());
    let tolerances: Vec<f64> = tolerances
        .map(|(key, column)| match column {
            Column::Numeric(values) => tolerance(key.typ, values),
            Column::Categorical(_) => 0.0,
        })
        .collect();
    let close = |key: usize, group: usize, point: usize| match (
        &masked.columns()[key],
        &points.columns()[key],
    ) {
        (Column::Numeric(means), Column::Numeric(points)) => {
            let distance = (means[group] - points[point]).abs();
            let both_missing = means[group].is_nan() && points[point].is_nan();
            both_missing || distance <= tolerances[key]
        }
        (Column::Categorical(modes), Column::Categorical(points)) => {
            modes.codes()[group] == points.codes()[point]
        }
        _ => false,
    };
    let fits = found.iter().enumerate().all(|(group, &point)| {
        (0..persons.keys.len()).all(|key| close(key, group, point as usize))
    });
    fits.then_some(found)
}

fn tolerance(typ: pgrx::pg_sys::Oid, values: &[f64]) -> f64 {
    match Number::of(typ) {
        Some(Number::Float4 | Number::Float8 | Number::Numeric) | None => {
            let (least, greatest) = values.iter().fold((f64::MAX, f64::MIN), |ends, &value| {
                (ends.0.min(value), ends.1.max(value))
            });
            LOST_DIGITS * (greatest - least)
        }
        Some(_) => ROUNDED,
    }
}

/// Groups of generalized keys: each person's keys recoded.
pub fn of_recoded(
    release: &AttackedRelease,
    persons: &mut Persons,
    watch: &mut Watch,
) -> ReleasedGroups {
    release.refuse_others();
    let mut keys: Vec<CodedColumn> = release
        .keys
        .iter()
        .map(|name| CodedColumn::new(&release.tables[0], name))
        .collect();
    let shown = one_table(release, (&mut keys, &mut persons.sensitive), watch);
    let recoded = persons.keys.iter().zip(&keys).map(|(own, shown)| {
        let label_of = labels(release, own, shown);
        label_of.into_iter().collect::<Vec<u32>>()
    });
    let recoded: Vec<Vec<u32>> = recoded.collect();
    let mut seen = Interner::new();
    let mut bytes = Vec::new();
    let mut place = |codes: &mut dyn Iterator<Item = u32>, add: bool| {
        bytes.clear();
        codes.for_each(|code| bytes.extend_from_slice(&code.to_le_bytes()));
        match add {
            true => Some(known(seen.intern(&bytes))),
            false => seen.find(&bytes),
        }
    };
    for point in 0..shown.sizes.len() {
        place(&mut shown.points.iter().map(|codes| codes[point]), true);
    }
    let own = |row: usize| {
        let codes = persons.key_codes.iter().zip(&recoded);
        let found = place(
            &mut codes.map(|(codes, labels)| labels[codes[row] as usize]),
            false,
        );
        found.unwrap_or(NOWHERE)
    };
    ReleasedGroups {
        own: collected((0..persons.rows).map(own)),
        known: Known::Exactly,
        sizes: shown.sizes,
        values: shown.values,
        points: None,
    }
}

/// The released code of each value of a key; one that is not released has a code of nothing.
fn labels(release: &AttackedRelease, own: &CodedColumn, shown: &CodedColumn) -> Vec<u32> {
    let hierarchy = match &release.parameters["hierarchies"][&own.name] {
        Value::String(table) => match relation_of(table) {
            Some(table) => HierarchyTable::unnamed(table),
            None => no_hierarchy(table, &own.name),
        },
        _ => HierarchyTable::of_column(&release.source, &own.name),
    };
    let level = release.parameters["levels"][&own.name]
        .as_u64()
        .unwrap_or(0) as usize;
    if level > hierarchy.top() {
        no_hierarchy(&hierarchy.name, &own.name);
    }
    let label = format!("column \"{}\"", own.name);
    let mut released = Interner::new();
    let (mut text, mut encoding) = (TextOf::new(shown.typ), Vec::new());
    for cell in shown.values.categories() {
        spell(&mut text, cell, &mut encoding);
        known(released.intern(&encoding));
    }
    let values = hierarchy
        .values_of(&label, own.typ, &own.values)
        .into_iter();
    let find = |value| {
        released
            .find(&spelled(hierarchy.label(level, value)))
            .unwrap_or(NOWHERE)
    };
    values.map(find).collect()
}

/// A text or NULL as bytes that differ where they do.
fn spelled(text: Option<&[u8]>) -> Vec<u8> {
    text.map_or(vec![0], |text| [&[1], text].concat())
}

/// Groups of permuted keys: for each person the one with the person's value in which the keys
/// occur most.
pub fn of_permutation(
    release: &AttackedRelease,
    persons: &mut Persons,
    watch: &mut Watch,
) -> ReleasedGroups {
    let linked = linked_tables(release, persons, watch);
    let partition = known(Partition::new(linked.group_of, linked.groups));
    let torn = torn_groups(persons, &linked.key_codes, &partition, &linked.values);
    let person = |row: usize| persons.key_codes.iter().map(|codes| codes[row]).collect();
    let keys: Vec<Vec<u32>> = (0..persons.rows).map(person).collect();
    let own = known(torn.likeliest(&keys, &persons.values[0], watch));
    ReleasedGroups {
        own,
        known: Known::Likeliest,
        sizes: partition
            .sizes()
            .iter()
            .map(|&size| u64::from(size))
            .collect(),
        values: vec![linked.values],
        points: None,
    }
}

pub fn torn_groups<'a>(
    persons: &Persons,
    codes: &[Vec<u32>],
    partition: &Partition,
    values: &'a ColumnTally,
) -> TornGroups<'a> {
    let keys = persons.keys.iter().zip(codes);
    let keys: Vec<(&[u32], usize)> = keys.map(|(key, codes)| (&codes[..], key.count())).collect();
    known(TornGroups::new(&keys, partition, values))
}

fn not_points(release: &AttackedRelease) -> ! {
    Failure::new(
        pgrx::PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
        format!(
            "the groups of release {} cannot be recomputed from its keys",
            release.id
        ),
    )
    .detail("Its keys are ranges or sets, and the register does not say whose group is whose.")
    .hint("sdc.check_anonymity and sdc.risk say what such a release shows.")
    .raise()
}

fn no_hierarchy(table: &str, column: &str) -> ! {
    Failure::new(
        pgrx::PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
        format!("hierarchy \"{table}\" of column \"{column}\" is not what it was"),
    )
    .hint("The attack recodes the source's keys by the hierarchies of the release.")
    .raise()
}
