//! How often each code of one categorical column occurs in one group.

use crate::Result;
use crate::run::allocation::{make_room, make_table_room};
use hashbrown::HashTable;
use std::cmp::Ordering;

/// Up to so many codes are looked for one by one, which beats a map; most groups are small.
const FEW: usize = 64;

/// The codes of a group with their counts, in no order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frequencies {
    cells: Vec<(u32, u32)>,
    /// where each code stands, once there are more than a few
    places: Option<Box<HashTable<u32>>>,
    /// the count of the most frequent code
    top: u32,
    /// how many codes occur as often as that
    at_top: u32,
}

impl Frequencies {
    pub fn add(&mut self, code: u32) -> Result<()> {
        let place = match self.place(code) {
            Some(place) => place,
            None => self.append(code)?,
        };
        self.cells[place].1 += 1;
        match self.cells[place].1.cmp(&self.top) {
            Ordering::Greater => (self.top, self.at_top) = (self.cells[place].1, 1),
            Ordering::Equal => self.at_top += 1,
            Ordering::Less => {}
        }
        Ok(())
    }

    /// Takes away one occurrence of a code that is there.
    pub fn remove(&mut self, code: u32) {
        let Some(place) = self.place(code) else {
            return;
        };
        let before = self.cells[place].1;
        self.cells[place].1 -= 1;
        if before == 1 {
            self.drop_cell(place);
        }
        if before == self.top {
            self.at_top -= 1;
        }
        if self.at_top == 0 {
            self.top -= 1;
            let at_top = self.cells.iter().filter(|cell| cell.1 == self.top);
            self.at_top = at_top.count() as u32;
        }
    }

    fn place(&self, code: u32) -> Option<usize> {
        let Some(places) = &self.places else {
            return self.cells.iter().position(|cell| cell.0 == code);
        };
        let same = |&place: &u32| self.cells[place as usize].0 == code;
        places.find(hash(code), same).map(|&place| place as usize)
    }

    /// A cell for a code that is not there yet, and its place.
    fn append(&mut self, code: u32) -> Result<usize> {
        let place = self.cells.len();
        make_room(&mut self.cells, 1)?;
        self.cells.push((code, 0));
        if place == FEW && self.places.is_none() {
            self.places = Some(Box::default());
            (0..place).try_for_each(|place| self.note(place))?;
        }
        self.note(place)?;
        Ok(place)
    }

    /// Notes where the code of a cell stands.
    fn note(&mut self, place: usize) -> Result<()> {
        let Some(places) = &mut self.places else {
            return Ok(());
        };
        let cells = &self.cells;
        let rehash = |&place: &u32| hash(cells[place as usize].0);
        make_table_room(places, 1, rehash)?;
        places.insert_unique(hash(cells[place].0), place as u32, rehash);
        Ok(())
    }

    /// Drops an empty cell; the last one takes its place.
    fn drop_cell(&mut self, place: usize) {
        let last = self.cells.len() - 1;
        if let Some(places) = &mut self.places {
            let at = |wanted: usize| move |&place: &u32| place as usize == wanted;
            if let Ok(entry) = places.find_entry(hash(self.cells[place].0), at(place)) {
                entry.remove();
            }
            if place < last
                && let Some(moved) = places.find_mut(hash(self.cells[last].0), at(last))
            {
                *moved = place as u32;
            }
        }
        self.cells.swap_remove(place);
    }

    pub fn count(&self, code: u32) -> u32 {
        self.place(code).map_or(0, |place| self.cells[place].1)
    }

    /// The number of different codes.
    pub fn distinct(&self) -> usize {
        self.cells.len()
    }

    /// The number of different codes once `leaver` has made room for `joiner`.
    pub fn distinct_after(&self, leaver: u32, joiner: u32) -> usize {
        if leaver == joiner {
            return self.distinct();
        }
        let gained = usize::from(self.count(joiner) == 0);
        let lost = usize::from(self.count(leaver) == 1);
        self.distinct() + gained - lost
    }

    /// The count of the most frequent code.
    pub fn top(&self) -> u32 {
        self.top
    }

    /// The most frequent code; ties go to the lower one. 0 while there is none.
    pub fn mode(&self) -> u32 {
        let at_top = self.cells.iter().filter(|cell| cell.1 == self.top);
        at_top.map(|cell| cell.0).min().unwrap_or(0)
    }

    /// The count of the most frequent code once the codes of another group have joined.
    pub fn top_merged(&self, other: &Frequencies) -> u32 {
        let joint = |cell: &(u32, u32)| cell.1 + other.count(cell.0);
        let most = self.cells.iter().map(joint).max().unwrap_or(0);
        most.max(other.top)
    }

    pub fn top_with(&self, code: u32) -> u32 {
        self.top.max(self.count(code) + 1)
    }

    pub fn top_without(&self, code: u32) -> u32 {
        let alone = self.at_top == 1 && self.count(code) == self.top;
        self.top - u32::from(alone)
    }

    /// The count of the most frequent code once `leaver` has made room for `joiner`.
    pub fn top_after(&self, leaver: u32, joiner: u32) -> u32 {
        if leaver == joiner {
            return self.top;
        }
        self.top_without(leaver).max(self.count(joiner) + 1)
    }
}

/// The two halves of a wide product, folded, depend on all bits of a code.
fn hash(code: u32) -> u64 {
    let product = u128::from(u64::from(code) ^ 0x243F_6A88_85A3_08D3) * 0x9E37_79B9_7F4A_7C15;
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn frequencies(codes: &[u32]) -> Frequencies {
        let mut frequencies = Frequencies::default();
        codes
            .iter()
            .for_each(|&code| frequencies.add(code).unwrap());
        frequencies
    }

    #[test]
    fn two_groups_together_have_the_codes_of_both() {
        let (few, many) = (frequencies(&[4, 1, 4]), frequencies(&[1, 1, 0]));
        assert_eq!((few.mode(), many.mode()), (4, 1));
        assert_eq!((few.top_merged(&many), many.top_merged(&few)), (3, 3));
        let empty = Frequencies::default();
        assert_eq!((few.top_merged(&empty), empty.top_merged(&few)), (2, 2));
        assert_eq!(frequencies(&[3, 2]).mode(), 2);
    }

    proptest! {
        #[test]
        fn many_codes_are_counted_like_few(steps in prop::collection::vec((0u32..300, any::<bool>()), 0..900)) {
            let mut frequencies = Frequencies::default();
            let mut counts = BTreeMap::new();
            for (code, leaves) in steps {
                let count: &mut u32 = counts.entry(code).or_default();
                if leaves && *count > 0 {
                    frequencies.remove(code);
                    *count -= 1;
                } else {
                    frequencies.add(code).unwrap();
                    *count += 1;
                }
                prop_assert_eq!(frequencies.count(code), *count);
                counts.retain(|_, count| *count > 0);
                prop_assert_eq!(frequencies.distinct(), counts.len());
                prop_assert_eq!(frequencies.top(), counts.values().copied().max().unwrap_or(0));
                let at_top = counts.values().filter(|&&count| count == frequencies.top());
                prop_assert_eq!(frequencies.at_top as usize, at_top.count());
            }
            for (code, count) in counts {
                prop_assert_eq!(frequencies.count(code), count);
            }
        }
    }

    /// (distinct codes, count of the most frequent one) by the definition.
    fn figures(codes: &[u32]) -> (usize, u32) {
        let counts = (0..5).map(|code| codes.iter().filter(|&&other| other == code).count());
        let counts: Vec<usize> = counts.filter(|&count| count > 0).collect();
        (counts.len(), counts.into_iter().max().unwrap_or(0) as u32)
    }

    #[test]
    fn every_change_is_foreseen_and_made() {
        let tables: [&[u32]; 6] = [
            &[0],
            &[0, 0],
            &[0, 1],
            &[0, 0, 1],
            &[2, 1, 1, 2],
            &[3, 3, 3, 0],
        ];
        for codes in tables {
            for leaver in codes.iter().copied() {
                let mut rest = codes.to_vec();
                rest.remove(codes.iter().position(|&code| code == leaver).unwrap());
                let mut less = frequencies(codes);
                assert_eq!(less.top_without(leaver), figures(&rest).1);
                less.remove(leaver);
                assert_eq!((less.distinct(), less.top()), figures(&rest));
                for joiner in 0..5 {
                    let before = frequencies(codes);
                    let after = [rest.as_slice(), &[joiner]].concat();
                    let foreseen = (
                        before.distinct_after(leaver, joiner),
                        before.top_after(leaver, joiner),
                    );
                    assert_eq!(foreseen, figures(&after));
                    let with = [codes, &[joiner]].concat();
                    assert_eq!(before.top_with(joiner), figures(&with).1);
                }
            }
        }
    }
}
