//! Optimal microaggregation of one numeric column (Hansen and Mukherjee 2003): some partition
//! of least SSE has groups that are contiguous in sorted order with k to 2k−1 rows each, so
//! the best of all partitions is a shortest path over the sorted rows.
//!
//! With `best(j)` the least SSE of the first j sorted rows,
//!
//! ```text
//! best(j) = min over j−2k < i ≤ j−k of best(i) + sse(i..j)
//! ```
//!
//! The SSE of a sorted run obeys the quadrangle inequality: a later start that beats an
//! earlier one at some end beats it at every further end. A queue of starts, each with the
//! end at which it takes over from the one before, therefore finds all minima in
//! O(n log k), where trying every start would take O(n k).

use std::collections::VecDeque;

use crate::run::allocation::{filled, reserved};
use crate::run::sorting;
use crate::{Monitor, Partition, Phase, Result, feasibility};

/// How many ends are worked off between two reports to the monitor.
const STRIDE: usize = 1 << 14;

/// Groups of k to 2k−1 rows with the least SSE that any partition with groups of at least k
/// rows can have. Values must be finite; equal values keep the order of their rows. No rows
/// give no groups.
pub fn univariate(values: &[f64], k: usize, monitor: &mut dyn Monitor) -> Result<Partition> {
    let rows = values.len();
    let enough = if rows == 0 { k } else { rows };
    feasibility::require(k, 1, enough as u64, &[])?;
    monitor.start(Phase::Grouping, rows as u64);
    let order = sorted(values)?;
    let runs = Runs::new(values, &order, k)?;
    let starts = shortest_path(&runs, k, monitor)?;
    cut(&order, &starts)
}

/// Row numbers by ascending value; of equal values the lower row comes first.
fn sorted(values: &[f64]) -> Result<Vec<u32>> {
    let mut order = reserved(values.len())?;
    order.extend(0..values.len() as u32);
    // The row decides ties, so that the sort in place does what a stable one would.
    sorting::sort_by(&mut order, |&a, &b| {
        let by_value = values[a as usize].total_cmp(&values[b as usize]);
        by_value.then(a.cmp(&b))
    })?;
    Ok(order)
}

/// The start of the last group for every end `k..=n`.
fn shortest_path(runs: &Runs, k: usize, monitor: &mut dyn Monitor) -> Result<Vec<u32>> {
    let rows = runs.rows();
    let mut best = filled(rows + 1, f64::INFINITY)?;
    let mut starts = filled(rows + 1, 0u32)?;
    best[0] = 0.0;
    let mut queue = Takeovers::new(k)?;
    for end in k..=rows {
        let start = end - k;
        // Fewer than k rows are no group, so no partition ends at 1..k.
        if start == 0 || start >= k {
            queue.push(start, runs, &best);
        }
        let start = queue.winner(end);
        best[end] = best[start] + runs.sse(start, end);
        starts[end] = start as u32;
        if end.is_multiple_of(STRIDE) {
            monitor.advance(end as u64)?;
        }
    }
    Ok(starts)
}

/// Group numbers by ascending value, from the chain of group starts that leads to the last row.
fn cut(order: &[u32], starts: &[u32]) -> Result<Partition> {
    let mut group_of = filled(order.len(), 0u32)?;
    let mut groups = 0;
    let mut end = order.len();
    while end > 0 {
        let start = starts[end] as usize;
        for &row in &order[start..end] {
            group_of[row as usize] = groups;
        }
        groups += 1;
        end = start;
    }
    group_of
        .iter_mut()
        .for_each(|group| *group = groups - 1 - *group);
    Partition::new(group_of, groups as usize)
}

/// Starts that may still win, earliest first, each with the first end at which it beats the
/// one before it; those ends ascend strictly.
struct Takeovers {
    queue: VecDeque<(usize, usize)>,
    k: usize,
}

impl Takeovers {
    fn new(k: usize) -> Result<Self> {
        // A start reaches ends of one window only, so k of them are in the queue at most, and
        // one that is about to leave.
        let queue = VecDeque::from(reserved(k + 1)?);
        Ok(Takeovers { queue, k })
    }

    /// Adds a start later than all before; starts that it overtakes before they could take
    /// over themselves are dropped.
    fn push(&mut self, start: usize, runs: &Runs, best: &[f64]) {
        while let Some(&(last, takeover)) = self.queue.back() {
            let beats = self.first_beaten(last, start, runs, best);
            if beats > takeover {
                self.queue.push_back((start, beats));
                return;
            }
            self.queue.pop_back();
        }
        self.queue.push_back((start, start + self.k));
    }

    /// The first end at which `later` is at least as good a start as `earlier`, which in any
    /// case cannot reach further than 2k−1 rows.
    fn first_beaten(&self, earlier: usize, later: usize, runs: &Runs, best: &[f64]) -> usize {
        let mut low = later + self.k;
        let mut high = (earlier + 2 * self.k).min(runs.rows() + 1).max(low);
        while low < high {
            let end = low.midpoint(high);
            let stays = best[earlier] + runs.sse(earlier, end);
            if best[later] + runs.sse(later, end) <= stays {
                high = end;
            } else {
                low = end + 1;
            }
        }
        low
    }

    /// The best start for `end`; ends are asked for in ascending order.
    fn winner(&mut self, end: usize) -> usize {
        while self.queue.get(1).is_some_and(|next| next.1 <= end) {
            self.queue.pop_front();
        }
        self.queue[0].0
    }
}

/// What values are multiplied by so that the square of none overflows, nor of a difference
/// that matters vanishes: a power of two, which changes no digit, with which the largest value
/// comes close to 2⁴⁹⁰. The squares of four billion such deviations still add up.
fn unit(values: &[f64]) -> f64 {
    let largest = values
        .iter()
        .fold(0.0, |top: f64, value| top.max(value.abs()));
    let exponent = 490.0 - largest.log2().ceil();
    2f64.powi(exponent.min(1000.0) as i32)
}

/// The SSE of any run of k to 2k−1 sorted values, up to a common factor. Differences of prefix sums would lose the
/// digits of close values far from the mean; instead the sorted values are cut into blocks of
/// k, and a run is put together from the end of a block, perhaps a whole block, and the
/// beginning of another, each of which was summed up without cancellation.
struct Runs {
    k: usize,
    /// from the block's first value to before position i
    heads: Vec<RunMoments>,
    /// from position i to the block's last value
    tails: Vec<RunMoments>,
}

impl Runs {
    fn new(values: &[f64], order: &[u32], k: usize) -> Result<Self> {
        let unit = unit(values);
        let mut heads = filled(order.len() + 1, RunMoments::default())?;
        let mut tails = filled(order.len() + 1, RunMoments::default())?;
        for (block, rows) in order.chunks(k).enumerate() {
            let first = block * k;
            let mut head = RunMoments::default();
            for (count, &row) in rows.iter().enumerate() {
                head = head.with(values[row as usize] * unit, count);
                heads[first + count + 1] = head;
            }
            let mut tail = RunMoments::default();
            for (count, &row) in rows.iter().rev().enumerate() {
                tail = tail.with(values[row as usize] * unit, count);
                tails[first + rows.len() - 1 - count] = tail;
            }
        }
        Ok(Runs { k, heads, tails })
    }

    fn rows(&self) -> usize {
        self.heads.len() - 1
    }

    /// The SSE of positions `start..end`, which hold k to 2k−1 values.
    fn sse(&self, start: usize, end: usize) -> f64 {
        let first = start.next_multiple_of(self.k);
        let last = (end - 1) / self.k * self.k;
        let mut count = first - start;
        let mut run = match count {
            0 => RunMoments::default(),
            _ => self.tails[start],
        };
        if first < last {
            run = run.joined(count, self.heads[last], self.k);
            count += self.k;
        }
        run.joined(count, self.heads[end], end - last).squares
    }
}

/// Mean and sum of squared deviations from it.
#[derive(Debug, Clone, Copy, Default)]
struct RunMoments {
    mean: f64,
    squares: f64,
}

impl RunMoments {
    /// One more value beside `count` others (Welford).
    fn with(self, value: f64, count: usize) -> Self {
        self.joined(
            count,
            RunMoments {
                mean: value,
                squares: 0.0,
            },
            1,
        )
    }

    /// The moments of `count` values and `others` further ones together (Chan, Golub, LeVeque).
    fn joined(self, count: usize, other: RunMoments, others: usize) -> Self {
        if count == 0 {
            return other;
        }
        let total = (count + others) as f64;
        let shift = other.mean - self.mean;
        let share = others as f64 / total;
        RunMoments {
            mean: self.mean + shift * share,
            squares: self.squares + other.squares + shift * shift * count as f64 * share,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Unwatched};

    fn groups(values: &[f64], k: usize) -> Vec<u32> {
        let partition = univariate(values, k, &mut Unwatched).unwrap();
        partition.group_of().to_vec()
    }

    #[test]
    fn natural_clusters_become_groups() {
        let values = [10.0, 1.0, 11.0, 2.0, 3.0, 12.0, 13.0];
        assert_eq!(groups(&values, 3), [1, 0, 1, 0, 0, 1, 1]);
    }

    #[test]
    fn equal_values_are_cut_in_row_order() {
        assert_eq!(groups(&[7.0; 5], 2), [0, 0, 0, 1, 1]);
        assert_eq!(groups(&[7.0; 3], 3), [0, 0, 0]);
    }

    #[test]
    fn values_whose_squares_are_no_numbers_are_grouped_alike() {
        let values = [0.0, 0.0, 0.0, 0.0, 1e160, 1e160, 1e160];
        assert_eq!(groups(&values, 3), [0, 0, 0, 0, 1, 1, 1]);
        let line = [0.0, 1.0, 2.0, 3.0, 15.0, 16.0, 17.0];
        for scale in [1e307, 1e-307, 5e-324] {
            let values = line.map(|value| value * scale);
            assert_eq!(groups(&values, 3), [0, 0, 0, 0, 1, 1, 1]);
        }
        let beside = [1.0, 2.0, 3.0, 4.0, 10.0, 11.0, 12.0, 1e307, 1e307, 1e307];
        assert_eq!(groups(&beside, 3), [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn no_rows_give_no_groups() {
        assert_eq!(groups(&[], 3), []);
    }

    #[test]
    fn bad_requests_are_refused() {
        let refused = |values: &[f64], k| univariate(values, k, &mut Unwatched).unwrap_err();
        assert!(matches!(refused(&[1.0], 0), Error::TooSmall { .. }));
        assert_eq!(refused(&[1.0], 2), Error::TooFewRows { rows: 1, k: 2 });
    }

    #[test]
    fn the_sse_of_a_run_does_not_depend_on_where_blocks_fall() {
        let values: Vec<f64> = (0..40).map(|i| 1e9 + f64::from(i * i % 11)).collect();
        let order: Vec<u32> = (0..40).collect();
        let square_of_unit = unit(&values).powi(2);
        for k in 1..8 {
            let runs = Runs::new(&values, &order, k).unwrap();
            for start in 0..40 {
                for end in start + k..(start + 2 * k).min(41) {
                    let run = &values[start..end];
                    let mean = run.iter().map(|value| value - 1e9).sum::<f64>() / run.len() as f64;
                    let square = |value: &f64| (value - 1e9 - mean).powi(2);
                    let expected = run.iter().map(square).sum::<f64>();
                    assert!(
                        (runs.sse(start, end) / square_of_unit - expected).abs() < 1e-5,
                        "{k} {start}"
                    );
                }
            }
        }
    }

    struct Impatient;

    impl Monitor for Impatient {
        fn advance(&mut self, _done: u64) -> Result<()> {
            Err(Error::Interrupted)
        }
    }

    #[test]
    fn the_monitor_stops_it() {
        let values = vec![0.0; 2 * STRIDE];
        assert_eq!(
            univariate(&values, 2, &mut Impatient),
            Err(Error::Interrupted)
        );
    }
}
