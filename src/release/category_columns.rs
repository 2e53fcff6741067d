//! What a (p+,alpha)-sensitive release shows: keys masked or generalized, and the category of
//! the sensitive value in its place or beside it.

use crate::check::Requirements;
use crate::generalize::{KeyColumn, Keys, Recoded, recode};
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::Failure;
use crate::pg::progress::Watch;
use crate::pg::sql_types::Json;
use crate::pg::tuple_store::TupleStore;
use crate::read::relation::{self, Source};
use crate::read::sensitivity_categories;
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::TableOptions;
use crate::release::{Target, promise_check};
use pgrx::pg_sys;
use pgrx::prelude::*;
use sdc_engine::model::SensitivityCategories;
use sdc_engine::{Monitor, Partition, Phase};
use serde_json::Value;

/// What the column of categories adds to the sensitive column's name.
const SUFFIX: &str = "_category";

/// What stands in the place of the sensitive column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PublishedSensitive {
    Category,
    Value,
    Both,
}

impl PublishedSensitive {
    pub fn named(name: &str) -> Self {
        match name {
            "category" => PublishedSensitive::Category,
            "value" => PublishedSensitive::Value,
            "both" => PublishedSensitive::Both,
            _ => Failure::invalid(format!("unknown choice publish => '{name}'"))
                .hint("Choices are: category, value, both.")
                .raise(),
        }
    }

    /// The column by which a release is checked, and its categories: those of the category
    /// itself are 1, 2, ….
    pub fn shown(self, sensitive: &str, categories: &[Vec<String>]) -> (String, Vec<Vec<String>>) {
        let numbers = (1..=categories.len()).map(|number| vec![number.to_string()]);
        match self {
            PublishedSensitive::Category => (category_name(sensitive), numbers.collect()),
            _ => (sensitive.to_string(), categories.to_vec()),
        }
    }

    fn value(self) -> bool {
        self != PublishedSensitive::Category
    }

    fn category(self) -> bool {
        self != PublishedSensitive::Value
    }
}

/// What is published of a source.
pub struct CategorizedRelease {
    pub source: Source,
    pub keys: Vec<String>,
    sensitive: String,
    keep: Vec<String>,
    categories: Vec<Vec<String>>,
    published: PublishedSensitive,
    /// keys that are generalized instead of averaged
    recoded: Option<Keys>,
    pub table: TableOptions,
}

impl CategorizedRelease {
    pub fn new(
        source: Source,
        (keys, sensitive, keep): (Vec<String>, String, Vec<String>),
        categories: Vec<Vec<String>>,
        published: PublishedSensitive,
        (hierarchies, table): (Option<Json>, TableOptions),
    ) -> Self {
        relation::refuse_empty("keys", &keys);
        let one = std::slice::from_ref(&sensitive);
        relation::refuse_overlap(("keys", &keys), ("sensitive", one));
        relation::refuse_overlap(("keys", &keys), ("keep", &keep));
        relation::refuse_overlap(("sensitive", one), ("keep", &keep));
        table.refuse_names(&source, &keys, &[("sensitive", one), ("keep", &keep)]);
        sensitivity_categories::require_two(&categories);
        let recoded = hierarchies.map(|hierarchies| Keys::new(&source, &hierarchies));
        let publication = CategorizedRelease {
            source,
            keys,
            sensitive,
            keep,
            categories,
            published,
            recoded,
            table,
        };
        publication.refuse_names();
        publication
    }

    /// Whether no key is generalized.
    pub fn is_averaged(&self) -> bool {
        self.recoded.is_none()
    }

    /// Refuses a hierarchy of something that is not a key, and a column of categories whose name
    /// is taken or too long.
    fn refuse_names(&self) {
        let recoded = self.recoded.iter().flat_map(|keys| &keys.names);
        if let Some(name) = recoded.into_iter().find(|name| !self.keys.contains(name)) {
            Failure::invalid(format!(
                "hierarchies names \"{name}\", which is not in keys"
            ))
            .hint("Only keys are generalized: add the column to keys, or leave its hierarchy out.")
            .raise();
        }
        let name = category_name(&self.sensitive);
        let taken = self.keys.contains(&name) || self.keep.contains(&name);
        if self.published.category() && (taken || name.len() >= pg_sys::NAMEDATALEN as usize) {
            Failure::new(
                PgSqlErrorCode::ERRCODE_DUPLICATE_COLUMN,
                format!("the column of categories cannot be called \"{name}\""),
            )
            .detail("The name is too long, or another column of the release has it.")
            .hint("Publish a view in which the sensitive column has another name.")
            .raise();
        }
    }

    /// Only the named columns are read, so that identifiers cannot slip through. Keys with a
    /// hierarchy are read a second time, by equality.
    pub fn selection(&self) -> Selection<'_> {
        let mut columns = self.source.columns("keys", &self.keys);
        let one = std::slice::from_ref(&self.sensitive);
        columns.extend(self.source.columns("sensitive", one));
        columns.extend(self.source.columns("keep", &self.keep));
        let keys = self.keys.len();
        let mut selection = Selection::new(&self.source, columns, keys, 1, &self.table);
        selection.sensitive.extend(self.recoded_places());
        selection
    }

    /// The places among the keys of those with a hierarchy, in the order of the hierarchies.
    fn recoded_places(&self) -> Vec<usize> {
        let names = self.recoded.iter().flat_map(|keys| &keys.names);
        let place = |name| self.keys.iter().position(|key| key == name).unwrap_or(0);
        names.map(place).collect()
    }

    fn attribute(&self, name: &str) -> Attribute {
        match self.source.attribute(name) {
            Some(attribute) => attribute.clone(),
            None => Failure::internal("a column is gone").raise(),
        }
    }

    /// The category of each value of the sensitive column.
    pub fn classify(&self, rows: &KeptRows) -> SensitivityCategories {
        let values = &rows.sensitive_values[0];
        let typ = self.attribute(&self.sensitive).typ;
        sensitivity_categories::classify(typ, values.categories(), &self.categories)
    }

    /// For each key the value that each group shows; generalized keys, and what those lose on
    /// average, where they have a hierarchy.
    pub fn masks<'a>(
        &self,
        rows: &'a KeptRows,
        partition: &Partition,
    ) -> (Masks<'a>, Vec<Option<f64>>) {
        let recoded = self.recoded_places();
        let mask = |key: usize| match recoded.iter().position(|&place| place == key) {
            None => (rows.mask_of(key, partition), None),
            Some(number) => {
                let recoded = self.recode(number, rows, partition);
                (recoded.labels, Some(recoded.loss))
            }
        };
        (0..self.keys.len()).map(mask).unzip()
    }

    fn recode(&self, number: usize, rows: &KeptRows, partition: &Partition) -> Recoded {
        let Some(keys) = &self.recoded else {
            Failure::internal("a hierarchy is gone").raise()
        };
        let name = &keys.names[number];
        let key = KeyColumn {
            name,
            typ: self.attribute(name).typ,
            codes: &rows.sensitive[number + 1],
            values: &rows.sensitive_values[number + 1],
        };
        recode(&keys.hierarchies[number], key, partition)
    }

    /// The columns of the release: generalized keys are text.
    pub fn columns(&self) -> Vec<Attribute> {
        let recoded = self.recoded_places();
        let key = |(place, name): (usize, &String)| match recoded.contains(&place) {
            true => Attribute::text(name),
            false => self.attribute(name),
        };
        let mut columns: Vec<Attribute> = self.keys.iter().enumerate().map(key).collect();
        if self.published.value() {
            columns.push(self.attribute(&self.sensitive));
        }
        if self.published.category() {
            let name = category_name(&self.sensitive);
            columns.push(Attribute::plain(&name, pg_sys::INT4OID));
        }
        let others = self.keep.iter().chain(&self.table.strata);
        columns.extend(others.map(|name| self.attribute(name)));
        columns
    }

    /// The columns that an attacker may know.
    pub fn known(&self) -> Vec<String> {
        [&self.keys[..], &self.table.strata].concat()
    }

    /// Every row with what its group shows of the keys.
    pub fn write(
        &self,
        rows: &KeptRows,
        categories: &SensitivityCategories,
        partition: &Partition,
        masks: &Masks<'_>,
        watch: &mut Watch,
    ) -> TupleStore {
        let masked = TupleStore::new(&self.columns());
        let (keys, codes) = (self.keys.len(), rows.sensitive[0].codes());
        watch.start(Phase::Writing, partition.rows() as u64);
        rows.replay(watch, |row, cells| {
            let group = partition.group_of()[row] as usize;
            let mut shown: Vec<Cell> = masks.iter().map(|mask| mask[group]).collect();
            shown.extend(self.published.value().then_some(cells[keys]));
            if self.published.category() {
                let category = categories.of(codes[row]) as i32 + 1;
                shown.push(Cell::of(Some(category)));
            }
            let others = self.keep.len() + self.table.strata.len();
            shown.extend_from_slice(&cells[keys + 1..][..others]);
            masked.push(&shown);
        });
        masked
    }

    /// What the release achieves, by the column that it shows.
    pub fn verify(&self, target: &Target, required: Requirements) -> Value {
        let (column, categories) = self.published.shown(&self.sensitive, &self.categories);
        promise_check::verify_with(target, &self.known(), &[column], required, Some(categories))
    }
}

/// The name of the column of categories.
pub fn category_name(sensitive: &str) -> String {
    format!("{sensitive}{SUFFIX}")
}

/// For each key the value that each group shows.
type Masks<'a> = Vec<Vec<Cell<'a>>>;
