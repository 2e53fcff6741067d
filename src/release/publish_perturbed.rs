//! `sdc.publish_perturbed`: columns perturbed once and frozen. Drawn anew at each query, the
//! changes could be averaged out.

use crate::perturb::{Perturbation, perturb_categories, perturb_numbers};
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{Failure, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::randomness;
use crate::pg::sql_types::{Json, NameList};
use crate::pg::tuple_store::TupleStore;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::TableOptions;
use crate::release::{Entry, ReleaseMethod, create_table, register, trial_attack};
use pgrx::pg_sys::Datum;
use sdc_engine::measure::utility::{il1s, sorted, summary};
use sdc_engine::{Column, Monitor, Phase};
use serde_json::{Map, Value, json};

fn publish_perturbed(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let (source, target) = register::begin(&arguments);
    let methods: Json = arguments.required("methods");
    let keep = arguments.required::<NameList>("keep").0;
    let release = PerturbedRelease::new(&source, &methods, keep);
    let mut watch = Watch::new(Some(source.oid));
    let rows = KeptRows::read(&release.selection(&source), &mut watch);
    source.refuse_no_rows(rows.rows);
    let changed = release.perturb(&rows, arguments.given("seed"), &mut watch);
    let loss = release.loss(&rows, &changed);
    let attributes = release.attributes(&source);
    let masked = TupleStore::new(&attributes);
    release.write(&rows, &changed, &masked, &mut watch);
    let count = rows.rows as u64;
    drop(changed);
    drop(rows);
    create_table(&target, &attributes, &masked);
    let entry = Entry {
        source: &source,
        target: &target,
        method: ReleaseMethod::Perturbation,
        parameters: json!({ "methods": methods.0, "keep": release.keep }),
        rows: count,
        groups: 0,
        suppressed: 0,
        achieved: json!({}),
        loss,
    };
    trial_attack::answer(&arguments, entry.register())
}

v1! {
    sdc_publish_perturbed, pg_finfo_sdc_publish_perturbed => publish_perturbed;
}

/// Which columns are changed and how.
struct PerturbedRelease {
    /// those that are numbers to their method, then the others
    numeric: Vec<(String, Perturbation)>,
    compared: Vec<(String, Perturbation)>,
    keep: Vec<String>,
    options: TableOptions,
}

/// What columns become: numbers, or codes of values.
struct ChangedColumns {
    numeric: Vec<Vec<f64>>,
    compared: Vec<Vec<u32>>,
}

impl PerturbedRelease {
    /// Only the named columns are read, so that identifiers cannot slip through.
    fn new(source: &Source, methods: &Json, keep: Vec<String>) -> Self {
        let Some(methods) = methods.0.as_object().filter(|methods| !methods.is_empty()) else {
            Failure::invalid("methods must be a JSON object of columns and methods")
                .hint(r#"For example {"age": {"method": "rank_swap", "percent": 5}}."#)
                .raise()
        };
        let names: Vec<String> = methods.keys().cloned().collect();
        relation::refuse_overlap(("methods", &names), ("keep", &keep));
        source.columns("methods", &names);
        let parsed = names.into_iter().map(|name| {
            let method = Perturbation::parse(&name, &methods[&name]);
            (name, method)
        });
        let (numeric, compared) = parsed.partition(|(_, method)| method.is_numeric());
        PerturbedRelease {
            numeric,
            compared,
            keep,
            options: TableOptions::default(),
        }
    }

    fn names(&self) -> Vec<String> {
        let changed = self.numeric.iter().chain(&self.compared);
        let changed = changed.map(|(name, _)| name.clone());
        changed.chain(self.keep.iter().cloned()).collect()
    }

    fn selection<'a>(&'a self, source: &'a Source) -> Selection<'a> {
        let (numeric, compared) = (self.numeric.len(), self.compared.len());
        let columns = source.columns("keep", &self.names());
        Selection::new(source, columns, numeric, compared, &self.options)
    }

    fn attributes(&self, source: &Source) -> Vec<Attribute> {
        let names = self.names();
        let attributes = names.iter().filter_map(|name| source.attribute(name));
        attributes.cloned().collect()
    }

    fn perturb(&self, rows: &KeptRows, seed: Option<i64>, watch: &mut Watch) -> ChangedColumns {
        let mut rng = randomness::generator(seed);
        let numbers: Vec<&[f64]> = rows.keys.iter().zip(&self.numeric).map(numbers).collect();
        let mut numeric: Vec<Vec<f64>> = vec![Vec::new(); numbers.len()];
        for (place, (_, method)) in self.numeric.iter().enumerate() {
            if !numeric[place].is_empty() {
                continue;
            }
            // columns with the same share of noise get it together
            let alike = (place..numbers.len()).filter(|&other| self.numeric[other].1 == *method);
            let alike: Vec<usize> = alike.collect();
            let columns: Vec<&[f64]> = alike.iter().map(|&other| numbers[other]).collect();
            let changed = perturb_numbers(*method, &columns, &mut rng, watch);
            for (other, changed) in alike.into_iter().zip(changed) {
                numeric[other] = changed;
            }
        }
        let columns = self
            .compared
            .iter()
            .zip(&rows.sensitive)
            .zip(&rows.sensitive_values);
        let compared = columns.map(|(((_, method), codes), values)| {
            perturb_categories(*method, codes, values, &mut rng, watch)
        });
        ChangedColumns {
            compared: compared.collect(),
            numeric,
        }
    }

    fn write(
        &self,
        rows: &KeptRows,
        changed: &ChangedColumns,
        masked: &TupleStore,
        watch: &mut Watch,
    ) {
        watch.start(Phase::Writing, rows.rows as u64);
        let first_kept = self.numeric.len() + self.compared.len();
        rows.replay(watch, |row, cells| {
            let numbers = (0..).zip(&changed.numeric);
            let numbers = numbers.map(|(key, column)| rows.number(key, column[row]));
            let codes = changed.compared.iter().zip(&rows.sensitive_values);
            let codes = codes.map(|(column, values)| values.category(column[row]));
            let kept = cells[first_kept..].iter().copied();
            masked.push(&numbers.chain(codes).chain(kept).collect::<Vec<Cell>>());
        });
    }

    /// For each column what it loses in percent: of cells that differ, and for numbers the mean
    /// distance in standard deviations.
    fn loss(&self, rows: &KeptRows, changed: &ChangedColumns) -> Value {
        let percent = |differ: usize| 100.0 * differ as f64 / rows.rows.max(1) as f64;
        let (mut columns, mut distances) = (Map::new(), Map::new());
        for ((key, (name, _)), after) in rows.keys.iter().zip(&self.numeric).zip(&changed.numeric) {
            let before = numbers((key, &(name.clone(), Perturbation::Noise(0.0))));
            let pairs = before.iter().zip(after);
            let differ = pairs.filter(|(a, b)| a != b && !a.is_nan()).count();
            columns.insert(name.clone(), json!(percent(differ)));
            if summary(&known(sorted(before))).is_some_and(|summary| summary.sd > 0.0) {
                let distance = known(il1s(before, after)) / rows.rows.max(1) as f64;
                distances.insert(name.clone(), json!(distance));
            }
        }
        for (((name, _), before), after) in self
            .compared
            .iter()
            .zip(&rows.sensitive)
            .zip(&changed.compared)
        {
            let differ = before.codes().iter().zip(after).filter(|(a, b)| a != b);
            columns.insert(name.clone(), json!(percent(differ.count())));
        }
        json!({ "columns": columns, "il1s": distances })
    }
}

/// The numbers of a column that a method takes as such.
fn numbers<'a>((column, (name, _)): (&'a Column, &(String, Perturbation))) -> &'a [f64] {
    match column {
        Column::Numeric(values) => values,
        Column::Categorical(_) => Failure::new(
            pgrx::PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
            format!("column \"{name}\" does not hold numbers, dates or timestamps"),
        )
        .hint("Use rank_swap or pram for it.")
        .raise(),
    }
}
