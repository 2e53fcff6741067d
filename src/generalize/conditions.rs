//! What a caller requires of every group that is not suppressed.

use crate::generalize::row_counting::CountedRows;
use crate::pg::errors::{Failure, known};
use crate::read::arguments::count;
use crate::read::named_arguments::NamedArguments;
use crate::read::ranks;
use crate::read::sensitivity_categories;
use crate::read::table_options::{Suppression, TableOptions};
use pgrx::PgSqlErrorCode;
use sdc_engine::lattice::{Combinations, Condition, Requirement};
use sdc_engine::model::{
    AlphaWeight, Distribution, LDiversity, PPlus, PSensitivity, PrivacyModel, Property,
    SensitivityCategories, closeness_of,
};

/// The requirements of a call.
pub struct Conditions {
    pub k: usize,
    pub p: usize,
    pub max_suppressed: Suppression,
    pub l: Option<f64>,
    pub t: Option<f64>,
    pub alpha: Option<f64>,
    pub categories: Option<Vec<Vec<String>>>,
    /// whether the last counted column tells persons apart, of whom a group needs k
    persons: bool,
}

impl Conditions {
    /// Checks what can be checked without rows.
    pub fn new(arguments: &NamedArguments<'_>, sensitive: usize, persons: bool) -> Self {
        let conditions = Conditions {
            k: count(arguments.required("k"), "k"),
            p: count(arguments.required("p"), "p"),
            max_suppressed: TableOptions::of(arguments).max_suppressed,
            l: arguments.optional("l"),
            t: arguments.optional("t"),
            alpha: arguments.optional("alpha"),
            categories: arguments
                .optional("categories")
                .map(sensitivity_categories::parse),
            persons,
        };
        conditions.refuse_rows();
        conditions.refuse_nonsense(sensitive);
        conditions
    }

    /// Refuses requirements on persons that would be counted by rows.
    fn refuse_rows(&self) {
        let by_rows = [("l", self.l), ("t", self.t), ("alpha", self.alpha)];
        let given = by_rows.into_iter().find(|(_, value)| value.is_some());
        if let Some((name, _)) = given.filter(|_| self.persons) {
            Failure::new(
                PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
                format!("{name} counts rows, and cannot be combined with entity"),
            )
            .hint(format!(
                "Leave {name} or entity out; k and p count persons."
            ))
            .raise();
        }
    }

    fn refuse_nonsense(&self, sensitive: usize) {
        let ranges = [
            ("l", self.l, Property::LDiversity),
            ("t", self.t, Property::TCloseness),
            ("alpha", self.alpha, Property::AlphaWeight),
        ];
        for (name, value, property) in ranges {
            let least = property.least_requirement();
            if value.is_some_and(|value| value.is_nan() || value < least) {
                Failure::invalid(format!("{name} must be at least {least}"))
                    .hint(format!("Use {name} => {least} or more."))
                    .raise();
            }
        }
        let needs = [
            ("p", self.p > 1),
            ("l", self.l.is_some()),
            ("t", self.t.is_some()),
        ];
        let given = needs.into_iter().find(|&(_, given)| given);
        if let Some((name, _)) = given.filter(|_| sensitive == 0) {
            Failure::invalid(format!("{name} needs a sensitive column"))
                .hint("Name it in sensitive => '{…}'.")
                .raise();
        }
        sensitivity_categories::refuse_unfit(self.categories.as_deref(), sensitive, self.alpha);
    }

    /// The engine's requirement for counted rows, to be used by `act`.
    pub fn with_requirement<T>(
        &self,
        rows: &CountedRows,
        combinations: &Combinations,
        act: impl FnOnce(&Requirement<'_>) -> T,
    ) -> T {
        let columns = combinations.tally().columns().iter();
        let distributions: Vec<_> = columns.map(|c| known(Distribution::new(c))).collect();
        let categories = self
            .categories
            .as_ref()
            .map(|categories| classify(rows, categories));
        let mut models = self.models_of_values(rows, &distributions);
        if let Some(categories) = &categories {
            models.extend(self.models_of_categories(categories));
        }
        if self.persons {
            let last = distributions.len() - 1;
            models.push(Model::new(PSensitivity, last, self.k as f64));
        }
        let conditions = models.iter().map(|model| Condition {
            model: &*model.model,
            column: Some(model.column),
            required: model.required,
        });
        act(&Requirement {
            k: self.k,
            p: self.p,
            max_suppressed: self.max_suppressed.of(combinations.rows() as usize) as u64,
            conditions: conditions.collect(),
        })
    }

    /// l-diversity and t-closeness, for each sensitive column.
    fn models_of_values<'a>(
        &self,
        rows: &CountedRows,
        distributions: &'a [Distribution],
    ) -> Vec<Model<'a>> {
        let mut models = Vec::new();
        for (column, distribution) in distributions.iter().enumerate() {
            if let Some(required) = self.l {
                models.push(Model::new(LDiversity, column, required));
            }
            let Some(required) = self.t else { continue };
            let values = rows.counter.values(column);
            let ranks = ranks::ranks(&rows.sensitive[column], values);
            let model = known(closeness_of(distribution, ranks.as_deref()));
            models.push(Model {
                model,
                column,
                required,
            });
        }
        models
    }

    /// (p⁺,α)-sensitivity of the one sensitive column (SWTLL08).
    fn models_of_categories<'a>(&self, categories: &'a SensitivityCategories) -> Vec<Model<'a>> {
        let mut models = vec![Model::new(PPlus::new(categories), 0, self.p as f64)];
        if let Some(alpha) = self.alpha {
            models.push(Model::new(known(AlphaWeight::new(categories)), 0, alpha));
        }
        models
    }
}

/// A privacy model that a column must meet.
struct Model<'a> {
    model: Box<dyn PrivacyModel + 'a>,
    column: usize,
    required: f64,
}

impl<'a> Model<'a> {
    fn new(model: impl PrivacyModel + 'a, column: usize, required: f64) -> Self {
        Model {
            model: Box::new(model),
            column,
            required,
        }
    }
}

/// The category of each value of the one sensitive column.
fn classify(rows: &CountedRows, categories: &[Vec<String>]) -> SensitivityCategories {
    let (codec, values) = (&rows.sensitive[0], rows.counter.values(0));
    let values = values.iter().map(|bytes| codec.decode(bytes));
    sensitivity_categories::classify(codec.typ(), values, categories)
}
