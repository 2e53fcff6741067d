//! Figures that follow from the sizes of the groups alone.

use crate::Tally;

/// Discernibility: the sum of the squared group sizes, each row counting the rows it cannot
/// be told from.
pub fn discernibility(tally: &Tally) -> u128 {
    tally
        .sizes()
        .iter()
        .map(|&size| u128::from(size).pow(2))
        .sum()
}

/// Rows per group; `None` over no rows.
pub fn average_group_size(tally: &Tally) -> Option<f64> {
    let groups = tally.sizes().len();
    (groups > 0).then(|| tally.rows() as f64 / groups as f64)
}

/// The average over rows of 1/|group|, the chance to pick the right row of a group. The rows
/// of a group add up to 1, so it is groups/persons. 0 where there are no persons.
pub fn average_risk(groups: u64, persons: u64) -> f64 {
    match persons {
        0 => 0.0,
        _ => groups as f64 / persons as f64,
    }
}

/// [`average_risk`] of a tally's groups; `None` over no rows.
pub fn reidentification_risk(tally: &Tally) -> Option<f64> {
    average_group_size(tally).map(f64::recip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_two_groups() {
        let tally = Tally::from_counts(vec![5, 4], vec![]).unwrap();
        assert_eq!(discernibility(&tally), 41);
        assert_eq!(average_group_size(&tally), Some(4.5));
        assert_eq!(reidentification_risk(&tally), Some(2.0 / 9.0));
    }

    #[test]
    fn average_risk_is_the_mean_over_rows() {
        let sizes = [5u64, 4, 1];
        let rows = sizes.iter().sum::<u64>();
        let per_row = sizes.map(|size| (0..size).map(|_| 1.0 / size as f64).sum::<f64>());
        let mean = per_row.iter().sum::<f64>() / rows as f64;
        assert!((average_risk(3, rows) - mean).abs() < 1e-15);
        assert_eq!(average_risk(0, 0), 0.0);
        assert_eq!(average_risk(7, 7), 1.0);
    }

    #[test]
    fn no_rows_have_no_average() {
        let tally = Tally::from_counts(vec![], vec![]).unwrap();
        assert_eq!(discernibility(&tally), 0);
        assert_eq!(average_group_size(&tally), None);
        assert_eq!(reidentification_risk(&tally), None);
    }
}
