//! The checking aggregates: a state of counts, one privacy model, one figure.

use crate::aggregate::State;
use crate::pg::aggregate_call::{bigint, finish, float};
use crate::pg::errors::{Failure, known};
use crate::pg::function_call::Call;
use crate::pg::function_call::v1;
use crate::pg::memory;
use crate::read::hierarchy_table::HierarchyTable;
use crate::read::sensitivity_categories;
use crate::read::value_distance::ValueDistance;
use pgrx::pg_sys::Datum;
use sdc_engine::lattice::HierarchicalCloseness;
use sdc_engine::measure::average_risk;
use sdc_engine::model::{
    AlphaK, AlphaWeight, BasicLikeness, DeltaDisclosure, Distribution, EnhancedLikeness,
    EntropyDiversity, KAnonymity, LDiversity, PSensitivity, PrivacyModel, RecursiveDiversity,
    SensitivityCategories, disclosures, worst,
};
use sdc_engine::{Result, Tally};

/// A state whose aggregate has come to its end.
struct Tallied<'a> {
    state: &'a State,
    tally: Tally,
}

impl Tallied<'_> {
    /// The worst figure of the first sensitive column over all groups.
    fn worst(&self, model: &dyn PrivacyModel) -> f64 {
        known(worst(model, &self.tally, Some(0))).unwrap_or(f64::NAN)
    }

    fn distribution(&self) -> Result<Distribution> {
        Distribution::new(&self.tally.columns()[0])
    }
}

/// Answers a final function.
fn answer(call: &Call, figure: impl FnOnce(Tallied) -> Option<Datum>) -> Option<Datum> {
    finish(call, |state: &State| {
        let tally = known(state.counts.tally());
        figure(Tallied { state, tally })
    })
}

fn k_anonymity(counted: Tallied) -> Option<Datum> {
    known(worst(&KAnonymity, &counted.tally, None)).and_then(|k| bigint(k as u64))
}

fn p_sensitivity(counted: Tallied) -> Option<Datum> {
    let columns = 0..counted.tally.columns().len();
    let worst = |column| known(worst(&PSensitivity, &counted.tally, Some(column)));
    let figures = columns.filter_map(worst);
    figures.reduce(f64::min).and_then(|p| bigint(p as u64))
}

fn recursive_l_diversity(counted: Tallied) -> Option<Datum> {
    let model = known(RecursiveDiversity::new(counted.state.parameter.number()));
    bigint(counted.worst(&model) as u64)
}

fn t_closeness(counted: Tallied, distance: ValueDistance) -> Option<Datum> {
    let distribution = known(counted.distribution());
    let codec = counted
        .state
        .values
        .first()
        .and_then(|value| value.codec())?;
    let model = distance.closeness(&distribution, codec, counted.state.counts.values(0));
    float(counted.worst(&*model))
}

/// Distances are those of a hierarchy, which is read when all rows are counted.
fn t_closeness_by_hierarchy(counted: Tallied) -> Option<Datum> {
    let distribution = known(counted.distribution());
    let values = counted.state.values.first();
    let codec = values.and_then(|value| value.codec())?;
    let table = HierarchyTable::new(counted.state.parameter.relation());
    let seen = counted.state.counts.values(0);
    let value_of = table.values_by_codec("the sensitive column", codec, seen);
    let model = HierarchicalCloseness::new(&distribution, table.shape(), &value_of);
    float(counted.worst(&known(model)))
}

fn basic_beta_likeness(counted: Tallied) -> Option<Datum> {
    let distribution = known(counted.distribution());
    float(counted.worst(&BasicLikeness::new(&distribution)))
}

fn enhanced_beta_likeness(counted: Tallied) -> Option<Datum> {
    let distribution = known(counted.distribution());
    float(counted.worst(&EnhancedLikeness::new(&distribution)))
}

fn delta_disclosure(counted: Tallied) -> Option<Datum> {
    let distribution = known(counted.distribution());
    float(counted.worst(&DeltaDisclosure::new(&distribution)))
}

fn p_plus(counted: Tallied) -> Option<Datum> {
    category_numbers(&counted, None);
    bigint(counted.worst(&PSensitivity) as u64)
}

fn alpha_weight(counted: Tallied) -> Option<Datum> {
    let categories = sensitivity_categories::count(counted.state.parameter.number() as i32);
    let numbers = category_numbers(&counted, Some(categories));
    let numbers = memory::collected(numbers.into_iter().map(|number| number - 1));
    let categories = known(SensitivityCategories::new(numbers, categories));
    float(counted.worst(&known(AlphaWeight::new(&categories))))
}

/// The category number of each value of a column of categories: whole numbers from 1, the
/// most sensitive, up to `most`.
fn category_numbers(counted: &Tallied, most: Option<u32>) -> Vec<u32> {
    let codec = counted.state.values.first().and_then(|value| value.codec());
    let number = |bytes: &[u8]| {
        let number = codec.and_then(|codec| codec.decode(bytes).get::<i32>());
        match number.and_then(|number| u32::try_from(number).ok()) {
            Some(number) if number >= 1 && most.is_none_or(|most| number <= most) => number,
            _ => bad_category(most),
        }
    };
    let values = counted.state.counts.values(0);
    let mut numbers = memory::reserved(values.len());
    numbers.extend(values.iter().map(number));
    numbers
}

fn bad_category(most: Option<u32>) -> ! {
    let range = most.map_or("1 or more".into(), |most| format!("1 to {most}"));
    Failure::invalid(format!("a category is null or not in the range {range}"))
        .hint("Categories are numbered from 1, the most sensitive; sdc.category() gives them.")
        .raise()
}

fn reidentification_risk(counted: Tallied) -> Option<Datum> {
    let groups = counted.tally.sizes().len() as u64;
    float(average_risk(groups, counted.tally.rows()))
}

v1! {
    sdc_k_anonymity, pg_finfo_sdc_k_anonymity => |call| answer(call, k_anonymity);
    sdc_p_sensitivity, pg_finfo_sdc_p_sensitivity => |call| answer(call, p_sensitivity);
    sdc_disclosures, pg_finfo_sdc_disclosures =>
        |call| answer(call, |counted| bigint(disclosures(&counted.tally)));
    sdc_l_diversity, pg_finfo_sdc_l_diversity =>
        |call| answer(call, |counted| float(counted.worst(&LDiversity)));
    sdc_entropy_l_diversity, pg_finfo_sdc_entropy_l_diversity =>
        |call| answer(call, |counted| float(counted.worst(&EntropyDiversity)));
    sdc_recursive_l_diversity, pg_finfo_sdc_recursive_l_diversity =>
        |call| answer(call, recursive_l_diversity);
    sdc_alpha_k, pg_finfo_sdc_alpha_k =>
        |call| answer(call, |counted| float(counted.worst(&AlphaK)));
    sdc_t_closeness, pg_finfo_sdc_t_closeness =>
        |call| answer(call, |counted| t_closeness(counted, ValueDistance::Rank));
    sdc_t_closeness_by_value, pg_finfo_sdc_t_closeness_by_value =>
        |call| answer(call, |counted| t_closeness(counted, ValueDistance::Value));
    sdc_t_closeness_by_hierarchy, pg_finfo_sdc_t_closeness_by_hierarchy =>
        |call| answer(call, t_closeness_by_hierarchy);
    sdc_basic_beta_likeness, pg_finfo_sdc_basic_beta_likeness =>
        |call| answer(call, basic_beta_likeness);
    sdc_enhanced_beta_likeness, pg_finfo_sdc_enhanced_beta_likeness =>
        |call| answer(call, enhanced_beta_likeness);
    sdc_delta_disclosure, pg_finfo_sdc_delta_disclosure =>
        |call| answer(call, delta_disclosure);
    sdc_p_plus, pg_finfo_sdc_p_plus => |call| answer(call, p_plus);
    sdc_alpha_weight, pg_finfo_sdc_alpha_weight => |call| answer(call, alpha_weight);
    sdc_reidentification_risk, pg_finfo_sdc_reidentification_risk =>
        |call| answer(call, reidentification_risk);
}
