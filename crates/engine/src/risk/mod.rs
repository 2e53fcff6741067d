//! What an attacker could do with a table: the field's own measures of risk, from counts of groups
//! wherever the definition allows.
//!
//! ```text
//! groups (f rows here, F in the population) ──► attackers, individual_risk
//! how many groups have which size ────────────► population (uniques behind a sample)
//! codes of each key ──────────────────────────► minimal_uniques ──► suda_scores
//! key tuples with NULLs ──────────────────────► wildcard_matches ──► attackers
//! ```

mod attackers;
mod individual_risk;
mod minimal_uniques;
mod population;
mod suda_scores;
mod wildcard_matches;

pub use attackers::{Attacker, AttackerRisks, Exposure, RiskFigure, RiskMeasure};
pub use individual_risk::individual_risk;
pub use minimal_uniques::{KeyCodes, minimal_uniques, search_memory};
pub use population::{ModelFit, PopulationModels, SamplingFraction, SizeCounts};
pub use suda_scores::{KeyShare, SudaScores};
pub(crate) use wildcard_matches::Gathered;
pub use wildcard_matches::{KeyTuples, MatchCounts, NULL_CODE};
