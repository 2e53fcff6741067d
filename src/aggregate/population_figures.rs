//! `sdc.population_uniqueness`: uniques of the population behind a sample.

use crate::aggregate::State;
use crate::pg::aggregate_call::{finish, float};
use crate::pg::function_call::v1;
use crate::read::arguments::fraction;
use pgrx::pg_sys::Datum;
use sdc_engine::risk::{PopulationModels, SizeCounts};

fn population_uniqueness(state: &State) -> Option<Datum> {
    let sizes = SizeCounts::new(state.counts.sizes().iter().map(|&size| (size, 1)));
    let models = PopulationModels::new(&sizes, fraction(state.parameter.number()))?;
    float(models.uniqueness())
}

v1! {
    sdc_population_uniqueness, pg_finfo_sdc_population_uniqueness =>
        |call| finish(call, population_uniqueness);
}
