//! Generalization and suppression (TV06): hierarchies span a lattice of nodes, a node makes
//! groups, a requirement judges them.
//!
//! ```text
//! rows ──► Counter ──► Counts ──► minimal_generalizations   the nodes to choose from
//!   (Hierarchy per key)       ├─► every_node                all nodes, for study
//!                             └─► kept                      what a node suppresses
//! ```

mod counts;
mod evaluate;
mod frequency;
mod hierarchy;
mod loss;
mod node;
mod numbering;
mod requirement;
mod scan;
mod search;
mod sources;
mod values;
mod watch;

pub use counts::{Counter, Counts};
pub use evaluate::{Figures, kept};
pub use hierarchy::Hierarchy;
pub use node::Lattice;
pub use requirement::{Condition, Merging, Requirement};
pub use scan::every_node;
pub use search::{Minimal, minimal_generalizations};
