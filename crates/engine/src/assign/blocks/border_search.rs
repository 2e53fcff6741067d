//! The local search across the borders of blocks.

use super::block_rows;
use super::median_cuts::MedianCuts;
use crate::assign::group_numbers::GroupNumbers;
use crate::assign::refine::{self, Limits};
use crate::data::Members;
use crate::random::{self, Generator};
use crate::run::Meter;
use crate::run::allocation::{collected, reserved};
use crate::run::computing_threads::in_order;
use crate::{Monitor, Partition, Phase, Result, Space};

/// Improves a partition window by window. A window holds whole groups, so what holds of them
/// all before holds afterwards. Thirds instead of halves put its borders where blocks have none.
pub(super) fn search(
    space: &Space,
    k: usize,
    partition: Partition,
    effort: u32,
    rng: &mut Generator,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let members = partition.members()?;
    // a group stands where its first row does
    let mut seats = collected(members.iter().map(|rows| rows[0]))?;
    let cuts = MedianCuts {
        most: (block_rows(k) / k).max(1),
        multiple: 1,
        share: (1, 3),
    };
    let mut meter = Meter::start(monitor, Phase::Refining, 0);
    let windows = cuts.parts(space, &mut seats, &mut meter)?;
    monitor.start(Phase::Refining, windows.len() as u64);
    let generators = Generators::new(effort, rng);
    let mut groups = GroupNumbers::new(space.rows())?;
    let work = |window: usize, monitor: &mut dyn Monitor| {
        let seats = seats[windows[window].clone()].iter();
        let own = seats.map(|&row| partition.group_of()[row as usize]);
        let (rows, grouped) = taken(own, &members)?;
        let limits = Limits {
            k,
            p: 1,
            sensitive: &[],
        };
        let (part, rng) = (space.select(&rows)?, &mut generators.of(window));
        let refined = refine::refine(&part, limits, grouped, effort, rng, monitor)?;
        Ok((rows, refined))
    };
    let take = |_, (rows, refined): (Vec<u32>, Partition)| groups.add_part(&refined, &rows);
    in_order(windows.len(), work, take, monitor)?;
    groups.finish()
}

/// The rows of some groups, and the groups among themselves.
fn taken(
    own: impl ExactSizeIterator<Item = u32> + Clone,
    members: &Members,
) -> Result<(Vec<u32>, Partition)> {
    let size = own.clone().map(|group| members.of(group as usize).len());
    let (size, count) = (size.sum(), own.len());
    let (mut rows, mut group_of) = (reserved(size)?, reserved(size)?);
    for (number, group) in (0..).zip(own) {
        let members = members.of(group as usize);
        rows.extend_from_slice(members);
        group_of.extend(members.iter().map(|_| number));
    }
    Ok((rows, Partition::new(group_of, count)?))
}

/// A generator for each window: what one draws depends neither on the others nor on who comes
/// first.
struct Generators(Generator);

impl Generators {
    fn new(effort: u32, rng: &mut Generator) -> Self {
        let generators = Generators(rng.clone());
        if effort > 0 {
            // whatever follows must not draw the same again
            random::number(rng);
        }
        generators
    }

    fn of(&self, window: usize) -> Generator {
        let mut own = self.0.clone();
        own.set_stream(own.get_stream().wrapping_add(1 + window as u64));
        own
    }
}
