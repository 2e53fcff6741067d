//! The section on attacks: what they found when the release was published. For its publisher only.

use crate::report::subject::Subject;
use maud::{Markup, html};
use sdc_page::format::{percent, whole};
use sdc_page::{Bar, Chart, Stroke, Tone};
use serde_json::Value;

/// One attack as the register has it.
struct RecordedAttack<'a> {
    name: &'a str,
    attacker: &'a str,
    persons: i64,
    promised: Option<f64>,
    baseline: Option<f64>,
    measured: Option<f64>,
    recall: Option<f64>,
    /// `None` where nothing was promised, or nothing measured
    exceeds: Option<bool>,
    note: &'a str,
}

impl<'a> RecordedAttack<'a> {
    fn of(figures: &'a Value) -> Self {
        let text = |name| figures[name].as_str().unwrap_or_default();
        RecordedAttack {
            name: text("attack"),
            attacker: text("attacker"),
            persons: figures["persons"].as_i64().unwrap_or(0),
            promised: figures["promised"].as_f64(),
            baseline: figures["baseline"].as_f64(),
            measured: figures["measured"].as_f64(),
            recall: figures["recall"].as_f64(),
            exceeds: figures["exceeds"].as_bool(),
            note: text("note"),
        }
    }

    fn sentence(&self) -> String {
        let measured = shown(self.measured);
        let found = match (self.measured, self.promised) {
            (None, _) if self.recall.is_some() => "It found nobody.".to_string(),
            (None, _) => "It gave no figure.".to_string(),
            (_, None) => format!("It reached {measured}. Nothing was promised about it."),
            (_, Some(promised)) => format!(
                "It reached {measured} where {} is promised{}.",
                percent(100.0 * promised),
                if self.is_too_much() {
                    ", which is too much"
                } else {
                    ""
                }
            ),
        };
        // a figure and its sign stay in one line
        let note = self.note.replace(" %", "\u{a0}%");
        format!("The attacker {}. {found} {note}", self.attacker)
    }

    /// The three figures as bars.
    fn bar(&self) -> Bar {
        let measured = match self.is_too_much() {
            true => Tone::Bad,
            false => Tone::Plain,
        };
        let figures = [
            ("promised", self.promised, Tone::Before),
            ("without it", self.baseline, Tone::Quiet),
            ("measured", self.measured, measured),
        ];
        let stroke = |(word, share, tone): (&str, Option<f64>, Tone)| Stroke {
            value: share.unwrap_or(0.0),
            text: match share {
                Some(_) => format!("{word} {}", shown(share)),
                None => format!("{word}: none"),
            },
            tone,
        };
        Bar {
            label: self.name.to_string(),
            short: self.name.rsplit(", ").next().map(str::to_string),
            strokes: figures.into_iter().map(stroke).collect(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.name.to_string(), whole(self.persons)];
        cells.extend([self.promised, self.baseline, self.measured, self.recall].map(shown));
        let too_much = self.exceeds.map_or("", |is| if is { "yes" } else { "no" });
        cells.push(too_much.to_string());
        cells
    }

    fn is_too_much(&self) -> bool {
        self.exceeds == Some(true)
    }
}

pub fn section(subject: &Subject) -> Markup {
    let Some(release) = subject
        .release
        .as_ref()
        .filter(|_| !subject.audience.is_public())
    else {
        return html! {};
    };
    let attacks: Option<Vec<RecordedAttack>> = release
        .attacks
        .as_array()
        .map(|attacks| attacks.iter().map(RecordedAttack::of).collect());
    html! {
        section {
            h2 { "Attacked" }
            @match &attacks {
                None if !release.is_perturbed() => p {
                    "No attack was recorded. Its publisher can make one: "
                    code { "SELECT * FROM sdc.attack(" (release.id) ")" } "."
                },
                Some(attacks) if !attacks.is_empty() => (found(attacks)),
                _ => p {
                    "None of the attacks that need the release only applies to this method. "
                    code { "sdc.attack_membership" } " compares a release with a population."
                },
            }
        }
    }
}

fn found(attacks: &[RecordedAttack]) -> Markup {
    let exceed = attacks.iter().filter(|attack| attack.is_too_much()).count();
    html! {
        p {
            "When the release was published, its publisher attacked it with what an attacker may know. "
            @match exceed {
                0 => "No attack found more than the release promises.",
                1 => "One attack found more than the release promises.",
                _ => { (exceed) " attacks found more than the release promises." },
            }
        }
        (chart(attacks).figure())
        dl {
            @for attack in attacks {
                dt { (attack.name) } dd { (attack.sentence()) }
            }
        }
    }
}

fn chart(attacks: &[RecordedAttack]) -> Chart {
    Chart {
        id: "attacks".into(),
        title: "Each attack: what is promised, what a guess without the release reaches, and what was measured".into(),
        bars: attacks.iter().map(RecordedAttack::bar).collect(),
        headings: vec![
            "Attack", "Persons", "Promised", "Without it", "Measured", "Persons claimed", "Too much",
        ],
        cells: attacks.iter().map(RecordedAttack::cells).collect(),
    }
}

fn shown(share: Option<f64>) -> String {
    share.map_or(String::new(), |share| percent(100.0 * share))
}
