//! Releases: what leaves the database is frozen in tables, checked against its promise, and
//! entered in the register, all in one statement: an error leaves nothing behind.

mod apart;
mod category_columns;
pub mod checksum;
mod chosen_node;
mod closeness_left;
mod composition;
mod continued_groups;
mod drop;
mod estimate;
mod layout;
mod left_groups;
mod links;
mod masked_stratum;
mod permuted_values;
mod person_profiles;
mod persons_left;
mod policy_rules;
mod predicate;
mod promise_check;
mod publish_anatomy;
mod publish_generalized;
mod publish_microaggregated;
mod publish_mondrian;
mod publish_p_alpha;
mod publish_permutation;
mod publish_perturbed;
mod publish_suppressed;
mod publishing_rules;
mod read_back;
mod recorded;
mod register;
mod release_columns;
mod released_nodes;
mod replace;
mod replaced_rows;
mod sensitive_models;
mod sequence;
mod sequence_memory;
mod signed_groups;
mod slot_numbers;
mod spread_masking;
mod stratum_masking;
mod together;
mod trial_attack;
mod verify_release;
mod weighted_view;
mod wildcard_promise;

pub use crate::pg::sql_types::Release;
pub use crate::write::table::{create_table, create_view};
pub use crate::write::target::Target;
pub use apart::{COUNT, GROUP};
pub use category_columns::PublishedSensitive;
pub use layout::{ReleaseMethod, name_of, no_such_release};
pub use links::{Links, is_callers_own};
pub use person_profiles::PresentProfiles;
pub use recorded::{Recorded, codes_of};
pub use register::Entry;
pub use released_nodes::released_nodes;
pub use sequence_memory::Remembered;
pub use together::{INCOMPARABLE, NOT_EXACT, not_compared};
pub use verify_release::is_changed;

// what a report shows of a table or a release
pub use crate::check::{Check, Line, Requirements, refuse_unfit_rows};
pub use crate::compare::{
    ColumnDistribution, ComparedFigure, NumberScale, SharedOf, SharedValue, TableVersions, elements,
};
pub use crate::microaggregate::risk_utility::{Outcome, Point, TradeOff, checked_ks};
// what attacks recode keys with
pub use crate::generalize::{CountedColumns, Keys as HierarchyKeys, count_rows};
pub use crate::risk::{Assessment, ColumnRisk, column_risks};
