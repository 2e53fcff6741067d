//! l-diversity and t-closeness as conditions on the groups of kept rows, or of the persons that
//! these are about. l counts persons then; t compares rows, as checks do.

use crate::pg::errors::{Failure, known};
use crate::read::columns::Decoder;
use crate::read::ranks;
use crate::read::source_rows::KeptRows;
use sdc_engine::lattice::Condition;
use sdc_engine::model::{
    Bound, Distribution, Group, LDiversity, OfPersonRows, PersonDiversity, PersonValues,
    PrivacyModel, closeness_of,
};
use sdc_engine::{Categories, Error, Result};

/// The sensitive columns of rows.
pub struct SensitiveModels {
    columns: Vec<SensitiveColumn>,
}

struct SensitiveColumn {
    distribution: Distribution,
    /// of numbers and dates
    ranks: Option<Vec<u32>>,
    /// what each person has, where points are persons
    persons: Option<PersonValues>,
}

impl SensitiveModels {
    pub fn new(rows: &KeptRows) -> Self {
        let columns = rows.sensitive.iter().zip(&rows.sensitive_values);
        let columns = columns.map(|(codes, values)| {
            let mut counts = vec![0; codes.cardinality()];
            for &code in codes.codes() {
                counts[code as usize] += 1;
            }
            let persons = rows.persons.as_ref();
            SensitiveColumn {
                distribution: known(Distribution::from_counts(counts)),
                ranks: match values {
                    Decoder::Category { codec, seen } => ranks::ranks(codec, seen),
                    Decoder::Number(_) => None,
                },
                persons: persons.map(|persons| known(PersonValues::of_persons(persons, codes))),
            }
        });
        SensitiveModels {
            columns: columns.collect(),
        }
    }

    /// The models of what is required, for each sensitive column.
    pub fn models(&self, l: Option<f64>, t: Option<f64>) -> RequiredModels<'_> {
        let mut models: Vec<RequiredModel<'_>> = Vec::new();
        let of_persons = self.columns.iter().any(|column| column.persons.is_some());
        for (place, column) in self.columns.iter().enumerate() {
            // who the points are stands behind all sensitive columns
            let place = if of_persons {
                self.columns.len()
            } else {
                place
            };
            if let Some(required) = l {
                models.push((column.diversity(), place, required));
            }
            if let Some(required) = t {
                models.push((column.closeness(), place, required));
            }
        }
        RequiredModels { models, of_persons }
    }
}

impl SensitiveColumn {
    fn diversity(&self) -> Box<dyn PrivacyModel + '_> {
        match &self.persons {
            None => Box::new(LDiversity),
            Some(values) => Box::new(PersonDiversity(values)),
        }
    }

    fn closeness(&self) -> Box<dyn PrivacyModel + '_> {
        let model = known(closeness_of(&self.distribution, self.ranks.as_deref()));
        match &self.persons {
            None => model,
            Some(values) => Box::new(OfPersonRows { values, model }),
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
