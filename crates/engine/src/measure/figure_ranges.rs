//! How groups are spread over a figure of theirs, in ranges that people can take in: single
//! values first, then wider and wider.

/// The groups that share a figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    /// the size of each of these groups, or its number of distinct values
    pub figure: i64,
    pub groups: i64,
    /// the rows of all these groups together
    pub rows: i64,
}

/// Groups whose figures lie in one range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub from: i64,
    pub to: i64,
    pub groups: i64,
    pub rows: i64,
}

impl Range {
    /// "5", or "10-19".
    pub fn label(&self) -> String {
        match self.from == self.to {
            true => self.from.to_string(),
            false => format!("{}-{}", self.from, self.to),
        }
    }
}

/// The ranges from the smallest figure's to the largest one's, of figures in order. No range has
/// figures on both sides of `split`, where one is given: sizes below k must not hide among others.
pub fn ranges(spread: &[Spread], split: Option<i64>) -> Vec<Range> {
    let (Some(first), Some(last)) = (spread.first(), spread.last()) else {
        return Vec::new();
    };
    let mut ranges = empty_ranges(first.figure, last.figure, split);
    for Spread {
        figure,
        groups,
        rows,
    } in spread
    {
        if let Some(range) = ranges.iter_mut().find(|range| *figure <= range.to) {
            range.groups += groups;
            range.rows += rows;
        }
    }
    ranges
}

fn empty_ranges(first: i64, last: i64, split: Option<i64>) -> Vec<Range> {
    let mut ends = ends(last);
    ends.extend(split.map(|split| split - 1).filter(|&end| end > 0));
    ends.sort_unstable();
    ends.dedup();
    let mut ranges = Vec::new();
    let mut from = 1;
    for to in ends {
        if to >= first && from <= last {
            ranges.push(Range {
                from,
                to,
                groups: 0,
                rows: 0,
            });
        }
        from = to + 1;
    }
    ranges
}

/// The last figures of ranges: 1, 2, 3, 4, 5, 9, 19, 49, 99, … up to the first that covers `last`.
fn ends(last: i64) -> Vec<i64> {
    let mut ends: Vec<i64> = (1..=5).collect();
    let mut decade = 10i64;
    while ends.last() < Some(&last) {
        match decade.checked_mul(10) {
            Some(next) => {
                ends.extend([1, 2, 5].map(|step| decade * step - 1));
                decade = next;
            }
            None => ends.push(i64::MAX),
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(sizes: &[(i64, i64)]) -> Vec<Spread> {
        let size = |&(figure, groups)| Spread {
            figure,
            groups,
            rows: figure * groups,
        };
        sizes.iter().map(size).collect()
    }

    fn labels(ranges: &[Range]) -> Vec<String> {
        ranges.iter().map(Range::label).collect()
    }

    #[test]
    fn ranges_widen_and_keep_every_row() {
        let sizes = spread(&[(1, 3), (4, 2), (12, 1), (50, 1), (1200, 1)]);
        let ranges = ranges(&sizes, None);
        assert_eq!(labels(&ranges)[..6], ["1", "2", "3", "4", "5", "6-9"]);
        assert_eq!(ranges.last().unwrap().label(), "1000-1999");
        let rows: i64 = ranges.iter().map(|range| range.rows).sum();
        assert_eq!(rows, 3 + 8 + 12 + 50 + 1200);
    }

    #[test]
    fn a_split_parts_sizes_below_k_from_the_others() {
        let ranges = ranges(&spread(&[(6, 1), (7, 1), (8, 1)]), Some(8));
        assert_eq!(labels(&ranges), ["6-7", "8-9"]);
        assert_eq!(ranges[0].groups, 2);
    }

    #[test]
    fn no_groups_no_ranges() {
        assert!(ranges(&[], Some(5)).is_empty());
    }

    #[test]
    fn the_largest_figure_has_a_range() {
        assert_eq!(ends(i64::MAX).last(), Some(&i64::MAX));
        assert!(ends(i64::MAX).is_sorted());
    }
}
