//! Releases whose cells are ranges, sets or blanks: the released rows that a person fits into.

use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::CodedColumn;
use crate::attack::regrouped::one_table;
use crate::attack::truth::{Known, ReleasedGroups, generator};
use crate::pg::errors::known;
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::pg::text_casts::TextOf;
use crate::read::hierarchy_table::{HierarchyTable, spell};
use crate::read::numbers::Number;
use crate::read::relation::relation_of;
use crate::release::{NumberScale, ReleaseMethod, elements};
use sdc_engine::ColumnTally;
use sdc_engine::attack::{CellMeaning, FittingPoints, ShownCells};
use sdc_engine::measure::utility::Meaning;
use std::collections::HashMap;

/// Timestamps are read in microseconds, and written as seconds.
const MICROSECONDS: f64 = 1e6;

/// The released rows by what their cells say.
pub struct FittedRows {
    keys: Vec<FittedKey>,
    /// how many different values persons have in each key
    codes: Vec<usize>,
    pub sizes: Vec<u64>,
    pub values: Vec<ColumnTally>,
}

struct FittedKey {
    cell_of: Vec<u32>,
    meanings: Vec<CellMeaning>,
    numbers: Vec<f64>,
}

impl FittedKey {
    fn shown(&self) -> ShownCells<'_> {
        ShownCells {
            cell_of: &self.cell_of,
            meanings: &self.meanings,
            numbers: &self.numbers,
        }
    }
}

/// Whether persons are looked for by what cells hold.
pub fn applies(release: &AttackedRelease) -> bool {
    match release.method {
        ReleaseMethod::Mondrian | ReleaseMethod::Suppression => true,
        ReleaseMethod::PAlpha => recoded_keys(release) == release.keys.len(),
        _ => false,
    }
}

/// Whether some keys are means and others labels: nothing finds a person's row by both.
pub fn is_mixed(release: &AttackedRelease) -> bool {
    release.method == ReleaseMethod::PAlpha && !applies(release) && recoded_keys(release) > 0
}

/// How many keys show labels of a hierarchy, or are strata, which are shown as they are.
fn recoded_keys(release: &AttackedRelease) -> usize {
    let hierarchies = release.parameters["hierarchies"].as_object();
    let strata = release.strata();
    let recoded = |key: &&String| hierarchies.is_some_and(|named| named.contains_key(*key));
    match release.keys.iter().filter(recoded).count() {
        0 => 0,
        recoded => recoded + strata.len(),
    }
}

impl FittedRows {
    pub fn read(release: &AttackedRelease, persons: &mut Persons, watch: &mut Watch) -> Self {
        let is_blanked = release.method == ReleaseMethod::Suppression;
        let table = &release.tables[0];
        let mut shown: Vec<CodedColumn> = Vec::new();
        if !is_blanked {
            let columns = release.keys.iter();
            shown = columns.map(|name| CodedColumn::new(table, name)).collect();
        }
        let columns = match is_blanked {
            // blanks apart, the keys are as they are
            true => &mut persons.keys,
            false => &mut shown,
        };
        let read = one_table(release, (columns, &mut persons.sensitive), watch);
        let keys = persons.keys.iter().zip(read.points).enumerate();
        let strata = release.strata();
        let keys = keys.map(|(place, (own, cell_of))| FittedKey {
            meanings: match shown.get(place) {
                None => blanks(own, strata.contains(&own.name)),
                Some(shown) => meanings(release, own, shown),
            },
            numbers: collected(own.numbers.iter().copied()),
            cell_of,
        });
        FittedRows {
            keys: keys.collect(),
            codes: persons.keys.iter().map(CodedColumn::count).collect(),
            sizes: read.sizes,
            values: read.values,
        }
    }

    /// Looks for persons with `act`.
    pub fn search<T>(&self, act: impl FnOnce(FittingPoints<'_>) -> sdc_engine::Result<T>) -> T {
        let keys: Vec<ShownCells<'_>> = self.keys.iter().map(FittedKey::shown).collect();
        known(FittingPoints::new(&keys, &self.codes, &self.sizes).and_then(act))
    }
}

/// Everybody in a group that the person fits into; in one that holds the person's values.
pub fn groups(
    release: &AttackedRelease,
    persons: &mut Persons,
    seed: Option<i64>,
    watch: &mut Watch,
) -> ReleasedGroups {
    let fitted = FittedRows::read(release, persons, watch);
    let values: Vec<(&[u32], &ColumnTally)> = persons
        .values
        .iter()
        .zip(&fitted.values)
        .map(|(codes, tally)| (&codes[..], tally))
        .collect();
    let mut rng = generator(seed);
    let draw =
        |mut points: FittingPoints<'_>| points.own(&persons.key_codes, &values, &mut rng, watch);
    let (own, several) = fitted.search(draw);
    ReleasedGroups {
        own,
        known: match several {
            0 => Known::Exactly,
            _ => Known::Fitting,
        },
        sizes: fitted.sizes,
        values: fitted.values,
        points: None,
    }
}

/// The cells of a blanked key: values, and blanks that may stand for any of them.
fn blanks(own: &CodedColumn, is_stratum: bool) -> Vec<CellMeaning> {
    let null = own.null();
    let meaning = |code: u32| match Some(code) == null && !is_stratum {
        true => CellMeaning::Anything,
        false => CellMeaning::OneOf(vec![code]),
    };
    collected((0..own.count()).map(|code| meaning(code as u32)))
}

/// What each text that is released of a key stands for.
fn meanings(release: &AttackedRelease, own: &CodedColumn, shown: &CodedColumn) -> Vec<CellMeaning> {
    let labels = texts(shown);
    let kind = Number::of(own.typ).filter(|_| own.is_numeric());
    let scale = kind.map(NumberScale::of);
    // intervals are compared by their texts
    if let Some(scale) = scale.filter(|&scale| scale != NumberScale::Span) {
        let unit = match scale {
            NumberScale::Seconds => MICROSECONDS,
            _ => 1.0,
        };
        let meaning = |text: &Option<String>| match text.as_ref().map(|text| scale.meaning(text)) {
            Some(Meaning::Range { low, high }) => CellMeaning::Between {
                low: low * unit,
                high: high * unit,
            },
            _ => CellMeaning::Anything,
        };
        return labels.iter().map(meaning).collect();
    }
    let codes = codes_of_labels(release, own);
    let code = |text: &Option<String>| codes.get(text).cloned().unwrap_or_default();
    let meaning = |text: &Option<String>| {
        let mut found = code(text);
        if let Some(elements) = text
            .as_deref()
            .and_then(elements)
            .filter(|_| found.is_empty())
        {
            found = elements.iter().flat_map(code).collect();
        }
        found.sort_unstable();
        found.dedup();
        match text {
            None if found.is_empty() => CellMeaning::Anything,
            _ => CellMeaning::OneOf(found),
        }
    };
    labels.iter().map(meaning).collect()
}

/// The texts of a column's values, in the order of their codes.
fn texts(column: &CodedColumn) -> Vec<Option<String>> {
    let (mut text, mut spelled) = (TextOf::new(column.typ), Vec::new());
    let cells = column.values.categories();
    let written = cells.map(|cell| {
        spell(&mut text, cell, &mut spelled);
        let shown = (spelled[0] != 0).then(|| &spelled[1..]);
        shown.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    });
    written.collect()
}

/// The codes of a key by what may be shown of them: their texts, or labels of a hierarchy.
fn codes_of_labels(
    release: &AttackedRelease,
    own: &CodedColumn,
) -> HashMap<Option<String>, Vec<u32>> {
    let mut codes: HashMap<Option<String>, Vec<u32>> = HashMap::new();
    for (code, text) in (0..).zip(texts(own)) {
        codes.entry(text).or_default().push(code);
    }
    let named = release.parameters["hierarchies"][&own.name].as_str();
    let Some(table) = named.and_then(relation_of) else {
        return codes;
    };
    release.refuse_others();
    let hierarchy = HierarchyTable::unnamed(table);
    let label = format!("column \"{}\"", own.name);
    for (code, value) in (0..).zip(hierarchy.values_of(&label, own.typ, &own.values)) {
        for level in 1..=hierarchy.top() {
            let shown = hierarchy.label(level, value);
            let shown = shown.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            codes.entry(shown).or_default().push(code);
        }
    }
    codes
}
