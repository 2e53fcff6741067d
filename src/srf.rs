//! The driver of masking functions: `f(rowtype anyelement, …) RETURNS SETOF anyelement`.
//! Rows are kept in a tuplestore that spills to disk beyond work_mem, key and sensitive
//! columns in memory; then every row goes out with its keys replaced.

use crate::columns::{ColumnReader, Decoder, Role, TableReader};
use crate::errors::Failure;
use crate::progress::Watch;
use crate::query::{self, RowSink};
use crate::source::Source;
use pgrx::pg_sys::{self, Datum, FunctionCallInfo};
use pgrx::prelude::*;
use sdc_engine::{Column, Monitor, Partition, Phase, mask};

const ROWS_BETWEEN_CHECKS: usize = 4096;

/// The relation whose row type a call names by its polymorphic first argument, `NULL::patient`.
///
/// # Safety
/// `fcinfo` must be the call info of such a function.
pub unsafe fn source_of_rowtype(fcinfo: FunctionCallInfo) -> Source {
    // SAFETY: catalog look-ups on the argument's type.
    let relation = unsafe {
        let typ = crate::v1::argument_type(fcinfo, 0);
        pg_sys::get_typ_typrelid(pg_sys::getBaseType(typ))
    };
    if relation == pg_sys::InvalidOid {
        Failure::new(
            PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
            "the first argument must be of a table's row type",
        )
        .hint("Pass a typed null: NULL::my_table.")
        .raise();
    }
    Source::new(relation)
}

/// Reads all rows, keeping them as they are and their key and sensitive columns as columns.
struct RowKeeper<'a> {
    store: *mut pg_sys::Tuplestorestate,
    keys: (&'a [usize], TableReader),
    sensitive: (&'a [usize], TableReader),
    rows: usize,
    watch: &'a mut Watch,
}

impl RowSink for RowKeeper<'_> {
    unsafe fn row(&mut self, slot: *mut pg_sys::TupleTableSlot, values: &[Datum], nulls: &[bool]) {
        for (places, table) in [&mut self.keys, &mut self.sensitive] {
            for (column, &place) in table.columns.iter_mut().zip(places.iter()) {
                // SAFETY: the reader was made for the type of the column at this place.
                unsafe { column.push(values[place], nulls[place]) };
            }
        }
        // SAFETY: the slot holds the row during the call.
        unsafe { pg_sys::tuplestore_puttupleslot(self.store, slot) };
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.keys.1.check_memory();
            self.sensitive.1.check_memory();
            let _ = self.watch.advance(self.rows as u64);
        }
    }
}

/// A call of a masking function.
pub struct Masking<'a> {
    pub fcinfo: FunctionCallInfo,
    pub source: &'a Source,
    pub keys: &'a [usize],
    pub sensitive: &'a [usize],
}

impl Masking<'_> {
    /// Reads the source, lets `group` cut its rows into groups, and returns the masked rows.
    ///
    /// # Safety
    /// `fcinfo` must be valid and expect a set of the source's row type.
    pub unsafe fn run(
        &self,
        group: impl FnOnce(&[Column], Vec<Column>, &mut Watch) -> Partition,
    ) -> Datum {
        // SAFETY: the stores are used only within this call, the result store is handed over.
        unsafe {
            let result = self.result();
            let kept = pg_sys::tuplestore_begin_heap(false, false, pg_sys::work_mem);
            let mut watch = Watch::new(Some(self.source.oid));
            watch.start(Phase::Reading, 0);
            let mut keeper = RowKeeper {
                store: kept,
                keys: (self.keys, self.readers(self.keys, Role::Key)),
                sensitive: (
                    self.sensitive,
                    self.readers(self.sensitive, Role::Sensitive),
                ),
                rows: 0,
                watch: &mut watch,
            };
            query::read(&self.source.select_rows(), &mut keeper);
            let (columns, decoders) = keeper.keys.1.finish();
            let sensitive = keeper.sensitive.1.finish().0;
            let partition = group(&columns, sensitive, &mut watch);
            let masks = self.masks(&columns, &decoders, &partition);
            self.write(kept, &result, &masks, &partition, &mut watch);
            pg_sys::tuplestore_end(kept);
            crate::v1::answer(self.fcinfo, None)
        }
    }

    fn readers(&self, places: &[usize], role: Role) -> TableReader {
        let reader = |&place: &usize| {
            let attribute = &self.source.attributes[place];
            let name = format!("column \"{}\"", attribute.name);
            ColumnReader::new(name, attribute.typ, attribute.collation, role, 0)
        };
        TableReader {
            columns: places.iter().map(reader).collect(),
        }
    }

    /// The result's tuplestore and descriptor, which live as long as the query.
    unsafe fn result(&self) -> ResultSet {
        // SAFETY: the result info is checked to be one that takes a materialized set.
        unsafe {
            let info = (*self.fcinfo).resultinfo.cast::<pg_sys::ReturnSetInfo>();
            let materialize = pg_sys::SetFunctionReturnMode::SFRM_Materialize;
            if info.is_null() || (*info).allowedModes & materialize as i32 == 0 {
                Failure::new(
                    PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
                    "set-valued function called in a context that cannot accept a set",
                )
                .hint("Call it in FROM.")
                .raise();
            }
            let before = pg_sys::MemoryContextSwitchTo((*(*info).econtext).ecxt_per_query_memory);
            let random = pg_sys::SetFunctionReturnMode::SFRM_Materialize_Random as i32;
            let random = (*info).allowedModes & random != 0;
            let store = pg_sys::tuplestore_begin_heap(random, false, pg_sys::work_mem);
            let row_type = pg_sys::get_rel_type_id(self.source.oid);
            let descriptor = pg_sys::lookup_rowtype_tupdesc_copy(row_type, -1);
            pg_sys::MemoryContextSwitchTo(before);
            (*info).returnMode = materialize;
            (*info).setResult = store;
            (*info).setDesc = descriptor;
            ResultSet { store, descriptor }
        }
    }

    /// For each key column the masked value of each group.
    fn masks(
        &self,
        columns: &[Column],
        decoders: &[Decoder],
        partition: &Partition,
    ) -> Vec<Vec<Option<Datum>>> {
        let mask = |((column, decoder), &place): ((&Column, &Decoder), &usize)| {
            let typmod = self.source.attributes[place].typmod;
            match (column, decoder) {
                (Column::Numeric(values), Decoder::Number(kind)) => {
                    let means = mask::means(values, partition).into_iter();
                    means
                        .map(|mean| Some(kind.from_f64(mean, typmod)))
                        .collect()
                }
                (Column::Categorical(categories), decoder) => {
                    let modes = mask::modes(categories, partition).into_iter();
                    modes.map(|code| decoder.category(code)).collect()
                }
                _ => Failure::internal("a numeric column without a number type").raise(),
            }
        };
        columns
            .iter()
            .zip(decoders)
            .zip(self.keys)
            .map(mask)
            .collect()
    }

    /// Second pass: every kept row with its group's key values.
    unsafe fn write(
        &self,
        kept: *mut pg_sys::Tuplestorestate,
        result: &ResultSet,
        masks: &[Vec<Option<Datum>>],
        partition: &Partition,
        watch: &mut Watch,
    ) {
        watch.start(Phase::Writing, partition.rows() as u64);
        let width = self.source.attributes.len();
        let mut values = vec![Datum::from(0usize); width];
        let mut nulls = vec![true; width];
        // SAFETY: the slot is made for the rows of the store; vectors have a place for each column.
        unsafe {
            let slot = pg_sys::MakeSingleTupleTableSlot(
                result.descriptor,
                &raw const pg_sys::TTSOpsMinimalTuple,
            );
            for (row, &group) in partition.group_of().iter().enumerate() {
                if !pg_sys::tuplestore_gettupleslot(kept, true, false, slot) {
                    Failure::internal("rows were lost between reading and writing").raise();
                }
                pg_sys::slot_getsomeattrs_int(slot, width as i32);
                std::ptr::copy_nonoverlapping((*slot).tts_values, values.as_mut_ptr(), width);
                std::ptr::copy_nonoverlapping((*slot).tts_isnull, nulls.as_mut_ptr(), width);
                for (mask, &place) in masks.iter().zip(self.keys) {
                    let masked = mask[group as usize];
                    nulls[place] = masked.is_none();
                    values[place] = masked.unwrap_or(Datum::from(0usize));
                }
                pg_sys::tuplestore_putvalues(
                    result.store,
                    result.descriptor,
                    values.as_mut_ptr(),
                    nulls.as_mut_ptr(),
                );
                if row.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                    let _ = watch.advance(row as u64);
                }
            }
            pg_sys::ExecDropSingleTupleTableSlot(slot);
        }
    }
}

struct ResultSet {
    store: *mut pg_sys::Tuplestorestate,
    descriptor: pg_sys::TupleDesc,
}
