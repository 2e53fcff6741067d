//! Attacks on one's own releases: the steward, who may read source and release, plays an
//! attacker with some knowledge and sees how far he gets. Only figures come out.
//!
//! ```text
//! attack_functions ─► attacked_release ─► truth ─► inference intersection linkage membership
//! (SQL)               what the register    whose    minimality: the engine's attacks, and a
//!                     says of it           group    finding each (dominance needs no release)
//! ```

mod attack_figures;
mod attack_functions;
mod attacked_persons;
mod attacked_release;
mod coded_rows;
mod dominance;
mod fitted_rows;
mod inference;
mod intersection;
mod linkage;
mod linked_rows;
mod membership;
mod minimality;
mod other_releases;
mod recoding;
mod regrouped;
mod remembered_groups;
mod rows_of_one_person;
mod run_again;
mod torn_tables;
mod truth;
