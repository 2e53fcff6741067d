//! Values of types whose equality is more than equal bytes (numeric, citext, arrays, records …),
//! numbered through the type's own hash and equality, or its order where it has no hash.

use crate::pg::catalog_names;
use crate::pg::cell::Cell;
use crate::pg::datum_image::{self, Image};
use crate::pg::errors::{self, Names, known};
use crate::pg::memory;
use crate::pg::quoting::type_label;
use crate::pg::text_casts::{self, TextOf};
use crate::pg::type_capabilities::{self, Storage};
use crate::pg::type_functions::TypeFunctions;
use hashbrown::HashTable;
use pgrx::pg_sys::{Datum, Oid};
use sdc_engine::{SortedIds, allocation};
use std::cmp::Ordering;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// Of this process alone, so that nobody can prepare values that all collide.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));

/// Numbers the distinct values of one type `0, 1, 2 …` by first appearance.
pub struct Dictionary {
    typ: Oid,
    /// the type itself, or the one below a domain
    base: Oid,
    storage: Storage,
    functions: TypeFunctions,
    /// the word itself where values are by value
    images: Vec<Image>,
    bytes: usize,
    index: Index,
}

enum Index {
    /// by the type's extended hash; each entry is (hash, number)
    Hashed(HashTable<(u64, u32)>),
    /// numbers in the type's order
    Sorted(SortedIds),
}

impl Dictionary {
    pub fn new(typ: Oid, collation: Oid) -> Self {
        let functions = TypeFunctions::of(typ, collation);
        let index = if functions.can_hash() {
            Index::Hashed(HashTable::new())
        } else if functions.can_compare() {
            Index::Sorted(SortedIds::default())
        } else {
            type_capabilities::no_equality(type_capabilities::base_of(typ))
        };
        Dictionary {
            typ,
            base: type_capabilities::base_of(typ),
            storage: type_capabilities::storage(typ),
            functions,
            images: Vec::new(),
            bytes: 0,
            index,
        }
    }

    /// The number of a value that is not null, a new one if no equal value has been seen.
    pub fn id(&mut self, value: Cell<'_>) -> u32 {
        match self.index {
            Index::Hashed(_) => self.id_by_hash(value),
            Index::Sorted(_) => self.id_by_order(value),
        }
    }

    /// The value with this number. It points into the dictionary where it is by reference.
    pub fn value(&self, id: u32) -> Cell<'_> {
        self.of_image(&self.images[id as usize])
    }

    fn of_image<'a>(&self, image: &'a [u64]) -> Cell<'a> {
        let word = match self.storage.by_value {
            true => image[0] as usize,
            false => image.as_ptr() as usize,
        };
        // SAFETY: an image is a value of the type, or the word itself where it is by value.
        unsafe { Cell::new(Datum::from(word), false, self.typ) }
    }

    pub fn len(&self) -> usize {
        self.images.len()
    }

    /// The values' images in the order of their numbers, for sending to another process.
    pub fn images(&self) -> impl Iterator<Item = &[u64]> {
        self.images.iter().map(|image| &image[..])
    }

    /// Takes over an image made by a dictionary of the same type; returns its number here.
    pub fn adopt(&mut self, image: &[u64]) -> u32 {
        self.id(self.of_image(image))
    }

    /// Whether other servers understand the values' images: those of other types hold OIDs of
    /// this one. A record without a type of its own travels within one server only.
    pub fn is_portable(&self) -> bool {
        catalog_names::is_everywhere(self.base)
    }

    /// Hands over the values' texts in the order of their numbers.
    pub fn texts(&self, mut take: impl FnMut(&[u8])) {
        let mut text_of = TextOf::output(self.typ);
        let mut text = Vec::new();
        for id in 0..self.len() as u32 {
            text.clear();
            text_of.append(self.value(id), &mut text);
            take(&text);
        }
    }

    /// Takes over a value by its text; returns its number here.
    pub fn adopt_text(&mut self, text: Vec<u8>) -> u32 {
        let value = text_casts::input(self.base, text);
        // SAFETY: a value of the type, or of the one below the domain, which is the same.
        self.id(unsafe { Cell::new(value, false, self.typ) })
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.bytes + 40 * self.images.capacity()
    }

    /// How two values compare in the type's own order.
    pub fn compare(&self, a: Cell<'_>, b: Cell<'_>) -> Ordering {
        self.functions.compare(a, b)
    }

    fn id_by_hash(&mut self, value: Cell<'_>) -> u32 {
        let hash = self.functions.hash(value, *SEED);
        let Index::Hashed(table) = &self.index else {
            unreachable!()
        };
        let equal = |id| self.functions.equal(self.value(id), value);
        let same = |&(other, id): &(u64, u32)| other == hash && equal(id);
        if let Some(&(_, id)) = table.find(hash, same) {
            return id;
        }
        let id = self.push(value);
        let Index::Hashed(table) = &mut self.index else {
            unreachable!()
        };
        known(allocation::make_table_room(table, 1, |&(hash, _)| hash));
        table.insert_unique(hash, (hash, id), |&(hash, _)| hash);
        id
    }

    fn id_by_order(&mut self, value: Cell<'_>) -> u32 {
        let Index::Sorted(order) = &self.index else {
            unreachable!()
        };
        match order.find(|id| self.compare(self.value(id), value)) {
            Ok(id) => id,
            Err(place) => {
                let id = self.push(value);
                let Index::Sorted(order) = &mut self.index else {
                    unreachable!()
                };
                errors::engine(order.insert(place, id), Names::default());
                id
            }
        }
    }

    fn push(&mut self, value: Cell<'_>) -> u32 {
        let id = self.images.len() as u32;
        let image = datum_image::of(value, self.storage);
        self.bytes += 8 * image.len();
        memory::push(&mut self.images, image);
        id
    }
}

impl std::fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values of {}", self.len(), type_label(self.base))
    }
}
