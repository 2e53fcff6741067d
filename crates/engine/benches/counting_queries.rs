//! The experiment of LHCC15: 1,000 random counting queries against the survey published by
//! anatomy and by permutation, average relative error for 3 to 7 keys and l = 2 … 10:
//! `cargo bench --bench counting_queries [-- rows dimension volume]`.

mod acs;
mod workload;

use acs::Survey;
use sdc_engine::assign::{anatomy, permutation};
use sdc_engine::random::generator;
use sdc_engine::{Result, Unwatched, measure};
use workload::{Shape, Workload};

const QUERIES: usize = 1000;

/// Average relative errors in per cent, and how far the permutation's groups spread.
struct Outcome {
    anatomy: f64,
    permutation: f64,
    /// keys left together as in an anatomy, but in the permutation's groups
    regrouped: f64,
    /// penalty per row and key, in per cent of the greatest
    penalty: f64,
}

fn outcome(
    survey: &Survey,
    (keys, name, l): (usize, &str, usize),
    workload: &Workload,
) -> Result<Outcome> {
    let (table, sensitive) = (survey.table(keys), survey.sensitive(name));
    let mut rng = generator(Some(2015))?;
    let random = anatomy(&sensitive, l, &mut rng, &mut Unwatched)?;
    let similar = permutation(&table, &sensitive, l, 5, &mut rng, &mut Unwatched)?;
    let [in_random, in_similar] = [&random, &similar].map(|groups| workload.estimate(groups));
    workload.check(&similar, &in_similar)?;
    let cells = (table.rows() * keys) as f64;
    Ok(Outcome {
        anatomy: workload.relative_error(&in_random.anatomy),
        permutation: workload.relative_error(&in_similar.permutation),
        regrouped: workload.relative_error(&in_similar.anatomy),
        penalty: 100.0 * measure::ncp(&table, &similar)? / cells,
    })
}

fn print_table(survey: &Survey, name: &str, shape: Shape) -> Result<()> {
    println!("\nsensitive {name}, {shape:?}");
    println!(
        "average relative error in %: anatomy | permutation | anatomy in the permutation's groups (its NCP in %)"
    );
    print!(" l");
    (3..=7).for_each(|keys| print!("  {:^29}", format!("{keys} keys")));
    println!();
    let mut rng = generator(Some(1000))?;
    let column = survey.column(name);
    let workloads: Vec<Workload> = (3..=7)
        .map(|keys| Workload::draw(&survey.keys(keys), column, shape, QUERIES, &mut rng))
        .collect();
    for l in 2..=10 {
        print!("{l:2}");
        for (keys, workload) in (3..=7).zip(&workloads) {
            let found = outcome(survey, (keys, name, l), workload)?;
            let Outcome {
                anatomy,
                permutation,
                regrouped,
                penalty,
            } = found;
            print!("  {anatomy:6.1} {permutation:6.1} {regrouped:6.1} ({penalty:5.2})");
        }
        println!();
    }
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<f64> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let argument = |place: usize, default| arguments.get(place).copied().unwrap_or(default);
    let Some(survey) = acs::read(argument(0, 500_000.0) as usize) else {
        return Ok(());
    };
    for name in ["occ50", "salary50"] {
        for single_value in [true, false] {
            let shape = Shape {
                dimension: argument(1, 4.0) as usize,
                volume: argument(2, 0.05),
                single_value,
            };
            print_table(&survey, name, shape)?;
        }
    }
    Ok(())
}
