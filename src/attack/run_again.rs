//! The groups of a microaggregation, formed again from the source as it is now.

use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::pg::errors::{feasible, known};
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::pg::settings;
use crate::pg::sql_types::Json;
use crate::read::column_weights;
use sdc_engine::assign::{Method, by_stratum};
use sdc_engine::random::Generator;
use sdc_engine::{Categories, Column, Monitor, Partition, PersonRows, Result, Space, Table};
use serde_json::Value;

/// A microaggregation as the register has it.
struct Microaggregated {
    method: Method,
    k: usize,
    p: usize,
    standardize: bool,
    weights: Vec<f64>,
}

/// The groups of all rows; `None` if the register does not tell all that they follow from, or the
/// source does not allow them any more.
pub fn run_again(
    release: &AttackedRelease,
    persons: &Persons,
    keys: &Table,
    seed: Option<i64>,
    watch: &mut Watch,
) -> Option<Partition> {
    let strata = release.strata();
    let grouped = persons.keys.iter().zip(keys.columns());
    let grouped = grouped.filter(|(key, _)| !strata.contains(&key.name));
    let columns: Result<Vec<Column>> = grouped.map(|(_, column)| column.try_clone()).collect();
    let again = Microaggregated::of(release, release.keys.len() - strata.len())?;
    let rows = known(Table::new(known(columns)));
    let sensitive = (0..persons.sensitive.len()).map(|column| persons.truth(column));
    let mut sensitive: Vec<Categories> = sensitive.collect();
    let mut points = rows;
    let strata = match strata.is_empty() {
        true => None,
        false => Some(stratum_of(persons, &strata)?),
    };
    // persons with one row each are grouped as rows are
    let several = several_rows(persons);
    if let Some(person_rows) = several {
        points = known(person_rows.points(&points));
        let values = sensitive.iter();
        let value = |column| person_rows.representatives(column, strata.as_ref(), again.p);
        sensitive = known(values.map(value).collect());
    }
    let space = again.space(&points);
    let seed = seed.or_else(settings::seed).map(|seed| seed as u64);
    let mut rng = known(again.method.generator(seed));
    let partition = match strata {
        None => again.group(&space, &sensitive, &mut rng, watch),
        Some(strata) => {
            let stratum = |chosen: &[u32], monitor: &mut dyn Monitor| {
                let sensitive = sensitive.iter().map(|column| column.select(chosen));
                let sensitive = sensitive.collect::<Result<Vec<_>>>()?;
                again.group(&space.select(chosen)?, &sensitive, &mut rng, monitor)
            };
            let grouped = feasible(by_stratum(&strata, stratum, watch))?;
            if !grouped.failed.is_empty() {
                return None;
            }
            Partition::new(grouped.group_of, grouped.groups)
        }
    };
    let partition = feasible(partition)?;
    let Some(person_rows) = several else {
        return Some(partition);
    };
    let group_of = known(person_rows.of_rows(partition.group_of()));
    Some(known(Partition::new(group_of, partition.groups())))
}

/// The keys as the method saw them.
pub fn space_of(release: &AttackedRelease, keys: &Table) -> Option<Space> {
    let again = Microaggregated::of(release, keys.columns().len())?;
    Some(again.space(keys))
}

impl Microaggregated {
    fn of(release: &AttackedRelease, keys: usize) -> Option<Self> {
        let parameters = &release.parameters;
        let method = Method::named(parameters["method"].as_str()?)?;
        if parameters["refine"].as_bool() == Some(true) {
            return None;
        }
        let weights = match &parameters["weights"] {
            Value::Null => Vec::new(),
            weights => {
                column_weights::parse("weights", &Json(weights.clone()), &release.keys[..keys])
            }
        };
        Some(Microaggregated {
            method,
            k: release.parameter("k")? as usize,
            p: release.parameter("p")? as usize,
            standardize: parameters["standardize"].as_bool()?,
            weights,
        })
    }

    /// All points on one scale, as they were published.
    fn space(&self, keys: &Table) -> Space {
        known(Space::weighted(keys, self.standardize, &self.weights))
    }

    fn group(
        &self,
        space: &Space,
        sensitive: &[Categories],
        rng: &mut Generator,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        self.method
            .group(space, sensitive, self.k, self.p, rng, monitor)
    }
}

/// The rows of each person, where some have several.
fn several_rows(persons: &Persons) -> Option<&PersonRows> {
    let (_, person_rows) = persons.entity.as_ref()?;
    (person_rows.len() < persons.rows).then_some(person_rows)
}

/// The stratum of each person; `None` if somebody is in several.
fn stratum_of(persons: &Persons, names: &[String]) -> Option<Categories> {
    let keys = persons.keys.iter().zip(&persons.key_codes);
    let codes = keys.filter(|(key, _)| names.contains(&key.name));
    let codes: Vec<&Vec<u32>> = codes.map(|(_, codes)| codes).collect();
    let mut seen = sdc_engine::Interner::new();
    let mut stratum = |row: usize| {
        let bytes: Vec<u8> = codes.iter().flat_map(|c| c[row].to_le_bytes()).collect();
        known(seen.intern(&bytes))
    };
    let strata = Categories::new(collected((0..persons.rows).map(&mut stratum)));
    match several_rows(persons) {
        None => Some(strata),
        Some(person_rows) => feasible(person_rows.common(&strata)),
    }
}
