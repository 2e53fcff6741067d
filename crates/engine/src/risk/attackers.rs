//! Prosecutor, journalist and marketer (El Emam and Dankar 2008, "Protecting privacy using
//! k-anonymity"; El Emam 2013, "Guide to the de-identification of personal health information").

/// Who attacks, and what they know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attacker {
    /// knows that the target is in the table
    Prosecutor,
    /// knows only that the target is in the population
    Journalist,
    /// wants to find as many as possible
    Marketer,
    /// wants to know who is in the table
    Membership,
}

/// What is measured of an attacker's chances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RiskMeasure {
    Average,
    Maximum,
    AtRisk,
    KMap,
    DeltaMin,
    DeltaMax,
    ExpectedReidentifications,
    Uniques,
}

/// One figure; no value where there is nothing to measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskFigure {
    pub attacker: Attacker,
    pub measure: RiskMeasure,
    pub value: Option<f64>,
}

impl Attacker {
    /// The name as users see it.
    pub const fn name(self) -> &'static str {
        match self {
            Attacker::Prosecutor => "prosecutor",
            Attacker::Journalist => "journalist",
            Attacker::Marketer => "marketer",
            Attacker::Membership => "membership",
        }
    }
}

impl RiskMeasure {
    /// The name as users see it.
    pub const fn name(self) -> &'static str {
        match self {
            RiskMeasure::Average => "average",
            RiskMeasure::Maximum => "maximum",
            RiskMeasure::AtRisk => "at_risk",
            RiskMeasure::KMap => "k_map",
            RiskMeasure::DeltaMin => "delta_min",
            RiskMeasure::DeltaMax => "delta_max",
            RiskMeasure::ExpectedReidentifications => "expected_reidentifications",
            RiskMeasure::Uniques => "uniques",
        }
    }
}

/// Groups that are alike: each has so many rows, which match so many here and in the population.
#[derive(Debug, Clone, Copy)]
pub struct Exposure {
    pub groups: u64,
    /// rows of each of these groups
    pub rows: u64,
    /// rows here that a row of these groups cannot be told from, itself included: its rows, or
    /// more where NULL matches everything
    pub sample: f64,
    /// persons in the population that share the keys
    pub population: f64,
    /// chance that a row of these groups is re-identified
    pub risk: f64,
}

/// Adds up the exposures of all groups of a table.
#[derive(Debug, Clone)]
pub struct AttackerRisks {
    /// above this a row is at risk
    threshold: f64,
    rows: u64,
    groups: u64,
    uniques: u64,
    expected: f64,
    /// Σ 1/f and Σ 1/F over rows
    prosecutor: f64,
    marketer: f64,
    prosecutor_at_risk: u64,
    journalist_at_risk: u64,
    smallest_sample: f64,
    smallest_population: f64,
    /// Σ F over groups
    population: f64,
    /// least and greatest f/F over groups of the population
    presence: Option<(f64, f64)>,
}

impl AttackerRisks {
    pub fn new(threshold: f64) -> Self {
        AttackerRisks {
            threshold,
            rows: 0,
            groups: 0,
            uniques: 0,
            expected: 0.0,
            prosecutor: 0.0,
            marketer: 0.0,
            prosecutor_at_risk: 0,
            journalist_at_risk: 0,
            smallest_sample: f64::INFINITY,
            smallest_population: f64::INFINITY,
            population: 0.0,
            presence: None,
        }
    }

    /// Groups of the table.
    pub fn add(&mut self, exposure: Exposure) {
        let Exposure {
            groups,
            sample,
            population,
            ..
        } = exposure;
        let rows = groups * exposure.rows;
        let among_rows = |risky: bool| if risky { rows } else { 0 };
        self.rows += rows;
        self.groups += groups;
        self.uniques += among_rows(sample <= 1.0);
        self.expected += rows as f64 * exposure.risk;
        self.prosecutor += rows as f64 / sample;
        self.marketer += rows as f64 / population;
        self.prosecutor_at_risk += among_rows(1.0 / sample > self.threshold);
        self.journalist_at_risk += among_rows(1.0 / population > self.threshold);
        self.smallest_sample = self.smallest_sample.min(sample);
        self.smallest_population = self.smallest_population.min(population);
        self.population += groups as f64 * population;
    }

    /// A group of the population, whether or not the table has rows of it.
    pub fn add_presence(&mut self, sample: f64, population: f64) {
        let share = sample / population;
        let (least, most) = self.presence.unwrap_or((share, share));
        self.presence = Some((least.min(share), most.max(share)));
    }

    /// Rows counted so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// All figures, in the order in which users see them; over no rows only counts have a value.
    pub fn figures(&self) -> Vec<RiskFigure> {
        use Attacker::*;
        use RiskMeasure::*;
        let rows = self.rows as f64;
        let of_rows = |value: f64| (self.rows > 0).then_some(value);
        let share = |count: u64| of_rows(count as f64 / rows);
        let marketer = self.marketer / rows;
        let journalist = marketer.max(self.groups as f64 / self.population);
        let worst = of_rows(1.0 / self.smallest_population);
        let figures = [
            (Prosecutor, Average, of_rows(self.prosecutor / rows)),
            (Prosecutor, Maximum, of_rows(1.0 / self.smallest_sample)),
            (Prosecutor, AtRisk, share(self.prosecutor_at_risk)),
            (Prosecutor, Uniques, Some(self.uniques as f64)),
            (Journalist, Average, of_rows(journalist)),
            (Journalist, Maximum, worst),
            (Journalist, AtRisk, share(self.journalist_at_risk)),
            (Journalist, KMap, of_rows(self.smallest_population)),
            (Marketer, Average, of_rows(marketer)),
            (Marketer, Maximum, worst),
            (Marketer, AtRisk, share(self.journalist_at_risk)),
            (Marketer, ExpectedReidentifications, Some(self.expected)),
            (Membership, DeltaMin, self.presence.map(|(least, _)| least)),
            (Membership, DeltaMax, self.presence.map(|(_, most)| most)),
        ];
        let figure = |(attacker, measure, value)| RiskFigure {
            attacker,
            measure,
            value,
        };
        figures.into_iter().map(figure).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn figure(risks: &AttackerRisks, attacker: Attacker, measure: RiskMeasure) -> Option<f64> {
        let figures = risks.figures();
        let found = figures
            .iter()
            .find(|figure| figure.attacker == attacker && figure.measure == measure);
        found.unwrap().value
    }

    #[test]
    fn no_rows_have_no_risk() {
        let risks = AttackerRisks::new(0.2);
        for figure in risks.figures() {
            let counted = matches!(
                figure.measure,
                RiskMeasure::Uniques | RiskMeasure::ExpectedReidentifications
            );
            assert_eq!(figure.value, counted.then_some(0.0), "{figure:?}");
        }
    }

    proptest! {
        /// Against the definitions, row by row.
        #[test]
        fn sums_over_groups_are_means_over_rows(groups in proptest::collection::vec((1u64..9, 1u64..30), 1..40), threshold in 0.01f64..0.9) {
            let mut risks = AttackerRisks::new(threshold);
            let mut rows = Vec::new();
            for &(f, more) in &groups {
                let (sample, population) = (f as f64, (f + more) as f64);
                let risk = 1.0 / population;
                risks.add(Exposure { groups: 1, rows: f, sample, population, risk });
                risks.add_presence(sample, population);
                rows.extend(std::iter::repeat_n((sample, population), f as usize));
            }
            let mean = |value: &dyn Fn(&(f64, f64)) -> f64| rows.iter().map(value).sum::<f64>() / rows.len() as f64;
            let near = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-9;
            use Attacker::*;
            use RiskMeasure::*;
            prop_assert!(near(figure(&risks, Prosecutor, Average), mean(&|row| 1.0 / row.0)));
            prop_assert!(near(figure(&risks, Prosecutor, Average), groups.len() as f64 / rows.len() as f64));
            prop_assert!(near(figure(&risks, Marketer, Average), mean(&|row| 1.0 / row.1)));
            prop_assert!(near(figure(&risks, Prosecutor, AtRisk), mean(&|row| f64::from(u8::from(1.0 / row.0 > threshold)))));
            prop_assert!(near(figure(&risks, Journalist, AtRisk), mean(&|row| f64::from(u8::from(1.0 / row.1 > threshold)))));
            let population: u64 = groups.iter().map(|(f, more)| f + more).sum();
            let journalist = mean(&|row| 1.0 / row.1).max(groups.len() as f64 / population as f64);
            prop_assert!(near(figure(&risks, Journalist, Average), journalist));
            let least = rows.iter().map(|row| row.1).fold(f64::INFINITY, f64::min);
            prop_assert_eq!(figure(&risks, Journalist, KMap), Some(least));
            let uniques = rows.iter().filter(|row| row.0 == 1.0).count();
            prop_assert_eq!(figure(&risks, Prosecutor, Uniques), Some(uniques as f64));
        }
    }
}
