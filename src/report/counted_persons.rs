//! What a release achieves counted by persons. The release does not show who its rows are about,
//! so these are the figures of the day of publication.

use crate::read::null_reading::NullReading;
use crate::release::Line;
use sdc_engine::model::Property;
use serde_json::Value;

/// What was counted of the persons of a release.
pub struct CountedPersons {
    pub persons: i64,
    /// persons of the smallest group
    pub k: Option<f64>,
    /// the least of any sensitive column
    p: Option<f64>,
    l: Option<f64>,
}

impl CountedPersons {
    /// What the register says, if persons were told apart.
    pub fn of(achieved: &Value, nulls: NullReading) -> Option<Self> {
        let figure = |name: &str| achieved[name].as_f64();
        Some(CountedPersons {
            persons: achieved["persons"]
                .as_i64()
                .filter(|&persons| persons > 0)?,
            k: match nulls {
                NullReading::Wildcard => figure("k_wildcard"),
                _ => figure("k"),
            },
            p: figure("p"),
            l: figure("l"),
        })
    }

    /// Puts persons in the place of rows. There are no more persons than rows, nor do persons bring
    /// more values; which value is the most frequent one is another matter.
    pub fn judge(&self, line: &mut Line) {
        let fewer = |counted: Option<f64>| match (counted, line.actual) {
            (Some(persons), Some(rows)) => Some(persons.min(rows)),
            (_, rows) => rows,
        };
        match line.property {
            Property::KAnonymity => line.actual = fewer(self.k),
            Property::PSensitivity => line.actual = fewer(self.p),
            Property::LDiversity => {
                line.actual = self.l;
                let meets = |(least, l): (f64, f64)| l >= least;
                if line.required.zip(self.l).is_some_and(meets) {
                    line.violating_groups = Some(0);
                    line.violating_rows = Some(0);
                }
            }
            _ => {}
        }
    }

    /// The average risk at most: somebody who is in several groups counts once.
    pub fn average_risk(&self, groups: i64) -> f64 {
        100.0 * (groups as f64 / self.persons as f64).min(1.0)
    }
}
