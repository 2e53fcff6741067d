//! Generalization and suppression (TV06): hierarchies span a lattice of nodes, a node makes
//! groups, a requirement judges them.
//!
//! ```text
//! rows ──► Counter ──► Combinations ──► minimal_generalizations   the nodes to choose from
//!     (a Hierarchy for each key)    ├─► every_node                all nodes, for study
//!                                   └─► figures, kept             one node, what it suppresses
//! ```

mod combinations;
mod evaluate;
mod frequency;
mod hierarchy;
mod loss;
mod node;
mod numbering;
mod recoding;
mod requirement;
mod scan;
mod search;
mod sources;
mod values;

pub use combinations::{Combinations, Counter};
pub use evaluate::{Figures, figures, kept};
pub use hierarchy::Hierarchy;
pub use loss::column_losses;
pub use node::Lattice;
pub use recoding::common_levels;
pub use requirement::{Condition, Requirement};
pub use scan::every_node;
pub use search::{Minimal, minimal_generalizations};
