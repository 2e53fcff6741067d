//! How fast p-sensitive microaggregation is: `cargo bench --bench p_sensitive [-- rows …]`.

mod synthetic;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sdc_engine::assign::{Method, p_sensitive};
use sdc_engine::{Categories, Space, Unwatched};
use synthetic::{Shape, seconds, space};

const K: usize = 5;
const P: usize = 3;

/// Ten values of falling frequency, wherever the row lies.
fn skewed(space: &Space) -> Categories {
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    let value = |_| (rng.random::<f64>() * rng.random::<f64>() * 10.0) as u32;
    Categories::new((0..space.rows()).map(value).collect())
}

/// Twenty values that follow the first key, but for one row in 200: other values are far.
fn local(space: &Space) -> Categories {
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    let value = |&key: &f64| match rng.random::<f64>() < 0.005 {
        true => rng.random_range(0..20),
        false => (2.0 * key + 10.0).clamp(0.0, 19.0) as u32,
    };
    Categories::new(space.numeric()[0].iter().map(value).collect())
}

fn main() {
    let number = |argument: String| argument.parse().ok();
    let mut sizes: Vec<usize> = std::env::args().filter_map(number).collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000, 1_000_000];
    }
    let methods = [
        Method::PFirst,
        Method::PFirstLean,
        Method::RandomSeeds,
        Method::RandomRows,
        Method::Merge,
    ];
    for rows in sizes {
        let space = space(Shape::Uniform, rows, 4);
        for (name, values) in [("skewed", skewed(&space)), ("local", local(&space))] {
            let values = [values];
            for method in methods {
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                let work = || p_sensitive(&space, &values, K, P, method, &mut rng, &mut Unwatched);
                let (elapsed, partition) = seconds(work);
                partition.expect("p is in range");
                println!("{rows:>8} x 4 {name:<7} {method:<12?} {elapsed:>8.3} s");
            }
        }
    }
}
