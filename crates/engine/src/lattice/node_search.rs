//! What searches of the lattice share: the monotone part of a requirement decides whole regions
//! of it, and nodes that cannot lose less than one already found are passed over.

use super::{
    Combinations, Figures, Lattice, Requirement, frequency_set::FrequencySet,
    loss_bound::LossBound, node_figures::Evaluator, roll_up_sources::Sources,
    suppression_floors::SuppressionFloors,
};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Monitor, Phase, Result};

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Unknown,
    Fails,
    /// it or a node below it satisfies what has been tried
    Reached,
    /// reached, and its figures were taken
    Evaluated,
    /// evaluated, and nothing is suppressed there
    Whole,
}

/// A search and what it knows so far.
pub(super) struct NodeSearch<'a> {
    pub combinations: &'a Combinations,
    pub lattice: &'a Lattice,
    pub evaluator: Evaluator<'a>,
    pub states: Vec<State>,
    /// the nodes evaluated that satisfy what has been tried
    pub satisfied: Vec<Figures>,
    pub sources: Sources,
    pub evaluated: usize,
    pub meter: Meter<'a>,
    /// where only the best node is searched for: what nodes lose at least, and suppress at least
    bound: Option<(LossBound, SuppressionFloors)>,
    /// the satisfying node that loses least so far
    pub best: Option<Figures>,
}

impl<'a> NodeSearch<'a> {
    pub fn new(
        combinations: &'a Combinations,
        requirement: &'a Requirement<'a>,
        bound: Option<(LossBound, SuppressionFloors)>,
        monitor: &'a mut dyn Monitor,
    ) -> Result<Self> {
        let lattice = combinations.lattice();
        let evaluator = Evaluator::new(combinations, requirement)?;
        Ok(NodeSearch {
            combinations,
            lattice,
            states: allocation::filled(lattice.nodes(), State::Unknown)?,
            satisfied: Vec::new(),
            sources: Sources::new(evaluator.bottom())?,
            evaluator,
            evaluated: 0,
            meter: Meter::start(monitor, Phase::Searching, lattice.nodes()),
            bound,
            best: None,
        })
    }

    /// Decides every node under the monotone part of the requirement: what lies above a
    /// satisfied node is satisfied, what lies below a failing one fails. Hopeless nodes stay
    /// unknown.
    pub fn bisect_all(&mut self) -> Result<()> {
        for node in 0..self.lattice.nodes() {
            self.meter.spend(self.lattice.columns())?;
            if self.is_open(node) {
                let path = self.path_up(node);
                self.bisect(&path)?;
            }
        }
        Ok(())
    }

    fn is_open(&self, node: usize) -> bool {
        self.states[node] == State::Unknown && !self.is_hopeless(node)
    }

    /// Whether a node loses more than the best one known that keeps rows.
    pub fn is_hopeless(&self, node: usize) -> bool {
        let (lattice, best) = (self.lattice, self.loss_to_beat());
        let bound = self.bound.as_ref().zip(best);
        bound.is_some_and(|((bound, floors), loss)| {
            bound.exceeds(lattice, node, floors.of(node), loss)
        })
    }

    fn loss_to_beat(&self) -> Option<f64> {
        let best = self.best.as_ref().filter(|best| best.keeps_rows());
        best.map(|best| best.loss)
    }

    /// Takes in what an evaluated node says of those below it. Whether they all lose more than
    /// the best one known, by what is suppressed alone.
    fn look_down(&mut self, node: usize, set: &FrequencySet) -> Result<bool> {
        let best = self.loss_to_beat();
        let Some((bound, floors)) = &mut self.bound else {
            return Ok(false);
        };
        let suppressed = self.evaluator.surely_suppressed(set);
        floors.raise(self.lattice, node, suppressed, &mut self.meter)?;
        Ok(best.is_some_and(|loss| bound.is_too_many(suppressed, loss)))
    }

    /// A path of unknown nodes upward from one, hopeless ones too: a satisfied node far up
    /// decides many others, and its few groups are quickly made.
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
                let whole = self.take(node, &set)?.suppressed == 0;
                self.spread(node, State::Reached, Lattice::successors)?;
                self.states[node] = if whole {
                    State::Whole
                } else {
                    State::Evaluated
                };
                if self.look_down(node, &set)? {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            } else {
                self.sources.keep(self.lattice.levels(node), set);
                self.spread(node, State::Fails, Lattice::predecessors)?;
                low = middle + 1;
            }
        }
        Ok(())
    }

    /// Takes the figures of a node.
    pub fn take(&mut self, node: usize, set: &FrequencySet) -> Result<Figures> {
        let figures = self.evaluator.figures(node, set);
        if self.bound.is_some() {
            let better = |best: &Figures| figures.is_before(best);
            if figures.satisfied && self.best.as_ref().is_none_or(better) {
                self.best = Some(figures);
            }
            return Ok(figures);
        }
        allocation::make_room(&mut self.satisfied, 1)?;
        self.satisfied.push(figures);
        Ok(figures)
    }

    /// Evaluates the reached nodes that may lose less than the best one known. Nodes above one lose
    /// more by generalization, nodes below it by suppression, so the middle of a path goes first.
    pub fn close_all(&mut self) -> Result<()> {
        for node in 0..self.lattice.nodes() {
            self.meter.spend(self.lattice.columns())?;
            while self.may_be_best(node) {
                let path = self.promising_path(node);
                let node = path[path.len() / 2];
                let set = self.groups(node)?;
                self.take(node, &set)?;
                self.look_down(node, &set)?;
                self.states[node] = State::Evaluated;
                self.sources.keep(self.lattice.levels(node), set);
            }
        }
        Ok(())
    }

    fn may_be_best(&self, node: usize) -> bool {
        self.states[node] == State::Reached && !self.is_hopeless(node)
    }

    fn promising_path(&self, node: usize) -> Vec<usize> {
        let up = |&node: &usize| {
            let up = |column| {
                let above = self.lattice.above(node, column)?;
                let level = self.lattice.level(node, column);
                let codes = self.combinations.hierarchies()[column].codes(level);
                self.may_be_best(above).then_some((codes, above))
            };
            let ways = (0..self.lattice.columns()).filter_map(up);
            ways.max().map(|(_, above)| above)
        };
        std::iter::successors(Some(node), up).collect()
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

    /// The groups of a node.
    pub fn groups(&mut self, node: usize) -> Result<FrequencySet> {
        self.evaluated += 1;
        let levels = self.lattice.levels(node);
        let source = self.sources.best(&levels, &mut self.meter)?;
        self.evaluator.groups(node, source, &mut self.meter)
    }
}
