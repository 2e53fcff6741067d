//! p-sensitive microaggregation: what every method promises, and what all refuse.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use sdc_engine::assign::{Method, mdav, p_sensitive};
use sdc_engine::measure::within;
use sdc_engine::model::{KAnonymity, PSensitivity, worst};
use sdc_engine::{
    Categories, Column, Error, Monitor, Partition, Result, Space, Table, Tally, Unwatched,
};

/// Two numeric keys and a categorical one; a sensitive column of few values and one of many,
/// skewed.
fn table(rows: usize) -> (Space, Vec<Categories>) {
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    let mut numbers = || Column::Numeric((0..rows).map(|_| rng.random()).collect());
    let mut columns = vec![numbers(), numbers()];
    let mut codes = |most: f64| -> Vec<u32> {
        let draw = |_| (rng.random::<f64>().powi(3) * most) as u32;
        (0..rows).map(draw).collect()
    };
    columns.push(Column::Categorical(Categories::new(codes(4.0))));
    let sensitive = vec![Categories::new(codes(5.0)), Categories::new(codes(150.0))];
    (
        Space::new(&Table::new(columns).unwrap(), true).unwrap(),
        sensitive,
    )
}

fn group(
    (space, sensitive): &(Space, Vec<Categories>),
    (k, p): (usize, usize),
    method: Method,
    seed: u64,
) -> Result<Partition> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    p_sensitive(space, sensitive, k, p, method, &mut rng, &mut Unwatched)
}

#[test]
fn every_group_has_k_rows_and_p_values() {
    let data = table(2500);
    let columns: Vec<&Categories> = data.1.iter().collect();
    for method in Method::P_SENSITIVE {
        for (k, p) in [(1, 1), (3, 2), (4, 4), (100, 3)] {
            let partition = group(&data, (k, p), method, 0).unwrap();
            let tally = Tally::new(&partition, &columns).unwrap();
            assert!(worst(&KAnonymity, &tally, None).unwrap() >= Some(k as f64));
            for column in 0..columns.len() {
                let values = worst(&PSensitivity, &tally, Some(column)).unwrap();
                assert!(values >= Some(p as f64), "{method:?}, k = {k}, p = {p}");
            }
        }
    }
}

#[test]
fn a_seed_fixes_the_result_and_another_changes_it() {
    let data = table(300);
    for method in Method::P_SENSITIVE {
        let first = group(&data, (3, 2), method, 1).unwrap();
        assert_eq!(group(&data, (3, 2), method, 1).unwrap(), first);
        let other = group(&data, (3, 2), method, 2).unwrap();
        match method {
            Method::RandomSeeds | Method::RandomRows | Method::RandomRowsLean => {
                assert_ne!(other, first);
            }
            Method::LeastLoss => {}
            _ => assert_eq!(other, first),
        }
    }
}

#[test]
fn the_least_loss_is_that_of_the_best() {
    let data = table(500);
    let loss = |method| within(&data.0, &group(&data, (5, 3), method, 1).unwrap()).unwrap();
    let least = loss(Method::LeastLoss);
    for method in [Method::PFirstLean, Method::RandomRowsLean, Method::Merge] {
        assert!(least <= loss(method), "{method:?}");
    }
}

#[test]
fn one_value_makes_growing_and_merging_plain_mdav() {
    let data = table(400);
    let plain = mdav(&data.0, 7, &mut Unwatched).unwrap();
    for method in [Method::KFirst, Method::Merge, Method::Symmetric] {
        assert_eq!(group(&data, (7, 1), method, 0).unwrap(), plain);
    }
}

#[test]
fn what_cannot_be_had_is_refused() {
    let data = table(30);
    for method in Method::P_SENSITIVE {
        let refusal = |k, p| group(&data, (k, p), method, 0).unwrap_err();
        let too_small = |name| Error::TooSmall {
            name,
            least: 1,
            actual: 0,
        };
        assert_eq!(refusal(0, 0), too_small("k"));
        assert_eq!(refusal(3, 0), too_small("p"));
        assert_eq!(refusal(3, 4), Error::PAboveK { p: 4, k: 3 });
        assert_eq!(refusal(31, 2), Error::TooFewRows { rows: 30, k: 31 });
        let few = matches!(
            refusal(9, 9),
            Error::TooFewValues {
                p: 9,
                column: 0,
                ..
            }
        );
        assert!(few);
        let short = (table(30).0, vec![Categories::new(vec![0, 1])]);
        let unequal = Error::UnequalColumns {
            first: 30,
            other: 2,
        };
        assert_eq!(group(&short, (2, 2), method, 0), Err(unequal));
        assert_eq!(group(&table(0), (3, 2), method, 0).unwrap().groups(), 0);
        assert!(group(&table(0), (3, 4), method, 0).is_err());
    }
}

/// Stops the work at a later call each time.
struct Impatient(usize);

impl Monitor for Impatient {
    fn advance(&mut self, _done: u64) -> Result<()> {
        match self.0.checked_sub(1) {
            Some(left) => self.0 = left,
            None => return Err(Error::Interrupted),
        }
        Ok(())
    }
}

#[test]
fn the_monitor_can_stop_every_method() {
    let (space, sensitive) = table(2500);
    for method in Method::P_SENSITIVE {
        let mut rng = ChaCha20Rng::seed_from_u64(0);
        let mut run = |patience| {
            let mut monitor = Impatient(patience);
            p_sensitive(&space, &sensitive, 3, 2, method, &mut rng, &mut monitor)
        };
        assert_eq!(run(0), Err(Error::Interrupted), "{method:?}");
        assert!(run(usize::MAX).is_ok());
    }
}
