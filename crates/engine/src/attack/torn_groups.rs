//! Groups whose columns are permuted (permutation anonymization): which group is a person's is
//! not known, only how often the person's key values occur in each.

use super::inference::LearntModel;
use super::{Guess, NOWHERE};
use crate::run::Meter;
use crate::run::allocation::{collected, filled, reserved};
use crate::{Categories, ColumnTally, Error, Monitor, Partition, Phase, Result};

/// The tables of a permutation: for each key the groups in which each of its values occurs.
pub struct TornGroups<'a> {
    /// for each key: (group, rows) pairs of each code
    groups_of: Vec<ColumnTally>,
    sizes: Vec<f64>,
    values: &'a ColumnTally,
    /// how many different values there are
    width: usize,
}

/// The keys that a model is learnt from: those of the release, and those of the persons.
#[derive(Debug, Clone, Copy)]
pub struct LearntKeys<'a> {
    pub released: &'a [Categories],
    pub partition: &'a Partition,
    pub persons: &'a [Categories],
}

impl<'a> TornGroups<'a> {
    /// Keys as released, each with as many codes as the persons that will be asked about have.
    pub fn new(
        keys: &[(&[u32], usize)],
        partition: &Partition,
        values: &'a ColumnTally,
    ) -> Result<Self> {
        let mut groups_of = reserved(keys.len())?;
        for (codes, cardinality) in keys {
            partition.require_rows(codes.len())?;
            let mut triples = reserved(codes.len())?;
            let groups = partition.group_of();
            triples.extend(
                codes
                    .iter()
                    .zip(groups)
                    .map(|(&code, &group)| (code, group, 1)),
            );
            groups_of.push(ColumnTally::new(*cardinality, &triples)?);
        }
        if values.groups() != partition.groups() || keys.is_empty() {
            return Err(Error::Broken("keys and values of other groups".into()));
        }
        let mut sizes = reserved(partition.groups())?;
        sizes.extend(partition.sizes().iter().map(|&size| f64::from(size)));
        let width = values
            .iter()
            .flatten()
            .map(|cell| cell.0 as usize + 1)
            .max();
        Ok(TornGroups {
            groups_of,
            sizes,
            values,
            width: width.unwrap_or(0),
        })
    }

    /// The guess about each person with these keys: groups weighted by the product of the
    /// shares of the person's key values, and the values of each group by the model learnt from
    /// all of them. A person whose keys occur together in no group is guessed by the model alone.
    pub fn guesses(
        &self,
        persons: &[Vec<u32>],
        learnt: &LearntKeys<'_>,
        monitor: &mut dyn Monitor,
    ) -> Result<Vec<Guess>> {
        let mut meter = Meter::start(monitor, Phase::Checking, persons.len());
        let keys = learnt.released.iter().zip(learnt.persons);
        let keys = keys.map(|(released, persons)| {
            let cardinality = released.cardinality().max(persons.cardinality());
            (released.codes(), cardinality)
        });
        let keys = collected(keys)?;
        let model = LearntModel::learn(&keys, learnt.partition, self.values, &mut meter)?;
        let mut likely = filled(self.width, 0.0)?;
        let mut beliefs = filled(self.width, 0.0)?;
        let mut guesses = reserved(persons.len())?;
        for (row, person) in persons.iter().enumerate() {
            let codes = learnt.persons.iter().map(|key| key.codes()[row]);
            model.likelihoods(codes, &mut likely);
            beliefs.fill(0.0);
            self.weigh(person, &mut meter, |group, weight| {
                let cells = self.values.of(group);
                let parts = cells
                    .iter()
                    .map(|&(value, count)| count as f64 * likely[value as usize]);
                let whole: f64 = parts.clone().sum();
                let unit = weight / whole.max(f64::MIN_POSITIVE);
                for (&(value, _), part) in cells.iter().zip(parts) {
                    beliefs[value as usize] += unit * part;
                }
            })?;
            if beliefs.iter().all(|&belief| belief == 0.0) {
                beliefs.copy_from_slice(&likely);
            }
            guesses.push(best(&beliefs));
            meter.grouped(1);
            meter.spend(self.width * (1 + keys.len()))?;
        }
        Ok(guesses)
    }

    /// How likely each person is to be in the release: the product of the shares of the
    /// person's key values in each group, summed over groups, at most 1 (LHCC15).
    pub fn presence(&self, persons: &[Vec<u32>], monitor: &mut dyn Monitor) -> Result<Vec<f64>> {
        let mut meter = Meter::start(monitor, Phase::Checking, persons.len());
        let mut beliefs = reserved(persons.len())?;
        for person in persons {
            let mut belief = 0.0;
            self.weigh(person, &mut meter, |_, weight| belief += weight)?;
            beliefs.push(f64::min(belief, 1.0));
            meter.grouped(1);
        }
        Ok(beliefs)
    }

    /// The group of each person in which the keys occur most among those that hold the person's
    /// value; ties go to the lower group. [`NOWHERE`] for a person whose keys and value occur
    /// together in none.
    pub fn likeliest(
        &self,
        persons: &[Vec<u32>],
        values: &[u32],
        monitor: &mut dyn Monitor,
    ) -> Result<Vec<u32>> {
        let mut meter = Meter::start(monitor, Phase::Checking, persons.len());
        let mut groups = reserved(persons.len())?;
        for (person, value) in persons.iter().zip(values) {
            let (mut best, mut most) = (NOWHERE, 0.0);
            self.weigh(person, &mut meter, |group, weight| {
                let cells = self.values.of(group);
                let holds = cells.binary_search_by_key(value, |cell| cell.0).is_ok();
                if holds && weight > most {
                    (best, most) = (group as u32, weight);
                }
            })?;
            groups.push(best);
            meter.grouped(1);
        }
        Ok(groups)
    }

    /// Hands each group in which all key values occur to `take`, with the product of their
    /// shares. The rarest value's groups are looked up in the lists of the others.
    pub(super) fn weigh(
        &self,
        person: &[u32],
        meter: &mut Meter,
        mut take: impl FnMut(usize, f64),
    ) -> Result<()> {
        let list = |key: usize| match self.groups_of[key].groups() > person[key] as usize {
            true => self.groups_of[key].of(person[key] as usize),
            false => &[],
        };
        let keys = 0..self.groups_of.len();
        let Some(rarest) = keys.clone().min_by_key(|&key| list(key).len()) else {
            return Ok(());
        };
        for &(group, rows) in list(rarest) {
            let size = self.sizes[group as usize];
            let mut weight = rows as f64 / size;
            for key in keys.clone().filter(|&key| key != rarest) {
                let list = list(key);
                match list.binary_search_by_key(&group, |cell| cell.0) {
                    Ok(place) => weight *= list[place].1 as f64 / size,
                    Err(_) => {
                        weight = 0.0;
                        break;
                    }
                }
            }
            if weight > 0.0 {
                take(group as usize, weight);
            }
        }
        meter.spend(8 * keys.len() * list(rarest).len() + self.width)
    }
}

fn best(beliefs: &[f64]) -> Guess {
    let sum: f64 = beliefs.iter().sum();
    let mut best = Guess {
        value: 0,
        belief: 0.0,
    };
    for (value, &belief) in (0..).zip(beliefs) {
        if belief > best.belief * sum {
            best = Guess {
                value,
                belief: belief / sum,
            };
        }
    }
    best
}
