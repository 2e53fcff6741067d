//! Strata: the combinations of values of some columns, by which rows are kept apart.

use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::known;
use crate::pg::memory;
use crate::read::codec::Codec;
use sdc_engine::{Categories, Interner};
use std::cell::RefCell;

/// Numbers the strata of rows as they come by.
pub struct StrataReader {
    codecs: Vec<Codec>,
    seen: Interner,
    codes: Vec<u32>,
    encoding: Vec<u8>,
}

/// Shows one of several values that are equal but do not look alike, such as 1.0 and 1.00: a reader
/// would tell rows apart that count as one group.
pub struct OneOfEqual(RefCell<Vec<(usize, Codec)>>);

impl OneOfEqual {
    /// Hands over a row as it is shown.
    pub fn show(&self, cells: &[Cell<'_>], take: impl FnOnce(&[Cell<'_>])) {
        if self.0.borrow().is_empty() {
            return take(cells);
        }
        let mut encodings = Vec::new();
        for (place, codec) in self.0.borrow_mut().iter_mut() {
            codec.encode(cells[*place], &mut encodings);
        }
        let columns = self.0.borrow();
        let (mut rest, mut shown) = (&encodings[..], cells.to_vec());
        for (place, codec) in columns.iter() {
            shown[*place] = codec.decode(codec.split(&mut rest));
        }
        take(&shown);
    }
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

    /// The stratum of each row, `None` where rows are not stratified, and what makes rows of a
    /// stratum look alike. The columns stand at these places of a row.
    pub fn finish(self, places: &[usize]) -> (Option<Categories>, OneOfEqual) {
        let strata = (!self.codecs.is_empty()).then(|| Categories::new(self.codes));
        let columns = places.iter().copied().zip(self.codecs);
        let unlike = columns.filter(|(_, codec)| !codec.is_exact()).collect();
        (strata, OneOfEqual(RefCell::new(unlike)))
    }
}
