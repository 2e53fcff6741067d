//! `sdc.publish_generalized`.

use crate::check::Requirements;
use crate::generalize::{CountedColumns, CountedRows, Generalization, count_rows};
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::sql_types::{Json, Name, NameList, Relation};
use crate::pg::tuple_store::TupleStore;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation;
use crate::read::table_options::TableOptions;
use crate::release::chosen_node::ChosenNode;
use crate::release::closeness_left::require_closeness;
use crate::release::composition::Composition;
use crate::release::{
    Entry, Release, ReleaseMethod, Target, create_table, promise_check, register, trial_attack,
    wildcard_promise,
};
use pgrx::pg_sys::Datum;
use sdc_engine::lattice::{Combinations, Figures};
use sdc_engine::{Monitor, Phase};
use serde_json::{Value, json};

fn publish_generalized(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let call = Generalization::new(&arguments);
    let required = Requirements {
        k: arguments.optional("k"),
        p: arguments
            .optional("p")
            .filter(|_| !call.sensitive.is_empty()),
        l: call.conditions.l,
        t: call.conditions.t,
        alpha: call.conditions.alpha,
    };
    let target = register::begin_compared(&call.source, &arguments);
    let release = GeneralizedRelease {
        composition: Composition::of(&arguments),
        ..GeneralizedRelease::new(&call, arguments.required::<NameList>("keep").0)
    };
    let levels = arguments.optional("levels");
    let entered = release.publish(&target, levels, required, parameters(&arguments));
    trial_attack::answer(&arguments, entered)
}

v1! {
    sdc_publish_generalized, pg_finfo_sdc_publish_generalized => publish_generalized;
}

/// The call as the register keeps it.
fn parameters(arguments: &NamedArguments<'_>) -> Value {
    let number = |name| arguments.optional::<f64>(name);
    json!({
        "hierarchies": arguments.required::<Json>("hierarchies").0,
        "k": arguments.required::<i32>("k"),
        "sensitive": arguments.required::<NameList>("sensitive").0,
        "p": arguments.required::<i32>("p"),
        "max_suppressed": TableOptions::or_wildcards(arguments).max_suppressed.to_json(),
        "keep": arguments.required::<NameList>("keep").0,
        "weights": arguments.optional::<Json>("weights").map(|weights| weights.0),
        "suppression_factor": number("suppression_factor").filter(|&factor| factor != 1.0),
        "l": number("l"), "t": number("t"), "alpha": number("alpha"),
        "categories": arguments.optional::<Json>("categories").map(|categories| categories.0),
        "entity": arguments.optional::<Name>("entity").map(|entity| entity.0),
        "population": arguments.optional::<Relation>("population").map(|there| relation::Source::new(there.0).sql_name),
        "k_map": arguments.optional::<i32>("k_map"), "delta": number("delta"),
        "strata": Some(arguments.columns("strata")).filter(|strata| !strata.is_empty()),
        "nulls": Some(arguments.required::<String>("nulls")).filter(|nulls| nulls != "value"),
    })
}

/// What is published of a source.
struct GeneralizedRelease<'a> {
    call: &'a Generalization,
    /// places among the source's attributes: sensitive columns, that of persons, those to keep
    others: Vec<usize>,
    composition: Composition,
}

impl<'a> GeneralizedRelease<'a> {
    /// Only the named columns are read, so that identifiers cannot slip through.
    fn new(call: &'a Generalization, keep: Vec<String>) -> Self {
        relation::refuse_overlap(("hierarchies", &call.keys.names), ("keep", &keep));
        relation::refuse_overlap(("sensitive", &call.sensitive), ("keep", &keep));
        relation::refuse_overlap(("entity", &call.entity), ("keep", &keep));
        relation::refuse_overlap(("strata", &call.strata), ("keep", &keep));
        let mut others = call.counted();
        others.extend(call.source.columns("keep", &keep));
        GeneralizedRelease {
            call,
            others,
            composition: Composition::Warn,
        }
    }

    /// Reads, chooses a node, writes the table, checks it and enters it in the register.
    fn publish(
        &self,
        target: &Target,
        levels: Option<Json>,
        required: Requirements,
        mut parameters: Value,
    ) -> Release {
        let mut watch = Watch::new(Some(self.call.source.oid));
        let mut rows = self.read(&mut watch);
        self.call.count_population(&mut rows, &mut watch);
        let combinations = self.call.combinations(&rows);
        let chosen = ChosenNode::choose(self.call, &rows, &combinations, levels, &mut watch);
        let levels = combinations.lattice().levels(chosen.figures.node);
        let masked = self.mask(&rows, &combinations, &chosen, &mut watch);
        let counted = chosen.count_persons(self.call, &rows, &combinations, &mut watch);
        drop(rows);
        create_table(target, &self.columns(&levels), &masked);
        let achieved = self.verify(target, required, &chosen.figures);
        let mut achieved = promise_check::by_persons(achieved, counted);
        if self.call.has_wildcards() {
            let matches = chosen.matches.as_ref();
            wildcard_promise::verify(self.call, target, matches, required, &mut achieved);
        }
        if let Some(figures) = chosen.in_population {
            achieved["k_map"] = json!(figures.k_map);
            achieved["delta"] = json!(figures.delta);
        }
        let node = chosen.figures.node;
        parameters["levels"] = self.call.keys.levels(combinations.lattice(), node);
        self.register(target, parameters, &combinations, &chosen, achieved)
    }

    fn read(&self, watch: &mut Watch) -> CountedRows {
        let call = self.call;
        let columns = CountedColumns {
            others: &self.others,
            counted: call.sensitive.len() + call.entity.len(),
            of_persons: !call.entity.is_empty(),
            keep: true,
        };
        call.checked(count_rows(&call.source, &call.keys, &columns, watch))
    }

    /// What is published of the columns that are no keys: who a row is about is not.
    fn shown<'s, T>(&self, others: &'s [T]) -> impl Iterator<Item = &'s T> {
        let (first, persons) = (self.call.sensitive.len(), self.call.entity.len());
        others[..first].iter().chain(&others[first + persons..])
    }

    /// The columns of the release: generalized keys are text, others keep their type.
    fn columns(&self, levels: &[usize]) -> Vec<Attribute> {
        let keys = self.call.keys.places.iter().zip(levels);
        let keys = keys.map(|(&place, level)| match level {
            0 => self.call.source.attributes[place].clone(),
            _ => Attribute::text(&self.call.source.attributes[place].name),
        });
        let others = self.shown(&self.others);
        let others = others.map(|&place| self.call.source.attributes[place].clone());
        keys.chain(others).collect()
    }

    /// The rows that are kept, their keys generalized.
    fn mask(
        &self,
        rows: &CountedRows,
        combinations: &Combinations,
        chosen: &ChosenNode,
        watch: &mut Watch,
    ) -> TupleStore {
        let levels = combinations.lattice().levels(chosen.figures.node);
        let labels = self.labels(rows, &levels);
        let masked = TupleStore::new(&self.columns(&levels));
        let combination_of = &rows.kept.combination_of;
        watch.start(Phase::Writing, combination_of.len() as u64);
        let kept = &rows.kept.store;
        kept.replay(combination_of.len(), |row, others| {
            if row.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                watch.tick(row as u64);
            }
            let combination = combination_of[row];
            if chosen.kept[combination as usize] {
                let keys = labels.iter().zip(combinations.codes(combination));
                let keys = keys.map(|(labels, &code)| labels[code as usize]);
                let others = self.shown(others).copied();
                masked.push(&keys.chain(others).collect::<Vec<Cell>>());
            }
        });
        masked
    }

    /// For each key what each of its hierarchy's values is at a level: a text, or at level 0
    /// the value itself.
    fn labels<'r>(&self, rows: &'r CountedRows, levels: &[usize]) -> Vec<Vec<Cell<'r>>> {
        let hierarchies = self.call.keys.hierarchies.iter().zip(&rows.key_values);
        let labels = hierarchies
            .zip(levels)
            .map(|((hierarchy, values), &level)| {
                let codes = hierarchy.shape().values();
                if level == 0 {
                    return values.by_code(codes);
                }
                let label = |value| Cell::text(hierarchy.label(level, value));
                (0..codes as u32).map(label).collect()
            });
        labels.collect()
    }

    /// What the release achieves. t-closeness was searched for with regard to all rows; those
    /// that are left may be too far from their own distribution, which is not a bug.
    fn verify(&self, target: &Target, required: Requirements, figures: &Figures) -> Value {
        let (keys, sensitive) = (&self.call.keys.names, &self.call.sensitive);
        if let Some(t) = required.t.filter(|_| figures.suppressed > 0) {
            require_closeness(target, keys, sensitive, t);
        }
        let by_rows = match self.call.has_wildcards() {
            // who reads NULL as a value counts fewer rows than are promised
            true => Requirements::default(),
            false => Requirements {
                l: required.l.filter(|_| self.call.entity.is_empty()),
                ..required
            },
        };
        let categories = self.call.conditions.categories.clone();
        promise_check::verify_with(target, keys, sensitive, by_rows, categories)
    }

    fn register(
        &self,
        target: &Target,
        mut parameters: Value,
        combinations: &Combinations,
        chosen: &ChosenNode,
        achieved: Value,
    ) -> Release {
        if let Value::Object(parameters) = &mut parameters {
            parameters.retain(|_, value| !value.is_null());
        }
        let suppressed = chosen.figures.suppressed;
        let columns = chosen.losses(self.call, combinations);
        let ncp = match &self.call.price {
            Some(_) => columns.iter().sum::<f64>() / 100.0 / columns.len() as f64,
            None => chosen.figures.loss,
        };
        let mut loss = json!({
            "ncp": ncp, "columns": register::by_name(&self.call.keys.names, columns),
        });
        if self.call.price.is_some() {
            loss["weighted"] = json!(chosen.figures.loss);
        }
        let entry = Entry {
            source: &self.call.source,
            target,
            method: ReleaseMethod::Generalization,
            parameters,
            rows: combinations.rows() - suppressed,
            groups: chosen.figures.groups,
            suppressed,
            achieved,
            loss,
        };
        entry.register_in(None, (None, self.composition), |_, _| ())
    }
}
