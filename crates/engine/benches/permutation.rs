//! How long anatomy and permutation take and how their time grows, from 100,000 to 500,000
//! rows: `cargo bench --bench permutation`.

mod acs;
mod clock;

use acs::Survey;
use clock::seconds;
use sdc_engine::assign::{anatomy, permutation};
use sdc_engine::permute::permute;
use sdc_engine::random::generator;
use sdc_engine::{Monitor, Result, Unwatched};

const KEYS: usize = 4;
const SIZES: [usize; 5] = [100_000, 200_000, 300_000, 400_000, 500_000];

/// Seconds of one run, from several: the clock is too coarse for a few milliseconds.
fn average<T>(runs: u32, mut work: impl FnMut() -> Result<T>) -> Result<(f64, T)> {
    let (elapsed, last) = seconds(|| {
        (1..runs).try_for_each(|_| work().map(drop))?;
        work()
    });
    Ok((elapsed / f64::from(runs), last?))
}

/// Counts the reports of the work, one for so many rows visited: growth without noise.
#[derive(Default)]
struct Visits(u32);

impl Monitor for Visits {
    fn advance(&mut self, _done: u64) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

const MEASURED: [&str; 4] = ["anatomy", "permutation", "permuting", "visits"];

/// Seconds for grouping by anatomy, grouping by permutation, and permuting all columns, and
/// how much the second visited.
fn measure(survey: &Survey, l: usize) -> Result<[f64; 4]> {
    let (keys, sensitive) = (survey.table(KEYS), survey.sensitive("occ50"));
    let mut rng = generator(Some(1))?;
    let work = || anatomy(&sensitive, l, &mut rng, &mut Unwatched);
    let (first, _) = average(20, work)?;
    let mut visits = Visits::default();
    let work = || permutation(&keys, &sensitive, l, 5, &mut rng, &mut visits);
    let (second, groups) = average(3, work)?;
    let work = || (0..=KEYS).try_for_each(|_| permute(&groups, &mut rng, &mut Unwatched).map(drop));
    let (third, ()) = average(20, work)?;
    Ok([first, second, third, f64::from(visits.0)])
}

/// The exponent b of figures a·n^b, by least squares.
fn exponent(figures: &[f64]) -> f64 {
    let points = SIZES.iter().zip(figures);
    let logs: Vec<(f64, f64)> = points.map(|(&n, t)| ((n as f64).ln(), t.ln())).collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|log| log.0).sum::<f64>() / count;
    let mean_y = logs.iter().map(|log| log.1).sum::<f64>() / count;
    let cross = logs.iter().map(|log| (log.0 - mean_x) * (log.1 - mean_y));
    let square = logs.iter().map(|log| (log.0 - mean_x).powi(2));
    cross.sum::<f64>() / square.sum::<f64>()
}

fn main() -> Result<()> {
    let surveys: Option<Vec<Survey>> = SIZES.into_iter().map(acs::read).collect();
    let Some(surveys) = surveys else {
        return Ok(());
    };
    println!("seconds, {KEYS} keys, sensitive occ50, rows {SIZES:?}, then the growth exponent");
    for l in [2, 4, 10] {
        let all: Vec<[f64; 4]> = surveys
            .iter()
            .map(|survey| measure(survey, l))
            .collect::<Result<_>>()?;
        for (step, name) in MEASURED.iter().enumerate() {
            let column: Vec<f64> = all.iter().map(|figures| figures[step]).collect();
            let shown: Vec<String> = column
                .iter()
                .map(|figure| format!("{figure:8.3}"))
                .collect();
            let growth = exponent(&column);
            println!("l = {l:2}  {name:<12} {}  {growth:.2}", shown.join(" "));
        }
    }
    Ok(())
}
