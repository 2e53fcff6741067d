//! Tables to measure on, and the clock. Each benchmark uses its share.
#![allow(dead_code)]

#[path = "../clock/mod.rs"]
mod clock;

pub use clock::seconds;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sdc_engine::{Column, Space, Table};

/// How the rows lie in space.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// independent columns, each uniform
    Uniform,
    /// twenty clusters of unequal size and tilt; every third column skewed
    Clustered,
    /// small whole numbers: most distances are tied
    Integers,
}

/// A standardised table of `rows` and `columns`.
pub fn space(shape: Shape, rows: usize, columns: usize) -> Space {
    let mut rng = ChaCha8Rng::seed_from_u64(20_070_926);
    let values = match shape {
        Shape::Uniform => uniform(rows, columns, |_| rng.random()),
        Shape::Integers => uniform(rows, columns, |_| f64::from(rng.random_range(0..8u32))),
        Shape::Clustered => clustered(rows, columns, &mut rng),
    };
    let table = Table::new(values.into_iter().map(Column::Numeric).collect());
    Space::new(&table.expect("columns are equally long"), true).expect("memory")
}

fn uniform(rows: usize, columns: usize, mut draw: impl FnMut(usize) -> f64) -> Vec<Vec<f64>> {
    (0..columns)
        .map(|_| (0..rows).map(&mut draw).collect())
        .collect()
}

struct Cluster {
    until: f64,
    centre: Vec<f64>,
    tilt: Vec<Vec<f64>>,
}

fn clustered(rows: usize, columns: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut until = 0.0;
    let clusters: Vec<Cluster> = (0..20)
        .map(|_| {
            until += 0.02 + rng.random::<f64>() * rng.random::<f64>();
            cluster(until, columns, rng)
        })
        .collect();
    let mut table = vec![Vec::with_capacity(rows); columns];
    for _ in 0..rows {
        let place = rng.random::<f64>() * until;
        let cluster = &clusters[clusters.partition_point(|cluster| cluster.until < place)];
        let noise: Vec<f64> = (0..columns).map(|_| normal(rng)).collect();
        for (column, values) in table.iter_mut().enumerate() {
            let tilted = cluster.tilt[column].iter().zip(&noise).map(|(t, z)| t * z);
            let value = cluster.centre[column] + tilted.sum::<f64>();
            values.push(if column % 3 == 2 {
                (0.3 * value).exp()
            } else {
                value
            });
        }
    }
    table
}

fn cluster(until: f64, columns: usize, rng: &mut ChaCha8Rng) -> Cluster {
    let scale = 1.5 / (columns as f64).sqrt();
    let lengths: Vec<f64> = (0..columns)
        .map(|_| scale * 10f64.powf(-rng.random::<f64>()))
        .collect();
    Cluster {
        until,
        centre: (0..columns).map(|_| 3.0 * normal(rng)).collect(),
        tilt: (0..columns)
            .map(|_| lengths.iter().map(|length| length * normal(rng)).collect())
            .collect(),
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}
