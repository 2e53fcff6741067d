//! Generalization and suppression (TV06): hierarchies span a lattice of nodes, a node makes
//! groups, a requirement judges them.
//!
//! ```text
//! rows ──► Counter ──► Combinations ──► minimal_generalizations   the nodes to choose from
//!     (a Hierarchy for each key)    ├─► best_generalization       the node that loses least
//!                                   ├─► every_node                all nodes, for study
//!                                   └─► figures, kept             one node, what it suppresses
//! ```

mod best_node;
mod combinations;
mod common_levels;
mod every_node;
mod frequency_set;
mod group_numbering;
mod group_population;
mod group_requirement;
mod group_values;
mod hierarchical_closeness;
mod kept_groups;
mod lattice_shape;
mod level_codes;
mod level_losses;
mod loss_bound;
mod minimal_nodes;
mod node_figures;
mod node_loss;
mod node_search;
mod roll_up_sources;
mod suppression_floors;
mod wildcard_core;

pub use best_node::{Best, best_generalization};
pub use combinations::{Combinations, Counter};
pub use common_levels::common_levels;
pub use every_node::every_node;
pub(crate) use group_numbering::group_numbers;
pub use group_population::{PopulationFigures, PopulationLimits, population_figures};
pub use group_requirement::{Condition, Requirement};
pub use hierarchical_closeness::HierarchicalCloseness;
pub use kept_groups::kept_groups;
pub use lattice_shape::Lattice;
pub use level_codes::Hierarchy;
pub use loss_bound::Price;
pub use minimal_nodes::{Minimal, minimal_generalizations};
pub use node_figures::{Figures, figures, kept};
pub use node_loss::column_losses;
pub use wildcard_core::{WildcardFigures, wildcard_figures};
