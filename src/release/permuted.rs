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

/// The first columns of some rows, permuted.
pub struct PermutedColumns {
    columns: Vec<PermutedColumn>,
    /// holds what values by reference point to
    _memory: PgMemoryContexts,
}

struct PermutedColumn {
    values: Vec<Datum>,
    nulls: Vec<bool>,
    /// for each row the one that gets its value
    places: Vec<u32>,
    keeper: Keeper,
}

impl PermutedColumns {
    pub fn new(
        attributes: &[Attribute],
        rows: &KeptRows,
        partition: &Partition,
        generator: &mut Generator,
        watch: &mut Watch,
    ) -> Self {
        let fixed = rows.rows * attributes.len() * BYTES_PER_VALUE;
        settings::check_memory(fixed);
        let memory = PgMemoryContexts::new("pg_sdc permuted values");
        let column = |attribute: &Attribute| {
            let places = permute::permute(partition, generator, watch);
            let places = errors::engine(places, rows.names());
            PermutedColumn::new(places, Keeper::new(attribute.typ, memory.value()))
        };
        let mut columns: Vec<PermutedColumn> = attributes.iter().map(column).collect();
        watch.start(Phase::Permuting, rows.rows as u64);
        rows.replay(watch, |row, values, nulls| {
            for ((column, &value), &null) in columns.iter_mut().zip(&*values).zip(&*nulls) {
                // SAFETY: the rows' first columns are those of the attributes.
                unsafe { column.place(row, value, null) };
            }
            if row.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                let kept = columns.iter().map(|column| column.keeper.bytes);
                settings::check_memory(fixed + kept.sum::<usize>());
            }
        });
        PermutedColumns {
            columns,
            _memory: memory,
        }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The value of a column in a row.
    pub fn value(&self, column: usize, row: usize) -> (Datum, bool) {
        let column = &self.columns[column];
        (column.values[row], column.nulls[row])
    }
}

impl PermutedColumn {
    fn new(places: Vec<u32>, keeper: Keeper) -> Self {
        let (mut values, mut nulls) = (reserved(places.len()), reserved(places.len()));
        values.resize(places.len(), Datum::from(0usize));
        nulls.resize(places.len(), true);
        PermutedColumn {
            values,
            nulls,
            places,
            keeper,
        }
    }

    /// # Safety
    /// `value` must be of the column's type unless `null`.
    unsafe fn place(&mut self, row: usize, value: Datum, null: bool) {
        let place = self.places[row] as usize;
        // SAFETY: as promised by the caller.
        self.values[place] = unsafe { self.keeper.keep(value, null) };
        self.nulls[place] = null;
    }
}
