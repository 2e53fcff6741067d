//! Strata: the combinations of values of some columns, by which rows are kept apart.

use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::known;
use crate::pg::memory;
use crate::read::codec::Codec;
use sdc_engine::{Categories, Interner};

/// Numbers the strata of rows as they come by.
pub struct StrataReader {
    codecs: Vec<Codec>,
    seen: Interner,
    codes: Vec<u32>,
    encoding: Vec<u8>,
}

impl StrataReader {
    pub fn new<'a>(columns: impl Iterator<Item = &'a Attribute>) -> Self {
        let codec = |column: &Attribute| Codec::new(column.typ, column.collation);
        StrataReader {
            codecs: columns.map(codec).collect(),
            seen: Interner::new(),
            codes: Vec::new(),
            encoding: Vec::new(),
        }
    }

    /// Takes the values of a row, in the columns' order.
    pub fn push<'a>(&mut self, cells: impl Iterator<Item = Cell<'a>>) {
        if self.codecs.is_empty() {
            return;
        }
        self.encoding.clear();
        for (codec, cell) in self.codecs.iter_mut().zip(cells) {
            codec.encode(cell, &mut self.encoding);
        }
        let code = known(self.seen.intern(&self.encoding));
        memory::push(&mut self.codes, code);
    }

    /// The stratum of each row; `None` where rows are not stratified.
    pub fn finish(self) -> Option<Categories> {
        (!self.codecs.is_empty()).then(|| Categories::new(self.codes))
    }
}
