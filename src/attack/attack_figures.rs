//! What an attack found: one row of figures, and what to do about them.

use crate::pg::cell::Cell;
use crate::pg::function_call::Call;
use crate::pg::row_results;
use pgrx::pg_sys::Datum;

/// The figures of one attack.
pub struct Finding {
    pub attack: &'static str,
    /// what the attacker knows
    pub attacker: &'static str,
    pub persons: u64,
    pub promised: Option<f64>,
    pub baseline: Option<f64>,
    pub measured: Option<f64>,
    pub recall: Option<f64>,
    /// by how much chance alone may pass the promise
    pub margin: f64,
    pub note: String,
}

impl Finding {
    /// Whether the attack finds more than was promised; `None` where nothing was, or where the
    /// attack was not made.
    pub fn exceeds(&self) -> Option<bool> {
        match (self.promised, self.measured) {
            (None, _) => None,
            // an attacker who guesses about nobody is never right
            (_, None) => self.recall.map(|_| false),
            (Some(promised), Some(measured)) => Some(measured > promised + self.margin),
        }
    }

    fn cells(self) -> [Cell<'static>; 9] {
        let exceeds = self.exceeds();
        [
            Cell::of(Some(self.attack)),
            Cell::of(Some(self.attacker)),
            Cell::of(Some(self.persons as i64)),
            Cell::of(self.promised),
            Cell::of(self.baseline),
            Cell::of(self.measured),
            Cell::of(self.recall),
            Cell::of(exceeds),
            Cell::of(Some(self.note)),
        ]
    }
}

/// What chance may add to a share of so many guesses: three standard deviations.
pub fn margin(promised: f64, guesses: u64) -> f64 {
    3.0 * (promised * (1.0 - promised) / guesses.max(1) as f64).sqrt()
}

/// A part of a whole; `None` of nothing.
pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Answers a call with a row for each finding.
pub fn answer(call: &Call, findings: Vec<Finding>) -> Option<Datum> {
    row_results::answer_items(call, findings, Finding::cells)
}
