//! The switch between two groups that costs least: a row that the one lacks weight for comes
//! over from the other, alone or in exchange for a lighter one.

use super::weight_requirement::WeightRequirement;
use crate::Result;
use crate::local_search::Exchange;
use crate::local_search::changing_groups::Groups;
use crate::local_search::code_frequencies::Frequencies;
use crate::local_search::ordered_rows::squared;
use crate::run::allocation::make_room;

/// Of each category of a group only so many rows are priced, those that change sides for
/// least. That is every row of a small group; in a large one the others have nothing to win.
const EAGEREST: usize = 16;

/// A switch, what it adds to the sum of squares, and the group it is made with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Priced {
    pub cost: f64,
    pub switch: Exchange,
    pub partner: u32,
    /// the table's numbers of the rows that come and go, by which ties are decided
    rows: (u32, Option<u32>),
}

impl Priced {
    /// Whether this is the better one; ties go to the earlier row.
    fn beats(&self, other: &Priced) -> bool {
        let cost = self.cost.total_cmp(&other.cost);
        cost.then(self.rows.cmp(&other.rows)).is_lt()
    }
}

/// A group that lacks weight, and one that has some to spare.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub failing: u32,
    pub partner: u32,
    /// the units that the failing group lacks, and those that the partner can spare
    pub lacking: i128,
    pub spare: i128,
}

impl Pair {
    /// Whether a row that weighs `gain` units more than the one it replaces lowers the total
    /// shortfall: the failing group lacks min(gain, lacking) less, the partner lacks
    /// gain − spare more, if anything.
    fn is_helped_by(&self, gain: i128) -> bool {
        gain > 0 && gain < self.lacking + self.spare
    }
}

/// Searches pairs of groups for switches; keeps its lists from pair to pair.
#[derive(Default)]
pub(super) struct Switches {
    leavers: Vec<SwitchStand>,
    joiners: Vec<SwitchStand>,
    rows: Vec<u32>,
    eager: Vec<(u32, f64, u32)>,
}

/// Where a row stands between its own group and the other one.
struct SwitchStand {
    row: u32,
    units: i128,
    /// twice how far it lies in the direction from the failing group's centroid to the
    /// partner's, times the distance of the two
    along: f64,
}

impl Switches {
    /// Offers every switch between the two groups that lowers the total shortfall and leaves
    /// both k rows and p categories. Returns whether there was one, as far as it was looked:
    /// what costs more than the best so far is not looked at closely.
    pub fn price(
        &mut self,
        groups: &Groups,
        requirement: &WeightRequirement,
        pair: Pair,
        best: &mut Option<Priced>,
    ) -> Result<bool> {
        let mut select = |from: u32, to: u32, stands: &mut Vec<SwitchStand>| {
            select_eagerest(groups, (from, to), &mut self.eager, &mut self.rows)?;
            stands.clear();
            make_room(stands, self.rows.len())?;
            let stand = |&row: &u32| SwitchStand {
                row,
                units: units(groups, requirement, row),
                along: along(groups, pair, row),
            };
            stands.extend(self.rows.iter().map(stand));
            Ok(())
        };
        select(pair.failing, pair.partner, &mut self.leavers)?;
        select(pair.partner, pair.failing, &mut self.joiners)?;
        let terms = Terms::new(groups, pair);
        // with a category more than needed any row may go: no need to ask for each
        let is_free = groups.size(pair.partner) > groups.k()
            && groups.values(pair.partner)[0].distinct() > groups.p();
        let may_leave = |row: u32| is_free || groups.may_leave(row);
        let mut helps = false;
        for joiner in &self.joiners {
            if 0 < joiner.units && joiner.units <= pair.spare && may_leave(joiner.row) {
                helps = true;
                terms.offer(groups, joiner.row, None, best);
            }
            for leaver in &self.leavers {
                if !pair.is_helped_by(joiner.units - leaver.units) {
                    continue;
                }
                if best.is_some_and(|best| terms.least(groups, joiner, leaver) > best.cost) {
                    helps = true;
                } else if groups.may_swap(leaver.row, joiner.row) {
                    helps = true;
                    terms.offer(groups, joiner.row, Some(leaver.row), best);
                }
            }
        }
        Ok(helps)
    }

    /// How many rows were looked at last.
    pub fn looks(&self) -> usize {
        self.leavers.len() * self.joiners.len()
    }
}

/// What is the same for all switches of a pair of groups.
struct Terms {
    pair: Pair,
    /// the weight of the squared distance of two rows in what their swap costs
    share: f64,
    /// the most that the categorical columns of both groups can gain by a swap, and a little
    /// more than rounding can do
    margin: f64,
}

impl Terms {
    fn new(groups: &Groups, pair: Pair) -> Self {
        let share = |group: u32| 1.0 / groups.size(group) as f64;
        Terms {
            pair,
            share: share(pair.failing) + share(pair.partner),
            margin: 2.0 * groups.rows().widths()[1] as f64 + 1e-9,
        }
    }

    /// The least that a swap can cost: the squares about the old centroids change by how much
    /// farther the joiner lies towards its own centroid than the leaver, less what the
    /// centroids gain by moving.
    fn least(&self, groups: &Groups, joiner: &SwitchStand, leaver: &SwitchStand) -> f64 {
        let rows = groups.rows();
        let apart = squared(rows.numbers(joiner.row), rows.numbers(leaver.row));
        joiner.along - leaver.along - self.share * apart - self.margin
    }

    /// Takes a switch if it beats the best so far.
    fn offer(&self, groups: &Groups, joiner: u32, leaver: Option<u32>, best: &mut Option<Priced>) {
        let number = |row: u32| groups.rows().order()[row as usize];
        let to = self.pair.failing;
        let (switch, cost) = match leaver {
            Some(leaver) => {
                let (a, b) = (leaver, joiner);
                (Exchange::Swap { a, b }, groups.change_by_swapping(a, b))
            }
            None => {
                let left = groups.change_by_leaving(joiner);
                let cost = left + groups.change_by_joining(joiner, to);
                (Exchange::Shift { row: joiner, to }, cost)
            }
        };
        let priced = Priced {
            cost,
            switch,
            partner: self.pair.partner,
            rows: (number(joiner), leaver.map(number)),
        };
        if best.is_none_or(|best| priced.beats(&best)) {
            *best = Some(priced);
        }
    }
}

/// The units of a row.
pub(super) fn units(groups: &Groups, requirement: &WeightRequirement, row: u32) -> i128 {
    requirement.units(groups.rows().values(row)[0])
}

/// Where a row lies in the direction from the failing group's centroid to the partner's: of
/// two rows that change places, the difference of their squared distances to both centroids.
fn along(groups: &Groups, pair: Pair, row: u32) -> f64 {
    let (failing, partner) = (groups.centroid(pair.failing), groups.centroid(pair.partner));
    let numbers = groups.rows().numbers(row).iter();
    let columns = numbers.zip(failing).zip(partner);
    let along: f64 = columns.map(|((number, a), b)| number * (b - a)).sum();
    2.0 * along
}

/// The rows of the first group that are worth pricing against the second.
fn select_eagerest(
    groups: &Groups,
    (from, to): (u32, u32),
    eager: &mut Vec<(u32, f64, u32)>,
    rows: &mut Vec<u32>,
) -> Result<()> {
    let members = groups.members(from);
    rows.clear();
    make_room(rows, members.len())?;
    if members.len() <= EAGEREST {
        rows.extend_from_slice(members);
        return Ok(());
    }
    let eagerness = |&row: &u32| {
        let change = groups.change_by_leaving(row) + groups.change_by_joining(row, to);
        (groups.rows().values(row)[0], change, row)
    };
    eager.clear();
    make_room(eager, members.len())?;
    eager.extend(members.iter().map(eagerness));
    eager.sort_unstable_by(|a, b| {
        let category = a.0.cmp(&b.0);
        category.then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
    });
    for same in eager.chunk_by(|a, b| a.0 == b.0) {
        rows.extend(same.iter().take(EAGEREST).map(|&(.., row)| row));
    }
    Ok(())
}

/// What merging two groups adds to the sum of squares.
pub(super) fn cost_of_merging(groups: &Groups, a: u32, b: u32) -> f64 {
    let sizes = (groups.size(a) as f64, groups.size(b) as f64);
    let centroids = groups.centroid(a).iter().zip(groups.centroid(b));
    let distance: f64 = centroids.map(|(a, b)| (a - b) * (a - b)).sum();
    let keys = groups.keys(a).iter().zip(groups.keys(b));
    let parted =
        |(a, b): (&Frequencies, &Frequencies)| f64::from(a.top() + b.top() - a.top_merged(b));
    distance * sizes.0 * sizes.1 / (sizes.0 + sizes.1) + keys.map(parted).sum::<f64>()
}
