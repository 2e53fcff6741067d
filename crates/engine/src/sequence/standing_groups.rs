//! Groups that stay as they were.
//!
//! A group has places. What the rows of a place show as they are (sensitive values, columns
//! that are kept, strata) is given by a code, and never changes; nor do the keys that the group
//! shows. A place is held by a person with this code. When the holder goes, a new person with
//! the same code takes the place: the nearest. A group with a place that nobody holds is left
//! out. It may come back later, and then looks as it did before.
//!
//! Whether a group is filled must not depend on which of its places are open, or an open place
//! would say that nobody new has its value. So a group of which j places are open is filled only
//! if the new persons could fill any j of its places.

use super::NEW;
use crate::neighbours::{Adaptive, Remaining, TopK, centroid_of};
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, reserved};
use crate::{Error, Monitor, Partition, Phase, Result, Space};

/// The groups of a sequence so far.
#[derive(Debug, Clone, Copy)]
pub struct KeptGroups<'a> {
    /// the group of each place
    pub places: &'a Partition,
    /// what each place shows as it is
    pub shown: &'a [u32],
}

/// The persons of a new release.
#[derive(Debug, Clone, Copy)]
pub struct Returning<'a> {
    /// what the rows of each person show as they are, numbered as for places
    pub shown: &'a [u32],
    /// the place that each person has had; [`NEW`] for those without
    pub place_of: &'a [u32],
    /// whether nobody has held that place since
    pub is_last: &'a [bool],
}

/// What becomes of a person in a new release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// holds a place of a group that is shown
    Shown(u32),
    /// holds a place of a group that is left out
    LeftOut(u32),
    /// is new, and takes no place of an earlier group
    New,
    /// comes with other values, or finds the place taken
    Waits,
}

/// Who holds which place, and which groups are shown. `space` has a row for each person.
pub fn continue_groups(
    kept: KeptGroups<'_>,
    persons: Returning<'_>,
    space: &Space,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Standing>> {
    refuse_unlike(kept, persons, space)?;
    let mut meter = Meter::start(monitor, Phase::Grouping, persons.shown.len());
    let mut holders = Holders::new(kept, persons)?;
    let mut pools = Pools::new(persons, space)?;
    let places = kept.places.members()?;
    for group in holders.by_open_places(&places)? {
        let places = places.of(group as usize);
        meter.spend(places.len())?;
        if holders.is_whole(places) || !pools.fill_any(places, kept.shown, &holders) {
            continue;
        }
        let present: Vec<u32> = places.iter().filter_map(|&p| holders.of(p)).collect();
        if present.is_empty() {
            continue;
        }
        let centre = centroid_of(space, &present)?;
        for &place in places {
            if holders.of(place).is_none() {
                let shown = kept.shown[place as usize];
                let person = pools.take_nearest(shown, &centre, &mut meter)?;
                holders.of_place[place as usize] = person;
            }
        }
    }
    standings(kept, persons, &holders, &places)
}

fn refuse_unlike(kept: KeptGroups<'_>, persons: Returning<'_>, space: &Space) -> Result<()> {
    kept.places.require_rows(kept.shown.len())?;
    let first = persons.shown.len();
    for other in [persons.place_of.len(), persons.is_last.len(), space.rows()] {
        if first != other {
            return Err(Error::UnequalColumns { first, other });
        }
    }
    let known = |&place: &u32| place == NEW || (place as usize) < kept.shown.len();
    match persons.place_of.iter().all(known) {
        true => Ok(()),
        false => Err(Error::Broken("a person of an unknown place".into())),
    }
}

const NOBODY: u32 = u32::MAX;

/// The person in each place.
struct Holders {
    of_place: Vec<u32>,
}

impl Holders {
    /// Persons return to their places. Where several had the same, the last one comes first.
    fn new(kept: KeptGroups<'_>, persons: Returning<'_>) -> Result<Self> {
        let mut of_place = filled(kept.shown.len(), NOBODY)?;
        for last in [true, false] {
            let all = (0..).zip(persons.place_of).zip(persons.is_last);
            for ((person, &place), _) in all.filter(|(_, is_last)| **is_last == last) {
                let same = |place: usize| kept.shown[place] == persons.shown[person as usize];
                if place != NEW && same(place as usize) && of_place[place as usize] == NOBODY {
                    of_place[place as usize] = person;
                }
            }
        }
        Ok(Holders { of_place })
    }

    fn of(&self, place: u32) -> Option<u32> {
        let person = self.of_place[place as usize];
        (person != NOBODY).then_some(person)
    }

    fn is_whole(&self, places: &[u32]) -> bool {
        places.iter().all(|&place| self.of(place).is_some())
    }

    fn open(&self, places: &[u32]) -> usize {
        places.iter().filter(|&&p| self.of(p).is_none()).count()
    }

    /// The groups, those that need fewest new persons first.
    fn by_open_places(&self, places: &crate::data::Members) -> Result<Vec<u32>> {
        let open = collected(places.iter().map(|places| self.open(places)))?;
        let mut groups = collected(0..open.len() as u32)?;
        crate::run::sorting::sort_by_key(&mut groups, |&group| (open[group as usize], group))?;
        Ok(groups)
    }
}

/// The new persons by what they show, and whether each is still free.
struct Pools<'a> {
    space: &'a Space,
    persons: Vec<Vec<u32>>,
    left: Vec<usize>,
    /// made when it is first searched
    search: Vec<Option<Adaptive>>,
    found: TopK,
}

impl<'a> Pools<'a> {
    fn new(persons: Returning<'_>, space: &'a Space) -> Result<Self> {
        let codes = persons
            .shown
            .iter()
            .max()
            .map_or(0, |&top| top as usize + 1);
        let mut pools: Vec<Vec<u32>> = filled(codes, Vec::new())?;
        let all = (0..).zip(persons.place_of).zip(persons.shown);
        for ((person, _), &shown) in all.filter(|((_, place), _)| **place == NEW) {
            let pool = &mut pools[shown as usize];
            make_room(pool, 1)?;
            pool.push(person);
        }
        let mut search = reserved(codes)?;
        search.extend((0..codes).map(|_| None));
        Ok(Pools {
            space,
            left: collected(pools.iter().map(Vec::len))?,
            persons: pools,
            search,
            found: TopK::new(1)?,
        })
    }

    /// Whether the persons left could fill as many places of a group as are open, whichever
    /// these were.
    fn fill_any(&self, places: &[u32], shown: &[u32], holders: &Holders) -> bool {
        let open = holders.open(places);
        let mut codes: Vec<u32> = places.iter().map(|&p| shown[p as usize]).collect();
        codes.sort_unstable();
        let mut runs = codes.chunk_by(|a, b| a == b);
        runs.all(|run| {
            let left = self.left.get(run[0] as usize).copied().unwrap_or(0);
            left >= run.len().min(open)
        })
    }

    fn take_nearest(
        &mut self,
        shown: u32,
        centre: &crate::neighbours::Point,
        meter: &mut Meter,
    ) -> Result<u32> {
        let (space, pool) = (self.space, &self.persons[shown as usize]);
        let search = &mut self.search[shown as usize];
        if search.is_none() {
            *search = Some(Adaptive::new(&space.select(pool)?, &[], meter)?);
        }
        let Some(search) = search else {
            return Err(Error::Broken("no search".into()));
        };
        self.found.clear();
        search.nearest(centre, None, &mut self.found, meter)?;
        let Some(&hit) = self.found.hits().first() else {
            return Err(Error::Broken("a place that nobody can take".into()));
        };
        search.remove(&[hit]);
        search.tidy(meter)?;
        self.left[shown as usize] -= 1;
        Ok(pool[hit.row as usize])
    }
}

fn standings(
    kept: KeptGroups<'_>,
    persons: Returning<'_>,
    holders: &Holders,
    places: &crate::data::Members,
) -> Result<Vec<Standing>> {
    let stand = |&place: &u32| match place {
        NEW => Standing::New,
        _ => Standing::Waits,
    };
    let mut standings = collected(persons.place_of.iter().map(stand))?;
    let whole = collected(places.iter().map(|places| holders.is_whole(places)))?;
    let groups = kept.places.group_of();
    for ((place, &person), &group) in (0..).zip(&holders.of_place).zip(groups) {
        if person != NOBODY {
            standings[person as usize] = match whole[group as usize] {
                true => Standing::Shown(place),
                false => Standing::LeftOut(place),
            };
        }
    }
    Ok(standings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Table, Unwatched};
    use Standing::{LeftOut, New, Shown, Waits};

    #[test]
    fn a_place_is_taken_by_the_nearest_and_only_if_any_could_be() {
        let places = Partition::new(vec![0, 0, 0], 1).unwrap();
        let kept = KeptGroups {
            places: &places,
            shown: &[0, 0, 1],
        };
        let standing = |shown: &[u32], keys: &[f64]| {
            // the first two hold places 0 and 1, the others are new
            let place_of: Vec<u32> = (0..shown.len() as u32)
                .map(|row| if row < 2 { row } else { NEW })
                .collect();
            let persons = Returning {
                shown,
                place_of: &place_of,
                is_last: &vec![true; shown.len()],
            };
            let table = Table::new(vec![Column::Numeric(keys.to_vec())]).unwrap();
            let space = Space::new(&table, true).unwrap();
            continue_groups(kept, persons, &space, &mut Unwatched).unwrap()
        };
        let found = standing(&[0, 0, 1, 1, 0], &[1.0, 2.0, 9.0, 3.0, 1.0]);
        assert_eq!(found, [Shown(0), Shown(1), New, Shown(2), New]);
        // nobody new could fill the place of a 0, so that of the 1 stays open, too
        let found = standing(&[0, 0, 1, 1], &[1.0, 2.0, 9.0, 3.0]);
        assert_eq!(found, [LeftOut(0), LeftOut(1), New, New]);
        // one who comes with another value waits
        let found = standing(&[0, 1, 1], &[1.0, 2.0, 3.0]);
        assert_eq!(found, [LeftOut(0), Waits, New]);
    }
}
