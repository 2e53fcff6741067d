//! Values of enums by their labels: the OIDs that PostgreSQL stores are those of one server.

use crate::pg::cell::Cell;
use crate::pg::memory;
use crate::pg::text_casts::{self, TextOf};
use crate::pg::type_capabilities;
use pgrx::pg_sys::{Datum, Oid};
use std::collections::HashMap;

/// The labels of one enum, or of a domain over one, each looked up once.
pub struct EnumLabels {
    typ: Oid,
    /// by the label's OID
    known: HashMap<usize, Box<[u8]>>,
}

impl EnumLabels {
    pub fn new(typ: Oid) -> Self {
        EnumLabels {
            typ,
            known: HashMap::new(),
        }
    }

    /// Appends the label of a value, its length first.
    pub fn encode(&mut self, value: Cell<'_>, out: &mut Vec<u8>) {
        let typ = self.typ;
        let label = self.known.entry(value.word().value()).or_insert_with(|| {
            let mut label = Vec::new();
            TextOf::output(typ).append(value, &mut label);
            label.into()
        });
        memory::append(out, &(label.len() as u32).to_le_bytes());
        memory::append(out, label);
    }

    /// The value with this label.
    pub fn decode(&self, label: &[u8]) -> Datum {
        text_casts::input(type_capabilities::base_of(self.typ), label.to_vec())
    }
}
