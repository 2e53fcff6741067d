//! What each privacy model says of merged groups, on which pruning rests, holds.

use proptest::{collection::vec, prelude::*};
use sdc_engine::model::*;

const VALUES: usize = 5;

fn figure(model: &dyn PrivacyModel, counts: &[u64]) -> f64 {
    let cells = (0..).zip(counts.iter().copied());
    let values: Vec<(u32, u64)> = cells.filter(|cell| cell.1 > 0).collect();
    let rows = counts.iter().sum();
    model.figure(Group {
        rows,
        values: &values,
    })
}

fn sum(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Groups with a row at least.
fn group() -> impl Strategy<Value = Vec<u64>> {
    vec(0u64..9, VALUES).prop_filter("no rows", |counts| counts.iter().any(|&count| count > 0))
}

fn check(model: &dyn PrivacyModel, a: &[u64], b: &[u64]) {
    let (figure_a, figure_b) = (figure(model, a), figure(model, b));
    let merged = figure(model, &sum(a, b));
    let worse = model.worse(figure_a, figure_b);
    let holds = |required| model.holds(merged, required);
    match model.merging() {
        Merging::Any => assert!(holds(figure_a) && holds(figure_b), "{}", model.name()),
        Merging::BothMeet => assert!(holds(worse), "{}", model.name()),
        Merging::Unknown => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn merged_groups_keep_what_their_model_says(a in group(), b in group(), rest in vec(0u64..30, VALUES)) {
        let table = Distribution::from_counts(sum(&sum(&a, &b), &rest))?;
        let ranks = [2, 0, 4, 1, 3];
        let categories = SensitivityCategories::new(vec![0, 1, 1, 2, 3], 4)?;
        let models: [&dyn PrivacyModel; 12] = [
            &KAnonymity,
            &PSensitivity,
            &AlphaK,
            &PPlus::new(&categories),
            &AlphaWeight::new(&categories)?,
            &LDiversity,
            &EntropyDiversity,
            &RecursiveDiversity::new(1.5)?,
            &EqualCloseness::new(&table),
            &OrderedCloseness::new(&table, &ranks)?,
            &BasicLikeness::new(&table),
            &EnhancedLikeness::new(&table),
        ];
        for model in models {
            prop_assert_ne!(model.merging(), Merging::Unknown);
            check(model, &a, &b);
        }
        prop_assert_eq!(DeltaDisclosure::new(&table).merging(), Merging::Unknown);
    }
}
