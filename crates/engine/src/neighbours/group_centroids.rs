//! Centroids of groups: the nearest of them to a row, also while rows join and move them.

use super::centroid::{Centroid, fixed, mean};
use super::column_draft::Draft;
use super::sensitive_bits::RowBits;
use super::{Hit, Point, Remaining, TopK, Tree};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Error, Result, Space};
use hashbrown::HashMap;

/// The centroid of each group, in a tree whose row numbers are the groups'.
pub struct GroupCentroids {
    tree: Tree,
    sizes: Vec<usize>,
    /// for each group and numeric column, in the units of the remaining rows' centroid
    sums: Vec<i128>,
    modes: Vec<GroupModes>,
    found: TopK,
    moved: Point,
}

impl GroupCentroids {
    /// Centroids of `groups` groups; rows whose group number is higher have none yet.
    pub fn new(space: &Space, group_of: &[u32], groups: usize, meter: &mut Meter) -> Result<Self> {
        let columns = space.numeric().len();
        let mut sizes = allocation::filled(groups, 0)?;
        let mut sums = allocation::filled(groups * columns, 0)?;
        let modes = (0..space.categorical().len()).map(|_| GroupModes::new(groups));
        let mut modes: Vec<GroupModes> = modes.collect::<Result<_>>()?;
        for (row, &group) in group_of.iter().enumerate() {
            let group = group as usize;
            if group < groups {
                sizes[group] += 1;
                let sums = &mut sums[group * columns..][..columns];
                for (sum, values) in sums.iter_mut().zip(space.numeric()) {
                    *sum += fixed(values[row]);
                }
                for (modes, categories) in modes.iter_mut().zip(space.categorical()) {
                    modes.add(group, categories.codes()[row])?;
                }
            }
            meter.spend(1)?;
        }
        let draft = draft(&sizes, &sums, &modes, meter)?;
        let centroid = Centroid::new(&draft, meter)?;
        Ok(GroupCentroids {
            tree: Tree::of(draft, centroid, RowBits::default(), meter)?,
            sizes,
            sums,
            modes,
            found: TopK::new(1)?,
            moved: Point::default(),
        })
    }

    /// The group with the nearest centroid, as the hit's row; ties go to the lower group.
    pub fn nearest(&mut self, point: &Point, meter: &mut Meter) -> Result<Hit> {
        self.found.clear();
        self.tree.nearest(point, None, &mut self.found, meter)?;
        let nearest = self.found.hits().first().copied();
        nearest.ok_or_else(|| Error::Broken("rows are left over, but no groups".into()))
    }

    /// Moves the centroid of a group that was found to where it is with one more row.
    pub fn join(&mut self, found: Hit, point: &Point) -> Result<()> {
        let group = found.row as usize;
        self.sizes[group] += 1;
        self.tree.read(found.slot, &mut self.moved);
        let columns = self.sums.len() / self.sizes.len();
        let sums = &mut self.sums[group * columns..][..columns];
        for (column, sum) in sums.iter_mut().enumerate() {
            *sum += fixed(point.numbers[column]);
            self.moved.numbers[column] = mean(*sum, self.sizes[group]);
        }
        for (column, modes) in self.modes.iter_mut().enumerate() {
            modes.add(group, point.codes[column])?;
            self.moved.codes[column] = modes.best[group].code;
        }
        self.tree.relocate(found, &self.moved);
        Ok(())
    }
}

fn draft(sizes: &[usize], sums: &[i128], modes: &[GroupModes], meter: &mut Meter) -> Result<Draft> {
    let columns = sums.len() / sizes.len().max(1);
    let mut draft = Draft::empty(columns, modes.len(), sizes.len())?;
    draft.rows.extend(0..sizes.len() as u32);
    for (column, numbers) in draft.numbers.iter_mut().enumerate() {
        let sum = |group: usize| sums.get(group * columns + column).copied();
        let mean = |(group, &size)| {
            sum(group)
                .filter(|_| columns > 0)
                .map_or(0.0, |s| mean(s, size))
        };
        numbers.extend(sizes.iter().enumerate().map(mean));
        meter.spend(sizes.len())?;
    }
    for (codes, modes) in draft.codes.iter_mut().zip(modes) {
        codes.extend(modes.best.iter().map(|best| best.code));
    }
    Ok(draft)
}

/// The most frequent code of one categorical column in each group; ties go to the lower code.
struct GroupModes {
    counts: HashMap<(u32, u32), u32, foldhash::fast::RandomState>,
    best: Vec<FrequentCode>,
}

#[derive(Clone, Copy)]
struct FrequentCode {
    count: u32,
    code: u32,
}

impl GroupModes {
    fn new(groups: usize) -> Result<Self> {
        Ok(GroupModes {
            counts: HashMap::default(),
            best: allocation::filled(groups, FrequentCode { count: 0, code: 0 })?,
        })
    }

    /// Counts grow only, so the best is always the last best or the one that has just grown.
    fn add(&mut self, group: usize, code: u32) -> Result<()> {
        if self.counts.len() == self.counts.capacity() {
            let more = self.counts.len().max(16);
            let entry = size_of::<((u32, u32), u32)>();
            let bytes = allocation::table_growth(self.counts.len(), more, entry);
            allocation::granted(bytes, || self.counts.try_reserve(more))?;
        }
        let count = self.counts.entry((group as u32, code)).or_insert(0);
        *count += 1;
        let best = &mut self.best[group];
        if *count > best.count || (*count == best.count && code < best.code) {
            *best = FrequentCode {
                count: *count,
                code,
            };
        }
        Ok(())
    }
}
