//! The two tables of a release, read back as they stand: group numbers run from 1 without a
//! gap, so that groups need no looking up, however many there are.

use super::Target;
use super::apart::GROUP;
use crate::codec::Codec;
use crate::errors::{Failure, known};
use crate::memory;
use crate::query::{self, Order, RowSink};
use crate::record::Attribute;
use crate::settings;
use pgrx::pg_sys::{self, Datum};
use sdc_engine::{ColumnTally, Interner, Tally};

/// What reading back takes for each row at most: its group, value and count, twice.
pub const BYTES_PER_ROW: usize = 2 * size_of::<(u32, u32, u64)>();

/// The groups of a release of so many rows: sizes by its table of keys, values by the other.
/// Fails where the two tables do not have the same `groups` groups of the same sizes.
pub fn read_back(
    keys: &Target,
    values: &str,
    sensitive: &Attribute,
    (rows, groups): (usize, usize),
) -> Tally {
    settings::check_memory(rows * BYTES_PER_ROW);
    let (sizes, cells) = query::seeing_own_writes(|| {
        let sizes = Sizes::read(keys, groups);
        (sizes, Values::read(values, sensitive, (rows, groups)))
    });
    let column = known(ColumnTally::new(groups, &cells));
    let agree = |(&size, values): (&u64, &[(u32, u64)])| {
        size > 0 && size == values.iter().map(|value| value.1).sum::<u64>()
    };
    if !sizes.iter().zip(column.iter()).all(agree) {
        torn();
    }
    known(Tally::from_counts(sizes, vec![column]))
}

#[cold]
fn torn() -> ! {
    Failure::internal("the tables of the release do not fit together").raise()
}

/// The place of a group number in lists of groups.
fn place(number: Datum, null: bool, groups: usize) -> usize {
    let place = (number.value() as i32).checked_sub(1);
    let place = place.and_then(|place| usize::try_from(place).ok());
    match place.filter(|&place| !null && place < groups) {
        Some(place) => place,
        None => torn(),
    }
}

/// The rows of each group in the table of keys.
struct Sizes(Vec<u64>);

impl Sizes {
    fn read(table: &Target, groups: usize) -> Vec<u64> {
        let mut sizes = Sizes(memory::reserved(groups));
        sizes.0.resize(groups, 0);
        let sql = format!("SELECT {GROUP} FROM {}", table.sql_name());
        query::read(&sql, &[pg_sys::INT4OID], Order::Queried, &mut sizes);
        sizes.0
    }
}

impl RowSink for Sizes {
    unsafe fn row(&mut self, _: *mut pg_sys::TupleTableSlot, values: &[Datum], nulls: &[bool]) {
        let groups = self.0.len();
        self.0[place(values[0], nulls[0], groups)] += 1;
    }
}

/// (group, value, rows) triples of the table of sensitive values.
struct Values {
    groups: usize,
    codec: Codec,
    seen: Interner,
    encoding: Vec<u8>,
    cells: Vec<(u32, u32, u64)>,
}

impl Values {
    fn read(
        sql: &str,
        sensitive: &Attribute,
        (rows, groups): (usize, usize),
    ) -> Vec<(u32, u32, u64)> {
        let mut values = Values {
            groups,
            codec: Codec::new(sensitive.typ, sensitive.collation),
            seen: Interner::new(),
            encoding: Vec::new(),
            cells: memory::reserved(rows),
        };
        let types = [pg_sys::INT4OID, sensitive.typ, pg_sys::INT8OID];
        query::read(sql, &types, Order::Queried, &mut values);
        values.cells
    }
}

impl RowSink for Values {
    unsafe fn row(&mut self, _: *mut pg_sys::TupleTableSlot, values: &[Datum], nulls: &[bool]) {
        self.encoding.clear();
        // SAFETY: the query's columns are the group, the value and its rows.
        unsafe {
            self.codec.encode(values[1], nulls[1], &mut self.encoding);
        }
        let value = known(self.seen.intern(&self.encoding));
        let group = place(values[0], nulls[0], self.groups) as u32;
        memory::push(&mut self.cells, (group, value, values[2].value() as u64));
    }
}
