//! How fast (p⁺,α)-sensitive grouping is beside p-sensitive grouping of the same rows, and what
//! both lose: `cargo bench --bench p_alpha [-- rows …]`.

mod synthetic;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sdc_engine::assign::{Method, p_alpha_sensitive, p_sensitive};
use sdc_engine::measure::Squares;
use sdc_engine::model::SensitivityCategories;
use sdc_engine::{Categories, Partition, Space, Unwatched};
use synthetic::{Shape, seconds, space};

const CATEGORIES: u32 = 4;

/// A category for each row, wherever it lies: all equally frequent.
fn even(space: &Space) -> Categories {
    let mut rng = ChaCha8Rng::seed_from_u64(2008);
    Categories::new(
        (0..space.rows())
            .map(|_| rng.random_range(0..CATEGORIES))
            .collect(),
    )
}

/// The same with half of the rows in the most sensitive category.
fn sensitive(space: &Space) -> Categories {
    let mut rng = ChaCha8Rng::seed_from_u64(2008);
    let category = |_| match rng.random() {
        true => 0,
        false => rng.random_range(0..CATEGORIES),
    };
    Categories::new((0..space.rows()).map(category).collect())
}

/// Categories that follow the first key, but for one row in ten: weight is far away.
fn local(space: &Space) -> Categories {
    let mut rng = ChaCha8Rng::seed_from_u64(2008);
    let category = |&key: &f64| match rng.random_ratio(1, 10) {
        true => rng.random_range(0..CATEGORIES),
        false => ((key + 1.73) * 1.15).clamp(0.0, 3.0) as u32,
    };
    Categories::new(space.numeric()[0].iter().map(category).collect())
}

/// A thousand categories that follow the first key: every near row is in nearly the same.
fn fine(space: &Space) -> Categories {
    let category = |&key: &f64| ((key + 1.73) * 290.0).clamp(0.0, 999.0) as u32;
    Categories::new(space.numeric()[0].iter().map(category).collect())
}

struct Case<'a> {
    space: &'a Space,
    column: [Categories; 1],
    k: usize,
    p: usize,
    alpha: f64,
}

impl Case<'_> {
    /// Times and losses of both methods in one line.
    fn measure(&self, name: &str) {
        let Case {
            space, k, p, alpha, ..
        } = *self;
        let count = CATEGORIES.max(self.column[0].cardinality() as u32);
        let categories = SensitivityCategories::new((0..count).collect(), count);
        let categories = categories.expect("each value is its category");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let method = Method::PFirstLean;
        let (before, begun) =
            seconds(|| p_sensitive(space, &self.column, k, p, method, &mut rng, &mut Unwatched));
        let (after, partition) = seconds(|| {
            p_alpha_sensitive(
                space,
                &self.column[0],
                &categories,
                k,
                p,
                alpha,
                &mut Unwatched,
            )
        });
        let loss = |partition: &Partition| {
            let squares = Squares::new(space, partition);
            squares.expect("memory suffices").information_loss()
        };
        let (begun, partition) = (begun.expect("p is in range"), partition.expect("in reach"));
        println!(
            "{:>8} x {} {name:<10} k {k:>3} p {p} alpha {alpha:<4} p_sensitive {before:>7.3} s {:>6.2} % {:>6} groups   p_alpha {after:>7.3} s {:>6.2} % {:>6} groups   ratio {:>5.2}",
            space.rows(),
            space.numeric().len(),
            loss(&begun),
            begun.groups(),
            loss(&partition),
            partition.groups(),
            after / before,
        );
    }
}

fn main() {
    let number = |argument: String| argument.parse().ok();
    let mut sizes: Vec<usize> = std::env::args().filter_map(number).collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000];
    }
    for rows in sizes {
        for shape in [Shape::Uniform, Shape::Clustered, Shape::Integers] {
            let space = space(shape, rows, 4);
            let columns = [
                ("even", even(&space)),
                ("sensitive", sensitive(&space)),
                ("local", local(&space)),
                ("fine", fine(&space)),
            ];
            for (name, column) in columns {
                let column = [column];
                let (space, k, p, alpha) = (&space, 5, 2, 2.0);
                let case = Case {
                    space,
                    column,
                    k,
                    p,
                    alpha,
                };
                case.measure(&format!("{shape:?} {name}"));
            }
        }
        against_k_and_alpha(rows);
    }
}

/// Time against k and alpha.
fn against_k_and_alpha(rows: usize) {
    let space = &space(Shape::Uniform, rows, 4);
    for k in [3, 5, 10] {
        for alpha in [0.5, 1.0, 2.0, 4.0] {
            let (column, p) = ([even(space)], 2);
            Case {
                space,
                column,
                k,
                p,
                alpha,
            }
            .measure("even");
        }
    }
}
