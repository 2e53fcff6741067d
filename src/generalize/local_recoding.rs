//! Local recoding: groups that another method made show a key by the lowest value of its
//! hierarchy that is common to their rows.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::memory;
use crate::read::columns::Decoder;
use crate::read::hierarchy_table::HierarchyTable;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use sdc_engine::lattice::common_levels;
use sdc_engine::{Categories, Partition};

/// A key column of which each group shows one value.
pub struct Recoded {
    /// the text that each group shows
    pub labels: Vec<Cell<'static>>,
    /// what its cells lose on average, 0 to 1
    pub loss: f64,
}

/// A key column as it was read: its values by equality.
pub struct KeyColumn<'a> {
    pub name: &'a str,
    pub typ: Oid,
    pub codes: &'a Categories,
    pub values: &'a Decoder,
}

/// Recodes a key column. A value that the hierarchy lacks, and a group without common value,
/// are errors.
pub fn recode(hierarchy: &HierarchyTable, key: KeyColumn, partition: &Partition) -> Recoded {
    let label = format!("column \"{}\"", key.name);
    let value_of = hierarchy.values_of(&label, key.typ, key.values);
    let mut values = memory::reserved(partition.rows());
    values.extend(
        key.codes
            .codes()
            .iter()
            .map(|&code| value_of[code as usize]),
    );
    let levels = common_levels(hierarchy.shape(), &values, partition);
    let levels = errors::engine(levels, Names::default());
    let parted = levels.iter().filter(|level| level.is_none()).count();
    if parted > 0 {
        nothing_common(hierarchy, key.name, parted, levels.len());
    }
    let mut shown = memory::reserved(partition.groups());
    shown.resize(partition.groups(), 0);
    let mut loss = 0.0;
    for (&value, &group) in values.iter().zip(partition.group_of()) {
        shown[group as usize] = value;
        let level = levels[group as usize].unwrap_or_default();
        loss += hierarchy.shape().loss(level, value);
    }
    let labels = levels.iter().zip(shown);
    let label = |(level, value): (&Option<usize>, u32)| {
        Cell::text(hierarchy.label(level.unwrap_or_default(), value))
    };
    Recoded {
        labels: labels.map(label).collect(),
        loss: loss / partition.rows().max(1) as f64,
    }
}

fn nothing_common(hierarchy: &HierarchyTable, column: &str, parted: usize, groups: usize) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!(
            "hierarchy {} of column \"{column}\" has no value that is common to the rows of a group, in {parted} of {groups} groups",
            hierarchy.name
        ),
    )
    .hint("Add a highest level with one value for all, such as '*'.")
    .raise()
}
