//! The places of values in their order, for distances that go from one value to the next.

use super::Group;
use crate::Result;
use crate::run::allocation::{filled, reserved};
use std::cell::{RefCell, RefMut};
use std::ops::AddAssign;

/// The place of each value among those that occur.
pub(super) struct ValuePlaces {
    place_of: Vec<u32>,
    /// room for the values of a group, taken before there is one: a figure has no way to say
    /// that there is no memory for it
    room: RefCell<Vec<(usize, u64)>>,
}

impl ValuePlaces {
    /// Of a table of so many values, those that occur stand in `order`.
    pub fn new(values: usize, order: &[u32]) -> Result<Self> {
        let mut place_of = filled(values, u32::MAX)?;
        for (place, &value) in (0..).zip(order) {
            place_of[value as usize] = place;
        }
        let room = RefCell::new(reserved(order.len())?);
        Ok(ValuePlaces { place_of, room })
    }

    /// The sum of what `moved(from, to, reached)` says of the stretches between the group's values,
    /// and up to the end of all `places`; so many rows of the group are reached before each.
    pub fn moved<T: Default + AddAssign>(
        &self,
        group: Group<'_>,
        places: usize,
        moved: impl Fn(usize, usize, u64) -> T,
    ) -> T {
        let (mut from, mut reached, mut sum) = (0, 0, T::default());
        for &(place, count) in self.of(group).iter() {
            sum += moved(from, place, reached);
            from = place;
            reached += count;
        }
        sum += moved(from, places, reached);
        sum
    }

    /// (place, count) of the group's values in their order.
    fn of(&self, group: Group<'_>) -> RefMut<'_, Vec<(usize, u64)>> {
        let place = |&(value, count): &(u32, u64)| (self.place_of[value as usize] as usize, count);
        let mut places = self.room.borrow_mut();
        places.clear();
        places.extend(group.values.iter().map(place));
        places.sort_unstable();
        places
    }
}
