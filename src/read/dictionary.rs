//! Values of types whose equality is more than equal bytes (numeric, citext, arrays, records …),
//! numbered through the type's own hash and equality, or its order where it has no hash.

use crate::pg::catalog_names;
use crate::pg::cell::Cell;
use crate::pg::datum_image::{self, Image};
use crate::pg::errors::{self, Names, known};
use crate::pg::memory;
use crate::pg::quoting::type_label;
use crate::pg::text_casts::{self, TextOf};
use crate::pg::type_capabilities;
use hashbrown::HashTable;
use pgrx::pg_sys::{self, Datum, Oid};
use sdc_engine::{SortedIds, allocation};
use std::cmp::Ordering;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// Of this process alone, so that nobody can prepare values that all collide.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));

/// Numbers the distinct values of one type `0, 1, 2 …` by first appearance.
pub struct Dictionary {
    typ: Oid,
    collation: Oid,
    type_cache: *mut pg_sys::TypeCacheEntry,
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
        let flags = pg_sys::TYPECACHE_HASH_EXTENDED_PROC_FINFO
            | pg_sys::TYPECACHE_EQ_OPR_FINFO
            | pg_sys::TYPECACHE_CMP_PROC_FINFO;
        // SAFETY: the entry lives as long as the backend.
        let type_cache = unsafe { pg_sys::lookup_type_cache(typ, flags as i32) };
        // SAFETY: lookup_type_cache never returns null.
        let (hash, equal, compare) = unsafe {
            let entry = &*type_cache;
            (entry.hash_extended_proc, entry.eq_opr, entry.cmp_proc)
        };
        let index = if hash != pg_sys::InvalidOid && equal != pg_sys::InvalidOid {
            Index::Hashed(HashTable::new())
        } else if compare != pg_sys::InvalidOid {
            Index::Sorted(SortedIds::default())
        } else {
            type_capabilities::no_equality(typ)
        };
        Dictionary {
            typ,
            collation,
            type_cache,
            images: Vec::new(),
            bytes: 0,
            index,
        }
    }

    /// The number of a value, a new one if no equal value has been seen.
    ///
    /// # Safety
    /// `datum` must be a valid, non-null value of the dictionary's type.
    pub unsafe fn id(&mut self, datum: Datum) -> u32 {
        match self.index {
            // SAFETY: as promised by the caller.
            Index::Hashed(_) => unsafe { self.id_by_hash(datum) },
            // SAFETY: as promised by the caller.
            Index::Sorted(_) => unsafe { self.id_by_order(datum) },
        }
    }

    /// The value with this number. It points into the dictionary where it is by reference.
    pub fn value(&self, id: u32) -> Datum {
        let image = &self.images[id as usize];
        if self.by_value() {
            Datum::from(image[0] as usize)
        } else {
            Datum::from(image.as_ptr() as usize)
        }
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
        let datum = if self.by_value() {
            image[0] as usize
        } else {
            image.as_ptr() as usize
        };
        // SAFETY: an image is a valid value of the type (or the by-value word itself).
        unsafe { self.id(Datum::from(datum)) }
    }

    /// Whether other servers understand the values' images: those of other types hold OIDs of
    /// this one. A record without a type of its own travels within one server only.
    pub fn is_portable(&self) -> bool {
        catalog_names::is_everywhere(self.typ)
    }

    /// Hands over the values' texts in the order of their numbers.
    pub fn texts(&self, mut take: impl FnMut(&[u8])) {
        let mut text_of = TextOf::output(self.typ);
        let mut text = Vec::new();
        for id in 0..self.len() as u32 {
            text.clear();
            // SAFETY: values of the dictionary are of its type.
            text_of.append(
                unsafe { Cell::new(self.value(id), false, self.typ) },
                &mut text,
            );
            take(&text);
        }
    }

    /// Takes over a value by its text; returns its number here.
    pub fn adopt_text(&mut self, text: Vec<u8>) -> u32 {
        let value = text_casts::input(self.typ, text);
        // SAFETY: a value of the type.
        unsafe { self.id(value) }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.bytes + 40 * self.images.capacity()
    }

    /// How two values compare in the type's own order.
    pub fn compare(&self, a: Datum, b: Datum) -> Ordering {
        // SAFETY: only called for types that have a comparison function.
        let order = unsafe {
            let function = &raw mut (*self.type_cache).cmp_proc_finfo;
            pg_sys::FunctionCall2Coll(function, self.collation, a, b)
        };
        (order.value() as i32).cmp(&0)
    }

    fn by_value(&self) -> bool {
        // SAFETY: the entry lives as long as the backend.
        unsafe { (*self.type_cache).typbyval }
    }

    unsafe fn id_by_hash(&mut self, datum: Datum) -> u32 {
        let seed = Datum::from(*SEED);
        // SAFETY: the type has a hash function, and `datum` is of the type.
        let hash = unsafe {
            let function = &raw mut (*self.type_cache).hash_extended_proc_finfo;
            pg_sys::FunctionCall2Coll(function, self.collation, datum, seed).value() as u64
        };
        let Index::Hashed(table) = &self.index else {
            unreachable!()
        };
        let same = |&(other, id): &(u64, u32)| other == hash && self.equal(self.value(id), datum);
        if let Some(&(_, id)) = table.find(hash, same) {
            return id;
        }
        // SAFETY: `datum` is of the type.
        let id = unsafe { self.push(datum) };
        let Index::Hashed(table) = &mut self.index else {
            unreachable!()
        };
        known(allocation::make_table_room(table, 1, |&(hash, _)| hash));
        table.insert_unique(hash, (hash, id), |&(hash, _)| hash);
        id
    }

    unsafe fn id_by_order(&mut self, datum: Datum) -> u32 {
        let Index::Sorted(order) = &self.index else {
            unreachable!()
        };
        match order.find(|id| self.compare(self.value(id), datum)) {
            Ok(id) => id,
            Err(place) => {
                // SAFETY: `datum` is of the type.
                let id = unsafe { self.push(datum) };
                let Index::Sorted(order) = &mut self.index else {
                    unreachable!()
                };
                errors::engine(order.insert(place, id), Names::default());
                id
            }
        }
    }

    fn equal(&self, a: Datum, b: Datum) -> bool {
        // SAFETY: both are values of the type, whose equality function was looked up.
        unsafe {
            let function = &raw mut (*self.type_cache).eq_opr_finfo;
            pg_sys::FunctionCall2Coll(function, self.collation, a, b).value() as u8 != 0
        }
    }

    unsafe fn push(&mut self, datum: Datum) -> u32 {
        let id = self.images.len() as u32;
        // SAFETY: `datum` is of the type.
        let image = unsafe { self.image(datum) };
        self.bytes += 8 * image.len();
        memory::push(&mut self.images, image);
        id
    }

    unsafe fn image(&self, datum: Datum) -> Image {
        // SAFETY: lengths are the type's own; a toasted value is made plain first.
        unsafe {
            if self.by_value() {
                return Box::new([datum.value() as u64]);
            }
            match (*self.type_cache).typlen {
                -1 => datum_image::of_varlena(datum),
                -2 => {
                    let text = std::ffi::CStr::from_ptr(datum.cast_mut_ptr());
                    datum_image::of_bytes(text.as_ptr().cast(), text.to_bytes_with_nul().len())
                }
                length => datum_image::of_bytes(datum.cast_mut_ptr::<u8>(), length as usize),
            }
        }
    }
}

impl std::fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values of {}", self.len(), type_label(self.typ))
    }
}
