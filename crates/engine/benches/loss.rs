//! What each p-sensitive method loses: `SDC_DATA=… cargo bench --bench loss`.

#[path = "../tests/census/mod.rs"]
mod census;
mod synthetic;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sdc_engine::assign::{Method, p_sensitive};
use sdc_engine::measure::Squares;
use sdc_engine::{Categories, Space, Unwatched};
use synthetic::{Shape, seconds, space};

const SEEDS: u64 = 5;

/// 100·SSE/SST, the mean over some seeds where a method draws at random.
fn loss(space: &Space, sensitive: &[Categories], k: usize, p: usize, method: Method) -> f64 {
    let of_seed = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let partition = p_sensitive(space, sensitive, k, p, method, &mut rng, &mut Unwatched);
        Squares::new(space, &partition.expect("feasible"))
            .expect("memory")
            .information_loss()
    };
    let seeds = match method {
        Method::RandomSeeds | Method::RandomRows | Method::RandomRowsLean => SEEDS,
        _ => 1,
    };
    (0..seeds).map(of_seed).sum::<f64>() / seeds as f64
}

fn cost(space: &Space, sensitive: &[Categories], k: usize, p: usize, method: Method) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    seconds(|| p_sensitive(space, sensitive, k, p, method, &mut rng, &mut Unwatched)).0
}

fn row(name: &str, space: &Space, sensitive: &[Categories], k: usize, p: usize) {
    print!("{name:<28} k={k:<2} p={p:<2}");
    for method in Method::P_SENSITIVE {
        if method == Method::KFirst && space.rows() > 2000 {
            print!(" {:>8}", "-");
        } else {
            print!(" {:>8.3}", loss(space, sensitive, k, p, method));
        }
    }
    // too short to time below that
    if space.rows() > 2000 {
        let time = |method| cost(space, sensitive, k, p, method);
        print!(
            " {:>8.1}",
            time(Method::LeastLoss) / time(Method::PFirstLean)
        );
    }
    println!();
}

fn census_rows() {
    let Some(columns) = census::columns() else {
        return;
    };
    let classes = |values: &Vec<f64>, classes: f64| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let class =
            |value: &f64| ((value - low) * classes / (high - low)).min(classes - 1.0) as u32;
        Categories::new(values.iter().map(class).collect())
    };
    let six = census::space(&columns[..6]);
    let three: Vec<Categories> = columns[6..9]
        .iter()
        .map(|values| classes(values, 15.0))
        .collect();
    for (k, p) in [
        (3, 1),
        (5, 1),
        (3, 2),
        (3, 3),
        (5, 3),
        (10, 3),
        (5, 5),
        (10, 7),
        (10, 10),
    ] {
        row("census, 3 skewed columns", &six, &three, k, p);
    }
    let twelve = census::space(&columns[..12]);
    let digit = columns[12].iter().map(|value| (value % 10.0) as u32);
    let digit = [Categories::new(digit.collect())];
    for (k, p) in [(2, 2), (3, 2), (3, 3), (5, 2), (5, 3), (5, 5), (10, 3)] {
        row("census, last digit", &twelve, &digit, k, p);
    }
}

/// Values drawn at random, evenly or not, or following a key.
fn synthetic_rows(shape: Shape, rows: usize, columns: usize) {
    let space = space(shape, rows, columns);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let even = (0..rows).map(|_| rng.random_range(0..10u32));
    let even = [Categories::new(even.collect())];
    let skewed = (0..rows).map(|_| (-rng.random::<f64>().ln()) as u32);
    let skewed = [Categories::new(skewed.map(|value| value.min(5)).collect())];
    let keyed = |&key: &f64| match rng.random::<f64>() < 0.1 {
        true => rng.random_range(0..10u32),
        false => (key * 2.0 + 5.0).clamp(0.0, 9.0) as u32,
    };
    let keyed = [Categories::new(
        space.numeric()[0].iter().map(keyed).collect(),
    )];
    for (name, sensitive) in [("even", even), ("skewed", skewed), ("follows a key", keyed)] {
        for (k, p) in [(3, 2), (5, 3), (5, 5), (10, 4)] {
            let name = format!("{shape:?} {rows} x {columns}, {name}");
            row(&name, &space, &sensitive, k, p);
        }
    }
}

fn main() {
    print!("{:<38}", "100 SSE/SST");
    Method::P_SENSITIVE
        .iter()
        .for_each(|method| print!(" {:>8}", format!("{method:?}").replace("Random", "R")));
    println!(" {:>8}", "time x");
    census_rows();
    for (shape, rows, columns) in [
        (Shape::Uniform, 2_000, 3),
        (Shape::Clustered, 2_000, 4),
        (Shape::Uniform, 20_000, 4),
        (Shape::Clustered, 20_000, 6),
        (Shape::Integers, 20_000, 4),
    ] {
        synthetic_rows(shape, rows, columns);
    }
}
