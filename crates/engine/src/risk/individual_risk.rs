//! The risk of one row of a weighted sample (Franconi and Polettini 2004, "Individual risk
//! estimation in µ-Argus: a review").
//!
//! A group has f rows in the sample and, by their weights, F persons in the population. Given f,
//! the size of the group in the population is negative binomial with p = f/F, and the risk is the
//! mean of 1/size. That mean is p^f/f · ₂F₁(f, f; f+1; 1−p), which is also
//!
//! ```text
//! ∫₀¹ u^(f−1) / (1 + z·u) du    with z = (1−p)/p = (F−f)/f
//! ```

/// From here on the series needs few terms for every p.
const MANY_ROWS: u64 = 50;

/// The risk of a row in a group of `rows` rows here and `population` persons in the population. A
/// population below the rows, from weights below one, counts as the rows.
pub fn individual_risk(rows: u64, population: f64) -> f64 {
    let f = rows as f64;
    let outside = population - f;
    if rows == 0 || outside.is_nan() || outside <= 0.0 {
        return 1.0 / f.max(1.0);
    }
    if population.is_infinite() {
        return 0.0;
    }
    match rows < MANY_ROWS && outside > f {
        true => by_recurrence(rows, outside / f),
        false => by_series(f, population, outside),
    }
}

/// Euler's transformation of ₂F₁: p/f · ₂F₁(1, 1; f+1; q) with q = 1−p. All terms are positive, so
/// nothing cancels. The ratio of two terms is q·(i+1)/(f+i+1): below q, and below a half for the
/// first f terms.
fn by_series(f: f64, population: f64, outside: f64) -> f64 {
    let q = outside / population;
    let (mut term, mut sum, mut i) = (1.0, 1.0, 0.0);
    while term > sum * 1e-17 {
        term *= q * (i + 1.0) / (f + i + 1.0);
        sum += term;
        i += 1.0;
    }
    sum / population
}

/// The integral for f+1 from that for f: z·I(f+1) + I(f) = 1/f, from I(1) = ln(1+z)/z on. Errors
/// are divided by z at each step, so this is for z above one.
fn by_recurrence(rows: u64, z: f64) -> f64 {
    let first = z.ln_1p() / z;
    (1..rows).fold(first, |risk, f| (1.0 / f as f64 - risk) / z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// f, F and p^f/f · ₂F₁(f, f; f+1; 1−p) by mpmath with 60 digits.
    const REFERENCE: &str = include_str!("individual_risk_reference.csv");

    #[test]
    fn agrees_with_mpmath() {
        let number = |text: &str| text.parse::<f64>().unwrap();
        for line in REFERENCE.lines() {
            let fields: Vec<f64> = line.split(',').map(number).collect();
            let [rows, population, expected] = fields[..] else {
                panic!("{line}")
            };
            let risk = individual_risk(rows as u64, population);
            let error = (risk - expected).abs() / expected;
            assert!(error < 1e-11, "{line}: {risk}");
        }
        assert!(REFERENCE.lines().count() > 200);
    }

    #[test]
    fn examples_of_the_literature() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 5e-9, "{a} {b}");
        near(individual_risk(2, 360.0), 0.005_424_52);
        near(individual_risk(2, 152.0), 0.012_563_43);
    }

    #[test]
    fn the_sample_that_is_the_population() {
        for rows in [1, 2, 3, 7, 49, 50, 1000] {
            let expected = 1.0 / rows as f64;
            assert_eq!(individual_risk(rows, rows as f64), expected);
            assert_eq!(individual_risk(rows, 0.5 * rows as f64), expected);
            let nearly = individual_risk(rows, rows as f64 * (1.0 + 1e-12));
            assert!((nearly - expected).abs() < 1e-11 * expected);
        }
    }

    proptest! {
        /// Both ways of computing meet where they take over from each other, risk lies between
        /// 1/F and 1/f, and more persons outside make it smaller.
        #[test]
        fn risk_is_between_its_bounds(rows in 1u64..2000, ratio in 1.0f64..1e7) {
            let (f, population) = (rows as f64, rows as f64 * ratio);
            let risk = individual_risk(rows, population);
            prop_assert!(risk <= 1.0 / f * (1.0 + 1e-12));
            prop_assert!(risk >= 1.0 / population * (1.0 - 1e-12));
            prop_assert!(individual_risk(rows, population * 1.01) <= risk);
            if rows < MANY_ROWS && ratio > 2.0 && ratio < 20.0 {
                let series = by_series(f, population, population - f);
                prop_assert!((series - risk).abs() < 1e-11 * risk);
            }
        }
    }
}
