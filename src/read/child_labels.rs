//! Labels of tables that inherit from a relation: their rows are read through it, so what tells
//! persons apart there, or is sensitive, does so here.

use crate::pg::statements;
use crate::read::label_text::{ColumnLabel, ColumnRole};
use crate::read::labels::{ColumnName, own_labels};
use pgrx::pg_sys::Oid;
use std::collections::HashMap;

/// The labels of columns by the relation through which they are read and by their name.
pub struct ChildLabels(HashMap<(Oid, String), Vec<(ColumnLabel, ColumnName)>>);

impl ChildLabels {
    /// Those below these relations, at any depth. A child keeps, masks and declares for itself:
    /// only what its parent must not take back counts.
    pub fn below(relations: impl Iterator<Item = Oid>) -> Self {
        let families = descendants(relations);
        let labels = own_labels(families.iter().map(|family| family.child));
        let mut found: HashMap<_, Vec<(ColumnLabel, ColumnName)>> = HashMap::new();
        for ((child, column), label) in labels {
            if !label.role.identifies() && label.role != ColumnRole::Sensitive {
                continue;
            }
            for family in families.iter().filter(|family| family.child == child) {
                let key = (family.ancestor, column.clone());
                let origin = family.column(&column);
                found.entry(key).or_default().push((label.clone(), origin));
            }
        }
        for labels in found.values_mut() {
            labels.sort_by(|a, b| a.1.sql_relation.cmp(&b.1.sql_relation));
        }
        ChildLabels(found)
    }

    /// The labels of a column that is read through its parent.
    pub fn of(&self, origin: &ColumnName) -> &[(ColumnLabel, ColumnName)] {
        let key = (origin.relation, origin.name.clone());
        self.0.get(&key).map_or(&[], Vec::as_slice)
    }
}

/// A table, and one that it inherits from.
struct Family {
    ancestor: Oid,
    child: Oid,
    owner: Oid,
    sql_relation: String,
}

impl Family {
    fn column(&self, name: &str) -> ColumnName {
        ColumnName {
            relation: self.child,
            owner: self.owner,
            sql_relation: self.sql_relation.clone(),
            name: name.into(),
        }
    }
}

fn descendants(relations: impl Iterator<Item = Oid>) -> Vec<Family> {
    let relations: Vec<String> = relations.map(|oid| u32::from(oid).to_string()).collect();
    let sql = format!(
        "WITH RECURSIVE below (ancestor, child) AS ( \
             SELECT i.inhparent, i.inhrelid FROM pg_catalog.pg_inherits i \
             WHERE i.inhparent OPERATOR(pg_catalog.=) ANY ('{{{}}}'::pg_catalog.oid[]) \
             UNION SELECT b.ancestor, i.inhrelid FROM below b \
             JOIN pg_catalog.pg_inherits i ON i.inhparent OPERATOR(pg_catalog.=) b.child) \
         SELECT b.ancestor, b.child, c.relowner, pg_catalog.format('%I.%I', n.nspname, c.relname) \
         FROM below b \
         JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) b.child \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
         ORDER BY n.nspname, c.relname",
        relations.join(",")
    );
    let family = |row: &statements::Row| {
        Some(Family {
            ancestor: row.get(1)?,
            child: row.get(2)?,
            owner: row.get(3)?,
            sql_relation: row.get(4)?,
        })
    };
    let found = statements::select(&sql, family);
    found.into_iter().flatten().collect()
}
