//! Zayatz' estimate (1991, "Estimation of the percent of unique population elements on a microdata
//! file using the sample"): the sizes of the sample's groups stand for those of the population's.

use super::{ModelFit, SizeCounts};

pub fn fit(sizes: &SizeCounts, population: f64) -> ModelFit {
    let rows = sizes.rows() as f64;
    let uniques = sizes.of_size(1) as f64;
    if uniques == 0.0 {
        return ModelFit::new("zayatz", Some(0.0), Vec::new());
    }
    let seen_once = Hypergeometric { rows, population };
    let (alone, all) = seen_once.weighted(sizes);
    let chance = alone / all;
    let estimate = uniques * chance * population / rows;
    ModelFit::new("zayatz", Some(estimate), vec![("chance", chance)])
}

/// Chances that a sample of so many rows holds exactly one row of a group.
struct Hypergeometric {
    rows: f64,
    population: f64,
}

impl Hypergeometric {
    /// Groups of size 1, and all groups, each counted with the chance that one row of it is seen.
    fn weighted(&self, sizes: &SizeCounts) -> (f64, f64) {
        let share = self.rows / self.population;
        // the chance that none of a group's other rows is seen, as the group grows
        let (mut others_unseen, mut grown_to) = (1.0, 1u64);
        let (mut alone, mut all) = (0.0, 0.0);
        for (size, groups) in sizes.iter() {
            while grown_to < size && others_unseen > f64::MIN_POSITIVE {
                let outside = self.population - self.rows - (grown_to - 1) as f64;
                others_unseen *= outside.max(0.0) / (self.population - grown_to as f64);
                grown_to += 1;
            }
            if grown_to < size {
                break;
            }
            let seen = groups as f64 * size as f64 * share * others_unseen;
            all += seen;
            if size == 1 {
                alone = seen;
            }
        }
        (alone, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 of 20: C(18, 9)/C(20, 10) = 5/19 … by hand for groups of size 1 and 2.
    #[test]
    fn chances_are_hypergeometric() {
        let drawn = Hypergeometric {
            rows: 10.0,
            population: 20.0,
        };
        let (alone, all) = drawn.weighted(&SizeCounts::new([(1, 1), (2, 1)]));
        assert!((alone - 0.5).abs() < 1e-15);
        assert!((all - 0.5 - 10.0 / 19.0).abs() < 1e-15);
    }

    #[test]
    fn no_unique_row_means_no_unique_person() {
        let fit = fit(&SizeCounts::new([(2, 8)]), 100.0);
        assert_eq!(fit.uniques, Some(0.0));
    }
}
