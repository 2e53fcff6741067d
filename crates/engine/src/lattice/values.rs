//! What the groups of a node know of a sensitive column, and how it merges.

use super::counts::Cell;
use crate::{Result, memory};
use hashbrown::HashTable;

/// One sensitive column in the groups of a node, as compactly as the requirement allows.
#[derive(Debug, Clone)]
pub(super) enum Values {
    /// nothing is asked of the column
    Unwatched,
    /// a bit for each value that occurs: all that p-sensitivity asks for
    Masks(Vec<u64>),
    /// how often each value occurs
    Histograms(Histograms),
}

impl Values {
    /// The values of a column, counted only if asked for or if they are too many for a mask.
    pub fn new(histograms: &Histograms, counted: bool) -> Result<Self> {
        if counted || histograms.cardinality > u64::BITS as usize {
            return Ok(Values::Histograms(histograms.clone()));
        }
        let bit = |mask, &(value, _): &(u32, u64)| mask | 1 << value;
        let masks = (0..histograms.groups()).map(|group| histograms.of(group).iter().fold(0, bit));
        Ok(Values::Masks(memory::collected(masks)?))
    }

    /// The number of distinct values of a group.
    pub fn distinct(&self, group: usize) -> usize {
        match self {
            Values::Unwatched => 0,
            Values::Masks(masks) => masks[group].count_ones() as usize,
            Values::Histograms(histograms) => histograms.of(group).len(),
        }
    }

    /// The (value, count) pairs of a group, where they are counted.
    pub fn histogram(&self, group: usize) -> &[(u32, u64)] {
        match self {
            Values::Unwatched | Values::Masks(_) => &[],
            Values::Histograms(histograms) => histograms.of(group),
        }
    }

    /// The values after each group has become part of the group `group_of` names.
    pub fn merged(&self, group_of: &[u32], groups: usize) -> Result<Self> {
        match self {
            Values::Unwatched => Ok(Values::Unwatched),
            Values::Masks(masks) => {
                let mut merged = memory::filled(groups, 0)?;
                for (&group, mask) in group_of.iter().zip(masks) {
                    merged[group as usize] |= mask;
                }
                Ok(Values::Masks(merged))
            }
            Values::Histograms(histograms) => {
                let merged = histograms.merged(group_of, groups)?;
                Ok(Values::Histograms(merged))
            }
        }
    }
}

/// Per group the (value, count) pairs of one sensitive column, values ascending.
#[derive(Debug, Clone)]
pub(super) struct Histograms {
    starts: Vec<usize>,
    cells: Vec<(u32, u64)>,
    cardinality: usize,
}

impl Histograms {
    /// From the counted cells, one for each combination and value that occur together.
    pub fn new(groups: usize, table: HashTable<Cell>) -> Result<Self> {
        let mut sorted = memory::collected(table.into_iter())?;
        sorted.sort_unstable_by_key(|cell: &Cell| (cell.combination, cell.value));
        let mut starts = memory::filled(groups + 1, 0)?;
        for cell in &sorted {
            starts[cell.combination as usize + 1] += 1;
        }
        running_sums(&mut starts);
        let top = sorted.iter().map(|cell| cell.value as usize + 1).max();
        let cells = sorted.iter().map(|cell| (cell.value, cell.count));
        Ok(Histograms {
            cells: memory::collected(cells)?,
            starts,
            cardinality: top.unwrap_or(0),
        })
    }

    fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// The (value, count) pairs of a group.
    pub fn of(&self, group: usize) -> &[(u32, u64)] {
        &self.cells[self.starts[group]..self.starts[group + 1]]
    }

    /// How often each value occurs in all groups together.
    pub fn totals(&self) -> Vec<u64> {
        let mut totals = vec![0; self.cardinality];
        for &(value, count) in &self.cells {
            totals[value as usize] += count;
        }
        totals
    }

    fn merged(&self, group_of: &[u32], groups: usize) -> Result<Self> {
        let (firsts, parts) = parts_of(group_of, groups)?;
        let mut sum = Sum::new(self.cardinality)?;
        let mut starts = memory::reserved(groups + 1)?;
        let mut cells = memory::reserved(self.cells.len())?;
        starts.push(0);
        for ends in firsts.windows(2) {
            for &part in &parts[ends[0]..ends[1]] {
                sum.add(self.of(part as usize));
            }
            sum.drain_into(&mut cells);
            starts.push(cells.len());
        }
        cells.shrink_to_fit();
        Ok(Histograms {
            starts,
            cells,
            cardinality: self.cardinality,
        })
    }
}

/// The parts of each new group, one group after the other, and where each group's begin.
fn parts_of(group_of: &[u32], groups: usize) -> Result<(Vec<usize>, Vec<u32>)> {
    let mut firsts = memory::filled(groups + 1, 0)?;
    for &group in group_of {
        firsts[group as usize + 1] += 1;
    }
    running_sums(&mut firsts);
    let mut next = memory::collected(firsts.iter().copied())?;
    let mut parts = memory::filled(group_of.len(), 0)?;
    for (part, &group) in group_of.iter().enumerate() {
        parts[next[group as usize]] = part as u32;
        next[group as usize] += 1;
    }
    Ok((firsts, parts))
}

fn running_sums(counts: &mut [usize]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

/// Adds up histograms: a counter for each value and a list of those in use.
struct Sum {
    counts: Vec<u64>,
    used: Vec<u32>,
}

impl Sum {
    fn new(cardinality: usize) -> Result<Self> {
        Ok(Sum {
            counts: memory::filled(cardinality, 0)?,
            used: memory::reserved(cardinality)?,
        })
    }

    fn add(&mut self, histogram: &[(u32, u64)]) {
        for &(value, count) in histogram {
            if self.counts[value as usize] == 0 {
                self.used.push(value);
            }
            self.counts[value as usize] += count;
        }
    }

    /// Moves the sum out, values ascending, and starts again from nothing.
    fn drain_into(&mut self, cells: &mut Vec<(u32, u64)>) {
        self.used.sort_unstable();
        for value in self.used.drain(..) {
            let count = std::mem::take(&mut self.counts[value as usize]);
            cells.push((value, count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histograms(cells: &[(u32, u32, u64)]) -> Histograms {
        let mut table = HashTable::new();
        for &(combination, value, count) in cells {
            let cell = Cell {
                combination,
                value,
                count,
            };
            table.insert_unique(u64::from(value), cell, |cell| u64::from(cell.value));
        }
        let groups = cells.iter().map(|cell| cell.0 as usize + 1).max();
        Histograms::new(groups.unwrap_or(0), table).unwrap()
    }

    #[test]
    fn histograms_merge_value_by_value() {
        let base = histograms(&[(0, 1, 2), (0, 3, 1), (1, 2, 1), (2, 0, 4), (2, 3, 1)]);
        let merged = base.merged(&[1, 0, 1], 2).unwrap();
        assert_eq!(merged.of(0), [(2, 1)]);
        assert_eq!(merged.of(1), [(0, 4), (1, 2), (3, 2)]);
        assert_eq!(merged.totals(), base.totals());
    }

    #[test]
    fn masks_and_histograms_agree_on_distinct_values() {
        let base = histograms(&[(0, 63, 2), (0, 0, 1), (1, 0, 9), (2, 5, 4), (3, 63, 1)]);
        let group_of = [0, 1, 1, 0];
        for counted in [false, true] {
            let values = Values::new(&base, counted).unwrap();
            assert_eq!(
                [0, 1, 2, 3].map(|group| values.distinct(group)),
                [2, 1, 1, 1]
            );
            let merged = values.merged(&group_of, 2).unwrap();
            assert_eq!([0, 1].map(|group| merged.distinct(group)), [2, 2]);
        }
    }

    #[test]
    fn columns_of_many_values_are_counted() {
        let wide = Values::new(&histograms(&[(0, 64, 1)]), false).unwrap();
        assert!(matches!(wide, Values::Histograms(_)));
        let narrow = Values::new(&histograms(&[(0, 63, 1)]), false).unwrap();
        assert!(matches!(narrow, Values::Masks(_)));
    }
}
