//! l-diversity and t-closeness as conditions on the groups of kept rows.

use crate::pg::errors::{Failure, known};
use crate::read::columns::Decoder;
use crate::read::ranks;
use crate::read::source_rows::KeptRows;
use sdc_engine::lattice::Condition;
use sdc_engine::model::{Distribution, Group, LDiversity, PrivacyModel, closeness_of};

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
        let distributions = self.columns.iter().map(|(distribution, _)| distribution);
        RequiredModels {
            models,
            distributions: distributions.collect(),
        }
    }
}

/// A model, the sensitive column and what is required of it.
type RequiredModel<'a> = (Box<dyn PrivacyModel + 'a>, usize, f64);

/// What is required of every group.
pub struct RequiredModels<'a> {
    models: Vec<RequiredModel<'a>>,
    distributions: Vec<&'a Distribution>,
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

    /// Refuses what even a group of all rows misses.
    pub fn refuse_infeasible(&self) {
        for (model, column, required) in &self.models {
            let distribution = self.distributions[*column];
            let values = (0..).zip(distribution.counts().iter().copied());
            let values: Vec<(u32, u64)> = values.filter(|&(_, count)| count > 0).collect();
            let figure = model.figure(Group {
                rows: distribution.rows(),
                values: &values,
            });
            if !model.holds(figure, *required) {
                Failure::invalid(format!(
                    "{} of {required} is out of reach: all rows together have {figure}",
                    model.name()
                ))
                .hint(format!("The largest feasible l is {figure}."))
                .raise();
            }
        }
    }
}
