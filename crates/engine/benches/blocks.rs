//! What blocks cost and lose beside exact MDAV: `cargo bench --bench blocks [-- rows columns [shape]]`.

mod synthetic;

use sdc_engine::assign::{Method, mdav};
use sdc_engine::measure::Squares;
use sdc_engine::{Partition, Space, Unwatched, random, threads};
use std::time::Instant;
use synthetic::{Shape, seconds, space};

const K: usize = 5;

fn loss(space: &Space, partition: &Partition) -> f64 {
    let squares = Squares::new(space, partition).expect("rows are as many");
    squares.information_loss()
}

fn blocks(space: &Space) -> Partition {
    let mut rng = random::generator(Some(1)).expect("a seed");
    let groups = Method::Blocks.group(space, &[], K, 1, &mut rng, &mut Unwatched);
    groups.expect("k is in range")
}

/// The time of the clock with each number of threads; groups must not depend on it.
fn threaded(space: &Space, expected: &Partition) -> Vec<(usize, f64)> {
    let timed = |count: usize| {
        threads::set_count(count);
        let began = Instant::now();
        let found = blocks(space);
        let elapsed = began.elapsed().as_secs_f64();
        threads::set_count(1);
        assert!(&found == expected, "threads change groups");
        (count, elapsed)
    };
    [1, 2].map(timed).to_vec()
}

fn compare(shape: Shape, rows: usize, columns: usize) {
    let space = space(shape, rows, columns);
    let (exact_time, exact) = seconds(|| mdav(&space, K, &mut Unwatched));
    let exact = exact.expect("k is in range");
    let (time, found) = seconds(|| blocks(&space));
    let ratio = time / exact_time;
    let (exact_loss, own_loss) = (loss(&space, &exact), loss(&space, &found));
    println!(
        "{shape:?}, {rows} x {columns}: exact {exact_time:.2} s, loss {exact_loss:.4}; blocks {time:.2} s, loss {own_loss:.4}; {ratio:.2} times"
    );
    println!(
        "    by the clock, threads and seconds: {:.2?}",
        threaded(&space, &found)
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |argument: &String| argument.parse().ok();
    let sizes: Vec<usize> = arguments.iter().filter_map(number).collect();
    let shapes = [Shape::Uniform, Shape::Clustered, Shape::Integers];
    let named = |shape: &Shape| arguments.contains(&format!("{shape:?}"));
    let all = !shapes.iter().any(named);
    for shape in shapes.into_iter().filter(|shape| all || named(shape)) {
        match sizes[..] {
            [rows, columns] => compare(shape, rows, columns),
            _ => {
                compare(shape, 1_000_000, 4);
                compare(shape, 1_000_000, 8);
            }
        }
    }
}
