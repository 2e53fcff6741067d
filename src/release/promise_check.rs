//! The check that lets a release into the register: what it promises is counted once more, in the
//! released table or, where persons count, in the groups before they are written.

use crate::check::{Check, Requirements};
use crate::pg::errors::{Failure, known};
use crate::pg::memory::collected;
use crate::pg::statements;
use crate::read::relation::Source;
use crate::read::source_rows::KeptRows;
use crate::release::Target;
use sdc_engine::model::verify as verify_groups;
use sdc_engine::model::{
    AlphaWeight, KAnonymity, PPlus, PersonDiversity, PersonSensitivity, PersonValues, PrivacyModel,
    Property, SensitivityCategories, worst,
};
use sdc_engine::{Partition, Tally, person_tally};
use serde_json::{Value, json};

/// Checks groups against their promise counted by persons, and says what they achieve; `None`
/// where the call tells no persons apart. The released table does not show persons, so this is
/// done before it is written.
pub fn verify_persons(rows: &KeptRows, partition: &Partition, k: usize, p: usize) -> Option<Value> {
    let persons = rows.persons.as_ref()?;
    let tally = known(person_tally(persons, partition));
    known(verify_groups(&KAnonymity, &tally, None, k as f64));
    let figures = rows.sensitive.iter().map(|column| {
        let values = known(PersonValues::of_persons(persons, column));
        let worst = |model: &dyn PrivacyModel| known(worst(model, &tally, Some(0)));
        let sensitivity = PersonSensitivity(&values);
        known(verify_groups(&sensitivity, &tally, Some(0), p as f64));
        (worst(&sensitivity), worst(&PersonDiversity(&values)))
    });
    let (brought, diversities): (Vec<_>, Vec<_>) = figures.unzip();
    let least = |figures: Vec<Option<f64>>| figures.into_iter().flatten().reduce(f64::min);
    Some(json!({
        "k": known(worst(&KAnonymity, &tally, None)).map(|k| k as i64),
        "p": least(brought).map(|p| p as i64),
        "l": least(diversities),
        "persons": persons.len(),
    }))
}

/// Checks the promise of p⁺ and alpha where persons are counted, each by the most sensitive
/// category that the person has, and adds the figures.
pub fn verify_categories(
    rows: &KeptRows,
    partition: &Partition,
    categories: &SensitivityCategories,
    (p, alpha): (usize, f64),
    counted: &mut Value,
) {
    let Some(persons) = &rows.persons else {
        return;
    };
    let first = known(persons.first_by(&rows.sensitive[0], |code| categories.of(code)));
    let mut group_of = collected((0..persons.len()).map(|_| 0));
    for (&person, &group) in persons.person_of().iter().zip(partition.group_of()) {
        group_of[person as usize] = group;
    }
    let groups = known(Partition::new(group_of, partition.groups()));
    let tally = known(Tally::new(&groups, &[&first]));
    let figure = |model: &dyn PrivacyModel, required: f64| {
        known(verify_groups(model, &tally, Some(0), required));
        known(worst(model, &tally, Some(0)))
    };
    let distinct = figure(&PPlus::new(categories), p as f64);
    let weight = figure(&known(AlphaWeight::new(categories)), alpha);
    counted["p_plus"] = json!(distinct.map(|p| p as i64));
    counted["alpha"] = json!(weight);
}

/// Checks the promise of l where persons were counted.
pub fn verify_diversity(counted: Option<&Value>, l: Option<f64>) {
    if let (Some(counted), Some(l)) = (counted, l)
        && counted["l"].as_f64().is_none_or(|reached| reached < l)
    {
        broken_promise(Property::LDiversity);
    }
}

pub fn broken_promise(property: Property) -> ! {
    let name = property.name();
    Failure::internal(format!("the release fails its own promise of {name}")).raise()
}

/// What a table achieves, with what was counted by persons in the place of what its rows say.
pub fn by_persons(mut achieved: Value, counted: Option<Value>) -> Value {
    if let (Some(Value::Object(counted)), Some(all)) = (counted, achieved.as_object_mut()) {
        all.extend(counted);
    }
    achieved
}

/// Checks the released table against its promise and says what it achieves. A release that
/// fails is an error, which undoes it.
pub fn verify(
    target: &Target,
    keys: &[String],
    sensitive: &[String],
    required: Requirements,
) -> Value {
    verify_with(target, keys, sensitive, required, None)
}

/// The same where the one sensitive column has sensitivity categories.
pub fn verify_with(
    target: &Target,
    keys: &[String],
    sensitive: &[String],
    required: Requirements,
    categories: Option<Vec<Vec<String>>>,
) -> Value {
    let source = Source::named(&target.sql_name());
    let check = Check {
        categories,
        ..Check::of(source, keys.to_vec(), sensitive.to_vec(), required)
    };
    let lines = statements::seeing_own_writes(|| check.lines());
    if let Some(line) = lines.iter().find(|line| line.satisfied() == Some(false)) {
        broken_promise(line.property);
    }
    let worst = |property: Property| {
        let lines = lines.iter().filter(|line| line.property == property);
        lines.filter_map(|line| line.actual).reduce(f64::min)
    };
    let whole = |property| worst(property).map(|figure| figure as i64);
    let mut achieved = json!({
        "k": whole(Property::KAnonymity), "p": whole(Property::PSensitivity), "l": worst(Property::LDiversity),
    });
    if check.required.t.is_some() {
        let close = lines
            .iter()
            .filter(|line| line.property == Property::TCloseness);
        achieved["t"] = json!(close.filter_map(|line| line.actual).reduce(f64::max));
    }
    if check.categories.is_some() {
        achieved["p_plus"] = json!(whole(Property::PPlus));
        achieved["alpha"] = json!(worst(Property::AlphaWeight));
    }
    achieved
}
