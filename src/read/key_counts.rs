//! Rows counted by their keys, here and in the population: the one GROUP BY query that risk is
//! computed from. PostgreSQL hashes, spills and runs in parallel; NULL is a value like any other.

use crate::pg::errors::{Failure, number_of};
use crate::pg::quoting::identifier;
use crate::pg::statements;
use crate::pg::type_capabilities;
use crate::read::numbers::Number;
use crate::read::relation::{self, Source};
use crate::read::table_options::null_entity;
use pgrx::prelude::*;

/// Who else has the keys of a row.
pub enum Population {
    /// nobody: the table is the whole population
    Table,
    /// the rows of another relation, those of the table among them
    Relation(Source),
    /// each row stands for as many persons as this column says
    Weight(String),
}

/// What to count.
pub struct KeyCounts {
    pub source: Source,
    pub keys: Vec<String>,
    pub population: Population,
    /// the column that tells persons apart: they are counted, not rows
    pub entity: Option<String>,
}

/// What a group's `bad` column says.
const BAD_WEIGHT: i32 = 1;
const BAD_PERSON: i32 = 2;

impl KeyCounts {
    /// Refuses columns that are not there, that have no equality, or that differ in the population.
    pub fn new(
        source: Source,
        keys: Vec<String>,
        population: Population,
        entity: Option<String>,
    ) -> Self {
        relation::refuse_empty("keys", &keys);
        for (argument, names) in [("keys", &keys[..]), ("entity", entity.as_slice())] {
            for place in source.columns(argument, names) {
                type_capabilities::require(source.attributes[place].typ);
            }
        }
        relation::refuse_overlap(("keys", &keys), ("entity", entity.as_slice()));
        match &population {
            Population::Table => {}
            Population::Weight(weight) => refuse_no_number(&source, weight),
            Population::Relation(other) => {
                let names = keys.iter().chain(&entity);
                names.for_each(|name| refuse_unlike(&source, other, name));
            }
        }
        KeyCounts {
            source,
            keys,
            population,
            entity,
        }
    }

    /// One row per group: k1 … kn, its rows (or persons) `size` here and `pop` in the population,
    /// and `bad` where they cannot be counted. A group of the population alone has size 0.
    pub fn groups(&self) -> String {
        let keys = self.keys.len();
        match &self.population {
            Population::Relation(other) => {
                let (here, there) = (self.counted(&self.source), self.counted(other));
                let aliases = key_aliases("c", keys);
                // each side has a group once, so that the larger of both is their sum
                format!(
                    "SELECT {}, pg_catalog.max(u.size) AS size, pg_catalog.max(u.pop) AS pop, \
                     pg_catalog.max(u.bad) AS bad FROM (\
                     SELECT {aliases}, c.size, 0::pg_catalog.float8 AS pop, c.bad FROM ({here}) c \
                     UNION ALL SELECT {aliases}, 0::pg_catalog.int8, c.pop, c.bad FROM ({there}) c\
                     ) u GROUP BY {}",
                    key_aliases("u", keys),
                    positions(keys)
                )
            }
            _ => self.counted(&self.source),
        }
    }

    /// The groups of one relation.
    fn counted(&self, relation: &Source) -> String {
        match &self.entity {
            Some(entity) => self.counted_by_persons(relation, entity),
            None => self.counted_by_rows(relation),
        }
    }

    fn counted_by_rows(&self, relation: &Source) -> String {
        let (population, bad) = match self.weight() {
            None => (float("pg_catalog.count(*)"), "0".to_string()),
            Some(weight) => (
                format!("pg_catalog.sum({weight})"),
                format!(
                    "pg_catalog.max({})",
                    flag(&unweighable(&weight), BAD_WEIGHT)
                ),
            ),
        };
        format!(
            "SELECT {}, pg_catalog.count(*) AS size, {population} AS pop, {bad} AS bad \
             FROM {} GROUP BY {}",
            self.key_columns(),
            relation.sql_name,
            positions(self.keys.len())
        )
    }

    fn counted_by_persons(&self, relation: &Source, entity: &str) -> String {
        let keys = self.keys.len();
        let (population, bad, weights) = match self.weight() {
            None => (
                float("pg_catalog.count(*)"),
                "false".to_string(),
                String::new(),
            ),
            Some(weight) => (
                "pg_catalog.sum(p.least)".to_string(),
                "p.bad OR p.least OPERATOR(pg_catalog.<>) p.most".to_string(),
                format!(
                    ", pg_catalog.min({weight}) AS least, pg_catalog.max({weight}) AS most, \
                     pg_catalog.bool_or({}) AS bad",
                    unweighable(&weight)
                ),
            ),
        };
        format!(
            "SELECT {}, pg_catalog.count(*) AS size, {population} AS pop, \
             pg_catalog.max(CASE WHEN p.person IS NULL THEN {BAD_PERSON} WHEN {bad} THEN {BAD_WEIGHT} ELSE 0 END) AS bad \
             FROM (SELECT {}, {} AS person{weights} FROM {} GROUP BY {}) p GROUP BY {}",
            key_aliases("p", keys),
            self.key_columns(),
            identifier(entity),
            relation.sql_name,
            positions(keys + 1),
            positions(keys)
        )
    }

    /// The weight of a row as a double.
    fn weight(&self) -> Option<String> {
        match &self.population {
            Population::Weight(weight) => Some(self.weight_of_row(weight)),
            _ => None,
        }
    }

    /// NULL stands for what a double cannot hold: PostgreSQL's own error would show the number.
    fn weight_of_row(&self, weight: &str) -> String {
        let column = identifier(weight);
        let attribute = self.source.attribute(weight);
        match attribute.and_then(|attribute| Number::of(attribute.typ)) {
            Some(Number::Numeric) => float(&format!(
                "CASE WHEN pg_catalog.abs({column}) OPERATOR(pg_catalog.<) 1e300::pg_catalog.numeric \
                      AND ({column} OPERATOR(pg_catalog.=) 0::pg_catalog.numeric \
                           OR pg_catalog.abs({column}) OPERATOR(pg_catalog.>) 1e-300::pg_catalog.numeric) \
                 THEN {column} END"
            )),
            _ => float(&column),
        }
    }

    fn key_columns(&self) -> String {
        let key =
            |(index, name): (usize, &String)| format!("{} AS k{}", identifier(name), index + 1);
        let keys: Vec<String> = self.keys.iter().enumerate().map(key).collect();
        keys.join(", ")
    }

    /// Raises what the `bad` of a group says.
    pub fn refuse_bad(&self, bad: i32) {
        match (bad, &self.population) {
            (0, _) => {}
            (BAD_WEIGHT, Population::Weight(weight)) => self.refuse_weights(weight),
            _ => {
                let entity = self.entity.as_deref().unwrap_or_default();
                null_entity(&format!("column \"{entity}\"")).raise()
            }
        }
    }

    fn refuse_weights(&self, weight: &str) -> ! {
        let rows = statements::value::<i64>(&format!(
            "SELECT pg_catalog.count(*) FROM {} WHERE {}",
            self.source.sql_name,
            unweighable(&self.weight_of_row(weight))
        ));
        match rows.filter(|&rows| rows > 0) {
            Some(rows) => bad_weights(&format!("column \"{weight}\""), rows as u64),
            None => Failure::invalid(format!("column \"{weight}\" differs within a person"))
                .hint("All rows of a person must have the same weight.")
                .raise(),
        }
    }

    /// Refuses NULL in a key.
    pub fn refuse_nulls(&self) {
        for key in &self.keys {
            let found = statements::value::<bool>(&format!(
                "SELECT EXISTS (SELECT 1 FROM {} WHERE {} IS NULL)",
                self.source.sql_name,
                identifier(key)
            ));
            if found == Some(true) {
                crate::pg::errors::null_key(&format!("column \"{key}\"")).raise();
            }
        }
    }
}

/// Weights that say nothing: NULL, NaN, infinite, zero or negative.
pub fn bad_weights(what: &str, rows: u64) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
        format!(
            "{what} is null, not positive or not finite in {}",
            number_of(rows, "row")
        ),
    )
    .hint("A sampling weight is the number of persons that a row stands for, 1 or more. Leave such rows out, or give them a weight.")
    .raise()
}

/// Groups of the table with fewer rows in the population than in the table.
pub fn population_lacks(population: &Source, groups: u64) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!(
            "in {} the table has more rows than {}",
            number_of(groups, "group"),
            population.sql_name
        ),
    )
    .detail("The population must hold every person of the table, with keys in the same form.")
    .hint("Add the missing rows to the population, or generalize its keys as those of the table.")
    .raise()
}

fn refuse_no_number(source: &Source, weight: &str) {
    let place = source.columns("weight", &[weight.to_string()])[0];
    let number = Number::of(source.attributes[place].typ);
    let moment = matches!(
        number,
        None | Some(Number::Date | Number::Timestamp | Number::Interval)
    );
    if moment {
        Failure::new(
            PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
            format!("column \"{weight}\" is not a number"),
        )
        .hint("A sampling weight is the number of persons that a row stands for.")
        .raise();
    }
}

/// Refuses a column that the population lacks, or has in another type.
fn refuse_unlike(source: &Source, population: &Source, name: &str) {
    let Some(there) = population.attribute(name) else {
        Failure::new(
            PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
            format!(
                "column \"{name}\" does not exist in the population {}",
                population.sql_name
            ),
        )
        .hint("The population must have the keys of the table under the same names.")
        .raise()
    };
    let here = source.attribute(name);
    if here.is_some_and(|here| (here.typ, here.collation) != (there.typ, there.collation)) {
        Failure::new(
            PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
            format!(
                "column \"{name}\" has another type or collation in the population {}",
                population.sql_name
            ),
        )
        .hint("Cast it in a view over the population.")
        .raise();
    }
}

fn unweighable(weight: &str) -> String {
    let most = float("'Infinity'");
    format!(
        "({weight} OPERATOR(pg_catalog.>) 0::pg_catalog.float8 AND {weight} OPERATOR(pg_catalog.<) {most}) IS NOT TRUE"
    )
}

fn flag(condition: &str, number: i32) -> String {
    format!("CASE WHEN {condition} THEN {number} ELSE 0 END")
}

fn float(sql: &str) -> String {
    format!("({sql})::pg_catalog.float8")
}

fn key_aliases(table: &str, keys: usize) -> String {
    let aliases: Vec<String> = (1..=keys).map(|key| format!("{table}.k{key}")).collect();
    aliases.join(", ")
}

fn positions(columns: usize) -> String {
    let positions: Vec<String> = (1..=columns).map(|position| position.to_string()).collect();
    positions.join(", ")
}
