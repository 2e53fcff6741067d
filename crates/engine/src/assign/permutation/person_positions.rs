//! Where persons stand among each other: those with similar keys have near positions.

use super::row_slots::RowSlots;
use super::splitter::Splitter;
use crate::data::PersonRows;
use crate::data::patterns;
use crate::run::Meter;
use crate::run::allocation::{collected, filled};
use crate::{Categories, Monitor, Phase, Result, Table};
use rand::Rng;

/// A position for each person: they are split like rows, down to single persons. Persons who
/// lack other keys are farther away than anybody else.
pub(super) fn person_positions(
    keys: &Table,
    persons: &[u32],
    rng: &mut (impl Rng + ?Sized),
    monitor: &mut dyn Monitor,
) -> Result<Vec<u64>> {
    let numbers = persons.iter().max().map_or(0, |&top| top as usize + 1);
    let (own, number_of) = numbered(persons, numbers)?;
    let points = PersonRows::new(&Categories::new(own))?.points(keys)?;
    let patterns = patterns(points.columns(), points.rows())?;
    let mut meter = Meter::start(monitor, Phase::Grouping, points.rows());
    let alike = Categories::new(filled(points.rows(), 0)?);
    let mut slots = RowSlots::new(&points, &alike, rng)?;
    Splitter::new(&mut slots, 1, (1, 1), rng, &mut meter)?.sets()?;
    let mut place_of = filled(points.rows(), 0u64)?;
    for (place, point) in (0..).zip(slots.into_rows()) {
        let pattern = patterns.as_ref();
        let pattern = pattern.map_or(0, |patterns| patterns.codes()[point as usize]);
        place_of[point as usize] = u64::from(pattern) << u32::BITS | place;
    }
    let position = |&number: &u32| match number {
        u32::MAX => 0,
        number => place_of[number as usize],
    };
    collected(number_of.iter().map(position))
}

/// The person of each row, numbered without gaps, and the number of each.
fn numbered(persons: &[u32], numbers: usize) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut number_of = filled(numbers, u32::MAX)?;
    let mut next = 0;
    let number = |&person: &u32| {
        let number = &mut number_of[person as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        *number
    };
    let own = collected(persons.iter().map(number))?;
    Ok((own, number_of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::generator;
    use crate::{Column, Unwatched};

    #[test]
    fn similar_persons_have_near_positions() {
        // persons 0 to 99 are of one kind, 100 to 199 of another, and 200 to 219 lack the key
        let persons: Vec<u32> = (0..440).map(|row| row / 2).collect();
        let number = |&person: &u32| match person {
            200.. => f64::NAN,
            person => f64::from(person / 100 * 1000 + person * 37 % 100),
        };
        let keys = Table::new(vec![Column::Numeric(persons.iter().map(number).collect())]);
        let mut rng = generator(Some(1)).unwrap();
        let found = person_positions(&keys.unwrap(), &persons, &mut rng, &mut Unwatched).unwrap();
        let mut order: Vec<usize> = (0..220).collect();
        order.sort_by_key(|&person| found[person]);
        let kinds: Vec<usize> = order.iter().map(|person| person / 100).collect();
        let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(changes, 2);
        assert!(found[200] >> 32 != found[0] >> 32);
    }
}
