//! `sdc.publish_perturbed`: columns perturbed once and frozen. Drawn again at each query, the
//! changes could be averaged out.

use crate::perturb::{Perturbation, PerturbedPart};
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{Failure, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::memory;
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
use sdc_engine::random::Generator;
use sdc_engine::{Column, Monitor, Partition, PersonRows, Phase};
use serde_json::{Map, Value, json};

fn publish_perturbed(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let (source, target) = register::begin(&arguments);
    let methods: Json = arguments.required("methods");
    let release = PerturbedRelease::new(&source, &methods, &arguments);
    let mut watch = Watch::new(Some(source.oid));
    let rows = KeptRows::read(&release.selection(&source), &mut watch);
    source.refuse_no_rows(rows.rows);
    let changed = release.perturb(&rows, arguments.given("seed"), &mut watch);
    let loss = release.loss(&rows, &changed);
    let attributes = release.attributes(&source);
    let masked = TupleStore::new(&attributes);
    release.write(&rows, &changed, &masked, &mut watch);
    let (count, persons) = (rows.rows as u64, rows.persons.as_ref().map(PersonRows::len));
    drop(changed);
    drop(rows);
    create_table(&target, &attributes, &masked);
    let mut parameters = json!({ "methods": methods.0, "keep": release.keep });
    release.options.record(&mut parameters);
    let entry = Entry {
        source: &source,
        target: &target,
        method: ReleaseMethod::Perturbation,
        parameters,
        rows: count,
        groups: 0,
        suppressed: 0,
        achieved: persons.map_or_else(|| json!({}), |persons| json!({ "persons": persons })),
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

impl ChangedColumns {
    /// The columns as they are.
    fn new(rows: &KeptRows) -> Self {
        let numeric = rows.keys.iter().map(|column| match column {
            Column::Numeric(values) => memory::collected(values.iter().copied()),
            Column::Categorical(_) => Vec::new(),
        });
        let compared = rows.sensitive.iter();
        let compared = compared.map(|column| memory::collected(column.codes().iter().copied()));
        ChangedColumns {
            numeric: numeric.collect(),
            compared: compared.collect(),
        }
    }

    /// Takes what some rows become.
    fn take(&mut self, rows: &[u32], part: &ChangedColumns) {
        for (all, part) in self.numeric.iter_mut().zip(&part.numeric) {
            let changed = rows.iter().zip(part);
            changed.for_each(|(&row, value)| all[row as usize] = *value);
        }
        for (all, part) in self.compared.iter_mut().zip(&part.compared) {
            let changed = rows.iter().zip(part);
            changed.for_each(|(&row, code)| all[row as usize] = *code);
        }
    }
}

impl PerturbedRelease {
    /// Only the named columns are read, so that identifiers cannot slip through.
    fn new(source: &Source, methods: &Json, arguments: &NamedArguments<'_>) -> Self {
        let keep = arguments.required::<NameList>("keep").0;
        let options = TableOptions::of(arguments);
        let Some(methods) = methods.0.as_object().filter(|methods| !methods.is_empty()) else {
            Failure::invalid("methods must be a JSON object of columns and methods")
                .hint(r#"For example {"age": {"method": "rank_swap", "percent": 5}}."#)
                .raise()
        };
        let names: Vec<String> = methods.keys().cloned().collect();
        relation::refuse_overlap(("methods", &names), ("keep", &keep));
        source.columns("methods", &names);
        options.refuse_names(source, &[], &[("methods", &names), ("keep", &keep)]);
        let parsed = names.into_iter().map(|name| {
            let method = Perturbation::parse(&name, &methods[&name]);
            (name, method)
        });
        let (numeric, compared) = parsed.partition(|(_, method)| method.is_numeric());
        PerturbedRelease {
            numeric,
            compared,
            keep,
            options,
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
        let names = [&self.names()[..], &self.options.strata].concat();
        let attributes = names.iter().filter_map(|name| source.attribute(name));
        attributes.cloned().collect()
    }

    /// Perturbs all rows together, or those of each stratum.
    fn perturb(&self, rows: &KeptRows, seed: Option<i64>, watch: &mut Watch) -> ChangedColumns {
        let mut rng = randomness::generator(seed);
        let Some(strata) = &rows.strata else {
            let all = memory::collected(0..rows.rows as u32);
            return self.perturb_part(rows, &all, &mut rng, watch);
        };
        let codes = memory::collected(strata.codes().iter().copied());
        let strata = known(Partition::new(codes, strata.cardinality()).and_then(|s| s.members()));
        let mut changed = ChangedColumns::new(rows);
        for stratum in strata.iter() {
            let part = self.perturb_part(rows, stratum, &mut rng, watch);
            changed.take(stratum, &part);
        }
        changed
    }

    fn perturb_part(
        &self,
        rows: &KeptRows,
        chosen: &[u32],
        rng: &mut Generator,
        watch: &mut Watch,
    ) -> ChangedColumns {
        let persons = rows.persons.as_ref();
        let part = PerturbedPart {
            persons: persons.map(|persons| known(persons.select(chosen))),
        };
        let columns = rows.sensitive.iter().zip(&rows.sensitive_values);
        let compared = self.compared.iter().zip(columns);
        // numbers first, as the seed has it
        let numeric = self.perturb_numeric(rows, chosen, &part, rng, watch);
        let compared = compared.map(|((_, method), (codes, values))| {
            part.categories(*method, &known(codes.pick(chosen)), values, rng, watch)
        });
        ChangedColumns {
            compared: compared.collect(),
            numeric,
        }
    }

    fn perturb_numeric(
        &self,
        rows: &KeptRows,
        chosen: &[u32],
        part: &PerturbedPart,
        rng: &mut Generator,
        watch: &mut Watch,
    ) -> Vec<Vec<f64>> {
        let numbers: Vec<&[f64]> = rows.keys.iter().zip(&self.numeric).map(numbers).collect();
        let mut numeric: Vec<Vec<f64>> = vec![Vec::new(); numbers.len()];
        for (place, (_, method)) in self.numeric.iter().enumerate() {
            if !numeric[place].is_empty() {
                continue;
            }
            // columns with the same share of noise get it together
            let alike = (place..numbers.len()).filter(|&other| self.numeric[other].1 == *method);
            let alike: Vec<usize> = alike.collect();
            let column = |&other: &usize| {
                memory::collected(chosen.iter().map(|&row| numbers[other][row as usize]))
            };
            let columns: Vec<Vec<f64>> = alike.iter().map(column).collect();
            for (&other, column) in alike.iter().zip(&columns) {
                part.warn_of_lone_tail(&self.numeric[other].0, *method, column);
            }
            let changed = part.numbers(*method, &columns, rng, watch);
            for (other, changed) in alike.into_iter().zip(changed) {
                numeric[other] = changed;
            }
        }
        numeric
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
        let shown = first_kept + self.keep.len() + self.options.strata.len();
        rows.replay(watch, |row, cells| {
            let numbers = (0..).zip(&changed.numeric);
            let numbers = numbers.map(|(key, column)| rows.number(key, column[row]));
            let codes = changed.compared.iter().zip(&rows.sensitive_values);
            let codes = codes.map(|(column, values)| values.category(column[row]));
            // behind them stands who a row is about, which is not published
            let kept = cells[first_kept..shown].iter().copied();
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
