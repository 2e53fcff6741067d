//! The section on re-identification: how likely the right row is found.

use crate::release::Line;
use crate::report::findings::Findings;
use crate::report::subject::Subject;
use maud::{Markup, html};
use sdc_engine::measure::average_risk;
use sdc_engine::model::Property;
use sdc_engine::spread::Spread;
use sdc_page::format::{figure, percent, share, whole};

/// Below this a group is usually called small where nothing was required.
const USUAL_K: i64 = 5;

pub fn section(subject: &Subject, findings: &Findings) -> Markup {
    if subject.is_apart() {
        return guesses(findings);
    }
    let shown = subject.shows_sizes(&findings.lines) && !findings.sizes.is_empty();
    let who = match subject.counts_persons() {
        true => "persons",
        false => "rows",
    };
    html! {
        section {
            h2 { "Re-identification risk" }
            @if subject.is_perturbed() {
                p {
                    "These figures are of the keys that the release shows. They were perturbed, so anyone who "
                    "knows a person's true keys may find another row, or none."
                }
            }
            p {
                "Anyone who knows a person's keys, and that the person is in the table, finds the "
                "person's group and picks one of its " (who) ". How likely is it the right one?"
            }
            @match (shown, subject.audience.is_public()) {
                (false, true) => p { "Not shown: some groups are smaller than required." },
                (false, false) => p { "There are no rows." },
                (true, _) if subject.persons().is_some() => (of_persons(subject, findings)),
                (true, true) => (bounds(subject, findings)),
                (true, false) => (figures(subject, findings)),
            }
        }
    }
}

fn tile(number: String, what: &str) -> Markup {
    html! { div.tile { strong { (number) } span { (what) } } }
}

fn smallest(findings: &Findings) -> i64 {
    findings.sizes.first().map_or(1, |size| size.figure).max(1)
}

/// The average over rows of 1/|group|: each group adds one, whatever its size.
fn average(findings: &Findings) -> f64 {
    let persons = |size: &Spread| size.figure * size.groups;
    let persons: i64 = findings.sizes.iter().map(persons).sum();
    100.0 * average_risk(findings.groups() as u64, persons as u64)
}

fn figures(subject: &Subject, findings: &Findings) -> Markup {
    let k = subject.k().unwrap_or(USUAL_K);
    // sizes are persons where persons are counted, and so are these; one in two groups counts twice
    let (what, counted): (_, fn(&Spread) -> i64) = match subject.check.entity {
        Some(_) => ("persons", |size| size.figure * size.groups),
        None => ("rows", |size| size.rows),
    };
    let all: i64 = findings.sizes.iter().map(counted).sum();
    let below = |limit: i64| {
        let below = findings.sizes.iter().filter(|size| size.figure < limit);
        below.map(counted).sum::<i64>()
    };
    html! {
        div.tiles {
            (tile(percent(average(findings)), "on average"))
            (tile(percent(100.0 / smallest(findings) as f64), "at worst, in the smallest group"))
            (tile(whole(below(2)), &format!("{what} alone with their keys ({})", share(below(2), all))))
            (tile(whole(below(k)), &format!("{what} in groups smaller than {k} ({})", share(below(k), all))))
        }
    }
}

/// The release does not show persons: they were counted when it was made.
fn of_persons(subject: &Subject, findings: &Findings) -> Markup {
    let Some(counted) = subject.persons() else {
        return html! {};
    };
    let average = counted.average_risk(findings.groups());
    let promised = subject.k().unwrap_or(1).max(1) as f64;
    let (average, k) = match subject.audience.is_public() {
        true => (average.ceil(), promised),
        false => (average, counted.k.unwrap_or(promised)),
    };
    html! {
        div.tiles {
            (tile(percent(average), "at most, on average"))
            (tile(percent(100.0 / k), "at most, for every person"))
        }
    }
}

/// What holds for every group, and no exact figure.
fn bounds(subject: &Subject, findings: &Findings) -> Markup {
    let k = subject.k().unwrap_or(USUAL_K).max(1);
    html! {
        div.tiles {
            (tile(percent(average(findings).ceil()), "at most, on average"))
            (tile(percent(100.0 / k as f64), "at most, for every row"))
        }
    }
}

/// Keys are there for all to see; what is hidden is whose value is whose.
fn guesses(findings: &Findings) -> Markup {
    let of_l = |line: &&Line| line.property == Property::LDiversity;
    let diversity = findings
        .lines
        .iter()
        .find(of_l)
        .and_then(|line| line.actual);
    html! {
        section {
            h2 { "Risk of a right guess" }
            p {
                "Anyone who knows a person's keys finds the person's group and bets on the most "
                "frequent sensitive value of it. How likely is it the right one?"
            }
            @if let Some(l) = diversity {
                div.tiles {
                    (tile(percent(100.0 / l), &format!("at worst (l-diversity {})", figure(l))))
                }
            }
        }
    }
}
