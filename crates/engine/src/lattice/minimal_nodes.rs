//! All minimal nodes of the lattice.

use super::{
    Combinations, Figures, Lattice, Requirement, frequency_set::FrequencySet,
    node_figures::Evaluator, roll_up_sources::Sources,
};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Monitor, Phase, Result};

/// The minimal nodes, and what it took to find them.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimal {
    /// the nodes that satisfy the requirement while no node below them does; least loss first
    pub nodes: Vec<Figures>,
    /// how many evaluations of nodes it took; all other nodes follow from these
    pub evaluated: usize,
}

/// Finds every minimal node. The monotone part of the requirement rules out most nodes
/// without a look; the rest of it is tried on what is left, from the bottom up.
pub fn minimal_generalizations(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Minimal> {
    let mut search = Search::new(combinations, requirement, monitor)?;
    search.bisect_all()?;
    if !requirement.is_monotone() {
        search.climb()?;
    }
    search.meter.report()?;
    Ok(search.minimal())
}

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Fails,
    /// it or a node below it satisfies what has been tried
    Reached,
}

struct Search<'a> {
    combinations: &'a Combinations,
    lattice: &'a Lattice,
    evaluator: Evaluator<'a>,
    states: Vec<State>,
    satisfied: Vec<Figures>,
    sources: Sources,
    evaluated: usize,
    meter: Meter<'a>,
}

impl<'a> Search<'a> {
    fn new(
        combinations: &'a Combinations,
        requirement: &'a Requirement<'a>,
        monitor: &'a mut dyn Monitor,
    ) -> Result<Self> {
        let lattice = combinations.lattice();
        let evaluator = Evaluator::new(combinations, requirement)?;
        Ok(Search {
            combinations,
            lattice,
            states: allocation::filled(lattice.nodes(), State::Unknown)?,
            satisfied: Vec::new(),
            sources: Sources::new(evaluator.bottom())?,
            evaluator,
            evaluated: 0,
            meter: Meter::start(monitor, Phase::Searching, lattice.nodes()),
        })
    }

    /// Decides every node under the monotone part of the requirement: what lies above a
    /// satisfied node is satisfied, what lies below a failing one fails.
    fn bisect_all(&mut self) -> Result<()> {
        for node in 0..self.lattice.nodes() {
            if self.states[node] == State::Unknown {
                let path = self.path_up(node);
                self.bisect(&path)?;
            }
        }
        Ok(())
    }

    /// A path of unknown nodes upward from one.
    fn path_up(&self, node: usize) -> Vec<usize> {
        std::iter::successors(Some(node), |&node| self.next_up(node)).collect()
    }

    /// The unknown node above in the column that has the most codes: groups merge fastest.
    fn next_up(&self, node: usize) -> Option<usize> {
        let unknown = |&above: &usize| self.states[above] == State::Unknown;
        let up = |column| {
            let above = self.lattice.above(node, column).filter(unknown)?;
            let level = self.lattice.level(node, column);
            Some((self.combinations.hierarchies()[column].codes(level), above))
        };
        let ways = (0..self.lattice.columns()).filter_map(up);
        ways.max().map(|(_, above)| above)
    }

    /// Finds where a path turns from failing to satisfied. Samarati bisects the heights of
    /// the lattice, Flash (Kohlmayer et al. 2012) such paths.
    fn bisect(&mut self, path: &[usize]) -> Result<()> {
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = (low + high) / 2;
            let (node, set) = (path[middle], self.groups(path[middle])?);
            if self.evaluator.may_satisfy(&set) {
                allocation::make_room(&mut self.satisfied, 1)?;
                self.satisfied.push(self.evaluator.figures(node, &set));
                self.spread(node, State::Reached, Lattice::successors)?;
                high = middle;
            } else {
                self.sources.keep(self.lattice.levels(node), set);
                self.spread(node, State::Fails, Lattice::predecessors)?;
                low = middle + 1;
            }
        }
        Ok(())
    }

    /// Marks a node and all unknown ones beyond it.
    fn spread<I: Iterator<Item = usize>>(
        &mut self,
        node: usize,
        state: State,
        beyond: impl Fn(&'a Lattice, usize) -> I,
    ) -> Result<()> {
        self.states[node] = state;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            self.meter.grouped(1);
            self.meter.spend(self.lattice.columns())?;
            for next in beyond(self.lattice, node) {
                if self.states[next] == State::Unknown {
                    self.states[next] = state;
                    allocation::make_room(&mut open, 1)?;
                    open.push(next);
                }
            }
        }
        Ok(())
    }

    /// Tries the whole requirement on the nodes that satisfy its monotone part, each after
    /// those below it. What lies above a satisfied node is not minimal, whatever it meets.
    fn climb(&mut self) -> Result<()> {
        self.satisfied.clear();
        for node in 0..self.lattice.nodes() {
            self.meter.spend(self.lattice.columns())?;
            if self.states[node] == State::Fails || !self.is_lowest(node) {
                continue;
            }
            let set = self.groups(node)?;
            let figures = self.evaluator.figures(node, &set);
            if figures.satisfied {
                allocation::make_room(&mut self.satisfied, 1)?;
                self.satisfied.push(figures);
            } else {
                self.sources.keep(self.lattice.levels(node), set);
                self.states[node] = State::Fails;
            }
        }
        Ok(())
    }

    fn is_lowest(&self, node: usize) -> bool {
        let mut below = self.lattice.predecessors(node);
        below.all(|below| self.states[below] == State::Fails)
    }

    fn groups(&mut self, node: usize) -> Result<FrequencySet> {
        self.evaluated += 1;
        let levels = self.lattice.levels(node);
        let source = self.sources.best(&levels, &mut self.meter)?;
        self.evaluator.groups(node, source, &mut self.meter)
    }

    fn minimal(mut self) -> Minimal {
        let mut nodes = std::mem::take(&mut self.satisfied);
        nodes.retain(|figures| self.is_lowest(figures.node));
        nodes.sort_unstable_by(|a, b| a.loss.total_cmp(&b.loss).then(a.node.cmp(&b.node)));
        Minimal {
            nodes,
            evaluated: self.evaluated,
        }
    }
}
