//! A check where NULL matches every value: rows are counted that match each row. There are no
//! groups, so only sizes can be required.

use crate::check::Check;
use crate::check::verdict::Line;
use crate::pg::datum_image::Image;
use crate::pg::errors::known;
use crate::pg::progress::Watch;
use crate::read::given_requirements;
use crate::read::key_counts::{Population, population_lacks};
use crate::read::key_tuples::MatchedKeys;
use crate::read::null_reading::NullReading;
use sdc_engine::model::Property;
use sdc_engine::risk::KeyTuples;
use sdc_engine::suppress::MOST_KEYS;

/// One combination of keys that misses a requirement.
pub struct Unmatched {
    pub key_values: Image,
    pub rows: i64,
    pub property: Property,
    pub required: f64,
    pub actual: f64,
}

/// One property of all combinations of keys.
struct MatchFigure<'a> {
    property: Property,
    required: Option<f64>,
    /// the figure of a combination with so many matches here and in the population
    of: &'a dyn Fn(f64, f64) -> f64,
}

impl Check {
    /// Refuses what has no meaning where rows have no groups.
    pub(super) fn refuse_wildcard_models(&self) {
        if self.nulls != NullReading::Wildcard {
            return;
        }
        self.nulls.refuse_with_entity(self.entity.as_deref());
        let required = &self.required;
        let on_groups = [
            ("p", required.p.is_some()),
            ("l", required.l.is_some()),
            ("t", required.t.is_some()),
            ("alpha", required.alpha.is_some()),
        ];
        let hint = "Require k, k_map or delta, or read nulls => 'value'.";
        given_requirements::refuse_with_wildcards(&on_groups, hint);
    }
}

/// Rows times patterns of NULLs times sets of keys that are counted: about a minute.
const MOST_COUNTED: usize = 1_000_000_000;

/// The verdict on k by the set of so many keys by which some row has the fewest matches; `None`
/// where that would take too long. Rows are read once, whatever the number of sets.
pub fn worst_of_known_keys(check: &Check, known_keys: usize, watch: &mut Watch) -> Option<Line> {
    let keys = check.keys.len();
    if keys > MOST_KEYS {
        return None;
    }
    let (tuples, _) = MatchedKeys::unmatched(&check.key_counts(), None, watch);
    let sets = (0..1u64 << keys).filter(|set| set.count_ones() as usize == known_keys);
    let patterns = known(tuples.patterns()).min(1 << known_keys);
    let work = tuples.len().saturating_mul(patterns);
    if work.saturating_mul(sets.clone().count()) > MOST_COUNTED {
        return None;
    }
    let required = check.required.k.map(f64::from);
    let lines = sets.map(|set| line_of_matches(&known(tuples.known_by(set)), required, watch));
    let fewest = |line: &Line| line.actual.unwrap_or(f64::INFINITY);
    lines.min_by(|a, b| fewest(a).total_cmp(&fewest(b)))
}

/// The verdict on k, counted by matches.
fn line_of_matches(tuples: &KeyTuples, required: Option<f64>, watch: &mut Watch) -> Line {
    let matches = known(tuples.matches(watch));
    let mut line = Line::uncounted(Property::KAnonymity, None, required);
    for (&rows, &matching) in tuples.sample().iter().zip(&matches.sample) {
        line.count(matching, rows as i64);
    }
    line
}

/// The verdicts on k-anonymity and, in a population, on k-map and delta-presence.
pub fn lines(check: &Check) -> Vec<Line> {
    let keys = matched(check, None);
    let line = |figure: &MatchFigure<'_>| {
        let mut line = Line::uncounted(figure.property, None, figure.required);
        each(&keys, figure, &mut |_, rows, actual| {
            line.count(actual, rows);
        });
        line
    };
    with_figures(check, |figures| figures.iter().map(line).collect())
}

/// The combinations of keys that miss a requirement. `key_values` is SQL over a group's keys.
pub fn unmatched(check: &Check, key_values: &str, take: &mut dyn FnMut(Unmatched)) {
    let mut keys = matched(check, Some(key_values));
    let mut labels: Vec<Option<Image>> = std::mem::take(&mut keys.labels);
    with_figures(check, |figures| {
        for figure in figures {
            let Some(required) = figure.required else {
                continue;
            };
            each(&keys, figure, &mut |tuple, rows, actual| {
                if figure.property.bound().misses(actual, required)
                    && let Some(key_values) = labels[tuple].clone()
                {
                    take(Unmatched {
                        key_values,
                        rows,
                        property: figure.property,
                        required,
                        actual,
                    });
                }
            });
        }
    });
    labels.clear();
}

fn matched(check: &Check, key_values: Option<&str>) -> MatchedKeys {
    let counts = check.key_counts();
    let keys = MatchedKeys::read(&counts, key_values, &mut check.watch(1));
    let here = keys.tuples.sample().iter().zip(&keys.matches.sample);
    let lacking = here
        .zip(&keys.matches.population)
        .filter(|((rows, sample), population)| **rows > 0.0 && population < sample);
    if let (Population::Relation(population), lacking @ 1..) = (&counts.population, lacking.count())
    {
        population_lacks(population, lacking as u64);
    }
    keys
}

/// Hands combinations of keys to `take`: their place, rows of the table and figure. Presence is
/// about everybody in the population: somebody without an equal row in the table may match one.
fn each(keys: &MatchedKeys, figure: &MatchFigure<'_>, take: &mut dyn FnMut(usize, i64, f64)) {
    let matches = keys.matches.sample.iter().zip(&keys.matches.population);
    let rows = keys.tuples.sample().iter().zip(keys.tuples.population());
    let of_population = figure.property == Property::DeltaPresence;
    for ((tuple, (&rows, &there)), (&sample, &population)) in rows.enumerate().zip(matches) {
        if rows > 0.0 || (of_population && there > 0.0) {
            take(tuple, rows as i64, (figure.of)(sample, population));
        }
    }
}

fn with_figures<T>(check: &Check, act: impl FnOnce(&[MatchFigure<'_>]) -> T) -> T {
    let mut figures = vec![MatchFigure {
        property: Property::KAnonymity,
        required: check.required.k.map(f64::from),
        of: &|sample, _| sample,
    }];
    if let Some(there) = &check.in_population {
        figures.push(MatchFigure {
            property: Property::KMap,
            required: there.k_map,
            of: &|_, population| population,
        });
        figures.push(MatchFigure {
            property: Property::DeltaPresence,
            required: there.delta,
            of: &|sample, population| sample / population,
        });
    }
    act(&figures)
}
