//! How fast MDAV is and how its time grows: `cargo bench --bench mdav [-- rows columns [shape]]`.

mod synthetic;

use sdc_engine::assign::{mdav, mdav_by_scan};
use sdc_engine::{Space, Unwatched};
use synthetic::{Shape, seconds, space};

const K: usize = 5;

fn time(space: &Space) -> f64 {
    let (elapsed, partition) = seconds(|| mdav(space, K, &mut Unwatched));
    partition.expect("k is in range");
    elapsed
}

fn growth() {
    println!(
        "{:<10} {:>2} {:>9} {:>9} {:>9}  growth",
        "seconds", "d", "10^4", "10^5", "10^6"
    );
    for shape in [Shape::Uniform, Shape::Clustered, Shape::Integers] {
        for columns in [2, 4, 6] {
            let times = [10_000, 100_000, 1_000_000].map(|rows| time(&space(shape, rows, columns)));
            let [small, middle, large] = times;
            let exponent = (large / middle).log10();
            let shape = format!("{shape:?}");
            println!(
                "{shape:<10} {columns:>2} {small:>9.4} {middle:>9.4} {large:>9.4}  {exponent:.2}"
            );
        }
    }
}

fn against_scans() {
    for (shape, columns) in [
        (Shape::Uniform, 4),
        (Shape::Clustered, 4),
        (Shape::Clustered, 13),
    ] {
        let space = space(shape, 100_000, columns);
        let tree = time(&space);
        let (scan, _) = seconds(|| mdav_by_scan(&space, K, &mut Unwatched));
        let ratio = scan / tree;
        println!(
            "{shape:?}, 10^5 x {columns}: {tree:.3} s, by scans {scan:.3} s, {ratio:.1} times"
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |argument: &String| argument.parse().ok();
    let sizes: Vec<usize> = arguments.iter().filter_map(number).collect();
    if let [rows, columns] = sizes[..] {
        let shapes = [Shape::Uniform, Shape::Clustered, Shape::Integers];
        let named = |shape: &Shape| arguments.contains(&format!("{shape:?}"));
        let all = !shapes.iter().any(named);
        for shape in shapes.into_iter().filter(|shape| all || named(shape)) {
            println!("{shape:?} {:.4} s", time(&space(shape, rows, columns)));
        }
    } else {
        against_scans();
        growth();
    }
}
