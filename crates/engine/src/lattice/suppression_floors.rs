//! How many rows are suppressed at least, below nodes that were evaluated.

use super::Lattice;
use crate::Result;
use crate::run::Meter;
use crate::run::allocation;

/// What is suppressed at a node for the monotone part of a requirement is suppressed at all nodes
/// below it, too.
pub(super) struct SuppressionFloors {
    least: Vec<u64>,
    /// floors are not raised by less
    step: u64,
    open: Vec<usize>,
}

/// Each node's floor is raised at most so often.
const STEPS: u64 = 512;

impl SuppressionFloors {
    pub fn new(lattice: &Lattice, rows: u64) -> Result<Self> {
        Ok(SuppressionFloors {
            least: allocation::filled(lattice.nodes(), 0)?,
            step: (rows / STEPS).max(1),
            open: Vec::new(),
        })
    }

    pub fn of(&self, node: usize) -> u64 {
        self.least[node]
    }

    /// Takes in how many rows a node suppresses. Floors never rise on the way up, so nodes
    /// below one that has the floor already have it, too.
    pub fn raise(
        &mut self,
        lattice: &Lattice,
        node: usize,
        suppressed: u64,
        meter: &mut Meter<'_>,
    ) -> Result<()> {
        self.open.clear();
        self.push(node, suppressed)?;
        while let Some(node) = self.open.pop() {
            meter.spend(lattice.columns())?;
            for below in lattice.predecessors(node) {
                self.push(below, suppressed)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, node: usize, suppressed: u64) -> Result<()> {
        if suppressed >= self.least[node] + self.step {
            self.least[node] = suppressed;
            allocation::make_room(&mut self.open, 1)?;
            self.open.push(node);
        }
        Ok(())
    }
}
