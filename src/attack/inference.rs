//! `sdc.attack_inference`: what a model learnt from the release says about each person.

use crate::attack::attack_figures::{Finding, margin, share};
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::regrouped::torn_groups;
use crate::attack::truth::{self, Known, Persons, ReleasedGroups};
use crate::pg::errors::{Failure, known};
use crate::pg::memory::{self, collected};
use crate::pg::progress::Watch;
use crate::release::ReleaseMethod;
use sdc_engine::attack::{Regrouping, Score, control, guesses, score};
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
    if release.method == ReleaseMethod::Permutation {
        return of_permutation(release, &mut persons, options, &mut watch);
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
        attacked.findings(options, &mut rng, &mut watch)
    });
    found.collect()
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
        let baseline = match control(&keys, &truth, regrouping, rng, watch) {
            Err(error @ sdc_engine::Error::Interrupted) => known(Err(error)),
            baseline => baseline.ok().and_then(|score| score.precision()),
        };
        let promised = self.release.promised_share();
        let unplaced = self.persons.rows - attackable.persons.len();
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

    fn regrouping<'a>(&self, partition: &'a Partition) -> Regrouping<'a> {
        match (self.release.method, self.release.parameter("l")) {
            (ReleaseMethod::Anatomy, Some(l)) => Regrouping::Anatomy(l as usize),
            _ => Regrouping::Kept(partition),
        }
    }
}

/// Of a permutation the group is not known: all groups in which the keys occur are weighed.
fn of_permutation(
    release: &AttackedRelease,
    persons: &mut Persons,
    options: &InferenceOptions,
    watch: &mut Watch,
) -> Vec<Finding> {
    let linked = truth::linked_tables(release, persons, watch);
    let partition = known(Partition::new(linked.group_of, linked.groups));
    let torn = torn_groups(persons, &linked.key_codes, &partition, &linked.values);
    let person = |row: usize| persons.key_codes.iter().map(|codes| codes[row]).collect();
    let keys: Vec<Vec<u32>> = collected((0..persons.rows).map(person));
    let found = known(torn.guesses(&keys, watch));
    let truth = persons.truth(0);
    let (promised, baseline) = (release.promised_share(), most_frequent(&truth));
    let [all, sure] = [0.0, options.confidence].map(|belief| score(&found, &truth, belief));
    vec![
        finding(
            "inference",
            OUTSIDER,
            &all,
            (promised, baseline),
            String::new(),
        ),
        finding(
            "inference, sure",
            OUTSIDER,
            &sure,
            (promised, baseline),
            String::new(),
        ),
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
        (Some(true), _) => {
            "The release teaches how keys and values go together. Use a larger l, leave out the keys that tell most, or publish by permutation."
        }
        (Some(false), _) => "Guesses are right no more often than promised.",
        (None, _) => "The release promises nothing about guesses. Publish with l to get a promise.",
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
        Known::Likeliest => " Everybody is assumed to be in the likeliest group.".into(),
    };
    if unplaced > 0 {
        caveat += &format!(" {unplaced} rows of the source are not in the release.");
    }
    caveat
}
