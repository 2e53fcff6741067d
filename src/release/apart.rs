//! What anatomy and permutation share: keys and sensitive values are published in two tables
//! that only the group number links, and a view that joins them.

use crate::pg::composite::Attribute;
use crate::pg::errors::{self, Failure, known};
use crate::pg::memory;
use crate::pg::progress::{Interrupts, Watch};
use crate::pg::quoting::identifier;
use crate::pg::sql_types::{Name, NameList};
use crate::read::arguments::count;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::release::composition::Earlier;
use crate::release::read_back::{self, read_back};
use crate::release::{Entry, Release, ReleaseMethod, Target, register, replace};
use pgrx::prelude::*;
use sdc_engine::Partition;
use sdc_engine::model::{KAnonymity, LDiversity, PSensitivity, PrivacyModel, verdict};
use serde_json::{Value, json};

/// The columns that a release adds to those of the source.
pub const GROUP: &str = "grp";
pub const COUNT: &str = "count";
pub const WEIGHT: &str = "weight";

/// A call that publishes keys and sensitive values apart.
pub struct Apart {
    pub source: Source,
    pub target: Target,
    pub keys: Vec<String>,
    pub sensitive: String,
    pub l: usize,
    nulls: Nulls,
    pub earlier: Vec<Earlier>,
}

/// What to make of NULL in the sensitive column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Value,
    Error,
}

/// What a release shows: its tables, and what is known of its groups.
pub struct ApartLayout<'a> {
    pub method: ReleaseMethod,
    /// what the method takes beside the common parameters
    pub options: Value,
    pub partition: &'a Partition,
    /// the table of keys
    pub keys: &'a Target,
    /// a query of (grp, value, its rows) over the table of sensitive values
    pub values: String,
}

impl Apart {
    pub fn new(arguments: &NamedArguments<'_>) -> Self {
        let keys = arguments.required::<NameList>("keys").0;
        let sensitive = arguments.required::<Name>("sensitive").0;
        let (source, target) = register::begin(arguments);
        relation::refuse_empty("keys", &keys);
        source.columns("keys", &keys);
        source.columns("sensitive", std::slice::from_ref(&sensitive));
        relation::refuse_overlap(
            ("keys", &keys),
            ("sensitive", std::slice::from_ref(&sensitive)),
        );
        keys.iter()
            .chain([&sensitive])
            .for_each(|name| refuse_reserved(name));
        Apart {
            earlier: Earlier::of(&source, &keys, &sensitive),
            nulls: Nulls::new(&arguments.required::<String>("nulls")),
            l: at_least_2(arguments.required("l")),
            source,
            target,
            keys,
            sensitive,
        }
    }

    /// The names of the two tables; something of these names is an error, unless it is to be
    /// replaced.
    pub fn tables(&self, method: ReleaseMethod) -> [Target; 2] {
        replace::tables_apart(&self.target, method)
    }

    /// Reads the named columns, and the keys of earlier releases, which an attacker may know
    /// too. Keys are read as numbers only where the method looks at them.
    pub fn read(&self, numbers: bool, watch: &mut Watch) -> KeptRows {
        let known = if self.earlier.is_empty() {
            Vec::new()
        } else {
            self.known()
        };
        let mut names: Vec<&String> = self.keys.iter().chain([&self.sensitive]).collect();
        names.extend(known.iter().filter(|name| !self.keys.contains(name)));
        let place = |name: &String| names.iter().position(|other| *other == name).unwrap_or(0);
        let mut sensitive = vec![self.keys.len()];
        sensitive.extend(known.iter().map(place));
        let columns: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let selection = Selection {
            source: &self.source,
            columns: self.source.columns("keys", &columns),
            keys: (0..if numbers { self.keys.len() } else { 0 }).collect(),
            sensitive,
        };
        let rows = KeptRows::read(&selection, watch);
        // an estimate of what is needed at the very end, before any work is done
        memory::room(rows.rows * read_back::BYTES_PER_ROW);
        self.refuse_rows(&rows);
        rows
    }

    /// The columns that an attacker may know: all keys of this and of earlier releases.
    pub fn known(&self) -> Vec<String> {
        let mut known = self.keys.clone();
        for name in self.earlier.iter().flat_map(|earlier| &earlier.keys) {
            if !known.contains(name) {
                known.push(name.clone());
            }
        }
        known
    }

    fn refuse_rows(&self, rows: &KeptRows) {
        self.source.refuse_no_rows(rows.rows);
        if self.nulls == Nulls::Error && rows.sensitive_values[0].holds_null() {
            errors::null_key(&format!("column \"{}\"", self.sensitive)).raise();
        }
    }

    /// The published columns of the source, under their own names.
    pub fn attributes(&self, names: &[String]) -> Vec<Attribute> {
        let places = self.source.columns("keys", names);
        let attribute = |place: usize| self.source.attributes[place].clone();
        places.into_iter().map(attribute).collect()
    }

    /// The keys' and the sensitive column's names for generated SQL, with their tables' aliases.
    pub fn columns(&self, keys: &str, values: &str) -> String {
        let key = |name: &String| format!("{keys}.{}", identifier(name));
        let mut columns: Vec<String> = self.keys.iter().map(key).collect();
        columns.push(format!("{values}.{}", identifier(&self.sensitive)));
        columns.join(", ")
    }

    /// Checks what was written against its promise, and enters it in the register.
    pub fn register(
        self,
        shape: ApartLayout,
        rows: &mut KeptRows,
        loss: Value,
        watch: &mut Watch,
    ) -> Release {
        let achieved = self.verify(&shape);
        let shrunk = crate::release::composition::shrunk(&self, &shape, rows, watch);
        let entry = Entry {
            source: &self.source,
            target: &self.target,
            method: shape.method,
            parameters: self.parameters(shape.options),
            rows: shape.partition.rows() as u64,
            groups: shape.partition.groups() as u64,
            suppressed: 0,
            achieved,
            loss,
        };
        entry.register_with(shrunk)
    }

    fn parameters(&self, options: Value) -> Value {
        let nulls = match self.nulls {
            Nulls::Value => "value",
            Nulls::Error => "error",
        };
        let mut parameters = json!({
            "keys": self.keys, "sensitive": self.sensitive, "l": self.l, "nulls": nulls,
        });
        if let (Some(all), Value::Object(options)) = (parameters.as_object_mut(), options) {
            all.extend(options);
        }
        parameters
    }

    /// Looks at the tables as they stand: every group l-diverse, and as large in one as in the
    /// other.
    fn verify(&self, shape: &ApartLayout) -> Value {
        let sensitive = &self.attributes(std::slice::from_ref(&self.sensitive))[0];
        let size = (shape.partition.rows(), shape.partition.groups());
        let tally = read_back(shape.keys, &shape.values, sensitive, size);
        let worst = |model: &dyn PrivacyModel, column| {
            let found = known(verdict(model, &tally, column, None, &mut Interrupts));
            found.actual.unwrap_or(0.0)
        };
        let l = worst(&LDiversity, Some(0));
        if tally.rows() != shape.partition.rows() as u64 || !LDiversity.holds(l, self.l as f64) {
            Failure::internal("the release fails its own promise of l-diversity").raise();
        }
        // exact keys are published: how large groups are promises nobody k others of the same keys
        let (size, p) = (worst(&KAnonymity, None), worst(&PSensitivity, Some(0)));
        json!({ "group_size": size as i64, "p": p as i64, "l": l })
    }
}

impl Nulls {
    fn new(text: &str) -> Self {
        match text {
            "value" => Nulls::Value,
            "error" => Nulls::Error,
            _ => Failure::invalid(format!("nulls must be 'value' or 'error', not \"{text}\""))
                .hint("'value' takes NULL as a sensitive value like any other.")
                .raise(),
        }
    }
}

fn at_least_2(l: i32) -> usize {
    if l < 2 {
        Failure::invalid(format!("l must be at least 2, not {l}"))
            .hint("With l = 1 the release would show whose value is whose.")
            .raise();
    }
    count(l, "l")
}

fn refuse_reserved(name: &str) {
    if [GROUP, COUNT, WEIGHT].contains(&name) {
        Failure::new(
            PgSqlErrorCode::ERRCODE_DUPLICATE_COLUMN,
            format!("a release has a column \"{name}\" of its own"),
        )
        .hint("Publish a view of the source in which the column has another name.")
        .raise();
    }
}
