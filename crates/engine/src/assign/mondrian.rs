//! Mondrian: multidimensional local recoding (LeFevre, DeWitt, Ramakrishnan 2006). Rows are
//! cut in two at the median of their widest column, again and again, as long as both sides
//! keep k rows and p distinct values of each sensitive column.

use super::group_numbers::GroupNumbers;
use super::p_sensitive::{check, require};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Categories, Column, Monitor, Partition, Phase, Result, Table};
use std::borrow::Cow;
use std::ops::Range;

/// Cuts rows into groups of at least k rows with at least p distinct values of each sensitive
/// column. Categorical keys are ordered by code, so codes that follow a hierarchy's
/// [`places`](crate::lattice::Hierarchy::places) keep related values together.
///
/// Cuts are relaxed: rows of the same value may fall on both sides, the lower ones on the
/// left. Where the median leaves a side without p values, the allowed cut nearest to it is
/// taken, and where a column allows none, the next widest column's. No rows give no groups.
///
/// Every cut halves what is left to be cut: of a cut beside the median the larger side has
/// just p values of some column, one of them once, and is a group. So n rows take O(n log n)
/// where medians do and O(n log² n) at worst, and at most log n parts wait.
pub fn mondrian(
    table: &Table,
    sensitive: &[Categories],
    k: usize,
    p: usize,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    require(table.rows(), sensitive, k, p)?;
    let meter = Meter::start(monitor, Phase::Grouping, table.rows());
    let partition = Mondrian::new(table, sensitive, k, p, meter)?.run()?;
    check(&partition, sensitive, k, p)?;
    Ok(partition)
}

struct Mondrian<'a> {
    axes: Vec<CutAxis<'a>>,
    diversity: Diversity<'a>,
    k: usize,
    /// the rows, those of one side of a cut before those of the other
    rows: Vec<u32>,
    groups: GroupNumbers,
    meter: Meter<'a>,
}

impl<'a> Mondrian<'a> {
    fn new(
        table: &'a Table,
        sensitive: &'a [Categories],
        k: usize,
        p: usize,
        meter: Meter<'a>,
    ) -> Result<Self> {
        let axes = table.columns().iter().map(CutAxis::new);
        Ok(Mondrian {
            axes: axes.collect::<Result<_>>()?,
            diversity: Diversity::new(sensitive, p)?,
            k,
            rows: allocation::collected(0..table.rows() as u32)?,
            groups: GroupNumbers::new(table.rows())?,
            meter,
        })
    }

    fn run(mut self) -> Result<Partition> {
        let mut open = Vec::new();
        if !self.rows.is_empty() {
            open.push(0..self.rows.len());
        }
        while let Some(part) = open.pop() {
            if let Some(cut) = self.cut(part.clone())? {
                open.push(cut..part.end);
                open.push(part.start..cut);
            } else {
                self.meter.grouped(part.len());
                self.groups.add(self.rows[part].iter().copied());
            }
        }
        self.meter.report()?;
        self.groups.finish()
    }

    /// Orders a part of the rows so that it can be cut in two, and says where; `None` where
    /// no cut is allowed.
    fn cut(&mut self, part: Range<usize>) -> Result<Option<usize>> {
        if part.len() < 2 * self.k {
            return Ok(None);
        }
        for axis in self.widest(&self.rows[part.clone()]) {
            self.meter.spend(part.len() * self.axes.len())?;
            if let Some(cut) = self.cut_along(axis, part.clone()) {
                return Ok(Some(part.start + cut));
            }
        }
        Ok(None)
    }

    /// The columns in which rows differ, the widest first; ties go to the earlier column.
    fn widest(&self, rows: &[u32]) -> Vec<usize> {
        let axes = self.axes.iter().enumerate();
        let widths = axes.map(|(number, axis)| (axis.width(rows), number));
        let mut widths: Vec<_> = widths.filter(|&(width, _)| width > 0.0).collect();
        widths.sort_by(|a, b| b.0.total_cmp(&a.0));
        widths.into_iter().map(|(_, number)| number).collect()
    }

    /// The allowed cut nearest to the median. A side that has p values keeps them as it
    /// grows: what is allowed lies between the shortest left and the shortest right side.
    fn cut_along(&mut self, axis: usize, part: Range<usize>) -> Option<usize> {
        let axis = &self.axes[axis];
        let rows = &mut self.rows[part];
        let median = rows.len() / 2;
        rows.select_nth_unstable_by(median, |a, b| axis.compare(*a, *b));
        let (left, right) = rows.split_at(median);
        let shortest = |reach: &mut Diversity<'_>, side: &[u32]| reach.shortest(side.iter());
        if shortest(&mut self.diversity, left).is_some()
            && shortest(&mut self.diversity, right).is_some()
        {
            return Some(median);
        }
        rows.sort_unstable_by(|a, b| axis.compare(*a, *b));
        let left = self.diversity.shortest(rows.iter())?.max(self.k);
        let right = self.diversity.shortest(rows.iter().rev())?.max(self.k);
        let last = rows.len().checked_sub(right)?;
        (left <= last).then(|| median.clamp(left, last))
    }
}

/// A key column as a line on which rows have their places.
struct CutAxis<'a> {
    values: Cow<'a, [f64]>,
    /// how wide the whole table is, halved
    extent: f64,
}

impl<'a> CutAxis<'a> {
    fn new(column: &'a Column) -> Result<Self> {
        let values = match column {
            Column::Numeric(values) => Cow::Borrowed(&values[..]),
            Column::Categorical(categories) => {
                let codes = categories.codes().iter();
                Cow::Owned(allocation::collected(codes.map(|&code| f64::from(code)))?)
            }
        };
        let extent = extent(values.iter().copied());
        Ok(CutAxis { values, extent })
    }

    /// How much of the table's width rows take up, 0 to 1.
    fn width(&self, rows: &[u32]) -> f64 {
        if self.extent == 0.0 {
            return 0.0;
        }
        extent(rows.iter().map(|&row| self.values[row as usize])) / self.extent
    }

    /// By value, and rows of the same value by their number.
    fn compare(&self, a: u32, b: u32) -> std::cmp::Ordering {
        let (of_a, of_b) = (self.values[a as usize], self.values[b as usize]);
        // -0.0 and 0.0 are the same value, so not total_cmp; a table holds no NaN
        of_a.partial_cmp(&of_b)
            .unwrap_or(std::cmp::Ordering::Equal)
            .then(a.cmp(&b))
    }
}

/// Half the distance between the least and the largest value: the whole one may overflow.
fn extent(values: impl Iterator<Item = f64>) -> f64 {
    let ends = values.fold(None, |ends: Option<(f64, f64)>, value| {
        let (least, largest) = ends.unwrap_or((value, value));
        Some((least.min(value), largest.max(value)))
    });
    ends.map_or(0.0, |(least, largest)| largest / 2.0 - least / 2.0)
}

/// Counts distinct sensitive values up to p.
struct Diversity<'a> {
    columns: Vec<Seen<'a>>,
    p: usize,
}

/// A sensitive column and the count in which each of its values was last seen.
struct Seen<'a> {
    codes: &'a [u32],
    last: Vec<u64>,
    count: u64,
}

impl<'a> Diversity<'a> {
    fn new(sensitive: &'a [Categories], p: usize) -> Result<Self> {
        let column = |column: &'a Categories| {
            Ok(Seen {
                codes: column.codes(),
                last: allocation::filled(column.cardinality(), 0)?,
                count: 0,
            })
        };
        let columns = sensitive.iter().map(column).collect::<Result<_>>()?;
        Ok(Diversity { columns, p })
    }

    /// How many of the first rows it takes to have p values of each column, if all have them.
    fn shortest<'r>(&mut self, rows: impl Iterator<Item = &'r u32> + Clone) -> Option<usize> {
        let mut longest = 0;
        for column in &mut self.columns {
            longest = column.shortest(rows.clone(), self.p)?.max(longest);
        }
        Some(longest)
    }
}

impl Seen<'_> {
    fn shortest<'r>(&mut self, rows: impl Iterator<Item = &'r u32>, p: usize) -> Option<usize> {
        self.count += 1;
        let mut distinct = 0;
        for (place, &row) in rows.enumerate() {
            let last = &mut self.last[self.codes[row as usize] as usize];
            if *last != self.count {
                *last = self.count;
                distinct += 1;
            }
            if distinct == p {
                return Some(place + 1);
            }
        }
        None
    }
}
