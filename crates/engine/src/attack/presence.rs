//! Presence: somebody who knows a population's keys asks which of its persons are in the
//! release (Nergiz, Atzori and Clifton 2007).

use super::Score;

/// Persons of a population whom the attacker cannot tell apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Presence {
    /// in the population
    pub population: u64,
    /// of these in the release
    pub members: u64,
    /// how likely each of them is thought to be in the release, from 0 to 1
    pub belief: f64,
}

/// The claims of an attacker who says "present" about everybody believed to be with at least
/// this probability: right about as many as are members.
pub fn claims(classes: &[Presence], belief: f64) -> Score {
    let mut score = Score::default();
    for class in classes {
        score.persons += class.population;
        if class.belief >= belief {
            score.claimed += class.population;
            score.right += class.members.min(class.population);
        }
    }
    score
}
