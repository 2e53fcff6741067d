//! How many persons are unique in the population, judged by a sample alone: how many groups of the
//! sample have one row, two rows, and so on. Three models, and the choice between them of Dankar,
//! El Emam, Neisa and Roffey 2012 ("Estimating the re-identification risk of clinical data sets").

mod gamma_functions;
mod pitman;
mod shifted_negative_binomial;
mod zayatz;

/// The share of the population that is in the sample, above 0 and at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplingFraction(f64);

impl SamplingFraction {
    /// `None` outside (0, 1].
    pub fn new(fraction: f64) -> Option<Self> {
        (fraction > 0.0 && fraction <= 1.0).then_some(SamplingFraction(fraction))
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

/// How many groups of a sample have which size.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SizeCounts {
    /// size and groups, smallest first
    counts: Vec<(u64, u64)>,
}

impl SizeCounts {
    /// From pairs of a size and a number of groups; sizes may come several times.
    pub fn new(pairs: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut counts = std::collections::BTreeMap::new();
        for (size, groups) in pairs.into_iter().filter(|pair| pair.0 > 0 && pair.1 > 0) {
            *counts.entry(size).or_insert(0) += groups;
        }
        let counts = counts.into_iter().collect();
        SizeCounts { counts }
    }

    fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().copied()
    }

    pub fn rows(&self) -> u64 {
        self.iter().map(|(size, groups)| size * groups).sum()
    }

    pub fn groups(&self) -> u64 {
        self.iter().map(|(_, groups)| groups).sum()
    }

    /// The groups of one size.
    pub fn of_size(&self, size: u64) -> u64 {
        let found = self.iter().find(|(other, _)| *other == size);
        found.map_or(0, |(_, groups)| groups)
    }
}

/// What a model says about the population.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFit {
    /// the name as users see it
    pub model: &'static str,
    /// persons that are unique in the population; nothing where the fit did not converge
    pub uniques: Option<f64>,
    /// what was fitted, by name
    pub parameters: Vec<(&'static str, f64)>,
    /// whether this is the one to go by
    pub chosen: bool,
}

impl ModelFit {
    fn new(
        model: &'static str,
        uniques: Option<f64>,
        parameters: Vec<(&'static str, f64)>,
    ) -> Self {
        ModelFit {
            model,
            uniques,
            parameters,
            chosen: false,
        }
    }

    pub fn converged(&self) -> bool {
        self.uniques.is_some()
    }
}

/// Up to this fraction Pitman's model is the best one (Dankar et al. 2012).
const SMALL_FRACTION: f64 = 0.1;

/// The three fits of a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationModels {
    pub fits: Vec<ModelFit>,
    /// persons in the population
    pub population: f64,
}

impl PopulationModels {
    /// `None` for a sample without rows.
    pub fn new(sizes: &SizeCounts, fraction: SamplingFraction) -> Option<Self> {
        let rows = sizes.rows();
        if rows == 0 {
            return None;
        }
        let population = (rows as f64 / fraction.get()).round().max(rows as f64);
        let mut fits = vec![
            pitman::fit(sizes, population),
            zayatz::fit(sizes, population),
            shifted_negative_binomial::fit(sizes, fraction.get()),
        ];
        for fit in &mut fits {
            // a model may overshoot what there can be
            fit.uniques = fit.uniques.map(|uniques| uniques.clamp(0.0, population));
        }
        if population == rows as f64 {
            // nothing has to be estimated
            let uniques = sizes.of_size(1) as f64;
            fits.iter_mut().for_each(|fit| fit.uniques = Some(uniques));
        }
        let chosen = chosen(&fits, fraction);
        fits[chosen].chosen = true;
        Some(PopulationModels { fits, population })
    }

    /// The share of the population that is unique, by the chosen model.
    pub fn uniqueness(&self) -> f64 {
        let chosen = self.fits.iter().find(|fit| fit.chosen);
        let uniques = chosen.and_then(|fit| fit.uniques);
        uniques.unwrap_or(0.0) / self.population
    }
}

/// Pitman for small fractions, else the smaller of the others. Zayatz has nothing to fit, so it
/// stands in where another model did not converge.
fn chosen(fits: &[ModelFit], fraction: SamplingFraction) -> usize {
    const PITMAN: usize = 0;
    const ZAYATZ: usize = 1;
    const SNB: usize = 2;
    let uniques = |model: usize| fits[model].uniques.unwrap_or(f64::INFINITY);
    if fraction.get() <= SMALL_FRACTION {
        return if fits[PITMAN].converged() {
            PITMAN
        } else {
            ZAYATZ
        };
    }
    if uniques(SNB) < uniques(ZAYATZ) {
        SNB
    } else {
        ZAYATZ
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Nine categorical columns of the Adult data, 30,162 rows: size, groups.
    const ADULT: [(u64, u64); 34] = [
        (1, 15512),
        (2, 2098),
        (3, 754),
        (4, 375),
        (5, 189),
        (6, 155),
        (7, 97),
        (8, 73),
        (9, 39),
        (10, 37),
        (11, 29),
        (12, 18),
        (13, 23),
        (14, 14),
        (15, 15),
        (16, 9),
        (17, 11),
        (18, 10),
        (19, 10),
        (20, 5),
        (21, 3),
        (22, 4),
        (23, 3),
        (24, 2),
        (25, 1),
        (26, 3),
        (27, 5),
        (29, 1),
        (30, 2),
        (32, 1),
        (34, 1),
        (35, 1),
        (36, 1),
        (45, 1),
    ];

    fn adult(fraction: f64) -> PopulationModels {
        let fraction = SamplingFraction::new(fraction).unwrap();
        PopulationModels::new(&SizeCounts::new(ADULT), fraction).unwrap()
    }

    fn share(models: &PopulationModels, model: &str) -> f64 {
        let fit = models.fits.iter().find(|fit| fit.model == model).unwrap();
        fit.uniques.unwrap() / models.population
    }

    #[track_caller]
    fn near(actual: f64, expected: f64, digits: i32) {
        let error = (actual - expected).abs();
        assert!(error < 0.5001 * 10f64.powi(-digits), "{actual} {expected}");
    }

    #[test]
    fn figures_of_adult() {
        assert_eq!(SizeCounts::new(ADULT).rows(), 30162);
        near(share(&adult(0.1), "pitman"), 0.276850, 6);
        near(share(&adult(0.01), "pitman"), 0.144608, 6);
        near(share(&adult(0.1), "zayatz"), 0.320740, 6);
        near(share(&adult(0.2), "zayatz"), 0.357710, 6);
        near(share(&adult(0.2), "snb"), 0.319459, 6);
        let parameters = &adult(0.1).fits[0].parameters;
        near(parameters[0].1, 3176.2335, 4);
        near(parameters[1].1, 0.717949, 6);
    }

    #[test]
    fn the_choice_follows_the_fraction() {
        near(adult(0.1).uniqueness(), 0.276850, 6);
        near(adult(0.2).uniqueness(), 0.319459, 6);
        assert!(SamplingFraction::new(0.0).is_none());
        assert!(SamplingFraction::new(1.1).is_none());
        assert!(SamplingFraction::new(f64::NAN).is_none());
    }

    #[test]
    fn a_whole_population_needs_no_model() {
        let models = adult(1.0);
        assert_eq!(models.uniqueness(), 15512.0 / 30162.0);
        assert!(models.fits.iter().all(ModelFit::converged));
    }

    /// All rows unique: no likelihood has a maximum within its bounds.
    #[test]
    fn fits_that_do_not_converge_say_so() {
        let fraction = SamplingFraction::new(0.05).unwrap();
        let models = PopulationModels::new(&SizeCounts::new([(1, 50)]), fraction).unwrap();
        let converged: Vec<bool> = models.fits.iter().map(ModelFit::converged).collect();
        assert_eq!(converged, [false, true, false]);
        assert!(models.fits[1].chosen);
        assert_eq!(
            PopulationModels::new(&SizeCounts::default(), fraction),
            None
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn shares_are_shares(counts in proptest::collection::vec((1u64..60, 0u64..2000), 1..12), fraction in 0.001f64..1.0) {
            let sizes = SizeCounts::new(counts);
            let fraction = SamplingFraction::new(fraction).unwrap();
            if let Some(models) = PopulationModels::new(&sizes, fraction) {
                prop_assert_eq!(models.fits.iter().filter(|fit| fit.chosen).count(), 1);
                for fit in &models.fits {
                    let share = fit.uniques.map_or(0.0, |uniques| uniques / models.population);
                    prop_assert!((0.0..=1.0).contains(&share), "{:?}", fit);
                }
            }
        }
    }
}
