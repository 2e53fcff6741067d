//! Lets the reference point, from which reaches are measured, follow the centroid.

use super::Tree;
use super::tree_level::WIDTH;
use super::tree_repair::highest;
use crate::Result;
use crate::neighbours::row_blocks::{LANES, squares};
use crate::run::Meter;

/// Leaves that reach beyond this share of the whole tree's radius are measured each time:
/// the row farthest from the centroid is among theirs.
const SHELL: f64 = 0.99;

/// Every so many times all leaves are measured.
const ALL: usize = 8;

/// Makes up for rounding, many times over.
const UPWARDS: f64 = 1.0 + 1e-14;

impl Tree {
    /// Moves the reference point to the present centroid. A leaf of the shell is measured
    /// anew; for one inside it is enough to add the way that the reference has gone.
    pub(super) fn recentre(&mut self, meter: &mut Meter) -> Result<()> {
        let centroid = self.rows.centroid.point();
        let way = length(&centroid.numbers, &self.reference.numbers) * UPWARDS;
        self.reference = centroid;
        self.recentred += 1;
        let shell = match self.recentred % ALL {
            0 => 0.0,
            _ => SHELL * (self.reach().sqrt() + way),
        };
        let mut measured = 0;
        for node in 0..self.levels[0].nodes() {
            measured += self.move_reaches(node, way, shell);
            meter.spend(WIDTH)?;
        }
        meter.spend(measured * LANES)?;
        self.lift_reaches();
        self.drift = 0;
        self.price = measured + self.rows.blocks.len() / WIDTH;
        Ok(())
    }

    /// Measures those leaves below a node that reach beyond the shell, and counts them.
    fn move_reaches(&mut self, node: usize, way: f64, shell: f64) -> usize {
        let mut measured = 0;
        let reaches = self.levels[0].reaches(node);
        let grown = reaches.map(|reach| reach.max(0.0).sqrt() + way);
        for (child, &grown) in grown.iter().enumerate() {
            if reaches[child] < 0.0 {
                continue;
            }
            let reach = if grown < shell {
                grown * grown * UPWARDS
            } else {
                measured += 1;
                let numbers = self.rows.blocks.numbers(node * WIDTH + child);
                highest(&squares(numbers, &self.reference.numbers))
            };
            reaches[child] = reach;
        }
        measured
    }

    /// Brings the leaves' reaches to the levels above.
    fn lift_reaches(&mut self) {
        for level in 0..self.levels.len() - 1 {
            let (below, above) = self.levels.split_at_mut(level + 1);
            for node in 0..below[level].nodes() {
                above[0].set_reach(node, highest(below[level].node(node).reach));
            }
        }
    }

    /// The reach of the whole tree.
    pub(super) fn reach(&self) -> f64 {
        let top = &self.levels[self.levels.len() - 1];
        highest(top.node(0).reach).max(0.0)
    }
}

fn length(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}
