//! Pitman's model: groups follow the Ewens–Pitman sampling formula (Pitman 1995; Hoshino 2001,
//! "Applying Pitman's sampling formula to microdata disclosure risk assessment").
//!
//! With J groups in n rows, c_s of them of size s, the logarithm of the likelihood is
//!
//! ```text
//! Σ_{i=1}^{J−1} ln(θ + iα) − Σ_{i=1}^{n−1} ln(θ + i) + Σ_s c_s Σ_{j=1}^{s−1} ln(j − α)
//! ```
//!
//! Its derivative by θ falls from infinity, so that there is one best θ for each α. The best α is
//! where the derivative by α is 0 along those.

use super::gamma_functions::{ln_gamma, reciprocals};
use super::{ModelFit, SizeCounts};

/// Halvings of an interval: as many as a double has bits, and some more for its exponent.
const HALVINGS: usize = 200;
/// α is between 0 and 1; a maximum at a bound is none.
const LEAST_ALPHA: f64 = 1e-6;
const MOST_ALPHA: f64 = 1.0 - 1e-9;
/// θ + α is within these.
const LEAST_THETA: f64 = 1e-12;
const MOST_THETA: f64 = 1e15;

pub fn fit(sizes: &SizeCounts, population: f64) -> ModelFit {
    let likelihood = Likelihood {
        rows: sizes.rows(),
        groups: sizes.groups(),
        sizes,
    };
    let Some((theta, alpha)) = likelihood.maximum() else {
        return ModelFit::new("pitman", None, Vec::new());
    };
    let uniques = ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + alpha * population.ln();
    let parameters = vec![("theta", theta), ("alpha", alpha)];
    ModelFit::new("pitman", Some(uniques.exp()), parameters)
}

struct Likelihood<'a> {
    rows: u64,
    groups: u64,
    sizes: &'a SizeCounts,
}

impl Likelihood<'_> {
    /// The best θ and α; `None` where the likelihood grows up to a bound.
    fn maximum(&self) -> Option<(f64, f64)> {
        let slope = |alpha: f64| Some(self.by_alpha(self.best_theta(alpha)?, alpha));
        if slope(LEAST_ALPHA)? <= 0.0 || slope(MOST_ALPHA)? >= 0.0 {
            return None;
        }
        let (mut low, mut high) = (LEAST_ALPHA, MOST_ALPHA);
        for _ in 0..HALVINGS {
            let alpha = 0.5 * (low + high);
            match slope(alpha)? > 0.0 {
                true => low = alpha,
                false => high = alpha,
            }
        }
        let alpha = 0.5 * (low + high);
        Some((self.best_theta(alpha)?, alpha))
    }

    /// The best θ for an α, by halving the logarithm of θ + α.
    fn best_theta(&self, alpha: f64) -> Option<f64> {
        let slope = |distance: f64| self.by_theta(distance - alpha, alpha);
        if slope(LEAST_THETA) <= 0.0 || slope(MOST_THETA) >= 0.0 {
            return None;
        }
        let (mut low, mut high) = (LEAST_THETA.ln(), MOST_THETA.ln());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            match slope(middle.exp()) > 0.0 {
                true => low = middle,
                false => high = middle,
            }
        }
        Some((0.5 * (low + high)).exp() - alpha)
    }

    fn by_theta(&self, theta: f64, alpha: f64) -> f64 {
        reciprocals(theta + alpha, alpha, self.groups - 1)
            - reciprocals(theta + 1.0, 1.0, self.rows - 1)
    }

    fn by_alpha(&self, theta: f64, alpha: f64) -> f64 {
        // i/(θ + iα) = (1 − θ/(θ + iα))/α
        let terms = (self.groups - 1) as f64;
        let of_groups =
            (terms - theta * reciprocals(theta + alpha, alpha, self.groups - 1)) / alpha;
        let of_size =
            |(size, groups): (u64, u64)| groups as f64 * reciprocals(1.0 - alpha, 1.0, size - 1);
        of_groups - self.sizes.iter().map(of_size).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_likelihood(sizes: &SizeCounts, theta: f64, alpha: f64) -> f64 {
        let groups: f64 = (1..sizes.groups())
            .map(|i| (theta + i as f64 * alpha).ln())
            .sum();
        let rows: f64 = (1..sizes.rows()).map(|i| (theta + i as f64).ln()).sum();
        let within = |(size, groups): (u64, u64)| {
            let sum: f64 = (1..size).map(|j| (j as f64 - alpha).ln()).sum();
            groups as f64 * sum
        };
        groups - rows + sizes.iter().map(within).sum::<f64>()
    }

    /// No neighbour is more likely, by the formula itself.
    #[test]
    fn the_fit_is_a_maximum() {
        for counts in [
            vec![(1, 40), (2, 9), (3, 4), (7, 1)],
            vec![(1, 500), (2, 200), (5, 60), (90, 3)],
            vec![(1, 30), (2, 3), (9, 1)],
        ] {
            let sizes = SizeCounts::new(counts);
            let fit = fit(&sizes, 1e4);
            let [(_, theta), (_, alpha)] = fit.parameters[..] else {
                panic!("{sizes:?} did not converge")
            };
            let best = log_likelihood(&sizes, theta, alpha);
            for (dt, da) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-4), (0.0, -1e-4)] {
                let other = log_likelihood(&sizes, theta * (1.0 + dt), alpha + da);
                assert!(other <= best + 1e-9, "{sizes:?} {theta} {alpha}");
            }
        }
    }

    /// One group, all rows alone, no row alone: no maximum within the bounds.
    #[test]
    fn extremes_do_not_converge() {
        for counts in [vec![(9, 1)], vec![(1, 9)], vec![(4, 9)], vec![(1, 1)]] {
            let fit = fit(&SizeCounts::new(counts), 1e4);
            assert_eq!(fit.uniques, None, "{fit:?}");
        }
    }
}
