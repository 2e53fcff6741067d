//! The columns of a call that publishes one table, by what they are for.

use crate::pg::composite::Attribute;
use crate::pg::sql_types::NameList;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::source_rows::Selection;
use crate::read::table_options::TableOptions;
use serde_json::{Value, json};

/// What is published of a source: keys, sensitive columns, kept ones, strata, in this order.
pub struct ReleaseColumns {
    pub source: Source,
    pub keys: Vec<String>,
    pub sensitive: Vec<String>,
    pub keep: Vec<String>,
    pub table: TableOptions,
}

impl ReleaseColumns {
    /// Refuses columns with two roles.
    pub fn new(source: Source, arguments: &NamedArguments<'_>) -> Self {
        let names = |argument| arguments.required::<NameList>(argument).0;
        let (keys, sensitive, keep) = (names("keys"), names("sensitive"), names("keep"));
        relation::refuse_empty("keys", &keys);
        relation::refuse_overlap(("keys", &keys), ("sensitive", &sensitive));
        relation::refuse_overlap(("keys", &keys), ("keep", &keep));
        relation::refuse_overlap(("sensitive", &sensitive), ("keep", &keep));
        let table = TableOptions::of(arguments);
        let others = [("sensitive", &sensitive[..]), ("keep", &keep)];
        table.refuse_names(&source, &keys, &others);
        ReleaseColumns {
            source,
            keys,
            sensitive,
            keep,
            table,
        }
    }

    fn places(&self) -> Vec<usize> {
        let mut places = self.source.columns("keys", &self.keys);
        places.extend(self.source.columns("sensitive", &self.sensitive));
        places.extend(self.source.columns("keep", &self.keep));
        places
    }

    /// Only the named columns are read, so that identifiers cannot slip through.
    pub fn selection(&self) -> Selection<'_> {
        let (keys, sensitive) = (self.keys.len(), self.sensitive.len());
        Selection::new(&self.source, self.places(), keys, sensitive, &self.table)
    }

    /// The same with keys that are only compared, before the sensitive columns and like them.
    pub fn compared_keys(&self) -> Selection<'_> {
        let compared = self.keys.len() + self.sensitive.len();
        Selection::new(&self.source, self.places(), 0, compared, &self.table)
    }

    /// The columns as they are in the source.
    pub fn attributes(&self) -> Vec<Attribute> {
        let mut places = self.places();
        places.extend(self.source.columns("strata", &self.table.strata));
        let attribute = |place: usize| self.source.attributes[place].clone();
        places.into_iter().map(attribute).collect()
    }

    /// What the groups of a release agree in: keys and strata.
    pub fn known(&self) -> Vec<String> {
        [&self.keys[..], &self.table.strata].concat()
    }

    /// What the register keeps of every call.
    pub fn parameters(&self, k: i32) -> Value {
        let mut parameters = json!({
            "keys": self.known(), "k": k, "sensitive": self.sensitive, "keep": self.keep,
        });
        self.table.record(&mut parameters);
        parameters
    }
}
