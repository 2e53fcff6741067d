//! What anatomy and permutation share: keys and sensitive values are published in two tables
//! that only the group number links, and a view that joins them.

use crate::pg::composite::Attribute;
use crate::pg::errors::{self, Failure, known};
use crate::pg::memory::{self, collected};
use crate::pg::progress::{Interrupts, Watch};
use crate::pg::sql_types::{Name, NameList, Relation};
use crate::read::arguments::count;
use crate::read::named_arguments::NamedArguments;
use crate::read::points::group_rows;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::{Nulls, TableOptions};
use crate::release::composition::{self, Composition, Earlier};
use crate::release::read_back::{self, read_back};
use crate::release::sequence::Sequence;
use crate::release::signed_groups::SignedGroups;
use crate::release::weighted_view::WeightedView;
use crate::release::{Entry, Release, ReleaseMethod, Target, persons_left, register, replace};
use pgrx::prelude::*;
use sdc_engine::intersection::Shown;
use sdc_engine::model::{KAnonymity, LDiversity, PSensitivity, PrivacyModel, verdict};
use sdc_engine::random::Generator;
use sdc_engine::{Categories, Monitor, Partition, Result, assign};
use serde_json::{Value, json};

/// The columns that a release adds to those of the source.
pub const GROUP: &str = "grp";
pub const COUNT: &str = "count";
pub const WEIGHT: &str = "weight";

/// A call that publishes keys and sensitive values apart.
pub struct Apart {
    pub source: Source,
    pub target: Target,
    /// strata among them, which come last
    pub keys: Vec<String>,
    pub sensitive: String,
    pub l: usize,
    pub table: TableOptions,
    pub earlier: Vec<Earlier>,
    pub sequence: Option<Sequence>,
    composition: Composition,
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
    /// the sequence that the release belongs to
    pub signed: Option<&'a SignedGroups>,
    /// what earlier releases show
    pub earlier: Vec<Shown>,
}

impl Apart {
    pub fn new(arguments: &NamedArguments<'_>) -> Self {
        let mut keys = arguments.required::<NameList>("keys").0;
        let sensitive = arguments.required::<Name>("sensitive").0;
        let table = TableOptions::of(arguments);
        let source = Source::new(arguments.required::<Relation>("source").0);
        let target = register::begin_apart(&source, arguments);
        relation::refuse_empty("keys", &keys);
        source.columns("keys", &keys);
        let one = std::slice::from_ref(&sensitive);
        source.columns("sensitive", one);
        relation::refuse_overlap(("keys", &keys), ("sensitive", one));
        table.refuse_names(&source, &keys, &[("sensitive", one)]);
        keys.extend(table.strata.iter().cloned());
        keys.iter()
            .chain([&sensitive])
            .for_each(|name| refuse_reserved(name));
        let entity = table.entity.as_deref();
        let sequence = arguments
            .has("continues")
            .then(|| Sequence::of(arguments, &source, ReleaseMethod::Anatomy, entity))
            .flatten();
        let continued = sequence.as_ref().and_then(|sequence| sequence.first);
        Apart {
            earlier: Earlier::of(&source, &keys, &sensitive, continued),
            sequence,
            composition: Composition::of(arguments),
            l: at_least_2(arguments.required("l")),
            source,
            target,
            keys,
            sensitive,
            table,
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
        let mut columns = self.source.columns("keys", &columns);
        let shown = columns.len();
        columns.extend(self.source.columns("entity", self.table.entity.as_slice()));
        let keys = self.keys.len();
        let selection = Selection {
            source: &self.source,
            keys: (0..if numbers { keys } else { 0 }).collect(),
            sensitive,
            strata: (keys - self.table.strata.len()..keys).collect(),
            entity: (shown..columns.len()).collect(),
            shown,
            columns,
            options: &self.table,
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
        if self.table.nulls == Nulls::Error && rows.sensitive_values[0].holds_null() {
            errors::null_key(&format!("column \"{}\"", self.sensitive)).raise();
        }
    }

    /// The published columns of the source, under their own names.
    pub fn attributes(&self, names: &[String]) -> Vec<Attribute> {
        let places = self.source.columns("keys", names);
        let attribute = |place: usize| self.source.attributes[place].clone();
        places.into_iter().map(attribute).collect()
    }

    /// The query of the view over both tables.
    pub fn view(&self, method: ReleaseMethod, tables: [&Target; 2]) -> String {
        let view = WeightedView {
            method,
            keys: &self.keys,
            sensitive: &self.sensitive,
            tables: tables.map(Target::sql_name),
        };
        view.query()
    }

    /// Checks what was written against its promise, and enters it in the register.
    pub fn register(
        self,
        mut shape: ApartLayout,
        rows: &mut KeptRows,
        loss: Value,
        watch: &mut Watch,
    ) -> Release {
        let mut achieved = self.verify(&shape);
        if let Some(persons) = &rows.persons {
            // no group has two rows of one person: what counts rows of a group counts persons
            achieved["persons"] = json!(persons.len());
        }
        let promised = (self.l, self.composition);
        persons_left::judge(rows, shape.partition, promised, &mut achieved, watch);
        if let Some(signed) = shape.signed {
            signed.figures(&mut achieved);
        }
        let earlier = std::mem::take(&mut shape.earlier);
        let shrunk = composition::shrunk(&self, earlier, &shape, rows, watch);
        let suppressed = shape
            .signed
            .map_or(rows.suppressed(), SignedGroups::suppressed);
        let entry = Entry {
            source: &self.source,
            target: &self.target,
            method: shape.method,
            parameters: self.parameters(shape.options),
            rows: shape.partition.rows() as u64,
            groups: shape.partition.groups() as u64,
            suppressed: suppressed as u64,
            achieved,
            loss,
        };
        let values = &rows.sensitive_values[0];
        let remember = |sequence: &Sequence, id| {
            if let Some(signed) = shape.signed {
                signed.remember(sequence, id, values, watch);
            }
        };
        let found = (shrunk, self.composition);
        entry.register_in(self.sequence.as_ref(), found, remember)
    }

    /// Groups all rows, or those of each stratum, by a method. Rows of strata that are not
    /// eligible are left out of `rows`, if they may be.
    pub fn group(
        &self,
        rows: &mut KeptRows,
        mut method: impl FnMut(RowsApart<'_>, &mut dyn Monitor) -> Result<Partition>,
        watch: &mut Watch,
    ) -> Partition {
        let sensitive = known(rows.sensitive[0].try_clone());
        // rows are grouped, not persons: those of one person stay apart
        let persons = rows.persons.as_ref();
        let persons = persons.map(|persons| collected(persons.person_of().iter().copied()));
        let group = |chosen: Option<&[u32]>, monitor: &mut dyn Monitor| match chosen {
            None => {
                let apart = RowsApart {
                    numbers: None,
                    sensitive: &sensitive,
                    persons: persons.as_deref(),
                };
                method(apart, monitor)
            }
            Some(rows) => {
                let picked = persons
                    .as_ref()
                    .map(|persons| collected(rows.iter().map(|&row| persons[row as usize])));
                let apart = RowsApart {
                    numbers: Some(rows),
                    sensitive: &sensitive.select(rows)?,
                    persons: picked.as_deref(),
                };
                method(apart, monitor)
            }
        };
        group_rows(rows, self.table.max_suppressed, group, watch)
    }

    /// The order in which strata were grouped must not show.
    pub fn shuffled(&self, partition: Partition, generator: &mut Generator) -> Partition {
        match self.table.strata.is_empty() {
            true => partition,
            false => known(assign::shuffled(partition, generator)),
        }
    }

    /// The parameters as the register keeps them. What a sequence cannot continue is refused.
    pub fn parameters(&self, options: Value) -> Value {
        let mut parameters = json!({
            "keys": self.keys, "sensitive": self.sensitive, "l": self.l,
            "nulls": self.table.nulls.name(),
        });
        self.table.record(&mut parameters);
        if let (Some(all), Value::Object(options)) = (parameters.as_object_mut(), options) {
            all.extend(options);
        }
        if let Some(sequence) = &self.sequence {
            sequence.record(&mut parameters);
        }
        parameters
    }

    /// Looks at the tables as they stand: every group l-diverse, and as large in one as in the
    /// other.
    fn verify(&self, shape: &ApartLayout) -> Value {
        let sensitive = &self.attributes(std::slice::from_ref(&self.sensitive))[0];
        let size = (shape.partition.rows(), shape.partition.groups());
        let nobodys = shape
            .signed
            .map_or(Vec::new(), |signed| signed.nobodys(size.1));
        let counterfeits: u64 = nobodys.iter().sum();
        let tally = read_back(shape.keys, &shape.values, sensitive, size, &nobodys);
        let worst = |model: &dyn PrivacyModel, column| {
            let found = known(verdict(model, &tally, column, None, &mut Interrupts));
            found.actual.unwrap_or(0.0)
        };
        let l = worst(&LDiversity, Some(0));
        if tally.rows() != shape.partition.rows() as u64 + counterfeits
            || !LDiversity.holds(l, self.l as f64)
        {
            Failure::internal("the release fails its own promise of l-diversity").raise();
        }
        // exact keys are published: how large groups are promises nobody k others of the same keys
        let (size, p) = (worst(&KAnonymity, None), worst(&PSensitivity, Some(0)));
        json!({ "group_size": size as i64, "p": p as i64, "l": l })
    }
}

/// The rows that a method groups at once.
pub struct RowsApart<'a> {
    /// their numbers among all rows; `None` for all
    pub numbers: Option<&'a [u32]>,
    pub sensitive: &'a Categories,
    /// the person of each, where the call tells them apart
    pub persons: Option<&'a [u32]>,
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
