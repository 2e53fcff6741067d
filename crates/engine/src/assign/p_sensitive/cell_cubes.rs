//! Cells in pairs, pairs in pairs, and so on: binary cubes, built from keys alone.
//!
//! A cube of height h has 2ʰ cells. A cell's place in it is a number of h bits, the highest of
//! which says on which side of the cube's last pairing it lies. Cells whose numbers differ in
//! one bit only are neighbours as far as that is possible.

use crate::assign::mdav;
use crate::neighbours::Point;
use crate::run::allocation;
use crate::{Categories, Monitor, Result, Space};

/// Cubes that have all cells, the largest first.
pub(super) struct Cubes {
    nodes: Vec<CubeNode>,
    pub(super) cubes: Vec<Cube>,
}

/// A cell or two halves of equal height.
struct CubeNode {
    centroid: Point,
    halves: Option<[u32; 2]>,
}

#[derive(Clone, Copy)]
pub(super) struct Cube {
    pub(super) root: u32,
    pub(super) height: u32,
}

impl Cubes {
    /// One cube for each binary digit of the number of cells.
    pub(super) fn new(cells: Vec<Point>, monitor: &mut dyn Monitor) -> Result<Self> {
        let mut level = allocation::collected(0..cells.len() as u32)?;
        let mut nodes = allocation::reserved(2 * cells.len())?;
        nodes.extend(cells.into_iter().map(|centroid| CubeNode {
            centroid,
            halves: None,
        }));
        let mut cubes = Cubes {
            nodes,
            cubes: Vec::new(),
        };
        for height in 0.. {
            if level.len() % 2 == 1
                && let Some(root) = level.pop()
            {
                cubes.cubes.push(Cube { root, height });
            }
            if level.is_empty() {
                break;
            }
            level = cubes.paired(&level, monitor)?;
        }
        cubes.cubes.reverse();
        // the halves of the largest and the second may be cut together
        if let [first, second, ..] = cubes.cubes[..]
            && let Some([half, _]) = cubes.nodes[first.root as usize].halves
            && first.height == second.height + 1
        {
            cubes.align(half, second.root)?;
        }
        Ok(cubes)
    }

    /// The halves of some nodes of equal height: all the first ones, and all the second ones.
    pub(super) fn halves(&self, nodes: &[u32]) -> Result<[Vec<u32>; 2]> {
        let mut halves = [
            allocation::reserved(nodes.len())?,
            allocation::reserved(nodes.len())?,
        ];
        for &node in nodes {
            if let Some([first, second]) = self.nodes[node as usize].halves {
                halves[0].push(first);
                halves[1].push(second);
            }
        }
        Ok(halves)
    }

    /// Hands the cells of a node to `take` until it has enough.
    pub(super) fn cells(&self, node: u32, take: &mut impl FnMut(u32) -> bool) -> bool {
        match self.nodes[node as usize].halves {
            None => take(node),
            Some([first, second]) => self.cells(first, take) && self.cells(second, take),
        }
    }

    /// Pairs an even number of nodes with neighbours: MDAV with k = 2 over their centroids.
    fn paired(&mut self, level: &[u32], monitor: &mut dyn Monitor) -> Result<Vec<u32>> {
        let partition = mdav(&self.places(level)?, 2, monitor)?;
        let members = partition.members()?;
        let mut pairs = allocation::reserved(partition.groups())?;
        for rows in members.iter() {
            if let &[first, second] = rows {
                let (first, second) = (level[first as usize], level[second as usize]);
                self.align(first, second)?;
                pairs.push(self.nodes.len() as u32);
                self.nodes.push(CubeNode {
                    centroid: self.between(first, second),
                    halves: Some([first, second]),
                });
            }
        }
        Ok(pairs)
    }

    fn places(&self, level: &[u32]) -> Result<Space> {
        let point = |&node: &u32| &self.nodes[node as usize].centroid;
        let (numbers, codes) = match level.first().map(point) {
            Some(first) => (first.numbers.len(), first.codes.len()),
            None => (0, 0),
        };
        let mut numeric = Vec::new();
        for column in 0..numbers {
            let values = level.iter().map(|node| point(node).numbers[column]);
            numeric.push(allocation::collected(values)?);
        }
        let mut categorical = Vec::new();
        for column in 0..codes {
            let values = level.iter().map(|node| point(node).codes[column]);
            categorical.push(Categories::new(allocation::collected(values)?));
        }
        Ok(Space::of_scaled(level.len(), numeric, categorical))
    }

    /// The place between two nodes of equal height. Where a categorical key differs one of both
    /// values serves as well as the other.
    fn between(&self, first: u32, second: u32) -> Point {
        let (first, second) = (self.centroid(first), self.centroid(second));
        let numbers = first.numbers.iter().zip(&second.numbers);
        Point {
            numbers: numbers.map(|(a, b)| a / 2.0 + b / 2.0).collect(),
            codes: first.codes.clone(),
        }
    }

    fn centroid(&self, node: u32) -> &Point {
        &self.nodes[node as usize].centroid
    }

    /// Turns the second of two nodes so that cells of the same number are near each other. Each
    /// bit is turned in all of it or in none, so that what is aligned within it stays so.
    fn align(&mut self, first: u32, second: u32) -> Result<()> {
        let (mut first, mut second) = (vec![first], vec![second]);
        loop {
            let ([a, b], [c, d]) = (self.halves(&first)?, self.halves(&second)?);
            if a.is_empty() {
                return Ok(());
            }
            let straight = self.distance(&a, &c) + self.distance(&b, &d);
            let crossed = self.distance(&a, &d) + self.distance(&b, &c);
            if crossed < straight {
                for &node in &second {
                    if let Some(halves) = &mut self.nodes[node as usize].halves {
                        halves.swap(0, 1);
                    }
                }
            }
            first = interleaved(&self.halves(&first)?)?;
            second = interleaved(&self.halves(&second)?)?;
        }
    }

    fn distance(&self, first: &[u32], second: &[u32]) -> f64 {
        let of = |(&a, &b): (&u32, &u32)| {
            let (a, b) = (self.centroid(a), self.centroid(b));
            let square = |(x, y): (&f64, &f64)| (x - y) * (x - y);
            let differ = |(x, y): &(&u32, &u32)| x != y;
            a.numbers.iter().zip(&b.numbers).map(square).sum::<f64>()
                + a.codes.iter().zip(&b.codes).filter(differ).count() as f64
        };
        first.iter().zip(second).map(of).sum()
    }
}

fn interleaved([first, second]: &[Vec<u32>; 2]) -> Result<Vec<u32>> {
    let mut both = allocation::reserved(first.len() + second.len())?;
    for (&a, &b) in first.iter().zip(second) {
        both.push(a);
        both.push(b);
    }
    Ok(both)
}
