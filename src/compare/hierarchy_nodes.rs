//! What the nodes of hierarchies stand for: the values below them.

use crate::read::hierarchy_table::HierarchyTable;
use std::collections::HashMap;

/// The hierarchies of a release, by the names of its columns.
#[derive(Default)]
pub struct HierarchyNodes {
    columns: HashMap<String, ColumnNodes>,
}

/// The nodes of one hierarchy.
pub struct ColumnNodes {
    /// the texts of values, `None` for NULL
    values: Vec<Option<String>>,
    /// for each label the numbers of the values below it
    below: HashMap<String, Vec<u32>>,
    /// whether all cells are known to be nodes of one level above the values
    all_are_nodes: bool,
}

impl HierarchyNodes {
    /// Adds the nodes of a column: those of one level, where the release shows one only.
    pub fn add(&mut self, column: &str, table: &HierarchyTable, level: Option<usize>) {
        let values = table.shape().values() as u32;
        let text = |level, value| {
            let label = table.label(level, value);
            label.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let mut below: HashMap<String, Vec<u32>> = HashMap::new();
        let levels = (1..=table.top()).filter(|of| level.is_none_or(|level| level == *of));
        for (of, value) in levels.flat_map(|of| (0..values).map(move |value| (of, value))) {
            if let Some(label) = text(of, value) {
                below.entry(label).or_default().push(value);
            }
        }
        for values in below.values_mut() {
            // a node may have one name on several levels
            values.sort_unstable();
            values.dedup();
        }
        let nodes = ColumnNodes {
            values: (0..values).map(|value| text(0, value)).collect(),
            below,
            all_are_nodes: level.is_some_and(|level| level > 0),
        };
        self.columns.insert(column.to_string(), nodes);
    }

    pub fn of(&self, column: &str) -> Option<&ColumnNodes> {
        self.columns.get(column)
    }
}

/// What a text says as a node of a hierarchy.
pub enum NodeMeaning<'a> {
    Unknown,
    /// all values there are: nothing
    Anything,
    Values(Vec<&'a Option<String>>),
}

impl ColumnNodes {
    /// The values below a node.
    pub fn meaning(&self, text: &str) -> NodeMeaning<'_> {
        match self.below.get(text) {
            None => NodeMeaning::Unknown,
            Some(below) if below.len() > 1 && below.len() == self.values.len() => {
                NodeMeaning::Anything
            }
            Some(below) => {
                let value = |&value: &u32| &self.values[value as usize];
                NodeMeaning::Values(below.iter().map(value).collect())
            }
        }
    }

    /// The same for a text that is a value as well: it is a node where all cells are.
    pub fn meaning_of_value(&self, text: &str) -> NodeMeaning<'_> {
        match self.all_are_nodes {
            true => self.meaning(text),
            false => NodeMeaning::Unknown,
        }
    }
}
