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
//!
//! Cells must be of one size for that. Where more rows go with a cell, k of them decide. Who knew
//! which could conclude what the others have: of a group x, x, x, z the row that does not count is an
//! x. So they are drawn, by all values together: who knew them all would have nothing to find out.

use super::Input;
use super::cell_cubes::{Cube, Cubes};
use super::cell_values::CellValues;
use crate::neighbours::{GroupCentroids, Point, centroid_of};
use crate::run::Meter;
use crate::run::allocation;
use crate::run::sorting;
use crate::{Categories, Monitor, Partition, Phase, Result, Space};

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
    if input.p <= 1 && input.conditions.is_empty() {
        return base(k, monitor);
    }
    let seed = seed_of(input.sensitive)?;
    let most = space.rows() / k;
    // one cube of all rows, or three: values that are too rare for some of many cubes are soon too
    // rare for one of three
    let mut cells = 1 << most.max(1).ilog2();
    if !fills_cubes(most) {
        cells = one_block(most);
    } else {
        let cells = Cells::new(space, k, &base(k, monitor)?, monitor)?;
        if let Some(partition) = cells.groups(input, &cells.large_blocks(), seed, monitor)? {
            return Ok(partition);
        }
    }
    let size = space.rows() / cells;
    let cells = Cells::new(space, size, &base(size, monitor)?, monitor)?;
    if let Some(partition) = cells.groups(input, &cells.largest_block()?, seed, monitor)? {
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
pub(super) struct Block {
    nodes: Vec<u32>,
    height: u32,
}

/// What is built from keys alone.
pub(super) struct Cells {
    pub(super) cubes: Cubes,
    /// the cell of each row
    pub(super) cell_of: Vec<u32>,
    number: usize,
    pub(super) k: usize,
}

impl Cells {
    pub(super) fn new(
        space: &Space,
        k: usize,
        base: &Partition,
        monitor: &mut dyn Monitor,
    ) -> Result<Self> {
        let members = base.members()?;
        let mut centroids = allocation::reserved(base.groups())?;
        for rows in members.iter() {
            centroids.push(centroid_of(space, rows)?);
        }
        Ok(Cells {
            cubes: Cubes::new(centroids, monitor)?,
            cell_of: allocation::collected(base.group_of().iter().copied())?,
            number: base.groups(),
            k,
        })
    }

    /// Groups of at least p values; `None` if one of the blocks has fewer.
    pub(super) fn groups(
        &self,
        input: &Input<'_>,
        blocks: &[Block],
        seed: u64,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Partition>> {
        let meter = &mut Meter::start(monitor, Phase::Grouping, input.space.rows());
        let home = self.homes(input.space, blocks, meter)?;
        let core = self.core(&home, seed)?;
        let mut cutting = CellCutting {
            cubes: &self.cubes,
            values: CellValues::new(input, self, &core, &home)?,
            group_of_cell: allocation::filled(self.number, u32::MAX)?,
            groups: 0,
        };
        for block in blocks {
            if !cutting.values.parts_hold(&[&block.nodes], meter)? {
                return Ok(None);
            }
            cutting.cut_block(block, meter)?;
        }
        let group = |&cell: &u32| cutting.group_of_cell[cell as usize];
        let group_of = allocation::collected(home.iter().map(group))?;
        Partition::new(group_of, cutting.groups as usize).map(Some)
    }

    /// The largest cube, and others of some size.
    fn large_blocks(&self) -> Vec<Block> {
        let cells = self.number;
        let cubes = self.cubes.cubes.iter().enumerate();
        let kept = cubes.filter(|(place, cube)| *place == 0 || is_large(1 << cube.height, cells));
        let block = |(_, cube): (usize, &Cube)| Block {
            nodes: vec![cube.root],
            height: cube.height,
        };
        kept.map(block).collect()
    }

    /// The largest cube, together with another half as large if there is one.
    pub(super) fn largest_block(&self) -> Result<Vec<Block>> {
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

    /// The cell that each row goes with: its own or, where that is in no block, the nearest one
    /// that is.
    pub(super) fn homes(
        &self,
        space: &Space,
        blocks: &[Block],
        meter: &mut Meter,
    ) -> Result<Vec<u32>> {
        let mut number = allocation::filled(self.number, u32::MAX)?;
        for &node in blocks.iter().flat_map(|block| &block.nodes) {
            self.cubes.cells(node, &mut |cell| {
                number[cell as usize] = 0;
                true
            });
        }
        let mut kept = allocation::reserved(number.len())?;
        for (cell, number) in (0..).zip(&mut number) {
            if *number != u32::MAX {
                *number = kept.len() as u32;
                kept.push(cell);
            }
        }
        let place = |&cell: &u32| number[cell as usize];
        let mut home = allocation::collected(self.cell_of.iter().map(place))?;
        if home.contains(&u32::MAX) {
            let mut centroids = GroupCentroids::new(space, &home, kept.len(), meter)?;
            for (row, home) in home.iter_mut().enumerate() {
                if *home == u32::MAX {
                    let point = point_of(space, row);
                    *home = centroids.nearest(&point, meter)?.row;
                }
            }
        }
        home.iter_mut()
            .for_each(|home| *home = kept[*home as usize]);
        Ok(home)
    }

    /// k rows of each cell, one cell after the other: the values of these decide. They are drawn
    /// among all rows that go with the cell. Cells that are in no block have none.
    pub(super) fn core(&self, home: &[u32], seed: u64) -> Result<Vec<u32>> {
        let mut core = allocation::filled(self.number * self.k, u32::MAX)?;
        let draw = |(row, &home): (usize, &u32)| (home, mixed(seed ^ row as u64), row as u32);
        let mut drawn = allocation::collected(home.iter().enumerate().map(draw))?;
        sorting::sort_by_key(&mut drawn, |&drawn| drawn)?;
        for rows in drawn.chunk_by(|a, b| a.0 == b.0) {
            let own = &mut core[rows[0].0 as usize * self.k..][..self.k];
            for (place, &(.., row)) in own.iter_mut().zip(rows) {
                *place = row;
            }
        }
        Ok(core)
    }
}

/// A number that all values together decide, however they are coded.
fn seed_of(sensitive: &[Categories]) -> Result<u64> {
    let mut seed = 0;
    for column in sensitive {
        let mut first = allocation::filled(column.cardinality(), u64::MAX)?;
        for (row, &code) in (0..).zip(column.codes()) {
            let first = &mut first[code as usize];
            *first = row.min(*first);
            seed = mixed(seed ^ *first);
        }
    }
    Ok(seed)
}

/// The finalizer of SplitMix64.
fn mixed(number: u64) -> u64 {
    let mut number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
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
    cubes: &'a Cubes,
    values: CellValues<'a>,
    group_of_cell: Vec<u32>,
    groups: u32,
}

impl CellCutting<'_> {
    /// Parts the nodes of a block if all of them have all values, and goes on with their bits.
    fn cut_block(&mut self, block: &Block, meter: &mut Meter) -> Result<()> {
        let nodes: Vec<&[u32]> = block.nodes.chunks(1).collect();
        if !self.values.parts_hold(&nodes, meter)? {
            let together = allocation::collected(block.nodes.iter().copied())?;
            return self.cut(together, block.height, meter);
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
        let [mut first, second] = self.cubes.halves(&together)?;
        drop(together);
        if self.values.parts_hold(&[&first, &second], meter)? {
            self.cut(first, height, meter)?;
            return self.cut(second, height, meter);
        }
        allocation::make_room(&mut first, second.len())?;
        first.extend_from_slice(&second);
        drop(second);
        self.cut(first, height, meter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
