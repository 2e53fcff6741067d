//! The American Community Survey file that stands in for the 500,000 census rows of the
//! anatomy and permutation papers, if it is at hand.

use sdc_engine::{Categories, Column, Table};
use std::path::PathBuf;
use std::process::Command;

/// Keys in the papers' order; age and education are numbers, the others categories.
const KEYS: [&str; 7] = [
    "age",
    "gender",
    "education",
    "marital",
    "race",
    "work_class",
    "hispanic_origin",
];
const NUMBERS: [&str; 2] = ["age", "education"];

/// A column as places of its values among the distinct ones.
pub struct Ordinals {
    pub name: String,
    pub places: Vec<u32>,
}

/// The file's columns.
pub struct Survey(Vec<Ordinals>);

/// The first `rows` rows, which are a random sample; `None`, and a message, without the file.
pub fn read(rows: usize) -> Option<Survey> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let directory = std::env::var_os("SDC_DATA").map_or(PathBuf::from(default), PathBuf::from);
    let path = directory.join("acs2024_500k.csv.xz");
    let unpacked = Command::new("xz").arg("-dc").arg(&path).output();
    let text = match unpacked {
        Ok(output) if output.status.success() => String::from_utf8(output.stdout).ok()?,
        _ => {
            println!("skipped: no {}, or no xz", path.display());
            return None;
        }
    };
    let mut lines = text.lines();
    let names = lines.next()?.split(',');
    let mut columns: Vec<(String, Vec<i64>)> = names.map(|n| (n.into(), Vec::new())).collect();
    for line in lines.take(rows) {
        for ((_, values), field) in columns.iter_mut().zip(line.split(',')) {
            values.push(field.parse().expect("the file holds whole numbers"));
        }
    }
    Some(Survey(columns.into_iter().map(ordinals).collect()))
}

fn ordinals((name, values): (String, Vec<i64>)) -> Ordinals {
    let mut distinct = values.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let place = |value: &i64| distinct.partition_point(|other| other < value) as u32;
    Ordinals {
        name,
        places: values.iter().map(place).collect(),
    }
}

impl Survey {
    /// The column of a name.
    pub fn column(&self, name: &str) -> &Ordinals {
        let found = self.0.iter().find(|column| column.name == name);
        found.expect("a column of the file")
    }

    /// The first `count` keys.
    pub fn keys(&self, count: usize) -> Vec<&Ordinals> {
        KEYS[..count].iter().map(|name| self.column(name)).collect()
    }

    /// The first `count` keys as the engine takes them.
    pub fn table(&self, count: usize) -> Table {
        let typed = |column: &Ordinals| {
            if NUMBERS.contains(&column.name.as_str()) {
                Column::Numeric(column.places.iter().copied().map(f64::from).collect())
            } else {
                Column::Categorical(Categories::new(column.places.clone()))
            }
        };
        let columns = self.keys(count).into_iter().map(typed).collect();
        Table::new(columns).expect("columns are equally long")
    }

    /// A sensitive column as the engine takes it.
    pub fn sensitive(&self, name: &str) -> Categories {
        Categories::new(self.column(name).places.clone())
    }
}
