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

/// Average over the rows of 1/|group|, the chance to pick the right row of a group: each
/// group adds up to 1, so it is groups/rows. `None` over no rows.
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
    fn no_rows_have_no_average() {
        let tally = Tally::from_counts(vec![], vec![]).unwrap();
        assert_eq!(discernibility(&tally), 0);
        assert_eq!(average_group_size(&tally), None);
        assert_eq!(reidentification_risk(&tally), None);
    }
}
