//! What a (p+,alpha)-sensitive release shows: keys masked or generalized, and the category of
//! the sensitive value in its place or beside it.

use super::{Target, register};
use crate::check::Requirements;
use crate::errors::Failure;
use crate::generalization::{KeyColumn, Keys, Recoded, recode};
use crate::progress::Watch;
use crate::record::Attribute;
use crate::row_store::RowStore;
use crate::rows::{KeptRows, Selection};
use crate::sensitivity;
use crate::source::{self, Source};
use crate::sql_types::Json;
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use sdc_engine::model::SensitivityCategories;
use sdc_engine::{Monitor, Partition, Phase};
use serde_json::Value;

/// What the column of categories adds to the sensitive column's name.
const SUFFIX: &str = "_category";

/// What stands in the place of the sensitive column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Published {
    Category,
    Value,
    Both,
}

impl Published {
    pub fn named(name: &str) -> Self {
        match name {
            "category" => Published::Category,
            "value" => Published::Value,
            "both" => Published::Both,
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
            Published::Category => (category_name(sensitive), numbers.collect()),
            _ => (sensitive.to_string(), categories.to_vec()),
        }
    }

    fn value(self) -> bool {
        self != Published::Category
    }

    fn category(self) -> bool {
        self != Published::Value
    }
}

/// What is published of a source.
pub struct Publication {
    pub source: Source,
    pub keys: Vec<String>,
    sensitive: String,
    keep: Vec<String>,
    categories: Vec<Vec<String>>,
    published: Published,
    /// keys that are generalized instead of averaged
    recoded: Option<Keys>,
}

impl Publication {
    pub fn new(
        source: Source,
        (keys, sensitive, keep): (Vec<String>, String, Vec<String>),
        categories: Vec<Vec<String>>,
        published: Published,
        hierarchies: Option<Json>,
    ) -> Self {
        source::refuse_empty("keys", &keys);
        let one = std::slice::from_ref(&sensitive);
        source::refuse_overlap(("keys", &keys), ("sensitive", one));
        source::refuse_overlap(("keys", &keys), ("keep", &keep));
        source::refuse_overlap(("sensitive", one), ("keep", &keep));
        sensitivity::require_two(&categories);
        let recoded = hierarchies.map(|hierarchies| Keys::new(&source, &hierarchies));
        let publication = Publication {
            source,
            keys,
            sensitive,
            keep,
            categories,
            published,
            recoded,
        };
        publication.refuse_names();
        publication
    }

    /// Refuses a hierarchy of something that is no key, and a column of categories whose name
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
        let mut sensitive = vec![self.keys.len()];
        sensitive.extend(self.recoded_places());
        Selection {
            source: &self.source,
            columns,
            keys: (0..self.keys.len()).collect(),
            sensitive,
        }
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
        let datums = (0..values.values() as u32).map(|code| values.category(code));
        let typ = self.attribute(&self.sensitive).typ;
        sensitivity::classify(typ, datums, &self.categories)
    }

    /// For each key the value that each group shows; generalized keys, and what those lose on
    /// average, where they have a hierarchy.
    pub fn masks(&self, rows: &KeptRows, partition: &Partition) -> (Masks, Vec<Option<f64>>) {
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
            true => plain(name, pg_sys::TEXTOID, pg_sys::DEFAULT_COLLATION_OID),
            false => self.attribute(name),
        };
        let mut columns: Vec<Attribute> = self.keys.iter().enumerate().map(key).collect();
        if self.published.value() {
            columns.push(self.attribute(&self.sensitive));
        }
        if self.published.category() {
            let name = category_name(&self.sensitive);
            columns.push(plain(&name, pg_sys::INT4OID, pg_sys::InvalidOid));
        }
        columns.extend(self.keep.iter().map(|name| self.attribute(name)));
        columns
    }

    /// Every row with what its group shows of the keys.
    pub fn write(
        &self,
        rows: &KeptRows,
        categories: &SensitivityCategories,
        partition: &Partition,
        masks: &Masks,
        watch: &mut Watch,
    ) -> RowStore {
        let masked = RowStore::new(&self.columns());
        let (keys, codes) = (self.keys.len(), rows.sensitive[0].codes());
        let mut shown = (Vec::new(), Vec::new());
        watch.start(Phase::Writing, partition.rows() as u64);
        rows.replay(watch, |row, values, nulls| {
            let group = partition.group_of()[row] as usize;
            shown.0.clear();
            shown.1.clear();
            let mut show = |value: Datum, null: bool| {
                shown.0.push(value);
                shown.1.push(null);
            };
            for mask in masks {
                show(
                    mask[group].unwrap_or(Datum::from(0usize)),
                    mask[group].is_none(),
                );
            }
            if self.published.value() {
                show(values[keys], nulls[keys]);
            }
            if self.published.category() {
                show(Datum::from(categories.of(codes[row]) as i32 + 1), false);
            }
            for place in keys + 1..values.len() {
                show(values[place], nulls[place]);
            }
            // SAFETY: the values are of the types of `columns`, in their order.
            unsafe { masked.push(&shown.0, &shown.1) };
        });
        masked
    }

    /// What the release achieves, by the column that it shows.
    pub fn verify(&self, target: &Target, required: Requirements) -> Value {
        let (column, categories) = self.published.shown(&self.sensitive, &self.categories);
        register::verify_with(target, &self.keys, &[column], required, Some(categories))
    }
}

/// The name of the column of categories.
fn category_name(sensitive: &str) -> String {
    format!("{sensitive}{SUFFIX}")
}

/// For each key the value that each group shows.
type Masks = Vec<Vec<Option<Datum>>>;

/// A column that is not the source's.
fn plain(name: &str, typ: pg_sys::Oid, collation: pg_sys::Oid) -> Attribute {
    Attribute {
        name: name.into(),
        typ,
        typmod: -1,
        collation,
        dropped: false,
    }
}
