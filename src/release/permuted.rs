//! Columns in a new order, each permuted within the groups on its own.

use crate::errors;
use crate::kept_values::Keeper;
use crate::memory::reserved;
use crate::progress::Watch;
use crate::record::Attribute;
use crate::rows::KeptRows;
use crate::settings;
use pgrx::PgMemoryContexts;
use pgrx::pg_sys::Datum;
use sdc_engine::random::Generator;
use sdc_engine::{Monitor, Partition, Phase, permute};

/// What a value and where it goes take, beside what it points to.
const BYTES_PER_VALUE: usize = size_of::<Datum>() + size_of::<bool>() + size_of::<u32>();
const ROWS_BETWEEN_CHECKS: usize = 4096;

/// The first columns of some rows, permuted, group after group: what is written of a group
/// stands close together, wherever its rows came from.
pub struct PermutedColumns {
    width: usize,
    /// all columns of the first place, then those of the second …
    values: Vec<Datum>,
    nulls: Vec<bool>,
    /// holds what values by reference point to
    _memory: PgMemoryContexts,
}

impl PermutedColumns {
    pub fn new(
        attributes: &[Attribute],
        rows: &KeptRows,
        partition: &Partition,
        generator: &mut Generator,
        watch: &mut Watch,
    ) -> Self {
        let width = attributes.len();
        let fixed = rows.rows * (width * BYTES_PER_VALUE + size_of::<u32>());
        settings::check_memory(fixed);
        let by_group = places_by_group(rows, partition);
        let memory = PgMemoryContexts::new("pg_sdc permuted values");
        let column = |attribute: &Attribute| Column {
            places: places(rows, partition, &by_group, generator, watch),
            keeper: Keeper::new(attribute.typ, memory.value()),
        };
        let mut columns: Vec<Column> = attributes.iter().map(column).collect();
        let (mut values, mut nulls) = (reserved(rows.rows * width), reserved(rows.rows * width));
        values.resize(rows.rows * width, Datum::from(0usize));
        nulls.resize(rows.rows * width, true);
        watch.start(Phase::Permuting, rows.rows as u64);
        rows.replay(watch, |row, of_row, null_in_row| {
            for (number, column) in columns.iter_mut().enumerate() {
                let (value, null) = (of_row[number], null_in_row[number]);
                let place = column.places[row] as usize * width + number;
                // SAFETY: the rows' first columns are those of the attributes.
                values[place] = unsafe { column.keeper.keep(value, null) };
                nulls[place] = null;
            }
            if row.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                let kept = columns.iter().map(|column| column.keeper.bytes);
                settings::check_memory(fixed + kept.sum::<usize>());
            }
        });
        PermutedColumns {
            width,
            values,
            nulls,
            _memory: memory,
        }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.width
    }

    /// The value of a column at a place.
    pub fn value(&self, column: usize, place: usize) -> (Datum, bool) {
        let index = place * self.width + column;
        (self.values[index], self.nulls[index])
    }
}

/// Where the values of a column go, and what keeps them.
struct Column {
    /// the place that gets the value of each row
    places: Vec<u32>,
    keeper: Keeper,
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
