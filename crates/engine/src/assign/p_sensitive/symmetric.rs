//! Groups whose shape tells nothing about anybody's value.
//!
//! A method that looks for the missing value tells where it is: who knows the method and all keys
//! sees which rows were passed over, or which group was too uniform to stand alone (Wong et al.
//! 2007, "minimality"). Here every choice is symmetric (Cormode et al. 2010): cells of k rows and
//! a tree of them are built from keys alone, and rows are parted along one bit of their cells'
//! numbers only if *both* sides have p values. A refusal says that one side lacks values, and not
//! which one.
//!
//! A side that lacks values lacks them in every part of it. So a bit that is refused once stays
//! refused below, and turning it in all cells of that node changes no decision and no group.
//! Hence whatever values fit a release, they fit it as well with the cells of a group exchanged:
//! all rows of a group are equally likely to have each of its values, and nobody's is certain.

use super::Input;
use super::cell_cubes::{Cube, Cubes};
use super::value_quota::Quota;
use crate::neighbours::{GroupCentroids, Point, centroid_of};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Monitor, Partition, Phase, Result, Space};

/// Smaller cubes than these are dissolved: rows in them would be too easily short of values.
const LEAST_CELLS: usize = 16;
/// So are cubes of a smaller share of all cells, since they cost little.
const LEAST_SHARE: usize = 32;
/// Where more than this share of cells would be dissolved, fewer and larger cells are better.
const MOST_DISSOLVED: usize = 8;

/// Forms groups of at least so many rows by keys alone.
pub(super) type Grouping<'a> = dyn FnMut(usize, &mut dyn Monitor) -> Result<Partition> + 'a;

/// Joins groups that are formed by keys alone until all have p values.
pub(super) fn join(
    input: &Input<'_>,
    base: &mut Grouping<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let (space, k) = (input.space, input.k);
    if input.p <= 1 {
        return base(k, monitor);
    }
    let most = space.rows() / k;
    // one cube of all rows, or three: values that are too rare for some of many cubes are soon too
    // rare for one of three
    let mut cells = 1 << most.max(1).ilog2();
    if !fills_cubes(most) {
        cells = one_block(most);
    } else {
        let cells = Cells::new(space, k, &base(k, monitor)?, monitor)?;
        if let Some(partition) = cells.groups(input, &cells.large_blocks(), monitor)? {
            return Ok(partition);
        }
    }
    let size = space.rows() / cells;
    let cells = Cells::new(space, size, &base(size, monitor)?, monitor)?;
    if let Some(partition) = cells.groups(input, &cells.largest_block()?, monitor)? {
        return Ok(partition);
    }
    // the values are too rare for more than one group
    Partition::new(allocation::filled(space.rows(), 0)?, 1)
}

/// Whether a cube of so many cells is worth keeping.
fn is_large(size: usize, cells: usize) -> bool {
    size >= LEAST_CELLS && size * LEAST_SHARE >= cells
}

/// Whether most of so many cells are in cubes that are kept.
fn fills_cubes(cells: usize) -> bool {
    let largest = 1 << cells.max(1).ilog2();
    let digit = |bit: u32| cells & (1 << bit);
    let kept = |&size: &usize| size == largest || is_large(size, cells);
    let kept: usize = (0..usize::BITS).map(digit).filter(kept).sum();
    (cells - kept) * MOST_DISSOLVED <= cells
}

/// The most of so many cells that are one cube, or three.
fn one_block(cells: usize) -> usize {
    let cube = 1 << cells.max(1).ilog2();
    let three = cube + cube / 2;
    if three <= cells { three } else { cube }
}

/// Nodes of one height: a cube, or three that are cut like the halves of one.
struct Block {
    nodes: Vec<u32>,
    height: u32,
}

/// What is built from keys alone.
struct Cells {
    cubes: Cubes,
    /// the cell of each row
    cell_of: Vec<u32>,
    /// k rows of each cell, one cell after the other: the values of these decide. Others of its
    /// rows go with them, so that all cells are of one size where it matters
    core: Vec<u32>,
    k: usize,
}

impl Cells {
    fn new(space: &Space, k: usize, base: &Partition, monitor: &mut dyn Monitor) -> Result<Self> {
        let members = base.members()?;
        let mut core = allocation::reserved(base.groups() * k)?;
        let mut centroids = allocation::reserved(base.groups())?;
        for rows in members.iter() {
            core.extend_from_slice(&rows[..k]);
            centroids.push(centroid_of(space, rows)?);
        }
        Ok(Cells {
            cubes: Cubes::new(centroids, monitor)?,
            cell_of: allocation::collected(base.group_of().iter().copied())?,
            core,
            k,
        })
    }

    /// Groups of at least p values; `None` if one of the blocks has fewer.
    fn groups(
        &self,
        input: &Input<'_>,
        blocks: &[Block],
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Partition>> {
        let meter = &mut Meter::start(monitor, Phase::Grouping, input.space.rows());
        let mut cutting = CellCutting {
            cells: self,
            quota: Quota::new(input.sensitive, input.p, true)?,
            group_of_cell: allocation::filled(self.core.len() / self.k, u32::MAX)?,
            groups: 0,
        };
        for block in blocks {
            if !cutting.is_complete(&block.nodes, meter)? {
                return Ok(None);
            }
            cutting.cut_block(block, meter)?;
        }
        let CellCutting {
            group_of_cell,
            groups,
            ..
        } = cutting;
        self.finish(input.space, &group_of_cell, groups, meter)
            .map(Some)
    }

    /// The largest cube, and others of some size.
    fn large_blocks(&self) -> Vec<Block> {
        let cells = self.core.len() / self.k;
        let cubes = self.cubes.cubes.iter().enumerate();
        let kept = cubes.filter(|(place, cube)| *place == 0 || is_large(1 << cube.height, cells));
        let block = |(_, cube): (usize, &Cube)| Block {
            nodes: vec![cube.root],
            height: cube.height,
        };
        kept.map(block).collect()
    }

    /// The largest cube, together with another half as large if there is one.
    fn largest_block(&self) -> Result<Vec<Block>> {
        Ok(match self.cubes.cubes[..] {
            [first, second, ..] if first.height == second.height + 1 => {
                let [a, b] = self.cubes.halves(&[first.root])?;
                let nodes = [&a[..], &b[..], &[second.root]].concat();
                let height = second.height;
                vec![Block { nodes, height }]
            }
            _ => self.large_blocks().into_iter().take(1).collect(),
        })
    }

    /// Rows of cells that are in no cube join the nearest cell that is in one.
    fn finish(
        &self,
        space: &Space,
        group_of_cell: &[u32],
        groups: u32,
        meter: &mut Meter,
    ) -> Result<Partition> {
        let mut kept = allocation::reserved(group_of_cell.len())?;
        let mut number = allocation::filled(group_of_cell.len(), u32::MAX)?;
        for (cell, &group) in group_of_cell.iter().enumerate() {
            if group != u32::MAX {
                number[cell] = kept.len() as u32;
                kept.push(group);
            }
        }
        let place = |&cell: &u32| number[cell as usize];
        let mut group_of = allocation::collected(self.cell_of.iter().map(place))?;
        let dissolved = group_of.contains(&u32::MAX);
        if dissolved {
            let mut centroids = GroupCentroids::new(space, &group_of, kept.len(), meter)?;
            for (row, group) in group_of.iter_mut().enumerate() {
                if *group == u32::MAX {
                    let point = point_of(space, row);
                    *group = centroids.nearest(&point, meter)?.row;
                }
            }
        }
        for group in &mut group_of {
            *group = kept[*group as usize];
        }
        Partition::new(group_of, groups as usize)
    }
}

fn point_of(space: &Space, row: usize) -> Point {
    let numbers = space.numeric().iter().map(|values| values[row]);
    let codes = space.categorical().iter();
    Point::new(
        numbers.collect(),
        codes.map(|column| column.codes()[row]).collect(),
    )
}

/// The groups that form.
struct CellCutting<'a> {
    cells: &'a Cells,
    quota: Quota<'a>,
    group_of_cell: Vec<u32>,
    groups: u32,
}

impl CellCutting<'_> {
    /// Parts the nodes of a block if all of them have all values, and goes on with their bits.
    fn cut_block(&mut self, block: &Block, meter: &mut Meter) -> Result<()> {
        for node in &block.nodes {
            if !self.is_complete(&[*node], meter)? {
                let together = allocation::collected(block.nodes.iter().copied())?;
                return self.cut(together, block.height, meter);
            }
        }
        let mut nodes = block.nodes.iter();
        nodes.try_for_each(|&node| self.cut(vec![node], block.height, meter))
    }

    /// Parts nodes that are together along the highest bit of their cells' numbers if both sides
    /// have all values, and goes on with the next bit.
    fn cut(&mut self, together: Vec<u32>, height: u32, meter: &mut Meter) -> Result<()> {
        let Some(height) = height.checked_sub(1) else {
            for &cell in &together {
                self.group_of_cell[cell as usize] = self.groups;
            }
            self.groups += 1;
            return Ok(());
        };
        let [mut first, second] = self.cells.cubes.halves(&together)?;
        drop(together);
        if self.is_complete(&first, meter)? && self.is_complete(&second, meter)? {
            self.cut(first, height, meter)?;
            return self.cut(second, height, meter);
        }
        allocation::make_room(&mut first, second.len())?;
        first.extend_from_slice(&second);
        drop(second);
        self.cut(first, height, meter)
    }

    /// Whether the cells of some nodes have p values of every sensitive column.
    fn is_complete(&mut self, nodes: &[u32], meter: &mut Meter) -> Result<bool> {
        let Cells { cubes, core, k, .. } = self.cells;
        self.quota.start();
        let mut looks = 0;
        for &node in nodes {
            let more = cubes.cells(node, &mut |cell| {
                let rows = &core[cell as usize * k..][..*k];
                rows.iter().for_each(|&row| self.quota.add(row));
                looks += k;
                self.quota.is_short()
            });
            if !more {
                break;
            }
        }
        meter.spend(looks)?;
        Ok(!self.quota.is_short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assign::mdav;
    use crate::{Categories, Column, Table, Unwatched};
    use std::collections::HashMap;

    /// Rows scattered in the plane.
    fn scattered(rows: u32) -> Space {
        let column = |factor: u32| {
            let value = |row| f64::from((row * factor + row * row * 7) % 61);
            Column::Numeric((0..rows).map(value).collect())
        };
        Space::new(&Table::new(vec![column(17), column(29)]).unwrap(), true).unwrap()
    }

    /// The groups, the values of each, and so all that is published beside the keys.
    type Release = (Vec<u32>, Vec<Vec<u32>>);

    /// Of each release how often each row has each value, over all values that lead to it.
    fn fitting(
        rows: usize,
        values: u32,
        release: impl Fn(&[u32]) -> Option<Partition>,
    ) -> HashMap<Release, Vec<Vec<u32>>> {
        let mut fitting: HashMap<Release, Vec<Vec<u32>>> = HashMap::new();
        for number in 0..(values as usize).pow(rows as u32) {
            let digit = |row: usize| (number / (values as usize).pow(row as u32)) as u32 % values;
            let codes: Vec<u32> = (0..rows).map(digit).collect();
            let Some(partition) = release(&codes) else {
                continue;
            };
            let members = partition.members().unwrap();
            let sorted = |rows: &[u32]| {
                let mut held: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
                held.sort_unstable();
                held
            };
            let published = (partition.canonical(), members.iter().map(sorted).collect());
            let blank = || vec![vec![0; values as usize]; rows];
            let counts = fitting.entry(published).or_insert_with(blank);
            for (count, &code) in counts.iter_mut().zip(&codes) {
                count[code as usize] += 1;
            }
        }
        fitting
    }

    /// A reader who tries all values, knowing keys and method, ends where he began: each row of a
    /// group has each of its values equally often.
    fn assert_nothing_is_learnt(rows: u32, k: usize, p: usize, values: u32) {
        let space = scattered(rows);
        let base = mdav(&space, k, &mut Unwatched).unwrap();
        let cells = Cells::new(&space, k, &base, &mut Unwatched).unwrap();
        let blocks = cells.largest_block().unwrap();
        let release = |codes: &[u32]| {
            let sensitive = [Categories::new(codes.to_vec())];
            let input = Input::new(&space, &sensitive, k, p).ok()?;
            cells.groups(&input, &blocks, &mut Unwatched).unwrap()
        };
        let releases = fitting(rows as usize, values, release);
        assert!(releases.len() > 10);
        for ((group_of, _), counts) in &releases {
            for (row, group) in group_of.iter().enumerate() {
                let first = group_of.iter().position(|other| other == group).unwrap();
                assert_eq!(counts[row], counts[first], "{group_of:?}");
            }
        }
    }

    #[test]
    fn all_values_of_a_group_are_equally_likely_for_all_its_rows() {
        assert_nothing_is_learnt(16, 2, 2, 2);
        assert_nothing_is_learnt(8, 2, 2, 4);
        assert_nothing_is_learnt(12, 3, 3, 3);
        // three cubes of two cells
        assert_nothing_is_learnt(12, 2, 2, 2);
    }

    #[test]
    fn few_rows_are_left_over() {
        for (cells, fills, block) in [
            (15, false, 12),
            (16, true, 16),
            (47, false, 32),
            (48, true, 48),
        ] {
            assert_eq!(
                (fills_cubes(cells), one_block(cells)),
                (fills, block),
                "{cells}"
            );
        }
        assert!((1000..3000).all(fills_cubes));
    }

    /// The same of `merge`: it shows what the test above would find.
    #[test]
    fn looking_for_the_missing_value_shows_where_it_is() {
        let (rows, k) = (12, 2);
        let space = scattered(rows);
        let release = |codes: &[u32]| {
            let sensitive = [Categories::new(codes.to_vec())];
            let input = Input::new(&space, &sensitive, k, 2).ok()?;
            super::super::merge::merge(&input, &mut Unwatched).ok()
        };
        let certain = |counts: &Vec<Vec<u32>>| {
            let one = |values: &&Vec<u32>| values.iter().filter(|&&n| n > 0).count() == 1;
            counts.iter().filter(one).count()
        };
        let releases = fitting(rows as usize, 2, release);
        assert!(releases.values().map(certain).sum::<usize>() > 100);
    }
}
