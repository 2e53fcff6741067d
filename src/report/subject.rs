//! What a page is about: a table as it stands, or a release.

use crate::read::table_options::TableOptions;
use crate::release::{Check, Line};
use crate::report::audience::Audience;
use crate::report::counted_persons::CountedPersons;
use crate::report::released::Released;
use sdc_engine::model::Property;

/// What a page is about, and for whom it is.
pub struct Subject {
    pub check: Check,
    pub audience: Audience,
    pub release: Option<Released>,
    /// the sampling weight of each row of a table
    pub weight: Option<String>,
    /// the k of the risk-utility curve; none, and there is no curve
    pub ks: Vec<usize>,
    /// how the curve takes the rows: as the release was made, or as labels say
    pub table: TableOptions,
}

impl Subject {
    /// The page's title. A source's name is not for the public.
    pub fn title(&self) -> String {
        match &self.release {
            Some(release) => format!("Release {}: {}", release.id, release.target),
            None if self.audience.is_public() => "How anonymous is this table?".into(),
            None => format!("How anonymous is {}?", self.check.source.sql_name),
        }
    }

    /// Whether keys and sensitive values are published apart: then groups are not found by
    /// their keys, and what is hidden is which value belongs to whom.
    pub fn is_apart(&self) -> bool {
        self.release.as_ref().is_some_and(Released::is_apart)
    }

    /// Whether the keys that rows show are not those of their persons.
    pub fn is_perturbed(&self) -> bool {
        self.release.as_ref().is_some_and(Released::is_perturbed)
    }

    /// What was counted of the persons of a release.
    pub fn persons(&self) -> Option<&CountedPersons> {
        self.release.as_ref()?.persons.as_ref()
    }

    /// Whether k, p and l count persons.
    pub fn counts_persons(&self) -> bool {
        self.check.entity.is_some() || self.persons().is_some()
    }

    /// The key columns, as the publisher knows them.
    pub fn keys(&self) -> &[String] {
        match &self.release {
            Some(release) => &release.keys,
            None => &self.check.keys,
        }
    }

    /// The k that groups are held against, for marking those below it.
    pub fn k(&self) -> Option<i64> {
        self.check.required.k.map(i64::from)
    }

    /// Whether the public may know how large groups are.
    pub fn shows_sizes(&self, lines: &[Line]) -> bool {
        let properties = [Property::KAnonymity];
        self.audience.may_see_behind(lines, &properties, None)
    }

    /// Whether the public may know how many values of a column groups have.
    pub fn shows_values(&self, lines: &[Line], column: &str) -> bool {
        let properties = [Property::PSensitivity, Property::LDiversity];
        let safe = self
            .audience
            .may_see_behind(lines, &properties, Some(column));
        safe && self.shows_sizes(lines)
    }
}
