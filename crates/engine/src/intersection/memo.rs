//! What is known of the candidates of one release, so that many persons who look the same to
//! it do not have their groups gone through again and again.

use super::Shown;
use crate::run::allocation::{collected, filled};
use crate::run::limits::{self, Pulse};
use crate::{Categories, Interner, Result};

/// What looking up a combination costs, in items merely looked at.
const LOOK_UP: usize = 16;
/// The values that all lists of a release together may hold.
const ROOM: usize = 1 << 24;

/// What is known of each combination of a release's key values.
pub(super) struct Memo {
    of_person: Vec<u32>,
    combinations: Vec<Combination>,
    room: usize,
}

/// The candidates of the persons with one combination.
#[derive(Clone)]
struct Combination {
    answer: Answer,
    /// the groups gone through so far on behalf of persons with it
    spent: usize,
    /// whether that is as many as it takes to know the answer
    due: bool,
}

/// What a release says about some key values.
#[derive(Clone)]
pub(super) enum Answer {
    Unknown,
    /// nobody with them is in the release
    Absent,
    /// the candidates, ascending
    Candidates(Vec<u32>),
}

impl Memo {
    /// Tells the persons, of each of whom a row is given, apart as far as the release does.
    pub fn new(release: &Shown, known: &[Categories], examples: &[u32]) -> Result<Self> {
        let mut seen = Interner::new();
        let mut of_person = filled(examples.len(), 0)?;
        let mut bytes = Vec::new();
        let mut pulse = Pulse::default();
        for (combination, &row) in of_person.iter_mut().zip(examples) {
            pulse.spend(LOOK_UP)?;
            bytes.clear();
            for &place in release.places() {
                bytes.extend_from_slice(&known[place].codes()[row as usize].to_le_bytes());
            }
            *combination = seen.intern(&bytes)?;
        }
        let unknown = Combination {
            answer: Answer::Unknown,
            spent: 0,
            due: false,
        };
        Ok(Memo {
            of_person,
            combinations: filled(seen.len(), unknown)?,
            room: ROOM.min(limits::left() / 2 / size_of::<u32>()),
        })
    }

    /// How many kinds of persons the release tells apart.
    pub fn combinations(&self) -> usize {
        self.combinations.len()
    }

    /// What is known of a person's candidates.
    pub fn answer(&self, person: usize) -> &Answer {
        &self.combinations[self.of_person[person] as usize].answer
    }

    /// Whether the answer must be found and kept: for less than that costs a few persons may
    /// be content with a part of it, but no more.
    pub fn is_due(&self, person: usize) -> bool {
        self.combinations[self.of_person[person] as usize].due
    }

    /// Books that some of a person's groups were gone through; `whole` would be all.
    pub fn book(&mut self, person: usize, spent: usize, whole: usize) {
        let combination = &mut self.combinations[self.of_person[person] as usize];
        combination.spent += spent;
        combination.due = combination.spent >= whole && self.room > 0;
    }

    /// Keeps the answer for a person and all who look the same.
    pub fn keep(&mut self, person: usize, candidates: Option<&mut Vec<u32>>) -> Result<()> {
        let answer = match candidates {
            None => Answer::Absent,
            Some(values) => {
                values.sort_unstable();
                self.room = self.room.saturating_sub(values.len());
                Answer::Candidates(collected(values.iter().copied())?)
            }
        };
        self.combinations[self.of_person[person] as usize].answer = answer;
        Ok(())
    }
}
