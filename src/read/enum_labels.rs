//! Values of enums by their labels: the OIDs that PostgreSQL stores are those of one server.

use crate::pg::memory;
use crate::pg::text_casts;
use pgrx::pg_sys::{self, Datum, Oid};
use std::collections::HashMap;
use std::ffi::CStr;

/// The labels of one enum, each looked up once.
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
    pub fn encode(&mut self, value: Datum, out: &mut Vec<u8>) {
        let label = self.known.entry(value.value()).or_insert_with(|| {
            // SAFETY: a value of an enum, whose label is a C string.
            let label =
                unsafe { pgrx::direct_function_call::<&CStr>(pg_sys::enum_out, &[Some(value)]) };
            label.unwrap_or_default().to_bytes().into()
        });
        memory::append(out, &(label.len() as u32).to_le_bytes());
        memory::append(out, label);
    }

    /// The value with this label.
    pub fn decode(&self, label: &[u8]) -> Datum {
        text_casts::input(self.typ, label.to_vec())
    }
}
