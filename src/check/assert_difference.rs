//! `sdc.assert_difference`: two states of a table, published one after the other, must not differ by
//! few persons in a group, because somebody who holds both sees those persons alone.

use crate::pg::errors::{Failure, number_of};
use crate::pg::function_call::{self, Call, v1};
use crate::pg::quoting::identifier;
use crate::pg::sql_types::{Name, NameList, Relation};
use crate::pg::statements;
use crate::pg::type_capabilities;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::table_options::null_entity;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;

/// Two states of a table, and by what persons and groups are told apart.
struct TwoStates {
    old: Source,
    new: Source,
    keys: Vec<String>,
    entity: String,
    k: i32,
}

/// What differs by fewer than k persons.
struct SmallChanges {
    /// groups, and the fewest persons in one
    added: (i64, Option<i64>),
    removed: (i64, Option<i64>),
}

fn assert_difference(call: &Call) -> Option<Datum> {
    let states = TwoStates::new(&NamedArguments::of(call));
    states.refuse_unnamed_persons();
    let found = statements::select(&states.sql(), |row| SmallChanges {
        added: (row.get(1).unwrap_or(0), row.get(2)),
        removed: (row.get(3).unwrap_or(0), row.get(4)),
    });
    for small in found {
        small.refuse(&states);
    }
    function_call::void()
}

v1! {
    sdc_assert_difference, pg_finfo_sdc_assert_difference => assert_difference;
}

impl TwoStates {
    fn new(arguments: &NamedArguments<'_>) -> Self {
        let states = TwoStates {
            keys: arguments.required::<NameList>("keys").0,
            entity: arguments.required::<Name>("entity").0,
            k: arguments.required("k"),
            old: Source::new(arguments.required::<Relation>("old").0),
            new: Source::new(arguments.required::<Relation>("new").0),
        };
        let entity = std::slice::from_ref(&states.entity);
        relation::refuse_empty("keys", &states.keys);
        relation::refuse_overlap(("keys", &states.keys), ("entity", entity));
        for (argument, names) in [("keys", &states.keys[..]), ("entity", entity)] {
            let [old, new] = [&states.old, &states.new].map(|source| {
                let places = source.columns(argument, names).into_iter();
                places
                    .map(|place| source.attributes[place].typ)
                    .collect::<Vec<_>>()
            });
            if let Some(place) = (0..names.len()).find(|&place| old[place] != new[place]) {
                other_type(&names[place]);
            }
            old.into_iter().for_each(type_capabilities::require);
        }
        if states.k < 2 {
            Failure::invalid(format!("k must be at least 2, not {}", states.k))
                .hint("Any difference satisfies k = 1.")
                .raise();
        }
        states
    }

    /// A person without a name would be counted as one with all others of that kind.
    fn refuse_unnamed_persons(&self) {
        for source in [&self.old, &self.new] {
            let sql = format!(
                "SELECT EXISTS (SELECT 1 FROM {} WHERE {} IS NULL)",
                source.sql_name,
                identifier(&self.entity)
            );
            if statements::value::<bool>(&sql) == Some(true) {
                null_entity(&format!(
                    "column \"{}\" of {}",
                    self.entity, source.sql_name
                ))
                .raise();
            }
        }
    }

    /// Persons of each group in either state, then groups with few that are in one state only.
    fn sql(&self) -> String {
        let keys: Vec<String> = self.keys.iter().map(|key| identifier(key)).collect();
        let aliases: Vec<String> = (1..=keys.len()).map(|place| format!("k{place}")).collect();
        let aliases = aliases.join(", ");
        let state = |source: &Source, new: bool| {
            let (keys, entity) = (keys.join(", "), identifier(&self.entity));
            let name = &source.sql_name;
            format!("SELECT {keys}, {entity}, {new} FROM {name}")
        };
        let few = |column: &str| {
            format!(
                "WHERE {column} OPERATOR(pg_catalog.>=) 1::pg_catalog.int8 \
                 AND {column} OPERATOR(pg_catalog.<=) {}::pg_catalog.int8",
                self.k - 1
            )
        };
        format!(
            "SELECT pg_catalog.count(*) FILTER ({added}), pg_catalog.min(added) FILTER ({added}), \
                    pg_catalog.count(*) FILTER ({removed}), pg_catalog.min(removed) FILTER ({removed}) \
             FROM (SELECT pg_catalog.count(*) FILTER (WHERE is_new AND NOT is_old) AS added, \
                          pg_catalog.count(*) FILTER (WHERE is_old AND NOT is_new) AS removed \
                   FROM (SELECT {aliases}, pg_catalog.bool_or(new) AS is_new, pg_catalog.bool_or(NOT new) AS is_old \
                         FROM ({} UNION ALL {}) AS s ({aliases}, person, new) \
                         GROUP BY {aliases}, person) AS p \
                   GROUP BY {aliases}) AS g",
            state(&self.old, false),
            state(&self.new, true),
            added = few("added"),
            removed = few("removed"),
        )
    }
}

impl SmallChanges {
    fn refuse(self, states: &TwoStates) {
        let groups = self.added.0 + self.removed.0;
        if groups == 0 {
            return;
        }
        let part = |what: &str, (groups, fewest): (i64, Option<i64>)| match fewest {
            Some(fewest) => {
                let groups = number_of(groups as u64, "group");
                let least = number_of(fewest as u64, "person");
                format!("{what}: {groups}, the smallest with {least}.")
            }
            None => format!("{what}: none."),
        };
        Failure::new(
            PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
            format!(
                "{} and {} differ by fewer than k = {} persons in {}",
                states.old.sql_name,
                states.new.sql_name,
                states.k,
                match groups {
                    1 => "1 place".to_string(),
                    _ => format!("{groups} places"),
                }
            ),
        )
        .detail(format!(
            "{} {}",
            part("Persons added", self.added),
            part("Persons removed", self.removed)
        ))
        .hint("Publish the change later, together with others, or with coarser keys.")
        .raise();
    }
}

fn other_type(name: &str) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
        format!("column \"{name}\" has another type in the other table"),
    )
    .hint("Compare tables whose columns have the same types, or views with casts.")
    .raise()
}
