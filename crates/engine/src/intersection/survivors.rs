//! The candidates of a person in one release after the other.

use super::Shown;
use super::memo::{Answer, Memo};
use crate::run::Meter;
use crate::run::allocation::{filled, reserved};
use crate::{Categories, Result};
use std::cmp::Reverse;
use std::ops::ControlFlow;

/// The candidates that have survived the releases so far, for one person after the other.
pub(super) struct Survivors<'a> {
    releases: Vec<(&'a Shown, Memo)>,
    left: Vec<u32>,
    next: Vec<u32>,
    /// for each value when it was last marked
    marks: Vec<u64>,
    time: u64,
    l: usize,
}

/// A person, and the code that they have in each known column.
pub(super) struct Person<K> {
    pub number: usize,
    pub key: K,
}

/// A look at one release.
#[derive(Clone, Copy)]
struct Round {
    /// the release's place
    number: usize,
    /// whether another release was looked at before, so that only what it left counts
    later: bool,
    /// candidates after which the search may end
    enough: usize,
}

impl<'a> Survivors<'a> {
    /// The release that tells most persons apart comes first: it leaves the fewest candidates
    /// to be looked for in the others.
    pub fn new(
        releases: &'a [Shown],
        known: &[Categories],
        examples: &[u32],
        l: usize,
    ) -> Result<Self> {
        let values = releases.iter().map(Shown::cardinality).max().unwrap_or(0);
        let remember = |release: &'a Shown| Ok((release, Memo::new(release, known, examples)?));
        let mut releases: Vec<(&Shown, Memo)> =
            releases.iter().map(remember).collect::<Result<_>>()?;
        releases.sort_by_key(|(_, memo)| Reverse(memo.combinations()));
        Ok(Survivors {
            releases,
            left: reserved(values)?,
            next: reserved(values)?,
            marks: filled(values, 0)?,
            time: 0,
            l,
        })
    }

    /// Whether fewer than l candidates survive the releases in which the person is found. One
    /// release alone keeps its own promise.
    pub fn shrink(
        &mut self,
        person: &Person<impl Fn(usize) -> u32>,
        meter: &mut Meter<'_>,
    ) -> Result<bool> {
        let mut rounds = 0;
        for number in 0..self.releases.len() {
            // finding more than l serves only the releases to come
            let is_last = number + 1 == self.releases.len();
            let enough = if is_last { self.l } else { usize::MAX };
            let enough = match rounds {
                0 => enough,
                _ => enough.min(self.left.len()),
            };
            let round = Round {
                number,
                later: rounds > 0,
                enough,
            };
            rounds += u32::from(self.survive(round, person, meter)?);
            if rounds > 1 && self.left.len() < self.l {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Leaves the candidates of one release that have survived the ones before, if there were
    /// any, or enough of them. `false` if the person is not in the release.
    fn survive(
        &mut self,
        round: Round,
        person: &Person<impl Fn(usize) -> u32>,
        meter: &mut Meter<'_>,
    ) -> Result<bool> {
        let number = round.number;
        if self.releases[number].1.is_due(person.number) {
            self.learn(number, person, meter)?;
        }
        match self.releases[number].1.answer(person.number) {
            Answer::Absent => Ok(false),
            Answer::Candidates(candidates) if round.later => {
                meter.spend(8 * self.left.len())?;
                self.left
                    .retain(|value| candidates.binary_search(value).is_ok());
                Ok(true)
            }
            Answer::Candidates(candidates) => {
                meter.spend(1 + candidates.len() / 8)?;
                self.left.clear();
                self.left.extend_from_slice(candidates);
                Ok(true)
            }
            Answer::Unknown => {
                let found = self.gather(round, person, meter)?;
                if found {
                    std::mem::swap(&mut self.left, &mut self.next);
                }
                Ok(found)
            }
        }
    }

    /// Finds all candidates of a person, and of all who look the same to the release.
    fn learn(
        &mut self,
        number: usize,
        person: &Person<impl Fn(usize) -> u32>,
        meter: &mut Meter<'_>,
    ) -> Result<()> {
        if matches!(
            self.releases[number].1.answer(person.number),
            Answer::Unknown
        ) {
            let alone = Round {
                number,
                later: false,
                enough: usize::MAX,
            };
            let found = self.gather(alone, person, meter)?;
            let candidates = found.then_some(&mut self.next);
            self.releases[number].1.keep(person.number, candidates)?;
        }
        Ok(())
    }

    /// Goes through the groups that the person can be in until enough candidates are found,
    /// in a later round only of those that are left; whether there was a group.
    fn gather(
        &mut self,
        round: Round,
        person: &Person<impl Fn(usize) -> u32>,
        meter: &mut Meter<'_>,
    ) -> Result<bool> {
        let Round {
            number,
            later,
            enough,
        } = round;
        let (release, memo) = &mut self.releases[number];
        let (marks, next) = (&mut self.marks, &mut self.next);
        let (left, taken) = (self.time + 1, self.time + 2);
        self.time = taken;
        if later {
            self.left
                .iter()
                .for_each(|&value| marks[value as usize] = left);
        }
        next.clear();
        let (mut found, mut work) = (false, 0);
        let effort = release.groups_of(&person.key, |group| {
            found = true;
            let values = release.values_of(group);
            work += values.len();
            for &value in values {
                let mark = &mut marks[value as usize];
                if *mark != taken && (!later || *mark == left) {
                    *mark = taken;
                    next.push(value);
                }
            }
            match next.len() < enough {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        memo.book(person.number, effort.spent, effort.whole);
        meter.spend(work + effort.spent)?;
        Ok(found)
    }
}
