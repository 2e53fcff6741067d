//! l-diversity and t-closeness as conditions on the groups of kept rows, or of the persons that
//! these are about. l counts persons then; t compares rows, as checks do.

use crate::check::Requirements;
use crate::pg::errors::{Failure, known};
use crate::read::columns::Decoder;
use crate::read::given_requirements;
use crate::read::named_arguments::NamedArguments;
use crate::read::ranks;
use crate::read::source_rows::KeptRows;
use sdc_engine::assign::GroupConditions;
use sdc_engine::lattice::Condition;
use sdc_engine::model::{
    Bound, Distribution, Group, LDiversity, OfPersonRows, PersonDiversity, PersonValues,
    PrivacyModel, closeness_of,
};
use sdc_engine::{Categories, Error, PersonRows, Result};
use serde_json::{Value, json};

/// The sensitive columns of rows: their distributions and, for numbers and dates, their order.
pub struct SensitiveModels {
    columns: Vec<(Distribution, Option<Vec<u32>>)>,
}

impl SensitiveModels {
    pub fn new(rows: &KeptRows) -> Self {
        let columns = rows.sensitive.iter().zip(&rows.sensitive_values);
        let columns = columns.map(|(codes, values)| {
            let mut counts = vec![0; codes.cardinality()];
            for &code in codes.codes() {
                counts[code as usize] += 1;
            }
            let ranks = match values {
                Decoder::Category { codec, seen } => ranks::ranks(codec, seen),
                Decoder::Number(_) => None,
            };
            (known(Distribution::from_counts(counts)), ranks)
        });
        SensitiveModels {
            columns: columns.collect(),
        }
    }

    /// The models of what is required, for each sensitive column.
    pub fn models(&self, l: Option<f64>, t: Option<f64>) -> RequiredModels<'_> {
        let mut models: Vec<RequiredModel<'_>> = Vec::new();
        for (column, (distribution, ranks)) in self.columns.iter().enumerate() {
            if let Some(required) = l {
                let model = Box::new(LDiversity);
                models.push((model, column, required));
            }
            if let Some(required) = t {
                let model = known(closeness_of(distribution, ranks.as_deref()));
                models.push((model, column, required));
            }
        }
        RequiredModels {
            models,
            of_persons: false,
        }
    }

    /// The same for points that are persons, of whom it is said what they have in each column; for
    /// none, points are rows. Who the points are stands behind all sensitive columns.
    pub fn models_of_points<'a>(
        &'a self,
        persons: &'a [PersonValues],
        (l, t): (Option<f64>, Option<f64>),
    ) -> RequiredModels<'a> {
        if persons.is_empty() {
            return self.models(l, t);
        }
        let mut models: Vec<RequiredModel<'a>> = Vec::new();
        let place = self.columns.len();
        for ((distribution, ranks), values) in self.columns.iter().zip(persons) {
            if let Some(required) = l {
                models.push((Box::new(PersonDiversity(values)), place, required));
            }
            if let Some(required) = t {
                let model = known(closeness_of(distribution, ranks.as_deref()));
                models.push((Box::new(OfPersonRows { values, model }), place, required));
            }
        }
        RequiredModels {
            models,
            of_persons: true,
        }
    }
}

/// What each person has in each sensitive column; nothing where rows are nobody's.
pub fn person_values(rows: &KeptRows) -> Vec<PersonValues> {
    let persons = rows.persons.iter();
    let columns = persons.flat_map(|persons| rows.sensitive.iter().map(move |c| (persons, c)));
    let values = columns.map(|(persons, column)| known(PersonValues::of_persons(persons, column)));
    values.collect()
}

/// What l and t ask of the groups of a method, with copies of the values that they look at: rows
/// may be left out while groups are formed.
pub struct GroupPromise<'a> {
    l: RequiredModels<'a>,
    t: RequiredModels<'a>,
    sensitive: Vec<Categories>,
    persons: Option<PersonRows>,
    ranks: Option<&'a [u32]>,
}

impl<'a> GroupPromise<'a> {
    pub fn new(rows: &KeptRows, models: &'a SensitiveModels, required: Requirements) -> Self {
        let asked = required.l.is_some() || required.t.is_some();
        let copies = rows.sensitive.iter().filter(|_| asked);
        GroupPromise {
            l: models.models(required.l, None),
            t: models.models(None, required.t),
            sensitive: copies.map(|column| known(column.try_clone())).collect(),
            persons: rows.persons.clone().filter(|_| asked),
            ranks: models
                .columns
                .first()
                .and_then(|column| column.1.as_deref()),
        }
    }

    /// The conditions as methods take them: l counts persons where there are any, t compares rows.
    pub fn with<T>(&self, use_them: impl FnOnce(GroupConditions<'_>) -> T) -> T {
        let (l, t) = (self.l.conditions(), self.t.conditions());
        use_them(GroupConditions {
            on_rows: &t,
            on_persons: &l,
            sensitive: &self.sensitive,
            persons: self.persons.as_ref(),
            ranks: self.ranks,
            points: None,
        })
    }
}

/// What a call requires of the groups of its release: k and, of sensitive columns, p, l and t.
pub fn required(arguments: &NamedArguments<'_>, sensitive: &[String]) -> Requirements {
    let diverse = !sensitive.is_empty();
    let p: i32 = arguments.required("p");
    let required = Requirements {
        k: Some(arguments.required("k")),
        p: diverse.then_some(p),
        l: arguments.optional("l"),
        t: arguments.optional("t"),
        alpha: None,
    };
    required.refuse_nonsense();
    let asked = [
        ("p", p > 1),
        ("l", required.l.is_some()),
        ("t", required.t.is_some()),
    ];
    if !diverse {
        given_requirements::refuse_without_sensitive(&asked);
    }
    required
}

/// Notes l and t among the parameters of a release, where the call has them.
pub fn record(arguments: &NamedArguments<'_>, parameters: &mut Value) {
    for name in ["l", "t"] {
        if let Some(required) = arguments.optional::<f64>(name) {
            parameters[name] = json!(required);
        }
    }
}

/// A model, the sensitive column and what is required of it.
type RequiredModel<'a> = (Box<dyn PrivacyModel + 'a>, usize, f64);

/// What is required of every group.
pub struct RequiredModels<'a> {
    models: Vec<RequiredModel<'a>>,
    of_persons: bool,
}

impl RequiredModels<'_> {
    /// The models as the engine takes them.
    pub fn conditions(&self) -> Vec<Condition<'_>> {
        let models = self.models.iter();
        let conditions = models.map(|(model, column, required)| Condition {
            model: &**model,
            column: Some(*column),
            required: *required,
        });
        conditions.collect()
    }

    /// The columns that conditions look at: the given ones and, where a condition is on persons,
    /// one that says who each point is.
    pub fn columns(&self, sensitive: &[Categories]) -> Result<Vec<Categories>> {
        let mut columns = sensitive
            .iter()
            .map(Categories::try_clone)
            .collect::<Result<Vec<_>>>()?;
        if let (true, Some(first)) = (self.of_persons && !self.models.is_empty(), columns.first()) {
            let points = sdc_engine::allocation::collected(0..first.codes().len() as u32)?;
            columns.push(Categories::new(points));
        }
        Ok(columns)
    }

    /// Says what even one group of all points misses.
    pub fn require(&self, columns: &[Categories]) -> Result<()> {
        for (model, column, required) in &self.models {
            let mut counts = vec![0; columns[*column].cardinality()];
            let codes = columns[*column].codes();
            codes.iter().for_each(|&code| counts[code as usize] += 1);
            let values = (0..).zip(counts).filter(|&(_, count)| count > 0);
            let values: Vec<(u32, u64)> = values.collect();
            let figure = model.figure(Group {
                rows: codes.len() as u64,
                values: &values,
            });
            if !model.holds(figure, *required) {
                return Err(Error::OutOfReach {
                    property: model.name(),
                    column: *column,
                    required: *required,
                    figure,
                });
            }
        }
        Ok(())
    }

    /// Refuses what even a group of all points misses.
    pub fn refuse_infeasible(&self, columns: &[Categories]) {
        let Err(Error::OutOfReach {
            property,
            required,
            figure,
            ..
        }) = self.require(columns)
        else {
            return;
        };
        let all = if self.of_persons { "persons" } else { "rows" };
        let failure = Failure::invalid(format!(
            "{property} of {required} is out of reach: all {all} together have {figure}"
        ));
        let least = |model: &RequiredModel<'_>| {
            model.0.name() == property && model.0.bound() == Bound::AtLeast
        };
        match self.models.iter().any(least) {
            true => failure.hint(format!("The largest feasible l is {figure}.")),
            false => failure.hint(format!("Use a t of {figure} or more.")),
        }
        .raise()
    }
}
