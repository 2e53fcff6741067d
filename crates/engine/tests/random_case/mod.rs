//! Tables and parameters out of random bytes.

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sdc_engine::{Categories, Column};
use std::collections::BTreeMap;

/// A table and parameters, read off bytes: any bytes make one.
#[derive(Debug)]
pub struct Case {
    pub keys: Vec<Column>,
    pub sensitive: Vec<Categories>,
    pub k: usize,
    pub p: usize,
    pub seed: u64,
}

/// Hands out bytes, zeros when they run out.
struct Bytes<'a>(std::slice::Iter<'a, u8>);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.next()) % limit
    }

    /// Numbers as data have them: ties, huge and tiny ones, neighbours in the last digit.
    fn number(&mut self, scale: u8) -> f64 {
        let small = f64::from(self.next() % 16);
        match scale % 8 {
            0 => small,
            1 => small * 1e300,
            2 => small * 1e-300,
            3 => 1e15 + small,
            4 => f64::from_bits(1.0f64.to_bits() + u64::from(self.next())),
            5 => (small - 7.5) * 2e307,
            6 => [1.7e308, -1.7e308, 5e-324, 1.0][self.below(4)],
            _ => small - f64::from(self.next()) / 7.0,
        }
    }
}

impl Case {
    pub fn new(bytes: &[u8]) -> Self {
        let mut bytes = Bytes(bytes.iter());
        let rows = bytes.below(120);
        let columns = 1 + bytes.below(4);
        let key = |bytes: &mut Bytes| {
            let kind = bytes.next();
            if kind.is_multiple_of(3) {
                let values = 1 + usize::from(kind) % 7;
                return Column::Categorical(codes(bytes, rows, values));
            }
            Column::Numeric((0..rows).map(|_| bytes.number(kind)).collect())
        };
        let keys = (0..columns).map(|_| key(&mut bytes)).collect();
        let sensitive = (0..1 + bytes.below(2)).map(|_| {
            let values = 1 + bytes.below(9);
            codes(&mut bytes, rows, values)
        });
        Case {
            sensitive: sensitive.collect(),
            keys,
            k: bytes.below(12),
            p: bytes.below(6),
            seed: u64::from(bytes.next()),
        }
    }

    pub fn rng(&self) -> ChaCha20Rng {
        ChaCha20Rng::seed_from_u64(self.seed)
    }
}

/// Codes in the order of first appearance, as columns are read.
fn codes(bytes: &mut Bytes, rows: usize, values: usize) -> Categories {
    let mut known = BTreeMap::new();
    let code = |_| {
        let next = known.len() as u32;
        *known.entry(bytes.below(values)).or_insert(next)
    };
    Categories::new((0..rows).map(code).collect())
}
