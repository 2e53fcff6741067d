//! The section on attackers: what each of them could do, and which columns help them. For stewards
//! only: how many rows are unique is what an attacker wants to know.

use crate::read::key_counts::{KeyCounts, Population};
use crate::read::null_reading::NullReading;
use crate::release::{Assessment, ColumnRisk, column_risks};
use crate::report::subject::Subject;
use maud::{Markup, html};
use sdc_engine::risk::{Attacker, RiskFigure, RiskMeasure};
use sdc_page::format::{figure, percent, whole};
use sdc_page::table;
use sdc_page::{Bar, Chart, Stroke, Tone};

/// Rows with a larger risk are at risk, as in `sdc.risk`.
const THRESHOLD: f64 = 0.2;
/// PostgreSQL counts the groups of no more columns in one query.
const MOST_COLUMNS: usize = 31;
/// The attackers who look for persons.
const SHOWN: [Attacker; 3] = [
    Attacker::Prosecutor,
    Attacker::Journalist,
    Attacker::Marketer,
];

/// What attackers could do.
pub struct Attackers {
    figures: Vec<RiskFigure>,
    columns: Vec<ColumnRisk>,
    /// what tells how many persons share a row's keys
    source: PopulationSource,
    /// whether persons with several rows count as often as they have rows
    hides_persons: bool,
    /// whether the keys are not those of the persons
    perturbed: bool,
    /// what the figures count
    unit: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PopulationSource {
    TableItself,
    Relation,
    Weights,
}

impl Attackers {
    /// Nothing for the public, or where keys and sensitive values are published apart.
    pub fn of(subject: &Subject) -> Option<Self> {
        if subject.is_apart() || subject.audience.is_public() {
            return None;
        }
        let counts = counts(subject);
        let source = match counts.population {
            Population::Table => PopulationSource::TableItself,
            Population::Relation(_) => PopulationSource::Relation,
            Population::Weight(_) => PopulationSource::Weights,
        };
        let keys = &subject.check.keys;
        let columns = match keys.len() <= MOST_COLUMNS {
            true => column_risks(&subject.check.source, keys, 1),
            false => Vec::new(),
        };
        Some(Attackers {
            figures: Assessment::new(counts, NullReading::Value, THRESHOLD).figures(),
            columns,
            source,
            hides_persons: subject.persons().is_some(),
            perturbed: subject.is_perturbed(),
            unit: match subject.check.entity {
                Some(_) => "person",
                None => "row",
            },
        })
    }

    fn value(&self, attacker: Attacker, measure: RiskMeasure) -> Option<f64> {
        let wanted =
            |figure: &&RiskFigure| (figure.attacker, figure.measure) == (attacker, measure);
        self.figures
            .iter()
            .find(wanted)
            .and_then(|figure| figure.value)
    }

    fn share(&self, attacker: Attacker, measure: RiskMeasure) -> String {
        let value = self.value(attacker, measure);
        value.map_or(String::new(), |value| percent(100.0 * value))
    }
}

fn counts(subject: &Subject) -> KeyCounts {
    let check = &subject.check;
    let Some(weight) = &subject.weight else {
        return check.key_counts();
    };
    KeyCounts::new(
        check.source.again(),
        check.keys.clone(),
        Population::Weight(weight.clone()),
        check.entity.clone(),
    )
}

pub fn section(attackers: &Option<Attackers>) -> Markup {
    let Some(attackers) = attackers else {
        return html! {};
    };
    if attackers
        .value(Attacker::Prosecutor, RiskMeasure::Average)
        .is_none()
    {
        return html! {};
    }
    html! {
        section {
            h2 { "Risk by attacker" }
            @if attackers.hides_persons {
                p { "The release does not show persons, so these figures count rows. A person with several rows is at a greater risk: see above." }
            }
            (table::table(
                &["Attacker", "On average", "At worst", "At risk (above 20 %)"],
                &SHOWN.map(|attacker| line(attackers, attacker)),
            ))
            @if attackers.perturbed {
                p { "The figures would hold if attackers knew the keys that the release shows. They know the true ones." }
            } @else {
                dl {
                    @for attacker in SHOWN {
                        dt { (attacker.name()) } dd { (plain_words(attackers, attacker)) }
                    }
                }
            }
            (in_population(attackers))
            @if attackers.columns.len() > 1 {
                h3 { "Risky columns" }
                p { "The average risk of a row if one column were left out. The lower the bar, the more this column gives away." }
                (chart(attackers).figure())
            }
        }
    }
}

fn line(attackers: &Attackers, attacker: Attacker) -> Vec<String> {
    let share = |measure| attackers.share(attacker, measure);
    vec![
        attacker.name().to_string(),
        share(RiskMeasure::Average),
        share(RiskMeasure::Maximum),
        share(RiskMeasure::AtRisk),
    ]
}

fn plain_words(attackers: &Attackers, attacker: Attacker) -> String {
    let found = attackers.share(attacker, RiskMeasure::Average);
    let unit = attackers.unit;
    match attacker {
        Attacker::Prosecutor => format!(
            "Knows who is in the table, and finds the right {unit} in {found} of all attempts."
        ),
        Attacker::Journalist => format!(
            "Knows only that a person could be in the table, and is right in {found} of all attempts."
        ),
        _ => format!(
            "Matches a register of everybody with the table, and gets {found} of its {unit}s right."
        ),
    }
}

/// The sample against the population.
fn in_population(attackers: &Attackers) -> Markup {
    let number = |attacker, measure| {
        attackers
            .value(attacker, measure)
            .map_or(String::new(), figure)
    };
    let expected = number(Attacker::Marketer, RiskMeasure::ExpectedReidentifications);
    let k_map = number(Attacker::Journalist, RiskMeasure::KMap);
    let share = |measure| attackers.share(Attacker::Membership, measure);
    let unit = attackers.unit;
    html! {
        p {
            @match attackers.source {
                PopulationSource::TableItself => {
                    "No population is known, so the table is taken for the whole population. Journalist and marketer "
                    "then find as much as the prosecutor."
                },
                PopulationSource::Weights => {
                    "By the sampling weights, every group of the table has at least " (k_map) " persons in the "
                    "population. " (expected) " " (unit) "s are expected to be re-identified."
                },
                PopulationSource::Relation => {
                    "Every group of the table has at least " (k_map) " persons in the population. Of each group of the "
                    "population, " (share(RiskMeasure::DeltaMin)) " to " (share(RiskMeasure::DeltaMax)) " are in the table. "
                    (expected) " " (unit) "s are expected to be re-identified."
                },
            }
        }
    }
}

fn chart(attackers: &Attackers) -> Chart {
    let known = |share: Option<f64>| share.map_or(String::new(), |share| percent(100.0 * share));
    let bar = |column: &ColumnRisk| Bar {
        label: column.columns.join(", "),
        short: None,
        strokes: vec![Stroke {
            value: column.risk_without.unwrap_or(0.0),
            text: known(column.risk_without),
            tone: Tone::Plain,
        }],
    };
    let cells = |column: &ColumnRisk| {
        vec![
            column.columns.join(", "),
            known(column.risk_without),
            known(column.risk),
            known(column.separation),
            whole(column.uniques),
        ]
    };
    Chart {
        id: "columns".into(),
        title: "Average risk without each column".into(),
        bars: attackers.columns.iter().map(bar).collect(),
        headings: vec![
            "Column",
            "Risk without it",
            "Risk by it alone",
            "Pairs of rows it tells apart",
            "Rows unique in it",
        ],
        cells: attackers.columns.iter().map(cells).collect(),
    }
}
