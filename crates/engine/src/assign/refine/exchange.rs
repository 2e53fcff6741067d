//! The best that two groups can do between them: one row moves over, or two change places.

use super::near_rows::{NEIGHBOURS, Near};
use crate::local_search::Exchange;
use crate::local_search::changing_groups::Groups;
use crate::local_search::ordered_rows::squared;

/// Of each group only the rows most eager to change sides are looked at closely. That is every
/// row of a small group; in a large one the others have nothing to win.
const EAGEREST: usize = 16;

/// Of a group larger than this, only the neighbours of a small group's rows are looked at: there
/// may be a small group beside each of its rows.
const LARGE: usize = 1024;

/// Searches pairs of groups for exchanges; keeps its lists from pair to pair.
#[derive(Default)]
pub(super) struct Exchanges {
    eager: Vec<(f64, u32)>,
    sides: [Side; 2],
}

/// The rows of one group that may go to the other.
#[derive(Default)]
struct Side {
    rows: Vec<u32>,
    stands: Vec<Stand>,
}

/// Where a row stands between its own centroid and the other group's.
struct Stand {
    row: u32,
    /// squared distance to the other centroid, less that to its own
    detour: f64,
    to_own: f64,
    to_other: f64,
}

impl Exchanges {
    /// Turns to another pair of groups. Returns how many rows were looked at.
    pub fn turn_to(&mut self, groups: &Groups, near: &Near, home: u32, away: u32) -> usize {
        self.choose(0, groups, near, [home, away]) + self.choose(1, groups, near, [away, home])
    }

    /// Chooses the rows of one side. Returns how many were looked at.
    fn choose(&mut self, side: usize, groups: &Groups, near: &Near, [from, to]: [u32; 2]) -> usize {
        let (members, others) = (groups.members(from), groups.members(to));
        let rows = &mut self.sides[side].rows;
        rows.clear();
        if members.len() <= EAGEREST {
            rows.extend_from_slice(members);
            return members.len();
        }
        let looks = if members.len() <= LARGE.max(NEIGHBOURS * others.len()) {
            select_eagerest(groups, members.iter().copied(), to, &mut self.eager);
            members.len()
        } else {
            let around = others.iter().flat_map(|&row| near.of(row)).copied();
            let around = around.filter(|&row| groups.group_of(row) == from);
            select_eagerest(groups, around, to, &mut self.eager);
            NEIGHBOURS * others.len()
        };
        rows.extend(self.eager.iter().map(|&(_, row)| row));
        looks
    }

    /// The exchange between the two groups that lowers the sum of squares most, if any does,
    /// and the change it makes.
    pub fn best(&mut self, groups: &Groups, home: u32, away: u32) -> Option<(f64, Exchange)> {
        let mut best = BestExchange {
            change: 0.0,
            exchange: None,
        };
        for (side, from, to) in [(0, home, away), (1, away, home)] {
            self.sides[side].measure(groups, from, to);
            self.sides[side]
                .rows
                .iter()
                .for_each(|&row| best.try_shift(groups, row, to));
        }
        // Swapping a with b changes the squares about the old centroids by the detours of
        // both, less what the centroids gain by moving: the squared distance of a and b, at
        // most the square of their ways over either centroid, divided by the sizes. In a
        // categorical column each group gains 1 at most.
        let share = 1.0 / groups.size(home) as f64 + 1.0 / groups.size(away) as f64;
        let categorical = 2.0 * groups.rows().widths()[1] as f64;
        let [homes, aways] = &self.sides;
        for a in &homes.stands {
            for b in &aways.stands {
                let way = (a.to_own + b.to_other).min(a.to_other + b.to_own);
                let least = a.detour + b.detour - share * way * way - categorical;
                if least < best.change {
                    best.try_swap(groups, a.row, b.row);
                }
            }
        }
        best.exchange.map(|exchange| (best.change, exchange))
    }
}

/// The rows of a group that would cost least, or gain most, if they moved to the other; the
/// eagerest first.
fn select_eagerest(
    groups: &Groups,
    candidates: impl Iterator<Item = u32>,
    to: u32,
    eager: &mut Vec<(f64, u32)>,
) {
    eager.clear();
    for row in candidates {
        let change = groups.change_by_leaving(row) + groups.change_by_joining(row, to);
        let before =
            |other: &(f64, u32)| other.0.total_cmp(&change).then(other.1.cmp(&row)).is_lt();
        let place = eager.partition_point(before);
        // A row may be a candidate more than once.
        if place < EAGEREST && eager.get(place).is_none_or(|next| next.1 != row) {
            eager.truncate(EAGEREST - 1);
            eager.insert(place, (change, row));
        }
    }
}

impl Side {
    /// Measures the rows that are still in their group.
    fn measure(&mut self, groups: &Groups, from: u32, to: u32) {
        self.rows.retain(|&row| groups.group_of(row) == from);
        self.stands.clear();
        self.stands.extend(self.rows.iter().map(|&row| {
            let numbers = groups.rows().numbers(row);
            let to_own = squared(numbers, groups.centroid(from));
            let to_other = squared(numbers, groups.centroid(to));
            Stand {
                row,
                detour: to_other - to_own,
                to_own: to_own.sqrt(),
                to_other: to_other.sqrt(),
            }
        }));
    }
}

/// The best exchange so far.
struct BestExchange {
    change: f64,
    exchange: Option<Exchange>,
}

impl BestExchange {
    fn try_shift(&mut self, groups: &Groups, row: u32, to: u32) {
        if groups.may_leave(row) {
            let change = groups.change_by_leaving(row) + groups.change_by_joining(row, to);
            self.offer(change, Exchange::Shift { row, to });
        }
    }

    fn try_swap(&mut self, groups: &Groups, a: u32, b: u32) {
        let change = groups.change_by_swapping(a, b);
        if change < self.change && groups.may_swap(a, b) {
            self.offer(change, Exchange::Swap { a, b });
        }
    }

    fn offer(&mut self, change: f64, exchange: Exchange) {
        if change < self.change {
            self.change = change;
            self.exchange = Some(exchange);
        }
    }
}
