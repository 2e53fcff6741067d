//! `sdc.publish_mondrian`: local recoding as a release.

use crate::assign::mondrian::cut_order;
use crate::check::Requirements;
use crate::generalize::{GroupEnds, KeyColumn, Keys, read_ends, recode, sets};
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{self, Failure, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, Relation};
use crate::pg::statements;
use crate::pg::tuple_store::TupleStore;
use crate::read::arguments::count;
use crate::read::named_arguments::NamedArguments;
use crate::read::points::Points;
use crate::read::relation::Source;
use crate::read::source_rows::KeptRows;
use crate::release::closeness_left::require_closeness;
use crate::release::release_columns::ReleaseColumns;
use crate::release::sensitive_models::{self, SensitiveModels, person_values};
use crate::release::{
    Entry, ReleaseMethod, Target, create_table, promise_check, register, trial_attack,
};
use pgrx::pg_sys::Datum;
use sdc_engine::assign::{Cutting, cut_apart};
use sdc_engine::measure::ncp;
use sdc_engine::{Column, Monitor, Partition, Phase, Result, Table};
use serde_json::{Value, json};

fn publish_mondrian(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required::<Relation>("source").0);
    let target = register::begin_compared(&source, &arguments);
    let release = RecodedRelease::new(source, &arguments);
    let required = sensitive_models::required(&arguments, &release.columns.sensitive);
    let mut watch = Watch::new(Some(release.columns.source.oid));
    let mut rows = KeptRows::read(&release.columns.selection(), &mut watch);
    release.columns.source.refuse_no_rows(rows.rows);
    rows.warn_of_ranges();
    let strict = arguments.required("strict");
    let partition = release.group(&mut rows, required, strict, &mut watch);
    let counted = release.count_persons(&rows, &partition, required);
    // dates and intervals are written alike whatever the session's style
    let styles = [(c"datestyle", c"ISO, YMD"), (c"intervalstyle", c"postgres")];
    let shown = statements::under(&styles, || release.show(&rows, &partition, &mut watch));
    let masked = release.mask(&rows, &partition, &shown, &mut watch);
    let (published, suppressed) = (rows.rows as u64, rows.suppressed() as u64);
    drop(rows);
    create_table(&target, &release.attributes(), &masked);
    let achieved = release.verify(&target, required, suppressed > 0);
    let losses: Vec<f64> = shown.iter().map(|shown| shown.loss).collect();
    let keys = &release.columns.keys;
    let entry = Entry {
        achieved: promise_check::by_persons(achieved, counted),
        source: &release.columns.source,
        target: &target,
        method: ReleaseMethod::Mondrian,
        parameters: release.parameters(&arguments),
        rows: published,
        groups: partition.groups() as u64,
        suppressed,
        loss: json!({
            "ncp": losses.iter().sum::<f64>() / losses.len() as f64,
            "columns": register::by_name(keys, losses.iter().map(|loss| 100.0 * loss).collect()),
        }),
    };
    trial_attack::answer(&arguments, entry.register_compared(&arguments))
}

v1! {
    sdc_publish_mondrian, pg_finfo_sdc_publish_mondrian => publish_mondrian;
}

/// What is published of a source.
struct RecodedRelease {
    columns: ReleaseColumns,
    /// keys that show a node of their hierarchy instead of a set
    hierarchies: Option<Keys>,
}

/// What groups show of a key, and what its cells lose on average, 0 to 1.
struct ShownKey {
    labels: Vec<Cell<'static>>,
    loss: f64,
}

impl RecodedRelease {
    fn new(source: Source, arguments: &NamedArguments<'_>) -> Self {
        let columns = ReleaseColumns::new(source, arguments);
        // labels may name hierarchies of numbers, which are cut by value
        let hierarchies: Option<Json> = arguments.given("hierarchies");
        let hierarchies = hierarchies.map(|hierarchies| Keys::new(&columns.source, &hierarchies));
        let mut named = hierarchies.iter().flat_map(|keys| &keys.names);
        if let Some(name) = named.find(|name| !columns.keys.contains(name)) {
            Failure::invalid(format!(
                "hierarchies names \"{name}\", which is not in keys"
            ))
            .hint("Add the column to keys, or leave its hierarchy out.")
            .raise();
        }
        RecodedRelease {
            columns,
            hierarchies,
        }
    }

    /// The number of a key's hierarchy, if it has one.
    fn hierarchy(&self, key: usize) -> Option<usize> {
        let mut names = self.hierarchies.iter().flat_map(|keys| &keys.names);
        names.position(|name| *name == self.columns.keys[key])
    }

    /// Cuts rows, or persons as one point each, into groups. Rows of strata that cannot keep the
    /// promise are left out, if they may be.
    fn group(
        &self,
        rows: &mut KeptRows,
        required: Requirements,
        strict: bool,
        watch: &mut Watch,
    ) -> Partition {
        let p = count(required.p.unwrap_or(1), "p");
        let points = Points::of(rows, |persons, values, strata| {
            persons.representatives(values, strata, p)
        });
        let table = self.ordered(rows, &points);
        let (models, persons) = (SensitiveModels::new(rows), person_values(rows));
        let models = models.models_of_points(&persons, (required.l, required.t));
        let sensitive = known(models.columns(&points.sensitive));
        let conditions = models.conditions();
        let cutting = Cutting {
            k: count(required.k.unwrap_or(1), "k"),
            p,
            strict,
            conditions: &conditions,
        };
        if rows.strata.is_none() {
            models.refuse_infeasible(&sensitive);
        }
        let group = |chosen: Option<&[u32]>, monitor: &mut dyn Monitor| match chosen {
            None => cut_apart(&table, &sensitive, &cutting, monitor),
            Some(chosen) => {
                // conditions know values by their codes
                let columns = sensitive.iter().map(|column| column.pick(chosen));
                let columns = columns.collect::<Result<Vec<_>>>()?;
                let groups = cut_apart(&table.select(chosen)?, &columns, &cutting, monitor)?;
                models.require(&columns).map(|()| groups)
            }
        };
        points.group(rows, self.columns.table.max_suppressed, group, watch)
    }

    /// The keys with their values in the order in which they are cut.
    fn ordered(&self, rows: &KeptRows, points: &Points) -> Table {
        let order = |(key, column): (usize, &Column)| {
            let column = errors::engine(column.try_clone(), rows.names());
            let number = self.hierarchy(key);
            let table = self.hierarchies.as_ref().zip(number);
            let table = table.map(|(keys, number)| &keys.hierarchies[number]);
            cut_order(column, rows.decoder(key), &rows.names().keys[key], table)
        };
        let columns = points.keys.columns().iter().enumerate();
        errors::engine(Table::new(columns.map(order).collect()), rows.names())
    }

    /// What groups achieve counted by persons, where the call tells them apart.
    fn count_persons(
        &self,
        rows: &KeptRows,
        partition: &Partition,
        required: Requirements,
    ) -> Option<Value> {
        let least = |required: Option<i32>| count(required.unwrap_or(1), "k");
        let counted =
            promise_check::verify_persons(rows, partition, least(required.k), least(required.p))?;
        if counted["l"].as_f64() < required.l {
            Failure::internal("the release fails its own promise of l by persons").raise();
        }
        Some(counted)
    }

    /// Checks the table against what is promised of its rows. l counts persons, where these are
    /// told apart.
    fn verify(&self, target: &Target, required: Requirements, suppressed: bool) -> Value {
        let (keys, sensitive) = (self.columns.known(), &self.columns.sensitive);
        if let Some(t) = required.t.filter(|_| suppressed) {
            require_closeness(target, &keys, sensitive, t);
        }
        let by_rows = Requirements {
            l: required.l.filter(|_| self.columns.table.entity.is_none()),
            ..required
        };
        promise_check::verify(target, &keys, sensitive, by_rows)
    }

    /// What each group shows of each key.
    fn show(&self, rows: &KeptRows, partition: &Partition, watch: &mut Watch) -> Vec<ShownKey> {
        watch.start(Phase::Writing, rows.rows as u64);
        let numeric = |(key, column): (usize, &Column)| match column {
            Column::Numeric(values) => {
                let typ = rows.key_type(key);
                Some(GroupEnds::new(key, typ, values, partition))
            }
            Column::Categorical(_) => None,
        };
        let mut ends: Vec<GroupEnds> = rows.keys.iter().enumerate().filter_map(numeric).collect();
        read_ends(&mut ends, rows, partition, watch);
        let shown =
            (0..rows.keys.len()).map(|key| match ends.iter().find(|ends| ends.place == key) {
                Some(ends) => self.shown(rows, key, partition, ends.labels()),
                None => self.shown_category(rows, key, partition),
            });
        shown.collect()
    }

    /// A key with the labels of its groups and the certainty penalty of its cells.
    fn shown(
        &self,
        rows: &KeptRows,
        key: usize,
        partition: &Partition,
        labels: Vec<Cell<'static>>,
    ) -> ShownKey {
        let alone = errors::engine(rows.keys[key].try_clone(), rows.names());
        let alone = known(Table::new(vec![alone]));
        let loss = known(ncp(&alone, partition)) / partition.rows().max(1) as f64;
        ShownKey { labels, loss }
    }

    /// A node of its hierarchy, or a set.
    fn shown_category(&self, rows: &KeptRows, key: usize, partition: &Partition) -> ShownKey {
        let Column::Categorical(codes) = &rows.keys[key] else {
            Failure::internal("a numeric key without ends").raise()
        };
        let (typ, values) = (rows.key_type(key), rows.decoder(key));
        let Some((keys, number)) = self.hierarchies.as_ref().zip(self.hierarchy(key)) else {
            let labels = sets(codes, values, typ, partition);
            return self.shown(rows, key, partition, labels);
        };
        let column = KeyColumn {
            name: &self.columns.keys[key],
            typ,
            codes,
            values,
        };
        let recoded = recode(&keys.hierarchies[number], column, partition);
        ShownKey {
            labels: recoded.labels,
            loss: recoded.loss,
        }
    }

    /// The columns of the release: keys are text.
    fn attributes(&self) -> Vec<Attribute> {
        let keys = self.columns.keys.iter().map(|name| Attribute::text(name));
        let others = self.columns.attributes().into_iter();
        keys.chain(others.skip(self.columns.keys.len())).collect()
    }

    fn mask(
        &self,
        rows: &KeptRows,
        partition: &Partition,
        shown: &[ShownKey],
        watch: &mut Watch,
    ) -> TupleStore {
        let attributes = self.attributes();
        let masked = TupleStore::new(&attributes);
        rows.replay(watch, |row, cells| {
            let group = partition.group_of()[row] as usize;
            let keys = shown.iter().map(|shown| shown.labels[group]);
            // behind them stands who a row is about, which is not published
            let others = cells[shown.len()..attributes.len()].iter().copied();
            masked.push(&keys.chain(others).collect::<Vec<Cell>>());
        });
        masked
    }

    /// The call as the register keeps it.
    fn parameters(&self, arguments: &NamedArguments<'_>) -> Value {
        let mut parameters = self.columns.parameters(arguments.required("k"));
        parameters["p"] = json!(arguments.required::<i32>("p"));
        parameters["strict"] = json!(arguments.required::<bool>("strict"));
        sensitive_models::record(arguments, &mut parameters);
        if let Some(hierarchies) = arguments.given::<Json>("hierarchies") {
            parameters["hierarchies"] = hierarchies.0;
        }
        parameters
    }
}
