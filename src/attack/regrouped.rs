//! Whose group is whose, where it must be reconstructed: by running the method again, by
//! recoding keys, or by looking for the nearest and the likeliest group.

use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::{self, CodedColumn, Combined};
use crate::attack::remembered_groups::RememberedGroups;
use crate::attack::run_again::run_again;
use crate::attack::torn_tables::TornTables;
use crate::attack::truth::{Known, ReleasedGroups, sizes};
use crate::pg::errors::{Failure, known};
use crate::pg::memory::{self, collected};
use crate::pg::progress::Watch;
use crate::pg::text_casts::TextOf;
use crate::read::hierarchy_table::{HierarchyTable, spell};
use crate::read::numbers::Number;
use crate::read::relation::relation_of;
use sdc_engine::attack::{NOWHERE, nearest_points};
use sdc_engine::{Column, ColumnTally, Interner, Space, Table, mask};
use serde_json::Value;

/// How far a published number may be from its group's mean: whole numbers are rounded, others
/// lose digits.
const ROUNDED: f64 = 0.5 + 1e-6;
const LOST_DIGITS: f64 = 0.01;

/// The released table of a one-table method: the point of each row, and the values.
pub struct OneTable {
    /// the codes of each point's keys
    pub points: Vec<Vec<u32>>,
    pub sizes: Vec<u64>,
    pub values: Vec<ColumnTally>,
    /// the numbers of points
    seen: Combined,
}

pub fn one_table(
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
    let point_of = combined.number_cells(keys, &codes);
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
        seen: combined,
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
    let again = remembered(release, persons, &shown, watch).or_else(|| {
        let partition = run_again(release, persons, &own, seed, watch)?;
        let masked = means(release, persons, known(mask::of_groups(&own, &partition)));
        let point_of = same_points(persons, &shown.seen, &masked)
            .or_else(|| points_of_groups(persons, &own, &points, &masked, watch))?;
        let group_of = partition.group_of().iter();
        let own = collected(group_of.map(|&group| point_of[group as usize]));
        (sizes(&own, shown.sizes.len()) == shown.sizes).then_some((own, Known::Exactly))
    });
    let (own, by) =
        again.unwrap_or_else(|| (nearest(persons, &own, &points, watch), Known::Nearest));
    ReleasedGroups {
        own,
        known: by,
        sizes: shown.sizes,
        values: shown.values,
        points: Some(shown.points),
    }
}

/// The groups that a sequence remembers.
fn remembered(
    release: &AttackedRelease,
    persons: &mut Persons,
    shown: &OneTable,
    watch: &mut Watch,
) -> Option<(Vec<u32>, Known)> {
    let (entity, person_rows) = persons.entity.as_ref()?;
    let remembered = RememberedGroups::of(release, entity)?;
    let holders = remembered.holders(release, entity, watch);
    let codes = (&persons.key_codes[..], shown);
    let own = remembered.points((person_rows, &holders), &mut persons.keys, codes);
    Some((own, Known::Exactly))
}

/// The nearest point of each row's person: all rows of a person are in one group.
fn nearest(persons: &Persons, keys: &Table, points: &Table, watch: &mut Watch) -> Vec<u32> {
    let mut search = |keys: &Table| {
        let (space, released) = known(Space::pair(keys, points));
        known(nearest_points(&space, &released, watch))
    };
    match &persons.entity {
        None => search(keys),
        Some((_, rows)) => known(rows.of_rows(&search(&known(rows.points(keys))))),
    }
}

/// The means of groups as the release's columns hold them: halves would lie between two points.
fn means(release: &AttackedRelease, persons: &Persons, masked: Table) -> Table {
    let stored = |(key, column): (&CodedColumn, &Column)| {
        let shown = release.tables[0].attribute(&key.name);
        match (column, Number::of(key.typ), shown) {
            (Column::Numeric(means), Some(kind), Some(shown)) => {
                let stored = means.iter().map(|&mean| kind.stored(mean, shown.typmod));
                Column::Numeric(collected(stored))
            }
            (column, ..) => known(column.try_clone()),
        }
    };
    let columns = persons.keys.iter().zip(masked.columns()).map(stored);
    known(Table::new(columns.collect()))
}

/// The released points that show the means of groups as they are; `None` if one shows others, or it
/// takes longer to find out than to look for the nearest.
fn same_points(persons: &Persons, seen: &Combined, masked: &Table) -> Option<Vec<u32>> {
    let mut bytes = Vec::new();
    let mut point = |group: usize| {
        bytes.clear();
        for (key, column) in persons.keys.iter().zip(masked.columns()) {
            match column {
                Column::Numeric(means) => key.append_mean(means[group], &mut bytes)?,
                Column::Categorical(modes) => key.append(modes.codes()[group], &mut bytes),
            }
        }
        seen.find(&bytes)
    };
    let mut found = memory::reserved(masked.rows());
    for group in 0..masked.rows() {
        found.push(point(group)?);
    }
    Some(found)
}

/// The released point that each group's means were rounded to; `None` if one has none.
fn points_of_groups(
    persons: &Persons,
    keys: &Table,
    points: &Table,
    masked: &Table,
    watch: &mut Watch,
) -> Option<Vec<u32>> {
    let (_, means) = known(Space::pair(keys, masked));
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
    let tables = TornTables::read(release, persons, watch);
    let torn = tables.groups(persons);
    let own = known(torn.likeliest(&persons.keys_of_rows(), &persons.values[0], watch));
    ReleasedGroups {
        own,
        known: Known::Likeliest,
        sizes: tables
            .partition
            .sizes()
            .iter()
            .map(|&size| u64::from(size))
            .collect(),
        values: vec![tables.values],
        points: None,
    }
}

fn not_points(release: &AttackedRelease) -> ! {
    Failure::new(
        pgrx::PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
        format!(
            "the groups of release {} cannot be recomputed from its keys",
            release.id
        ),
    )
    .detail("Its keys are shown as another type than they are, or were changed at random.")
    .hint("sdc.check_anonymity and sdc.risk say what such a release shows.")
    .raise()
}

pub fn no_hierarchy(table: &str, column: &str) -> ! {
    Failure::new(
        pgrx::PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
        format!("hierarchy \"{table}\" of column \"{column}\" has changed"),
    )
    .hint("The attack recodes the source's keys by the hierarchies of the release.")
    .raise()
}
