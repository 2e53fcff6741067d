//! Columns in a new order, each permuted within the groups on its own.

use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::datum_copies::KeptValues;
use crate::pg::errors;
use crate::pg::memory::reserved;
use crate::pg::progress::Watch;
use crate::read::source_rows::KeptRows;
use sdc_engine::random::Generator;
use sdc_engine::{Monitor, Partition, Phase, permute};

/// The first columns of some rows, permuted, group after group: what is written of a group
/// stands close together, wherever its rows came from.
pub struct PermutedColumns {
    columns: Vec<KeptValues>,
}

impl PermutedColumns {
    pub fn new(
        attributes: &[Attribute],
        rows: &KeptRows,
        partition: &Partition,
        generator: &mut Generator,
        watch: &mut Watch,
    ) -> Self {
        let by_group = places_by_group(rows, partition);
        let column = |attribute: &Attribute| PermutedColumn {
            places: places(rows, partition, &by_group, generator, watch),
            values: KeptValues::new(attribute.typ, rows.rows),
        };
        let mut columns: Vec<PermutedColumn> = attributes.iter().map(column).collect();
        watch.start(Phase::Permuting, rows.rows as u64);
        rows.replay(watch, |row, cells| {
            for (column, &cell) in columns.iter_mut().zip(cells.iter()) {
                column.values.put(column.places[row] as usize, cell);
            }
        });
        let columns = columns.into_iter().map(|column| column.values).collect();
        PermutedColumns { columns }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The value of a column at a place.
    pub fn value(&self, column: usize, place: usize) -> Cell<'_> {
        self.columns[column].get(place)
    }
}

/// Where the values of a column go, and what keeps them.
struct PermutedColumn {
    /// the place that gets the value of each row
    places: Vec<u32>,
    values: KeptValues,
}

/// A new permutation within the groups: for each row the place that gets its value.
fn places(
    rows: &KeptRows,
    partition: &Partition,
    by_group: &[u32],
    generator: &mut Generator,
    watch: &mut Watch,
) -> Vec<u32> {
    let mut places = errors::engine(permute::permute(partition, generator, watch), rows.names());
    for place in &mut places {
        *place = by_group[*place as usize];
    }
    places
}

/// The place of each row when groups stand one after the other.
fn places_by_group(rows: &KeptRows, partition: &Partition) -> Vec<u32> {
    let members = errors::engine(partition.members(), rows.names());
    let mut places = reserved(rows.rows);
    places.resize(rows.rows, 0);
    for (place, &row) in (0..).zip(members.iter().flatten()) {
        places[row as usize] = place;
    }
    places
}
