//! What travels between the node that publishes and the workers that mask strata: what is wanted of a
//! stratum, and what is known of it then.

use crate::pg::errors::known;
use crate::pg::text_casts::TextOf;
use crate::read::columns::Decoder;
use crate::read::source_rows::KeptRows;
use sdc_engine::measure::{CategoryLoss, NumberLoss, ShownLoss};
use sdc_engine::{Column, Moments, Partition};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;

/// What is wanted of each stratum: the arguments of the call.
#[derive(Serialize, Deserialize)]
pub struct StratumOrder {
    /// of the record's columns: keys, sensitive, others that are shown, and the one of persons
    pub names: Vec<String>,
    pub keys: usize,
    pub sensitive: usize,
    /// strata among those that are shown, the last of them
    pub strata: usize,
    pub shown: usize,
    pub nulls: String,
    pub categorical: Vec<String>,
    pub weights: Vec<f64>,
    pub k: usize,
    pub p: usize,
    pub l: Option<f64>,
    pub method: Option<String>,
    pub standardize: bool,
    pub seed: Option<i64>,
    pub refine: bool,
    pub effort: Option<i32>,
    pub max_memory: String,
}

/// What is known of a stratum that was masked, or that cannot keep the promise.
#[derive(Serialize, Deserialize)]
pub struct StratumFigures {
    pub rows: u64,
    pub persons: u64,
    /// what the stratum lacks
    pub failed: Option<String>,
    pub groups: u64,
    pub method: String,
    /// what groups achieve counted by persons
    pub counted: Option<Value>,
    pub losses: Vec<KeyLoss>,
}

/// What a key loses in a stratum.
#[derive(Serialize, Deserialize)]
pub enum KeyLoss {
    Number {
        present: [f64; 3],
        hidden: [f64; 3],
        missing: u64,
        filled: u64,
        within: f64,
    },
    Category {
        differing: u64,
        /// how often each value occurs, by its text
        values: Vec<(Option<String>, u64)>,
    },
}

impl KeyLoss {
    /// Of a key of rows that show what their groups do.
    pub fn of(rows: &KeptRows, key: usize, partition: &Partition) -> Self {
        match &rows.keys[key] {
            Column::Numeric(values) => {
                let loss = known(NumberLoss::of(values, partition));
                KeyLoss::Number {
                    present: written(&loss.present),
                    hidden: written(&loss.hidden),
                    missing: loss.missing,
                    filled: loss.filled,
                    within: loss.within.min(f64::MAX),
                }
            }
            Column::Categorical(codes) => {
                let mut counts: HashMap<u32, u64> = HashMap::new();
                for &code in codes.codes() {
                    *counts.entry(code).or_default() += 1;
                }
                let mut texts = TextOf::output(rows.key_type(key));
                let mut values: Vec<(Option<String>, u64)> = Vec::new();
                for (code, count) in counts {
                    values.push((text_of(rows.decoder(key), code, &mut texts), count));
                }
                values.sort_unstable();
                KeyLoss::Category {
                    differing: known(CategoryLoss::of(codes, partition)).differing,
                    values,
                }
            }
        }
    }
}

fn text_of(decoder: &Decoder, code: u32, texts: &mut TextOf) -> Option<String> {
    let cell = decoder.category(code);
    let mut text = Vec::new();
    texts.append(cell, &mut text);
    (!cell.is_null()).then(|| String::from_utf8_lossy(&text).into_owned())
}

fn written(moments: &Moments) -> [f64; 3] {
    // JSON knows no infinity
    [
        moments.rows as f64,
        moments.mean,
        moments.squares.min(f64::MAX),
    ]
}

fn read([rows, mean, squares]: [f64; 3]) -> Moments {
    Moments {
        rows: rows as u64,
        mean,
        squares,
        ..Moments::default()
    }
}

/// What is known of all strata together.
#[derive(Default)]
pub struct AllStrata {
    pub strata: usize,
    pub rows: u64,
    pub persons: u64,
    pub groups: u64,
    /// strata that cannot keep the promise, their rows, and what one of them lacks
    pub failed: usize,
    pub failed_rows: u64,
    pub reason: Option<String>,
    /// of the largest stratum
    pub method: String,
    largest: u64,
    numbers: HashMap<usize, NumberLoss>,
    categories: HashMap<usize, (CategoryLoss, HashMap<Option<String>, u64>)>,
    counted: Option<Value>,
}

impl AllStrata {
    pub fn add(&mut self, stratum: StratumFigures) {
        self.strata += 1;
        self.rows += stratum.rows;
        self.persons += stratum.persons;
        if let Some(reason) = stratum.failed {
            self.failed += 1;
            self.failed_rows += stratum.rows;
            // whatever the order in which workers answer
            let first = self
                .reason
                .take()
                .map_or(reason.clone(), |other| other.min(reason));
            self.reason = Some(first);
            return;
        }
        self.groups += stratum.groups;
        if (stratum.rows, &stratum.method) > (self.largest, &self.method) {
            (self.largest, self.method) = (stratum.rows, stratum.method);
        }
        for (key, loss) in stratum.losses.into_iter().enumerate() {
            self.add_loss(key, loss);
        }
        if let Some(counted) = stratum.counted {
            self.counted = Some(match self.counted.take() {
                None => counted,
                Some(others) => least(&others, &counted),
            });
        }
    }

    fn add_loss(&mut self, key: usize, loss: KeyLoss) {
        match loss {
            KeyLoss::Number {
                present,
                hidden,
                missing,
                filled,
                within,
            } => self.numbers.entry(key).or_default().merge(&NumberLoss {
                present: read(present),
                hidden: read(hidden),
                missing,
                filled,
                within,
            }),
            KeyLoss::Category { differing, values } => {
                let (all, counts) = self.categories.entry(key).or_default();
                let rows = values.iter().map(|value| value.1).sum();
                all.merge(&CategoryLoss { rows, differing });
                for (value, count) in values {
                    *counts.entry(value).or_default() += count;
                }
            }
        }
    }

    /// What each of so many keys loses.
    pub fn losses(&self, keys: usize) -> Vec<ShownLoss> {
        let loss = |key: usize| match self.categories.get(&key) {
            Some((all, counts)) => all.loss(counts.values().max().copied().unwrap_or(0)),
            None => self.numbers.get(&key).copied().unwrap_or_default().loss(),
        };
        (0..keys).map(loss).collect()
    }

    /// What groups achieve counted by persons, `None` where nobody tells persons apart.
    pub fn counted(&self) -> Option<Value> {
        self.counted.clone()
    }
}

/// What groups of two strata achieve together.
fn least(one: &Value, other: &Value) -> Value {
    let lower = |name: &str| match (one[name].as_f64(), other[name].as_f64()) {
        (Some(a), Some(b)) if b < a => other[name].clone(),
        (None, _) => Value::Null,
        (Some(_), None) => Value::Null,
        _ => one[name].clone(),
    };
    let persons = [one, other].map(|stratum| stratum["persons"].as_u64().unwrap_or(0));
    json!({
        "k": lower("k"), "p": lower("p"), "l": lower("l"),
        "persons": persons[0] + persons[1],
    })
}
