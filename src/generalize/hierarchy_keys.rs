//! The keys of a call and their hierarchies: `{"age": "age_hierarchy", "sex": "sex_hierarchy"}`.

use crate::pg::errors::{self, Failure, Names};
use crate::pg::sql_types::Json;
use crate::read::hierarchy_table::HierarchyTable;
use crate::read::relation::{Source, relation_of};
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use sdc_engine::lattice::{Hierarchy, Lattice};
use serde_json::{Map, Value};

/// Key columns in the order of the source, each with its hierarchy.
pub struct Keys {
    pub names: Vec<String>,
    /// what messages call the columns
    pub labels: Vec<String>,
    /// their places among the source's attributes
    pub places: Vec<usize>,
    pub hierarchies: Vec<HierarchyTable>,
    /// for each key the number of NULL in its hierarchy, where that matches every value; empty where
    /// NULL is a value
    pub wildcards: Vec<Option<u32>>,
}

impl Keys {
    /// The hierarchies that a call names.
    pub fn new(source: &Source, hierarchies: &Json) -> Self {
        Self::read(source, hierarchies, HierarchyTable::new)
    }

    /// The hierarchies that a register or labels name, and not the caller: each must be trusted.
    pub fn unnamed(source: &Source, hierarchies: &Json) -> Self {
        Self::read(source, hierarchies, HierarchyTable::unnamed)
    }

    fn read(source: &Source, hierarchies: &Json, read: fn(Oid) -> HierarchyTable) -> Self {
        let (names, tables): (Vec<String>, Vec<&Value>) =
            key_tables(source, hierarchies).into_iter().unzip();
        let hierarchy = |(name, table): (&String, &&Value)| match table {
            Value::Null => HierarchyTable::of_column(source, name),
            table => read(relation(name, table)),
        };
        Keys {
            labels: crate::generalize::labels(&names),
            places: source.columns("hierarchies", &names),
            hierarchies: names.iter().zip(&tables).map(hierarchy).collect(),
            names,
            wildcards: Vec::new(),
        }
    }

    /// The same with NULL matching every value: it stays NULL, whatever a hierarchy makes of it.
    pub fn with_wildcards(mut self) -> Self {
        for hierarchy in &mut self.hierarchies {
            self.wildcards.push(hierarchy.set_null_apart());
        }
        self
    }

    /// The same with strata behind them, which are never generalized.
    pub fn and_strata(mut self, source: &Source, strata: &[String]) -> Self {
        let hierarchies = strata.iter();
        let hierarchies = hierarchies.map(|name| HierarchyTable::of_column(source, name));
        self.hierarchies.extend(hierarchies);
        if !self.wildcards.is_empty() {
            // NULL is a stratum like any other
            self.wildcards.resize(self.hierarchies.len(), None);
        }
        self.places.extend(source.columns("strata", strata));
        self.labels.extend(crate::generalize::labels(strata));
        self.names.extend(strata.iter().cloned());
        self
    }

    /// The engine's view of all hierarchies.
    pub fn shapes(&self) -> Vec<Hierarchy> {
        let shapes = self.hierarchies.iter().map(HierarchyTable::shape);
        shapes.cloned().collect()
    }

    /// The levels of a node: `{"age": 2, "sex": 0}`.
    pub fn levels(&self, lattice: &Lattice, node: usize) -> Value {
        let names = self.names.iter().cloned();
        let levels = lattice.levels(node).into_iter().map(Value::from);
        Value::Object(names.zip(levels).collect())
    }

    /// The node with levels that a caller gives.
    pub fn node(&self, lattice: &Lattice, levels: &Value) -> usize {
        let Value::Object(levels) = levels else {
            wrong_levels()
        };
        if let Some(name) = levels.keys().find(|name| !self.names.contains(name)) {
            Failure::invalid(format!("levels names \"{name}\", which has no hierarchy"))
                .hint(format!("Give levels of: {}.", self.names.join(", ")))
                .raise();
        }
        let keys = self.names.iter().zip(&self.hierarchies);
        let levels = keys.map(|(name, hierarchy)| match levels.contains_key(name) {
            // there is only one
            false if hierarchy.top() == 0 => 0,
            _ => level(levels, name),
        });
        let levels: Vec<usize> = levels.collect();
        let names = Names {
            keys: &self.labels,
            sensitive: &[],
        };
        errors::engine(lattice.node(&levels), names)
    }
}

/// The keys that a call names, in the order of the source, each with what stands for its
/// hierarchy.
pub fn key_tables<'a>(source: &Source, hierarchies: &'a Json) -> Vec<(String, &'a Value)> {
    let Value::Object(tables) = &hierarchies.0 else {
        not_an_object()
    };
    if tables.is_empty() {
        not_an_object();
    }
    let keys = tables.iter().map(|(name, table)| (name.clone(), table));
    let mut keys: Vec<_> = keys.collect();
    let place = |name: &String| source.columns("hierarchies", std::slice::from_ref(name))[0];
    keys.sort_by_cached_key(|(name, _)| place(name));
    keys
}

fn level(levels: &Map<String, Value>, name: &str) -> usize {
    let Some(level) = levels.get(name) else {
        Failure::invalid(format!("levels lacks column \"{name}\""))
            .hint("Give a level for every key; 0 leaves a column as it is.")
            .raise()
    };
    let level = level.as_u64().unwrap_or_else(|| wrong_levels());
    usize::try_from(level).unwrap_or(usize::MAX)
}

/// The table of a hierarchy, found as a `regclass` is.
pub fn relation(column: &str, table: &Value) -> Oid {
    let Value::String(table) = table else {
        not_an_object()
    };
    relation_of(table).unwrap_or_else(|| {
        Failure::new(
            PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
            format!("hierarchy \"{table}\" of column \"{column}\" does not exist"),
        )
        .hint("Load it with \\copy, or build it, for example with sdc.interval_hierarchy().")
        .raise()
    })
}

fn not_an_object() -> ! {
    Failure::invalid("hierarchies must be a JSON object of column and table names")
        .hint(r#"For example {"age": "age_hierarchy", "sex": "sex_hierarchy", "ward": null}; null keeps a column as it is."#)
        .raise()
}

fn wrong_levels() -> ! {
    Failure::invalid("levels must be a JSON object of columns and whole numbers")
        .hint(r#"For example {"age": 2, "sex": 0}; 0 leaves a column as it is."#)
        .raise()
}
