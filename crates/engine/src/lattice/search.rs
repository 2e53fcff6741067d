//! All minimal nodes of the lattice.

use super::{
    Counts, Figures, Lattice, Requirement, evaluate::Evaluator, scan, sources::Sources,
    watch::Watch,
};
use crate::{Monitor, Result, memory};

/// The minimal nodes, and what it took to find them.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimal {
    /// the nodes that satisfy the requirement while no node below them does; least loss first
    pub nodes: Vec<Figures>,
    /// how many nodes of the lattice were evaluated; the others follow from these
    pub evaluated: usize,
}

/// Finds every minimal node. Where the requirement is monotone most nodes need no evaluation;
/// otherwise every node is evaluated.
pub fn minimal_generalizations(
    counts: &Counts,
    requirement: &Requirement<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Minimal> {
    let mut minimal = match requirement.is_monotone() {
        true => Search::new(counts, requirement, monitor)?.run()?,
        false => scan::minimal_of_all(counts, requirement, monitor)?,
    };
    let order = |a: &Figures, b: &Figures| a.loss.total_cmp(&b.loss).then(a.node.cmp(&b.node));
    minimal.nodes.sort_unstable_by(order);
    Ok(minimal)
}

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Fails,
    Satisfied,
}

/// A search under a monotone requirement: what lies above a satisfied node is satisfied, what
/// lies below a failing one fails.
struct Search<'a> {
    lattice: &'a Lattice,
    evaluator: Evaluator<'a>,
    states: Vec<State>,
    satisfied: Vec<Figures>,
    sources: Sources,
    evaluated: usize,
    watch: Watch<'a>,
}

impl<'a> Search<'a> {
    fn new(
        counts: &'a Counts,
        requirement: &'a Requirement<'a>,
        monitor: &'a mut dyn Monitor,
    ) -> Result<Self> {
        let evaluator = Evaluator::new(counts, requirement)?;
        let lattice = counts.lattice();
        Ok(Search {
            lattice,
            states: memory::filled(State::Unknown, lattice.nodes())?,
            satisfied: Vec::new(),
            sources: Sources::new(room(evaluator.combinations())),
            evaluated: 0,
            watch: Watch::new(monitor, lattice.nodes()),
            evaluator,
        })
    }

    fn run(mut self) -> Result<Minimal> {
        for node in 0..self.lattice.nodes() {
            if self.states[node] == State::Unknown {
                let path = self.path_up(node);
                self.bisect(&path)?;
            }
        }
        let states = &self.states;
        let fails = |node: usize| states[node] == State::Fails;
        let minimal = |figures: &Figures| self.lattice.predecessors(figures.node).all(fails);
        let mut nodes = self.satisfied;
        nodes.retain(minimal);
        Ok(Minimal {
            nodes,
            evaluated: self.evaluated,
        })
    }

    /// A path of unknown nodes upward from one.
    fn path_up(&self, mut node: usize) -> Vec<usize> {
        let mut path = vec![node];
        while let Some(next) = self.next_up(node) {
            path.push(next);
            node = next;
        }
        path
    }

    fn next_up(&self, node: usize) -> Option<usize> {
        let unknown = |&next: &usize| self.states[next] == State::Unknown;
        self.lattice.successors(node).find(unknown)
    }

    /// Finds where a path turns from failing to satisfied, as Samarati's search does with the
    /// heights of the lattice and Flash with paths.
    fn bisect(&mut self, path: &[usize]) -> Result<()> {
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.evaluate(path[middle])? {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, node: usize) -> Result<bool> {
        self.watch.look()?;
        self.evaluated += 1;
        let source = self.sources.best(self.lattice, node);
        let set = self.evaluator.groups(node, source, &mut self.watch)?;
        let satisfied = self.evaluator.is_satisfied(&set);
        if satisfied {
            self.satisfied.push(self.evaluator.figures(node, &set));
            self.spread(node, State::Satisfied, Lattice::successors);
        } else {
            self.sources.keep(node, set);
            self.spread(node, State::Fails, Lattice::predecessors);
        }
        Ok(satisfied)
    }

    /// Marks a node and all unknown ones beyond it.
    fn spread<I: Iterator<Item = usize>>(
        &mut self,
        node: usize,
        state: State,
        beyond: impl Fn(&'a Lattice, usize) -> I,
    ) {
        self.states[node] = state;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            self.watch.done += 1;
            for next in beyond(self.lattice, node) {
                if self.states[next] == State::Unknown {
                    self.states[next] = state;
                    open.push(next);
                }
            }
        }
    }
}

/// How many groups of evaluated nodes to keep beside the bottom's: a few times as many, and
/// never fewer than a few megabytes hold.
fn room(combinations: usize) -> usize {
    4 * combinations + (1 << 19)
}
