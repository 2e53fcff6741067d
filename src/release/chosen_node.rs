//! The node of the lattice that a generalization is published at: chosen or given, what it
//! promises and what it costs.

use crate::generalize::{CountedRows, Generalization, model_of_category};
use crate::pg::errors::{self, Failure, known};
use crate::pg::progress::Watch;
use crate::pg::sql_types::Json;
use crate::release::{promise_check, wildcard_promise};
use pgrx::PgSqlErrorCode;
use sdc_engine::lattice::{
    self, Combinations, Figures, PopulationFigures, PopulationLimits, Requirement, WildcardFigures,
};
use sdc_engine::model::{
    OfFirstCategories, PSensitivity, PersonDiversity, PersonSensitivity, PrivacyModel, Property,
    worst,
};
use serde_json::{Value, json};

/// A node, and which combinations of key values it keeps.
pub struct ChosenNode {
    pub figures: Figures,
    /// what its groups are in the population, where there is one
    pub in_population: Option<PopulationFigures>,
    /// what its rows match, where NULL matches every value
    pub matches: Option<WildcardFigures>,
    pub kept: Vec<bool>,
}

impl ChosenNode {
    /// The node with the levels given, or else the one that loses least.
    pub fn choose(
        call: &Generalization,
        rows: &CountedRows,
        combinations: &Combinations,
        levels: Option<Json>,
        watch: &mut Watch,
    ) -> Self {
        let conditions = &call.conditions;
        conditions.with_requirement(rows, combinations, |requirement| {
            let figures = match levels {
                Some(levels) => given(call, combinations, requirement, &levels.0, watch),
                None => call.best(combinations, requirement, watch),
            };
            if figures.groups == 0 {
                nothing_left();
            }
            let kept = lattice::kept(combinations, requirement, figures.node, watch);
            let kept = errors::engine(kept, call.names());
            let in_population =
                lattice::population_figures(combinations, requirement, figures.node, watch);
            let in_population = errors::engine(in_population, call.names());
            if let (Some(found), Some((_, limits))) = (in_population, &call.population) {
                verify_population(found, *limits);
            }
            ChosenNode {
                figures,
                in_population,
                matches: match call.has_wildcards() {
                    true => {
                        wildcard_promise::matches(call, combinations, figures.node, &kept, watch)
                    }
                    false => None,
                },
                kept,
            }
        })
    }

    /// What groups achieve counted by persons, where these are told apart: the released table does
    /// not show them.
    pub fn count_persons(
        &self,
        call: &Generalization,
        rows: &CountedRows,
        combinations: &Combinations,
        watch: &mut Watch,
    ) -> Option<Value> {
        let persons = call.sensitive.len();
        call.entity.first()?;
        let node = self.figures.node;
        let tally = lattice::kept_groups(combinations, node, &self.kept, watch);
        let tally = errors::engine(tally, call.names());
        let worst =
            |model: &dyn PrivacyModel, column: usize| known(worst(model, &tally, Some(column)));
        let values = call.conditions.person_values(rows);
        let columns = || (persons + 1..).zip(&values);
        let brought = columns().filter_map(|(c, values)| worst(&PersonSensitivity(values), c));
        let diverse = columns().filter_map(|(c, values)| worst(&PersonDiversity(values), c));
        let (p, l) = (brought.reduce(f64::min), diverse.reduce(f64::min));
        let k = worst(&PSensitivity, persons).unwrap_or(0.0);
        let conditions = &call.conditions;
        let holds = k >= conditions.k as f64
            && p.is_none_or(|p| p >= conditions.p as f64)
            && conditions.l.is_none_or(|least| l >= Some(least));
        if !holds {
            Failure::internal("the release fails its own promise by persons").raise();
        }
        let totals = known(tally.columns()[persons].totals());
        let all = totals.iter().filter(|&&rows| rows > 0).count();
        let mut counted =
            json!({ "k": k as i64, "p": p.map(|p| p as i64), "l": l, "persons": all });
        if let Some(categories) = conditions.classified(rows) {
            let figure = |property| {
                let of_first = OfFirstCategories {
                    values: &values[0],
                    categories: &categories,
                    property,
                    model: model_of_category(property, &categories),
                };
                worst(&of_first, persons + 1)
            };
            let (p_plus, alpha) = (figure(Property::PPlus), figure(Property::AlphaWeight));
            if p_plus < Some(conditions.p as f64) || alpha < conditions.alpha {
                promise_check::broken_promise(Property::AlphaWeight);
            }
            counted["p_plus"] = json!(p_plus.map(|p| p as i64));
            counted["alpha"] = json!(alpha);
        }
        Some(counted)
    }

    /// What each key loses, in percent. Strata behind them are as they were.
    pub fn losses(&self, call: &Generalization, combinations: &Combinations) -> Vec<f64> {
        let losses = lattice::column_losses(combinations, self.figures.node, &self.kept);
        let keys = losses.len() - call.strata.len();
        let keys = losses.into_iter().take(keys);
        keys.map(|loss| 100.0 * loss).collect()
    }
}

/// The node with these levels, which must satisfy the requirement.
fn given(
    call: &Generalization,
    combinations: &Combinations,
    requirement: &Requirement<'_>,
    levels: &Value,
    watch: &mut Watch,
) -> Figures {
    let node = call.keys.node(combinations.lattice(), levels);
    let figures = lattice::figures(combinations, requirement, node, watch);
    let figures = errors::engine(figures, call.names());
    if !figures.satisfied {
        Failure::new(
            PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
            format!(
                "these levels leave {} rows in groups that fail, more than max_suppressed = {}",
                figures.suppressed, requirement.max_suppressed
            ),
        )
        .hint("sdc.minimal_generalizations() lists levels that satisfy the requirements.")
        .raise();
    }
    figures
}

/// What is published must keep what was required in the population.
fn verify_population(found: PopulationFigures, limits: PopulationLimits) {
    if found.k_map < limits.k_map || limits.delta.is_some_and(|delta| found.delta > delta) {
        Failure::internal("the release fails its own promise in the population").raise();
    }
}

fn nothing_left() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DATA_EXCEPTION,
        "every row would be suppressed",
    )
    .hint("Lower max_suppressed, so that keys are generalized instead.")
    .raise()
}
