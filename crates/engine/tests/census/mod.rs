//! The "Census" reference file of the microaggregation literature, if it is at hand.

use sdc_engine::{Column, Space, Table};
use std::path::PathBuf;

/// The columns of the file in its order; `None`, and a message, when it is absent.
pub fn columns() -> Option<Vec<Vec<f64>>> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let directory = std::env::var_os("SDC_DATA").map_or(PathBuf::from(default), PathBuf::from);
    let path = directory.join("census.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no census.csv (set SDC_DATA)");
        return None;
    };
    let mut columns = vec![Vec::new(); 13];
    for line in text.lines().skip(1) {
        for (column, field) in columns.iter_mut().zip(line.split(',')) {
            column.push(field.parse().expect("the file holds numbers"));
        }
    }
    Some(columns)
}

/// Standardised columns.
pub fn space(columns: &[Vec<f64>]) -> Space {
    let columns = columns.iter().cloned().map(Column::Numeric).collect();
    Space::new(&Table::new(columns).expect("complete columns"), true).expect("memory")
}
