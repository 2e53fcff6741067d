//! `sdc.publish_mondrian`: local recoding as a release.

use crate::assign::mondrian::cut_order;
use crate::check::Requirements;
use crate::generalize::{GroupEnds, KeyColumn, Keys, read_ends, recode, sets};
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{self, Failure, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, NameList};
use crate::pg::statements;
use crate::pg::tuple_store::TupleStore;
use crate::read::arguments::count;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::TableOptions;
use crate::release::sensitive_models::SensitiveModels;
use crate::release::{Entry, ReleaseMethod, create_table, register, trial_attack};
use pgrx::pg_sys::Datum;
use sdc_engine::assign::{Cutting, cut_apart};
use sdc_engine::measure::ncp;
use sdc_engine::{Column, Monitor, Partition, Phase, Table};
use serde_json::{Value, json};

fn publish_mondrian(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let (source, target) = register::begin(&arguments);
    let release = RecodedRelease::new(source, &arguments);
    let required = release.required(&arguments);
    let mut watch = Watch::new(Some(release.source.oid));
    let rows = KeptRows::read(&release.selection(), &mut watch);
    release.source.refuse_no_rows(rows.rows);
    let partition = release.group(&rows, required, arguments.required("strict"), &mut watch);
    // dates are written alike whatever the session's style
    let iso = [(c"datestyle", c"ISO, YMD")];
    let shown = statements::under(&iso, || release.show(&rows, &partition, &mut watch));
    let masked = release.mask(&rows, &partition, &shown, &mut watch);
    let rows_published = rows.rows as u64;
    drop(rows);
    create_table(&target, &release.columns(), &masked);
    let losses: Vec<f64> = shown.iter().map(|shown| shown.loss).collect();
    let entry = Entry {
        achieved: register::verify(&target, &release.keys, &release.sensitive, required),
        source: &release.source,
        target: &target,
        method: ReleaseMethod::Mondrian,
        parameters: release.parameters(&arguments),
        rows: rows_published,
        groups: partition.groups() as u64,
        suppressed: 0,
        loss: json!({
            "ncp": losses.iter().sum::<f64>() / losses.len() as f64,
            "columns": register::by_name(&release.keys, losses.iter().map(|loss| 100.0 * loss).collect()),
        }),
    };
    trial_attack::answer(&arguments, entry.register())
}

v1! {
    sdc_publish_mondrian, pg_finfo_sdc_publish_mondrian => publish_mondrian;
}

/// What is published of a source.
struct RecodedRelease {
    source: Source,
    keys: Vec<String>,
    sensitive: Vec<String>,
    keep: Vec<String>,
    /// keys that show a node of their hierarchy instead of a set
    hierarchies: Option<Keys>,
    table: TableOptions,
}

/// What groups show of a key, and what its cells lose on average, 0 to 1.
struct ShownKey {
    labels: Vec<Cell<'static>>,
    loss: f64,
}

impl RecodedRelease {
    /// Only the named columns are read, so that identifiers cannot slip through.
    fn new(source: Source, arguments: &NamedArguments<'_>) -> Self {
        let names = |argument| arguments.required::<NameList>(argument).0;
        let (keys, sensitive, keep) = (names("keys"), names("sensitive"), names("keep"));
        relation::refuse_empty("keys", &keys);
        relation::refuse_overlap(("keys", &keys), ("sensitive", &sensitive));
        relation::refuse_overlap(("keys", &keys), ("keep", &keep));
        relation::refuse_overlap(("sensitive", &sensitive), ("keep", &keep));
        let table = TableOptions::of(arguments);
        table.refuse_names(
            &source,
            &keys,
            &[("sensitive", &sensitive), ("keep", &keep)],
        );
        // labels may name hierarchies of numbers, which are cut by value
        let hierarchies: Option<Json> = arguments.given("hierarchies");
        let hierarchies = hierarchies.map(|hierarchies| Keys::new(&source, &hierarchies));
        let mut named = hierarchies.iter().flat_map(|keys| &keys.names);
        if let Some(name) = named.find(|name| !keys.contains(name)) {
            Failure::invalid(format!(
                "hierarchies names \"{name}\", which is not in keys"
            ))
            .hint("Add the column to keys, or leave its hierarchy out.")
            .raise();
        }
        RecodedRelease {
            source,
            keys,
            sensitive,
            keep,
            hierarchies,
            table,
        }
    }

    fn required(&self, arguments: &NamedArguments<'_>) -> Requirements {
        let diverse = !self.sensitive.is_empty();
        let required = Requirements {
            k: Some(arguments.required("k")),
            p: diverse.then(|| arguments.required("p")),
            l: arguments.optional("l"),
            t: arguments.optional("t"),
            alpha: None,
        };
        required.refuse_nonsense();
        let p: i32 = arguments.required("p");
        let asked = [
            ("p", p > 1),
            ("l", required.l.is_some()),
            ("t", required.t.is_some()),
        ];
        if let Some((name, _)) = asked.into_iter().find(|&(_, asked)| asked && !diverse) {
            Failure::invalid(format!("{name} needs a sensitive column"))
                .hint("Name it in sensitive => '{…}'.")
                .raise();
        }
        required
    }

    fn selection(&self) -> Selection<'_> {
        let mut columns = self.source.columns("keys", &self.keys);
        columns.extend(self.source.columns("sensitive", &self.sensitive));
        columns.extend(self.source.columns("keep", &self.keep));
        let (keys, sensitive) = (self.keys.len(), self.sensitive.len());
        Selection::new(&self.source, columns, keys, sensitive, &self.table)
    }

    /// The number of a key's hierarchy, if it has one.
    fn hierarchy(&self, key: usize) -> Option<usize> {
        let mut names = self.hierarchies.iter().flat_map(|keys| &keys.names);
        names.position(|name| *name == self.keys[key])
    }

    fn group(
        &self,
        rows: &KeptRows,
        required: Requirements,
        strict: bool,
        watch: &mut Watch,
    ) -> Partition {
        let table = errors::engine(Table::new(self.ordered(rows)), rows.names());
        let models = SensitiveModels::new(rows);
        let models = models.models(required.l, required.t);
        models.refuse_infeasible();
        let conditions = models.conditions();
        let cutting = Cutting {
            k: count(required.k.unwrap_or(1), "k"),
            p: count(required.p.unwrap_or(1), "p"),
            strict,
            conditions: &conditions,
        };
        let groups = cut_apart(&table, &rows.sensitive, &cutting, watch);
        errors::engine(groups, rows.names())
    }

    /// The keys with their values in the order in which they are cut.
    fn ordered(&self, rows: &KeptRows) -> Vec<Column> {
        let order = |(key, column): (usize, &Column)| {
            let column = errors::engine(column.try_clone(), rows.names());
            let number = self.hierarchy(key);
            let table = self.hierarchies.as_ref().zip(number);
            let table = table.map(|(keys, number)| &keys.hierarchies[number]);
            cut_order(column, rows.decoder(key), &rows.names().keys[key], table)
        };
        rows.keys.iter().enumerate().map(order).collect()
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
            (0..self.keys.len()).map(|key| match ends.iter().find(|ends| ends.place == key) {
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
            name: &self.keys[key],
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
    fn columns(&self) -> Vec<Attribute> {
        let keys = self.keys.iter().map(|name| Attribute::text(name));
        let others = self.sensitive.iter().chain(&self.keep);
        let others = others.filter_map(|name| self.source.attribute(name).cloned());
        keys.chain(others).collect()
    }

    fn mask(
        &self,
        rows: &KeptRows,
        partition: &Partition,
        shown: &[ShownKey],
        watch: &mut Watch,
    ) -> TupleStore {
        let masked = TupleStore::new(&self.columns());
        rows.replay(watch, |row, cells| {
            let group = partition.group_of()[row] as usize;
            let keys = shown.iter().map(|shown| shown.labels[group]);
            let others = cells[shown.len()..].iter().copied();
            masked.push(&keys.chain(others).collect::<Vec<Cell>>());
        });
        masked
    }

    /// The call as the register keeps it.
    fn parameters(&self, arguments: &NamedArguments<'_>) -> Value {
        let mut parameters = json!({
            "keys": self.keys, "k": arguments.required::<i32>("k"), "sensitive": self.sensitive,
            "p": arguments.required::<i32>("p"), "keep": self.keep,
            "strict": arguments.required::<bool>("strict"),
        });
        for name in ["l", "t"] {
            if let Some(required) = arguments.optional::<f64>(name) {
                parameters[name] = json!(required);
            }
        }
        if let Some(hierarchies) = arguments.given::<Json>("hierarchies") {
            parameters["hierarchies"] = hierarchies.0;
        }
        self.table.record(&mut parameters);
        parameters
    }
}
