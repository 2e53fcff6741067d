//! The persons with one value, by how many rows they have.

use super::persons_in_order::PersonsInOrder;
use super::row_sums::RowSums;
use crate::Result;
use crate::run::Meter;
use crate::run::allocation::make_room;

/// Persons who are in no block yet.
#[derive(Default)]
pub(super) struct ValueStock {
    /// in order of the rows of a person; nothing is kept where nobody is left
    by_size: Vec<(usize, PersonsInOrder)>,
}

impl ValueStock {
    /// Adds a person. Persons come in the order of their positions.
    pub(super) fn put(&mut self, person: u32, rows: usize, position: u64) -> Result<()> {
        let place = match self.place(rows) {
            Ok(place) => place,
            Err(place) => {
                make_room(&mut self.by_size, 1)?;
                self.by_size
                    .insert(place, (rows, PersonsInOrder::default()));
                place
            }
        };
        self.by_size[place].1.push(person, position)
    }

    /// Where the persons with so many rows are, or would be.
    fn place(&self, rows: usize) -> std::result::Result<usize, usize> {
        self.by_size.binary_search_by_key(&rows, |of| of.0)
    }

    /// How many persons have so many rows.
    fn count(&self, rows: usize) -> usize {
        self.place(rows)
            .map_or(0, |place| self.by_size[place].1.left())
    }

    /// How far the nearest person with so many rows is from a position.
    pub(super) fn distance(&mut self, rows: usize, position: u64) -> Option<u64> {
        let place = self.place(rows).ok()?;
        let persons = &mut self.by_size[place].1;
        let nearest = persons.nearest(position);
        Some(persons.position(nearest).abs_diff(position))
    }

    /// Takes the person with so many rows, who must be there, that is nearest to a position.
    pub(super) fn take(&mut self, rows: usize, position: u64) -> u32 {
        let Ok(place) = self.place(rows) else {
            return u32::MAX;
        };
        let persons = &mut self.by_size[place].1;
        let nearest = persons.nearest(position);
        let person = persons.remove(nearest);
        if persons.left() == 0 {
            self.by_size.remove(place);
        }
        person
    }

    /// Which numbers of rows up to a limit some persons have together.
    pub(super) fn sums(&self, limit: usize, meter: &mut Meter) -> Result<RowSums> {
        let several = self.by_size.iter().filter(|of| of.0 > 1);
        let sizes = several.map(|(size, persons)| (*size, persons.left()));
        // all of them together are the largest sum
        let all: usize = sizes.clone().map(|(size, persons)| size * persons).sum();
        RowSums::new(sizes.rev(), self.count(1), limit.min(all), meter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Phase, Unwatched};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sizes_add_up_if_any_do(sizes in prop::collection::vec(1..7usize, 0..9), rows in 0..20usize, more in 0..9usize) {
            let mut stock = ValueStock::default();
            for (person, &size) in (0..).zip(&sizes) {
                stock.put(person, size, 0).unwrap();
            }
            let subset = |set: u32| {
                let chosen = (0..sizes.len()).filter(|place| set >> place & 1 == 1);
                chosen.map(|place| sizes[place]).sum::<usize>()
            };
            let possible = (0..1u32 << sizes.len()).any(|set| subset(set) == rows);
            let mut nobody = Unwatched;
            let mut meter = Meter::start(&mut nobody, Phase::Grouping, 0);
            let sums = stock.sums(rows + more, &mut meter).unwrap();
            let found = sums.sizes(rows).unwrap();
            prop_assert_eq!(found.is_some(), possible);
            for size in found.iter().flatten() {
                prop_assert!(stock.take(*size, 0) != u32::MAX);
            }
            prop_assert_eq!(found.map_or(rows, |sizes| sizes.iter().sum()), rows);
        }

        #[test]
        fn the_nearest_person_is_taken(
            mut positions in prop::collection::vec(0..50u64, 1..30),
            near in prop::collection::vec(0..60u64, 30),
        ) {
            positions.sort_unstable();
            let mut stock = ValueStock::default();
            for (person, &position) in (0..).zip(&positions) {
                stock.put(person, 2, position).unwrap();
            }
            let mut left: Vec<u32> = (0..positions.len() as u32).collect();
            for position in near.into_iter().take(positions.len()) {
                let distance = |person: u32| positions[person as usize].abs_diff(position);
                let least = left.iter().map(|&person| distance(person)).min();
                prop_assert_eq!(stock.distance(2, position), least);
                let taken = stock.take(2, position);
                prop_assert_eq!(Some(distance(taken)), least);
                let place = left.iter().position(|&person| person == taken);
                left.remove(place.unwrap());
                prop_assert_eq!(stock.count(2), left.len());
            }
            prop_assert!(stock.by_size.is_empty());
        }
    }
}
