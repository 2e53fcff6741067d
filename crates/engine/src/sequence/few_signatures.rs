//! Groups of which many show the same.
//!
//! A group that lacks somebody is formed again of persons of the same signature, so the fewer
//! signatures there are the less a sequence loses. Microaggregation looks at keys: in it nearly
//! every group of a small table shows something else. Here signatures come first. Lay the rows in
//! the order of their codes, cut them into k equal parts, and take of each part the row at the same
//! place: that makes no more signatures than there are codes, and few codes twice. Then groups are
//! formed around the rarest codes, each with the nearest rows that its signature allows.

use super::refuse_unequal;
use super::slot_groups::SlotGroups;
use super::slot_plan::FreeSlots;
use crate::local_search::ordered_rows::OrderedRows;
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, reserved};
use crate::run::sorting::sort_by_key;
use crate::{Error, Monitor, Partition, Phase, Result, Space};
use std::cmp::Reverse;

/// Signatures are few if each has this many groups on average.
const GROUPS_OF_A_SIGNATURE: usize = 4;

/// In larger tables most groups have others with the same signature anyway, and this would take long.
const MOST_ROWS: usize = 5_000;

/// A signature, and how many groups of it there are to be.
struct WantedGroups {
    codes: Vec<u32>,
    groups: usize,
}

/// Groups of k rows, or a few of k + 1, with few signatures of the codes; `None` if there are too
/// many codes, or so few that any groups have few signatures. `fits` says of rows with the codes of a signature whether they may be a group.
pub fn few_signatures(
    space: &Space,
    codes: &[u32],
    k: usize,
    fits: &mut dyn FnMut(&[u32], &mut dyn Monitor) -> bool,
    monitor: &mut dyn Monitor,
) -> Result<Option<Partition>> {
    refuse_unequal(space.rows(), &[codes.len()])?;
    if codes.len() > MOST_ROWS || space.patterns().is_some() {
        return Ok(None);
    }
    let by_code = by_code(codes)?;
    let Some(wanted) = wanted(&by_code, k)? else {
        return Ok(None);
    };
    for signature in &wanted {
        if !fits(&example(signature, &by_code), monitor) {
            return Ok(None);
        }
    }
    let meter = &mut Meter::start(monitor, Phase::Grouping, codes.len());
    let rows = OrderedRows::new(space, &[], meter)?;
    let mut free = FreeSlots::of_codes(by_code.len())?;
    for (row, &point) in (0..).zip(rows.order()) {
        free.add_new(row, codes[point as usize])?;
    }
    let mut groups = SlotGroups::new(&rows, free, meter)?;
    Forming {
        wanted,
        distances: filled(by_code.len(), None)?,
    }
    .form(&mut groups, &rows, codes, meter)?;
    let formed = groups.improved(space, meter)?;
    let mut group_of = filled(codes.len(), u32::MAX)?;
    for of in &formed.rows {
        group_of[rows.order()[of.row as usize] as usize] = of.group;
    }
    Partition::new(group_of, formed.groups).map(Some)
}

/// The rows of each code.
fn by_code(codes: &[u32]) -> Result<Vec<Vec<u32>>> {
    let count = codes.iter().max().map_or(0, |&top| top as usize + 1);
    let mut rows: Vec<Vec<u32>> = filled(count, Vec::new())?;
    for (row, &code) in (0..).zip(codes) {
        let rows = &mut rows[code as usize];
        make_room(rows, 1)?;
        rows.push(row);
    }
    Ok(rows)
}

/// The signatures; `None` if they are not few.
fn wanted(by_code: &[Vec<u32>], k: usize) -> Result<Option<Vec<WantedGroups>>> {
    let mut order = collected(0..by_code.len() as u32)?;
    sort_by_key(&mut order, |&code| {
        (Reverse(by_code[code as usize].len()), code)
    })?;
    order.retain(|&code| !by_code[code as usize].is_empty());
    let rows: usize = by_code.iter().map(Vec::len).sum();
    let (groups, over) = (rows / k.max(1), rows % k.max(1));
    let Some(&most) = order.first() else {
        return Ok(None);
    };
    let too_many = order.len() * GROUPS_OF_A_SIGNATURE > groups;
    let few_anyway = possible(order.len(), k) * GROUPS_OF_A_SIGNATURE <= groups;
    if too_many || few_anyway || by_code[most as usize].len() <= over {
        return Ok(None);
    }
    // where each code ends in the order of codes; those that are over are of the most frequent one
    let mut ends = reserved(order.len())?;
    let mut end = 0;
    for &code in &order {
        end += by_code[code as usize].len() - if code == most { over } else { 0 };
        ends.push(end);
    }
    let mut cuts = collected(ends.iter().map(|end| end % groups))?;
    cuts.push(0);
    cuts.push(groups);
    cuts.sort_unstable();
    cuts.dedup();
    let at = |place: usize| order[ends.partition_point(|&end| end <= place)];
    let mut wanted = reserved(cuts.len())?;
    for ends in cuts.windows(2) {
        let codes = (0..k).map(|part| at(part * groups + ends[0]));
        wanted.push(WantedGroups {
            codes: collected(codes)?,
            groups: ends[1] - ends[0],
        });
    }
    Ok(with_one_more(wanted, most, over))
}

/// How many signatures of k rows there can be.
fn possible(codes: usize, k: usize) -> usize {
    let ways = (0..k).map(|chosen| (codes + chosen, chosen + 1));
    ways.fold(1usize, |so_far, (more, of)| {
        so_far.saturating_mul(more) / of
    })
}

/// Some groups of the most frequent signature have one row more.
fn with_one_more(
    mut wanted: Vec<WantedGroups>,
    code: u32,
    over: usize,
) -> Option<Vec<WantedGroups>> {
    if over > 0 {
        let largest = wanted.iter_mut().max_by_key(|of| of.groups)?;
        if largest.groups < over {
            return None;
        }
        largest.groups -= over;
        let mut codes = largest.codes.clone();
        codes.push(code);
        wanted.push(WantedGroups {
            codes,
            groups: over,
        });
    }
    Some(wanted)
}

/// Different rows with the codes of a signature.
fn example(signature: &WantedGroups, by_code: &[Vec<u32>]) -> Vec<u32> {
    let mut rows: Vec<u32> = Vec::with_capacity(signature.codes.len());
    for &code in &signature.codes {
        let of_code = by_code[code as usize].iter();
        let next = of_code.filter(|row| !rows.contains(row)).copied().next();
        rows.extend(next);
    }
    rows
}

struct Forming {
    wanted: Vec<WantedGroups>,
    /// how far the nearest row of each code is from a seed, once that is asked
    distances: Vec<Option<f64>>,
}

impl Forming {
    fn form(
        &mut self,
        groups: &mut SlotGroups<'_>,
        rows: &OrderedRows,
        codes: &[u32],
        meter: &mut Meter,
    ) -> Result<()> {
        debug_assert_eq!(rows.len(), codes.len());
        let mut rarest = collected(0..self.distances.len() as u32)?;
        sort_by_key(&mut rarest, |&code| (groups.left(code), code))?;
        for code in rarest {
            while let Some(seed) = groups.outermost(code, meter)? {
                let signature = self.cheapest(code, seed, groups, meter)?;
                let wanted = &mut self.wanted[signature];
                wanted.groups -= 1;
                let place = wanted.codes.iter().position(|&own| own == code);
                let slots = wanted.codes.iter().map(|&code| (0, code));
                groups.form_new(slots, (place.unwrap_or(0), seed), meter)?;
            }
        }
        Ok(())
    }

    /// The signature that has the code, whose other codes have rows near the seed.
    fn cheapest(
        &mut self,
        code: u32,
        seed: u32,
        groups: &SlotGroups<'_>,
        meter: &mut Meter,
    ) -> Result<usize> {
        self.distances.fill(None);
        let mut best = (f64::INFINITY, None);
        let open = self.wanted.iter().enumerate();
        for (number, wanted) in open.filter(|of| of.1.groups > 0 && of.1.codes.contains(&code)) {
            let mut cost = 0.0;
            for &other in wanted.codes.iter().filter(|&&other| other != code) {
                let distance = &mut self.distances[other as usize];
                if distance.is_none() {
                    *distance = groups.nearest_new(other, seed, meter)?.map(|hit| hit.0);
                }
                cost += distance.unwrap_or(f64::INFINITY);
            }
            if cost < best.0 || best.1.is_none() {
                best = (cost, Some(number));
            }
        }
        best.1
            .ok_or_else(|| Error::Broken("a row without a signature".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Table, Unwatched};
    use std::collections::BTreeSet;

    fn grouped(codes: &[u32], k: usize, fit: bool) -> Option<Partition> {
        let keys = (0..codes.len())
            .map(|row| (row * 37 % 101) as f64)
            .collect();
        let space = Space::new(&Table::new(vec![Column::Numeric(keys)]).unwrap(), true).unwrap();
        let mut fits = |_: &[u32], _: &mut dyn Monitor| fit;
        few_signatures(&space, codes, k, &mut fits, &mut Unwatched).unwrap()
    }

    #[test]
    fn there_are_no_more_signatures_than_codes() {
        for (rows, k) in [(300, 4), (301, 4), (303, 4), (500, 5)] {
            let codes: Vec<u32> = (0..rows).map(|row| row * row % 31 % 9).collect();
            let partition = grouped(&codes, k, true).unwrap();
            let members = partition.members().unwrap();
            let signature = |rows: &[u32]| {
                let mut shown: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
                shown.sort_unstable();
                assert!(shown.len() == k || shown.len() == k + 1);
                shown
            };
            let signatures: BTreeSet<Vec<u32>> = members.iter().map(signature).collect();
            // one more for the groups of k + 1
            assert!(signatures.len() <= 9 + 2, "{}", signatures.len());
        }
    }

    #[test]
    fn there_are_none_where_codes_are_too_many_or_few_or_do_not_fit() {
        let codes = |number: u32| -> Vec<u32> { (0..300).map(|row| row % number).collect() };
        assert!(grouped(&codes(100), 4, true).is_none());
        assert!(grouped(&codes(2), 4, true).is_none());
        assert!(grouped(&codes(9), 4, false).is_none());
        assert!(grouped(&[], 4, true).is_none());
    }
}
