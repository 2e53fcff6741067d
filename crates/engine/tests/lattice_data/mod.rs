//! Adult, its hierarchies and the American Community Survey as the lattice takes them, if the
//! data is there. Each test and benchmark uses some of it.
#![allow(dead_code)]

use sdc_engine::Partition;
use sdc_engine::lattice::{Combinations, Counter, Hierarchy};
use std::{collections::HashMap, env, fs, path::PathBuf, process::Command};

/// Rows of text with named columns.
pub struct Data {
    pub names: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Data {
    /// The place of a column; hierarchies write `-` where the table has `_`.
    pub fn column(&self, name: &str) -> usize {
        let name = name.replace('-', "_");
        self.names.iter().position(|other| *other == name).unwrap()
    }
}

/// The rows of each group.
pub fn sizes(partition: &Partition) -> Vec<u64> {
    let sizes = partition.sizes();
    sizes.iter().map(|&size| u64::from(size)).collect()
}

/// The eight keys of the ARX benchmark, by the names of their hierarchies.
pub const ADULT_KEYS: [&str; 8] = [
    "age",
    "education",
    "marital-status",
    "native-country",
    "occupation",
    "race",
    "sex",
    "workclass",
];

/// A hierarchy with the base value of each of its codes.
pub type Named = (String, Hierarchy, HashMap<String, u32>);

fn file(name: &str) -> Option<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = env::var("SDC_DATA").unwrap_or(root.into());
    let path = PathBuf::from(folder).join(name);
    path.exists().then_some(path)
}

fn parse(text: &str) -> Data {
    let mut lines = text.lines();
    let split = |line: &str| line.split(',').map(str::to_owned).collect();
    let names = lines.next().map(split).unwrap();
    Data {
        names,
        rows: lines.map(split).collect(),
    }
}

fn compressed(name: &str) -> Option<Data> {
    let path = file(name)?;
    let output = Command::new("xz").arg("-dc").arg(path).output().ok()?;
    output
        .status
        .success()
        .then(|| parse(&String::from_utf8(output.stdout).unwrap()))
}

/// The column that [`adult`] adds: the number of a row's line in the file, the first row being 1.
pub const LINE: &str = "line";

/// The complete rows of Adult, with the numbers of their lines; prints a message and gives `None` where the data is absent.
pub fn adult() -> Option<Data> {
    let data = compressed("adult.csv.xz");
    if data.is_none() {
        println!("skipped: no adult.csv.xz (set SDC_DATA)");
    }
    data.map(|mut data| {
        data.names.push(LINE.into());
        for (row, line) in data.rows.iter_mut().zip(1..) {
            row.push(line.to_string());
        }
        data.rows.retain(|row| row.iter().all(|cell| cell != "?"));
        data
    })
}

/// The same where ARX's hierarchies are there, too: a registry has Adult, but not these.
pub fn adult_with_hierarchies() -> Option<Data> {
    if file("adult_hierarchy_age.csv").is_none() {
        println!("skipped: no adult_hierarchy_*.csv (set SDC_DATA)");
        return None;
    }
    adult()
}

/// The American Community Survey; prints a message and gives `None` where it is absent.
pub fn acs() -> Option<Data> {
    let data = compressed("acs2024_500k.csv.xz");
    if data.is_none() {
        println!("skipped: no acs2024_500k.csv.xz (set SDC_DATA)");
    }
    data
}

/// A hierarchy from rows of labels, level 0 first.
pub fn hierarchy(key: &str, rows: &[Vec<String>]) -> Named {
    let codes: HashMap<_, _> = rows.iter().map(|row| row[0].clone()).zip(0..).collect();
    let labels: Vec<Vec<u32>> = (1..rows[0].len())
        .map(|level| {
            let mut numbers = HashMap::new();
            let number = |row: &Vec<String>| {
                let next = numbers.len() as u32;
                *numbers.entry(row[level].clone()).or_insert(next)
            };
            rows.iter().map(number).collect()
        })
        .collect();
    let hierarchy = Hierarchy::new(rows.len() as u32, &labels).unwrap();
    (key.into(), hierarchy, codes)
}

/// ARX's hierarchies of some keys of Adult.
pub fn adult_hierarchies(keys: &[&str]) -> Vec<Named> {
    let load = |key: &&str| hierarchy(key, &hierarchy_rows(key));
    keys.iter().map(load).collect()
}

/// The rows of ARX's hierarchy of a key of Adult.
pub fn hierarchy_rows(key: &str) -> Vec<Vec<String>> {
    let path = file(&format!("adult_hierarchy_{key}.csv")).unwrap();
    parse(&fs::read_to_string(path).unwrap()).rows
}

/// Combinations rows by keys with hierarchies and sensitive columns; also gives the number of
/// each row's combination.
pub fn count<'a>(
    data: &Data,
    rows: impl Iterator<Item = &'a Vec<String>>,
    keys: &[Named],
    sensitive: &[&str],
) -> (Combinations, Vec<u32>) {
    let key_columns: Vec<_> = keys.iter().map(|key| data.column(&key.0)).collect();
    let columns: Vec<_> = sensitive.iter().map(|name| data.column(name)).collect();
    let hierarchies = keys.iter().map(|key| key.1.clone()).collect();
    let mut counter = Counter::new(hierarchies, columns.len()).unwrap();
    let mut numbers = Vec::new();
    for row in rows {
        let codes = key_columns.iter().zip(keys);
        let codes: Vec<u32> = codes.map(|(&at, key)| key.2[&row[at]]).collect();
        let values: Vec<_> = columns.iter().map(|&at| row[at].as_bytes()).collect();
        numbers.push(counter.add(&codes, &values).unwrap());
    }
    (counter.combinations().unwrap(), numbers)
}
