//! The population that a table was taken from, counted by the keys and hierarchies of the table.

use crate::generalize::hierarchy_keys::Keys;
use crate::generalize::row_counting::{KeyReader, UNCOVERED};
use crate::pg::errors::{self, Names};
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::read::key_counts::population_lacks;
use crate::read::relation::Source;
use pgrx::pg_sys::Oid;
use sdc_engine::lattice::{Combinations, Counter};
use sdc_engine::{Monitor, Phase};

/// Counts everybody of a population, who has the table's keys in columns of the same names.
pub fn count_population(
    counter: &mut Counter,
    population: &Source,
    keys: &Keys,
    watch: &mut Watch,
) {
    watch.start(Phase::Reading, 0);
    let places = population.columns("hierarchies", &keys.names);
    let columns = places.iter().zip(&keys.hierarchies);
    let mut reading = PopulationReading {
        keys: columns
            .map(|(&place, hierarchy)| KeyReader::new(&population.attributes[place], hierarchy))
            .collect(),
        counter,
        rows: 0,
        watch,
    };
    let typ = |&place: &usize| population.attributes[place].typ;
    let types: Vec<Oid> = places.iter().map(typ).collect();
    let sql = population.select(&places);
    statements::read(&sql, &types, Order::Queried, &mut reading);
    for (key, name) in reading.keys.iter().zip(&keys.names) {
        if !key.is_never_recoded() {
            key.refuse_uncovered(&format!("column \"{name}\" of the population"));
        }
    }
}

/// Refuses a population that does not hold everybody of the table.
pub fn refuse_lacking(population: &Source, combinations: &Combinations) {
    let Some((persons, _)) = combinations.population() else {
        population_lacks(population, combinations.len() as u64)
    };
    let counts = combinations.tally().sizes().iter().zip(persons);
    let lacking = counts.filter(|(rows, persons)| rows > persons).count();
    if lacking > 0 {
        population_lacks(population, lacking as u64);
    }
}

struct PopulationReading<'a> {
    keys: Vec<KeyReader<'a>>,
    counter: &'a mut Counter,
    rows: usize,
    watch: &'a mut Watch,
}

impl RowSink for PopulationReading<'_> {
    fn row(&mut self, row: &Row<'_>) {
        let keys = self.keys.iter_mut().zip(row.cells());
        let codes: Vec<u32> = keys.map(|(key, cell)| key.code(cell)).collect();
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.watch.tick(self.rows as u64);
        }
        // a value that a hierarchy lacks is refused after the last row
        if !codes.contains(&UNCOVERED) {
            errors::engine(self.counter.add_person(&codes), Names::default());
        }
    }
}
