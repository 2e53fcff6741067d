//! The slide negative binomial model (Chen and Keller-McNulty 1998, "Estimation of identification
//! disclosure risk in microdata"): a group of the population has 1 + X persons, X negative
//! binomial with parameters α and β, so that K·β^α groups of K have one person.
//!
//! A sample of fraction π shows B + Y of them: B is the first person with chance π, and Y is
//! negative binomial again. α and β are such that the expected number of groups of size 1 and of
//! size 2 are those of the sample. K is Haas and Stokes' estimate (1998, "Estimating the number of
//! classes in a finite population").

use super::{ModelFit, SizeCounts};

/// ln(β/(1−β)) is looked for between these, in so many steps.
const WIDEST: f64 = 40.0;
const STEPS: usize = 800;
const HALVINGS: usize = 100;

pub fn fit(sizes: &SizeCounts, fraction: f64) -> ModelFit {
    let equations = Equations {
        fraction,
        classes: number_of_classes(sizes, fraction),
        ones: sizes.of_size(1) as f64,
        twos: sizes.of_size(2) as f64,
    };
    let Some((alpha, beta)) = equations.solution() else {
        return ModelFit::new("snb", None, Vec::new());
    };
    let uniques = equations.classes * beta.powf(alpha);
    let parameters = vec![
        ("alpha", alpha),
        ("beta", beta),
        ("classes", equations.classes),
    ];
    ModelFit::new("snb", Some(uniques), parameters)
}

/// How many groups the population has.
fn number_of_classes(sizes: &SizeCounts, fraction: f64) -> f64 {
    let rest = 1.0 - fraction;
    let over_sizes = |term: &dyn Fn(f64) -> f64| -> f64 {
        let terms = sizes.iter();
        terms
            .map(|(size, groups)| groups as f64 * term(size as f64))
            .sum()
    };
    let squared = fraction * fraction;
    let seen = over_sizes(&|size| size * squared * (1.0 - squared).powf(size - 1.0));
    let unseen = over_sizes(&|size| rest.powf(size) * ((1.0 + fraction).powf(size) - 1.0));
    let missed = over_sizes(&|size| rest.powf(size));
    let once = over_sizes(&|size| size * fraction * rest.powf(size - 1.0));
    let ones = sizes.of_size(1) as f64;
    sizes.groups() as f64 + ones * seen / unseen * (missed / once).powi(2)
}

struct Equations {
    fraction: f64,
    classes: f64,
    ones: f64,
    twos: f64,
}

impl Equations {
    /// α and β that explain the groups of size 1 and 2; `None` where there are none.
    fn solution(&self) -> Option<(f64, f64)> {
        if self.ones == 0.0 || self.twos == 0.0 || !self.classes.is_finite() {
            return None;
        }
        let place = |step: usize| WIDEST * (2.0 * step as f64 / STEPS as f64 - 1.0);
        let step = (0..STEPS).find(|&step| {
            let (left, right) = (self.excess(place(step)), self.excess(place(step + 1)));
            left * right <= 0.0 && (left - right).is_finite()
        })?;
        let (mut low, mut high) = (place(step), place(step + 1));
        let rising = self.excess(low) < 0.0;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            match (self.excess(middle) < 0.0) == rising {
                true => low = middle,
                false => high = middle,
            }
        }
        let logit = 0.5 * (low + high);
        Some((self.alpha(logit), chance(logit)))
    }

    /// By how much the expected groups of size 1 exceed those of the sample.
    fn excess(&self, logit: f64) -> f64 {
        let (alpha, beta) = (self.alpha(logit), chance(logit));
        let thinned = thinned(self.fraction, beta, chance(-logit));
        let none_more = (beta / (beta + self.fraction * chance(-logit))).powf(alpha);
        let one_more = alpha * thinned * none_more;
        let once = self.fraction * none_more + (1.0 - self.fraction) * one_more;
        self.classes * once - self.ones
    }

    /// The α for which sizes 2 and 1 have their ratio, given β: with x = αt, the positive root of
    /// (1−π)/2·x² + (π + (1−π)(t/2 − ratio))·x − ratio·π.
    fn alpha(&self, logit: f64) -> f64 {
        let (share, rest) = (self.fraction, 1.0 - self.fraction);
        let thinned = thinned(share, chance(logit), chance(-logit));
        let ratio = self.twos / self.ones;
        let square = 0.5 * rest;
        let linear = share + rest * (0.5 * thinned - ratio);
        let root = (linear * linear + 4.0 * square * ratio * share).sqrt();
        // of the two ways to write the root the one in which nothing cancels
        let x = match linear > 0.0 {
            true => 2.0 * ratio * share / (linear + root),
            false => (root - linear) / (2.0 * square),
        };
        x / thinned
    }
}

/// The negative binomial's other parameter after thinning: π(1−β)/(β + π(1−β)).
fn thinned(fraction: f64, beta: f64, rest: f64) -> f64 {
    fraction * rest / (beta + fraction * rest)
}

fn chance(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of the sample that parameters imply are explained by these parameters.
    #[test]
    fn parameters_are_found_again() {
        for (fraction, alpha, beta) in [(0.2, 0.17, 0.172), (0.5, 1.5, 0.3), (0.05, 0.4, 0.02)] {
            let thinned = thinned(fraction, beta, 1.0 - beta);
            let none_more = (beta / (beta + fraction * (1.0 - beta))).powf(alpha);
            let one_more: f64 = alpha * thinned * none_more;
            let two_more = 0.5 * alpha * (alpha + 1.0) * thinned * thinned * none_more;
            let classes = 1e6;
            let equations = Equations {
                fraction,
                classes,
                ones: classes * (fraction * none_more + (1.0 - fraction) * one_more),
                twos: classes * (fraction * one_more + (1.0 - fraction) * two_more),
            };
            let (a, b) = equations.solution().unwrap();
            assert!(
                (a - alpha).abs() < 1e-6 && (b - beta).abs() < 1e-6,
                "{a} {b}"
            );
        }
    }
}
