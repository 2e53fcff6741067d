//! What a caller requires of every group that is not suppressed.

use crate::generalize::row_counting::CountedRows;
use crate::pg::errors::{Failure, known};
use crate::read::arguments::count;
use crate::read::given_requirements;
use crate::read::named_arguments::NamedArguments;
use crate::read::null_reading::NullReading;
use crate::read::ranks;
use crate::read::sensitivity_categories;
use crate::read::table_options::{Nulls, Suppression, TableOptions};
use sdc_engine::lattice::{Combinations, Condition, Requirement};
use sdc_engine::model::{
    AlphaWeight, Distribution, LDiversity, OfFirstCategories, PPlus, PSensitivity, PersonDiversity,
    PersonSensitivity, PersonValues, PrivacyModel, Property, SensitivityCategories, closeness_of,
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
    /// how many columns are sensitive
    sensitive: usize,
    /// whether the column behind them tells persons apart, whom k, p and l count
    persons: bool,
}

impl Conditions {
    /// Checks what can be checked without rows.
    pub fn new(arguments: &NamedArguments<'_>, sensitive: usize, options: &TableOptions) -> Self {
        let conditions = Conditions {
            k: count(arguments.required("k"), "k"),
            p: count(arguments.required("p"), "p"),
            max_suppressed: options.max_suppressed,
            l: arguments.optional("l"),
            t: arguments.optional("t"),
            alpha: arguments.optional("alpha"),
            categories: arguments
                .optional("categories")
                .map(sensitivity_categories::parse),
            sensitive,
            persons: options.entity.is_some(),
        };
        conditions.refuse_nonsense(sensitive);
        if options.nulls == Nulls::Wildcard {
            conditions.refuse_wildcards(options);
        }
        conditions
    }

    fn refuse_nonsense(&self, sensitive: usize) {
        let ranges = [
            ("l", self.l, Property::LDiversity),
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
        given_requirements::refuse_distance(self.t);
        let needs = [
            ("p", self.p > 1),
            ("l", self.l.is_some()),
            ("t", self.t.is_some()),
        ];
        if sensitive == 0 {
            given_requirements::refuse_without_sensitive(&needs);
        }
        sensitivity_categories::refuse_unfit(self.categories.as_deref(), sensitive, self.alpha);
    }

    /// Refuses what has no meaning where rows have matches but no groups.
    fn refuse_wildcards(&self, options: &TableOptions) {
        NullReading::Wildcard.refuse_with_entity(options.entity.as_deref());
        let on_groups = [
            ("l", self.l.is_some()),
            ("t", self.t.is_some()),
            ("alpha", self.alpha.is_some()),
            ("categories", self.categories.is_some()),
        ];
        let hint = "Require k and p, or read nulls => 'value'.";
        given_requirements::refuse_with_wildcards(&on_groups, hint);
    }

    /// The engine's requirement for counted rows, to be used by `act`.
    pub fn with_requirement<T>(
        &self,
        rows: &CountedRows,
        combinations: &Combinations,
        act: impl FnOnce(&Requirement<'_>) -> T,
    ) -> T {
        let columns = &combinations.tally().columns()[..self.sensitive];
        let distributions = columns.iter().map(|c| known(Distribution::new(c)));
        let distributions: Vec<_> = distributions.collect();
        let categories = self.classified(rows);
        let persons = self.person_values(rows);
        let mut models = self.models_of_closeness(rows, &distributions);
        match self.persons {
            true => models.extend(self.models_of_persons(&persons)),
            false => models.extend(self.models_of_diversity()),
        }
        if let Some(categories) = &categories {
            models.extend(self.models_of_categories(categories, persons.first()));
        }
        let conditions = models.iter().map(|model| Condition {
            model: &*model.model,
            column: Some(model.column),
            required: model.required,
        });
        act(&Requirement {
            k: self.k,
            // of persons the models count values
            p: if self.persons { 1 } else { self.p },
            max_suppressed: self.max_suppressed.of(combinations.rows() as usize) as u64,
            conditions: conditions.collect(),
        })
    }

    /// For each sensitive column who has which of its values; none where rows are counted.
    pub fn person_values(&self, rows: &CountedRows) -> Vec<PersonValues> {
        let columns = 0..if self.persons { self.sensitive } else { 0 };
        let counted = self.sensitive + 1;
        columns
            .map(|column| rows.persons_with(column, counted))
            .collect()
    }

    /// k, p and l by persons. The column of persons stands behind the sensitive ones, and behind
    /// it the pairs of persons and values.
    fn models_of_persons<'a>(&self, persons: &'a [PersonValues]) -> Vec<Model<'a>> {
        let mut models = vec![Model::new(PSensitivity, self.sensitive, self.k as f64)];
        for (column, values) in (self.sensitive + 1..).zip(persons) {
            if self.p > 1 {
                let p = self.p as f64;
                models.push(Model::new(PersonSensitivity(values), column, p));
            }
            if let Some(l) = self.l {
                models.push(Model::new(PersonDiversity(values), column, l));
            }
        }
        models
    }

    fn models_of_diversity<'a>(&self) -> Vec<Model<'a>> {
        let columns = (0..self.sensitive).zip(self.l.into_iter().cycle());
        columns
            .map(|(column, l)| Model::new(LDiversity, column, l))
            .collect()
    }

    /// t-closeness of rows, for each sensitive column.
    fn models_of_closeness<'a>(
        &self,
        rows: &CountedRows,
        distributions: &'a [Distribution],
    ) -> Vec<Model<'a>> {
        let Some(required) = self.t else {
            return Vec::new();
        };
        let model = |(column, distribution): (usize, &'a Distribution)| {
            let ranks = ranks::ranks(&rows.sensitive[column], rows.counter.values(column));
            Model {
                model: known(closeness_of(distribution, ranks.as_deref())),
                column,
                required,
            }
        };
        distributions.iter().enumerate().map(model).collect()
    }

    /// The category of each value of the one sensitive column, where the call classifies them.
    pub fn classified(&self, rows: &CountedRows) -> Option<SensitivityCategories> {
        let categories = self.categories.as_ref()?;
        Some(classify(rows, categories))
    }

    /// (p⁺,α)-sensitivity of the one sensitive column (SWTLL08), by rows or by persons.
    fn models_of_categories<'a>(
        &self,
        categories: &'a SensitivityCategories,
        persons: Option<&'a PersonValues>,
    ) -> Vec<Model<'a>> {
        let mut models = Vec::new();
        for (property, required) in [
            (Property::PPlus, Some(self.p as f64)),
            (Property::AlphaWeight, self.alpha),
        ] {
            let Some(required) = required else { continue };
            let model = model_of_category(property, categories);
            models.push(match persons {
                None => Model {
                    model,
                    column: 0,
                    required,
                },
                Some(values) => {
                    let of_first = OfFirstCategories {
                        values,
                        categories,
                        property,
                        model,
                    };
                    Model::new(of_first, self.sensitive + 1, required)
                }
            });
        }
        models
    }
}

/// p⁺ or the weight.
pub fn model_of_category(
    property: Property,
    categories: &SensitivityCategories,
) -> Box<dyn PrivacyModel + '_> {
    match property {
        Property::AlphaWeight => Box::new(known(AlphaWeight::new(categories))),
        _ => Box::new(PPlus::new(categories)),
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
