//! The two tables of a release, read back as they stand: group numbers run from 1 without a
//! gap, so that groups need no looking up, however many there are.

use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{Failure, known};
use crate::pg::memory;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::read::codec::Codec;
use crate::release::Target;
use crate::release::apart::GROUP;
use pgrx::pg_sys;
use sdc_engine::{ColumnTally, Interner, Tally};

/// What reading back takes for each row: its group, value and count.
pub const BYTES_PER_ROW: usize = size_of::<(u32, u32, u64)>();

/// The groups of a release of so many rows: sizes by its table of keys, values by the other.
/// Fails where the two tables do not have the same `groups` groups of the same sizes. So many
/// values of each group are `nobodys`: they have no row among the keys, and count as rows.
pub fn read_back(
    keys: &Target,
    values: &str,
    sensitive: &Attribute,
    (rows, groups): (usize, usize),
    nobodys: &[u64],
) -> Tally {
    let (mut sizes, cells) = statements::seeing_own_writes(|| {
        let sizes = Sizes::read(keys, groups);
        (sizes, GroupValues::read(values, sensitive, (rows, groups)))
    });
    let column = known(ColumnTally::new(groups, &cells));
    if sizes.contains(&0) {
        do_not_fit();
    }
    for (size, nobodys) in sizes.iter_mut().zip(nobodys) {
        *size += nobodys;
    }
    let agree = |(&size, values): (&u64, &[(u32, u64)])| {
        size == values.iter().map(|value| value.1).sum::<u64>()
    };
    if !sizes.iter().zip(column.iter()).all(agree) {
        do_not_fit();
    }
    known(Tally::from_counts(sizes, vec![column]))
}

#[cold]
fn do_not_fit() -> ! {
    Failure::internal("the tables of the release do not fit together").raise()
}

/// The place of a group number in lists of groups.
fn place(number: Cell<'_>, groups: usize) -> usize {
    let place = number.get::<i32>().and_then(|number| number.checked_sub(1));
    let place = place.and_then(|place| usize::try_from(place).ok());
    match place.filter(|&place| place < groups) {
        Some(place) => place,
        None => do_not_fit(),
    }
}

/// The rows of each group in the table of keys.
struct Sizes(Vec<u64>);

impl Sizes {
    fn read(table: &Target, groups: usize) -> Vec<u64> {
        let mut sizes = Sizes(memory::reserved(groups));
        sizes.0.resize(groups, 0);
        let sql = format!("SELECT {GROUP} FROM {}", table.sql_name());
        statements::read(&sql, &[pg_sys::INT4OID], Order::Queried, &mut sizes);
        sizes.0
    }
}

impl RowSink for Sizes {
    fn row(&mut self, row: &Row<'_>) {
        let groups = self.0.len();
        self.0[place(row.cell(0), groups)] += 1;
    }
}

/// (group, value, rows) triples of the table of sensitive values.
struct GroupValues {
    groups: usize,
    codec: Codec,
    seen: Interner,
    encoding: Vec<u8>,
    cells: Vec<(u32, u32, u64)>,
}

impl GroupValues {
    fn read(
        sql: &str,
        sensitive: &Attribute,
        (rows, groups): (usize, usize),
    ) -> Vec<(u32, u32, u64)> {
        let mut values = GroupValues {
            groups,
            codec: Codec::new(sensitive.typ, sensitive.collation),
            seen: Interner::new(),
            encoding: Vec::new(),
            cells: memory::reserved(rows),
        };
        let types = [pg_sys::INT4OID, sensitive.typ, pg_sys::INT8OID];
        statements::read(sql, &types, Order::Queried, &mut values);
        values.cells
    }
}

impl RowSink for GroupValues {
    fn row(&mut self, row: &Row<'_>) {
        self.encoding.clear();
        self.codec.encode(row.cell(1), &mut self.encoding);
        let value = known(self.seen.intern(&self.encoding));
        let group = place(row.cell(0), self.groups) as u32;
        memory::push(&mut self.cells, (group, value, row.cell(2).int8() as u64));
    }
}
