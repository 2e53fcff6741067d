//! `sdc.attack_inference`: what a model learnt from the release says about each person.

use crate::attack::attack_figures::{Finding, margin, share};
use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::fitted_rows::FittedRows;
use crate::attack::torn_tables::TornTables;
use crate::attack::truth::{self, Known, ReleasedGroups};
use crate::pg::errors::{Failure, feasible, known};
use crate::pg::memory::{self, collected};
use crate::pg::progress::Watch;
use crate::release::ReleaseMethod;
use sdc_engine::attack::{Guess, LearntKeys, Regrouping, Score, control, guesses, score};
use sdc_engine::random::Generator;
use sdc_engine::{Categories, Partition};

const ATTACKER: &str = "knows the keys of everybody, and learns from the release";
const OUTSIDER: &str = "knows a person's keys, and learns from the release";

/// How the attack is made.
pub struct InferenceOptions {
    pub seed: Option<i64>,
    /// how sure the attacker must be to commit himself in the second row
    pub confidence: f64,
}

pub fn findings(release: &AttackedRelease, options: &InferenceOptions) -> Vec<Finding> {
    if !release.shows_values() {
        Failure::invalid(format!(
            "release {} shows no sensitive values to infer",
            release.id
        ))
        .hint("Attack its keys with sdc.attack_linkage.")
        .raise();
    }
    let mut watch = Watch::new(Some(release.source.oid));
    let mut persons = Persons::read(release, &mut watch);
    let mut rng = truth::generator(options.seed);
    match release.method {
        ReleaseMethod::Permutation => {
            return of_permutation(release, &mut persons, options, &mut watch);
        }
        ReleaseMethod::Suppression => {
            return of_blanks(release, &mut persons, options, &mut watch);
        }
        _ => {}
    }
    let groups = truth::groups(release, &mut persons, options.seed, &mut watch);
    let columns = 0..groups.values.len();
    let found = columns.flat_map(|column| {
        let attacked = Attacked {
            release,
            persons: &persons,
            groups: &groups,
            column,
        };
        let found = attacked.findings(options, &mut rng, &mut watch);
        of_column(release, column, found)
    });
    found.collect()
}

/// Says which column is meant, where there are several.
fn of_column(release: &AttackedRelease, column: usize, mut found: Vec<Finding>) -> Vec<Finding> {
    if let [_, _, ..] = release.sensitive[..] {
        for finding in &mut found {
            finding.note = format!("Column \"{}\": {}", release.sensitive[column], finding.note);
        }
    }
    found
}

/// One sensitive column of a release.
struct Attacked<'a> {
    release: &'a AttackedRelease,
    persons: &'a Persons,
    groups: &'a ReleasedGroups,
    column: usize,
}

impl Attacked<'_> {
    fn findings(
        &self,
        options: &InferenceOptions,
        rng: &mut Generator,
        watch: &mut Watch,
    ) -> Vec<Finding> {
        let attackable = self.groups.attackable(self.column);
        let pick = |codes: &Categories| {
            let code = |&person: &u32| codes.codes()[person as usize];
            Categories::new(collected(attackable.persons.iter().map(code)))
        };
        let keys: Vec<Categories> = self.persons.binned().iter().map(pick).collect();
        let truth = pick(&self.persons.truth(self.column));
        let cells: usize = keys.iter().map(Categories::cardinality).sum();
        memory::room(8 * cells * truth.cardinality() + 64 * truth.codes().len());
        let found = known(guesses(
            &keys,
            &attackable.partition,
            &attackable.values,
            watch,
        ));
        let regrouping = self.regrouping(&attackable.partition);
        // values that are shuffled may not allow the same groups
        let baseline = feasible(control(&keys, &truth, regrouping, rng, watch));
        let baseline = baseline.and_then(|score| score.precision());
        let promised = self.release.promised_share();
        let unplaced = self.persons.rows - attackable.persons.len();
        let (found, truth) = self.one_each(&attackable.persons, found, truth, rng);
        let all = score(&found, &truth, 0.0);
        let sure = score(&found, &truth, options.confidence);
        let caveat = caveat(self.groups.known, unplaced);
        vec![
            finding("inference", ATTACKER, &all, (promised, baseline), caveat),
            finding(
                "inference, sure",
                ATTACKER,
                &sure,
                (promised, baseline),
                String::new(),
            ),
        ]
    }

    /// Guesses about one row of each person, and its value.
    fn one_each(
        &self,
        rows: &[u32],
        found: Vec<Guess>,
        truth: Categories,
        rng: &mut Generator,
    ) -> (Vec<Guess>, Categories) {
        let Some(drawn) = self.persons.drawn_rows(rng) else {
            return (found, truth);
        };
        let mut is_drawn = collected((0..self.persons.rows).map(|_| false));
        drawn.iter().for_each(|&row| is_drawn[row as usize] = true);
        let places = rows.iter().enumerate();
        let places = places.filter(|(_, row)| is_drawn[**row as usize]);
        let places: Vec<usize> = places.map(|(place, _)| place).collect();
        let code = |&place: &usize| truth.codes()[place];
        let own = Categories::new(collected(places.iter().map(code)));
        (collected(places.iter().map(|&place| found[place])), own)
    }

    fn regrouping<'a>(&self, partition: &'a Partition) -> Regrouping<'a> {
        match (self.release.method, self.release.parameter("l")) {
            (ReleaseMethod::Anatomy, Some(l)) => Regrouping::Anatomy(l as usize),
            _ => Regrouping::Kept(partition),
        }
    }
}

/// Of a permutation the group is not known: all groups in which the keys occur are weighed, and
/// within each of them the values by what the model learnt from all.
fn of_permutation(
    release: &AttackedRelease,
    persons: &mut Persons,
    options: &InferenceOptions,
    watch: &mut Watch,
) -> Vec<Finding> {
    let tables = TornTables::read(release, persons, watch);
    let released = persons.keys.iter().zip(&tables.key_codes);
    let released: Vec<Categories> = released.map(|(key, codes)| key.binned(codes)).collect();
    let learnt = LearntKeys {
        released: &released,
        partition: &tables.partition,
        persons: &persons.binned(),
    };
    let torn = tables.groups(persons);
    let found = known(torn.guesses(&persons.keys_of_rows(), &learnt, watch));
    let bound = release.promised_share();
    outsider(persons, found, (0, bound), options)
}

/// Of blanked cells, too: a person may have the value of any row that the person fits into.
fn of_blanks(
    release: &AttackedRelease,
    persons: &mut Persons,
    options: &InferenceOptions,
    watch: &mut Watch,
) -> Vec<Finding> {
    let fitted = FittedRows::read(release, persons, watch);
    let columns = fitted.values.iter().enumerate();
    let findings = columns.flat_map(|(column, values)| {
        let found = fitted.search(|mut points| points.guesses(&persons.key_codes, values, watch));
        let promised = release.promised_share();
        let found = outsider(persons, found, (column, promised), options);
        of_column(release, column, found)
    });
    findings.collect()
}

/// How often somebody is right who does not know the group.
fn outsider(
    persons: &Persons,
    mut found: Vec<Guess>,
    (column, promised): (usize, Option<f64>),
    options: &InferenceOptions,
) -> Vec<Finding> {
    let mut truth = persons.truth(column);
    if let Some(drawn) = persons.drawn_rows(&mut truth::generator(options.seed)) {
        found = collected(drawn.iter().map(|&row| found[row as usize]));
        truth = known(truth.pick(&drawn));
    }
    let bounds = (promised, most_frequent(&truth));
    let one = |attack, belief| {
        let score = score(&found, &truth, belief);
        finding(attack, OUTSIDER, &score, bounds, String::new())
    };
    vec![
        one("inference", 0.0),
        one("inference, sure", options.confidence),
    ]
}

/// The share of the most frequent value: the best guess without any release.
fn most_frequent(values: &Categories) -> Option<f64> {
    let mut counts = vec![0u64; values.cardinality()];
    values
        .codes()
        .iter()
        .for_each(|&code| counts[code as usize] += 1);
    share(
        counts.into_iter().max().unwrap_or(0),
        values.codes().len() as u64,
    )
}

fn finding(
    attack: &'static str,
    attacker: &'static str,
    score: &Score,
    (promised, baseline): (Option<f64>, Option<f64>),
    caveat: String,
) -> Finding {
    let mut finding = Finding {
        attack,
        attacker,
        persons: score.persons,
        promised,
        baseline,
        measured: score.precision(),
        recall: Some(score.recall()),
        margin: promised.map_or(0.0, |promised| margin(promised, score.claimed)),
        note: String::new(),
    };
    let advice = match (finding.exceeds(), score.claimed) {
        (_, 0) => "The attacker is sure of nobody.",
        // who is an outsider to the groups already meets a permutation, or blanks
        (Some(true), _) if attacker == OUTSIDER => {
            "The release shows which values go with which keys. Use a larger l, or leave out the keys that tell most."
        }
        (Some(true), _) => {
            "The release shows which values go with which keys. Use a larger l, leave out the keys that tell most, or publish by permutation."
        }
        (Some(false), _) => "Guesses are right no more often than promised.",
        (None, _) => "Publish with l to get a promise about guesses.",
    };
    finding.note = format!("{advice}{caveat}");
    finding
}

fn caveat(known: Known, unplaced: usize) -> String {
    let mut caveat = match known {
        Known::Exactly => String::new(),
        Known::Nearest => {
            " The groups could not be recomputed, so everybody is assumed to be in the nearest one."
                .into()
        }
        Known::Fitting => {
            " Persons who fit into several groups are taken to be in one of them at random.".into()
        }
        Known::Likeliest => " Everybody is assumed to be in the likeliest group.".into(),
    };
    if unplaced > 0 {
        caveat += &format!(" {unplaced} rows of the source were found in no group of the release.");
    }
    caveat
}
