//! p by persons: the largest number of values that different persons of a group bring. Who has
//! what in each group, sorted by group, streams through the engine. Memory follows the persons and
//! values, not the groups.

use crate::check::verdict::Line;
use crate::check::{Check, group_queries};
use crate::pg::cell::Cell;
use crate::pg::datum_image::Image;
use crate::pg::errors::{Failure, known};
use crate::pg::quoting::identifier;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::type_capabilities;
use crate::read::codec::Codec;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;
use sdc_engine::model::Property;
use sdc_engine::{GroupPersons, Interner};

/// A group and what its persons bring.
pub struct BroughtValues {
    pub rows: i64,
    pub brought: u64,
    /// the group's key values as jsonb, where they were asked for
    pub key_values: Option<Image>,
}

/// The verdict on p of a sensitive column, where the check tells persons apart.
pub fn line(check: &Check, entity: &str, column: &str) -> Line {
    let required = check.required.p.map(f64::from);
    let mut line = Line::uncounted(Property::PSensitivity, Some(column), required);
    groups(check, entity, column, false, &mut |group| {
        line.count(group.brought as f64, group.rows);
    });
    line
}

/// Hands over every group. Keys without an order cannot be sorted by; that is an error only where
/// p is required.
pub fn groups(
    check: &Check,
    entity: &str,
    column: &str,
    with_keys: bool,
    take: &mut dyn FnMut(BroughtValues),
) {
    if !check.key_types().all(type_capabilities::can_sort) {
        match check.required.p {
            Some(_) => no_order(),
            None => return,
        }
    }
    let attribute = |name: &str| {
        let place = check.source.columns("entity", &[name.to_string()])[0];
        let attribute = &check.source.attributes[place];
        (attribute.typ, attribute.collation)
    };
    let (person, value) = (attribute(entity), attribute(column));
    let mut stream = PersonStream {
        person: Numbered::new(person),
        value: Numbered::new(value),
        take,
        with_keys,
        group: 0,
        persons: GroupPersons::default(),
        rows: 0,
        key_values: None,
    };
    let (entity, value_sql) = (identifier(entity), identifier(column));
    let sql = group_queries::persons_by_group(check, &value_sql, &entity, with_keys);
    let mut types = vec![pg_sys::INT8OID, value.0, person.0, pg_sys::INT8OID];
    types.extend(with_keys.then_some(pg_sys::JSONBOID));
    statements::read(&sql, &types, Order::Queried, &mut stream);
    stream.finish_group();
}

fn no_order() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
        "p that counts persons needs keys that can be sorted",
    )
    .hint("Cast the key to a type that has an order, for example to text in a view.")
    .raise()
}

/// Values and their numbers.
struct Numbered {
    codec: Codec,
    seen: Interner,
    encoding: Vec<u8>,
}

impl Numbered {
    fn new((typ, collation): (Oid, Oid)) -> Self {
        Numbered {
            codec: Codec::new(typ, collation),
            seen: Interner::new(),
            encoding: Vec::new(),
        }
    }

    fn number(&mut self, cell: Cell<'_>) -> u32 {
        self.encoding.clear();
        self.codec.encode(cell, &mut self.encoding);
        known(self.seen.intern(&self.encoding))
    }
}

/// Takes persons with their values, group after group.
struct PersonStream<'a> {
    person: Numbered,
    value: Numbered,
    take: &'a mut dyn FnMut(BroughtValues),
    with_keys: bool,
    /// the number of the group at hand
    group: i64,
    persons: GroupPersons,
    rows: i64,
    key_values: Option<Image>,
}

impl PersonStream<'_> {
    fn finish_group(&mut self) {
        if self.rows == 0 {
            return;
        }
        (self.take)(BroughtValues {
            rows: self.rows,
            brought: known(self.persons.count()).brought,
            key_values: self.key_values.take(),
        });
        self.rows = 0;
    }
}

impl RowSink for PersonStream<'_> {
    fn row(&mut self, row: &Row<'_>) {
        let group = row.cell(0).int8();
        if group != self.group {
            self.finish_group();
            self.group = group;
        }
        let (value, person) = (
            self.value.number(row.cell(1)),
            self.person.number(row.cell(2)),
        );
        known(self.persons.add(person, value));
        self.rows += row.cell(3).int8();
        // the key values stand in one of the group's rows
        if self.with_keys && !row.cell(4).is_null() {
            self.key_values = row.cell(4).jsonb();
        }
    }
}
