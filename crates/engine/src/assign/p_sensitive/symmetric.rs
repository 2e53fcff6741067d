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
use super::cell_values::CellValues;
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
    if input.p <= 1 && input.conditions.is_empty() {
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
pub(super) struct Block {
    nodes: Vec<u32>,
    height: u32,
}

/// What is built from keys alone.
pub(super) struct Cells {
    pub(super) cubes: Cubes,
    /// the cell of each row
    pub(super) cell_of: Vec<u32>,
    /// k rows of each cell, one cell after the other: the values of these decide. Others of its
    /// rows go with them, so that all cells are of one size where it matters
    pub(super) core: Vec<u32>,
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
    pub(super) fn groups(
        &self,
        input: &Input<'_>,
        blocks: &[Block],
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Partition>> {
        let meter = &mut Meter::start(monitor, Phase::Grouping, input.space.rows());
        let home = self.homes(input.space, blocks, meter)?;
        let mut cutting = CellCutting {
            cubes: &self.cubes,
            values: CellValues::new(input, self, &home)?,
            group_of_cell: allocation::filled(self.core.len() / self.k, u32::MAX)?,
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
        let mut number = allocation::filled(self.core.len() / self.k, u32::MAX)?;
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
