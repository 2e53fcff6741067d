//! The risk-utility curve: what masking with each k would cost, and what risk it would leave.

use crate::pg::progress::Watch;
use crate::pg::quoting::identifier;
use crate::pg::statements;
use crate::read::numbers::Number;
use crate::read::relation::Source;
use crate::read::table_options::TableOptions;
use crate::release::ReleaseMethod;
use crate::release::{Outcome, Point, TradeOff};
use crate::report::subject::Subject;
use maud::{Markup, html};
use sdc_page::Plot;
use sdc_page::format::{figure, percent, whole};

/// The curve of a page, or why there is none.
pub enum Curve {
    NotAsked,
    LeftOut(String),
    Drawn(Vec<Point>),
}

impl Curve {
    pub fn of(subject: &Subject, watch: &mut Watch) -> Self {
        if subject.ks.is_empty() {
            return Curve::NotAsked;
        }
        match &subject.release {
            None => Self::over(&subject.check.source, subject, watch),
            Some(release) if release.known_method() == Some(ReleaseMethod::Microaggregation) => {
                match release.source_now() {
                    Some(source) => Self::over(&source, subject, watch),
                    None => Curve::LeftOut("The source is gone, or not yours to read.".into()),
                }
            }
            Some(_) => Curve::NotAsked,
        }
    }

    fn over(source: &Source, subject: &Subject, watch: &mut Watch) -> Self {
        let check = &subject.check;
        let p = check.required.p.map_or(1, |p| p as usize);
        let table = TableOptions {
            entity: check.entity.clone(),
            ..Default::default()
        };
        let trade_off = TradeOff {
            source,
            keys: subject.keys(),
            sensitive: if p > 1 { &check.sensitive } else { &[] },
            p,
            method: None,
            table: &table,
        };
        if let Some(reason) = refusal(source, subject.keys()) {
            return Curve::LeftOut(reason);
        }
        let rows = trade_off.read(watch);
        if rows.rows == 0 {
            return Curve::LeftOut("There are no rows.".into());
        }
        if rows.sensitive.iter().any(|values| values.cardinality() < p) {
            return Curve::LeftOut(format!("A sensitive column has fewer than p = {p} values."));
        }
        Curve::Drawn(trade_off.points(rows, &subject.ks, watch))
    }
}

/// Why microaggregation would refuse these keys: a page shall not fail for a part of it.
fn refusal(source: &Source, keys: &[String]) -> Option<String> {
    let refused = source.columns("keys", keys).into_iter().filter_map(|key| {
        let attribute = &source.attributes[key];
        let column = identifier(&attribute.name);
        match Number::of(attribute.typ)? {
            Number::Int2 | Number::Int4 | Number::Int8 => None,
            // NaN and infinities are larger than any number
            Number::Numeric => Some(format!(
                "(pg_catalog.abs({column}) OPERATOR(pg_catalog.<) '1.7e308'::pg_catalog.numeric) IS FALSE"
            )),
            _ => Some(format!(
                "pg_catalog.lower({column}::pg_catalog.text) OPERATOR(pg_catalog.=) \
                 ANY ('{{nan,infinity,-infinity}}'::pg_catalog.text[])"
            )),
        }
    });
    let refused: Vec<String> = refused.collect();
    if refused.is_empty() {
        return None;
    }
    let query = format!(
        "SELECT EXISTS (SELECT FROM {} WHERE {})",
        source.sql_name,
        refused.join(" OR ")
    );
    let found = statements::value::<bool>(&query) == Some(true);
    found.then(|| {
        "A numeric key holds NaN or infinities, between which there is no distance.".into()
    })
}

pub fn section(subject: &Subject, curve: &Curve) -> Markup {
    let points = match curve {
        Curve::NotAsked => return html! {},
        Curve::LeftOut(reason) => Err(reason),
        Curve::Drawn(points) => Ok(feasible(points)),
    };
    html! {
        section {
            h2 { "Risk and utility" }
            p {
                "What microaggregation of these keys would cost, and what risk it would leave: loss is the "
                "share of the keys' variance that is gone. Somebody who knows everybody's keys links each person "
                "to the nearest group and draws one of its rows. The plot shows how often that row is the right one. "
                "It is at most the average of 1 over the size of groups. Lower and further left is better."
            }
            @match points {
                Err(reason) => p { "Left out. " (reason) },
                Ok(points) if points.is_empty() => p { "There are fewer rows than the smallest k." },
                Ok(points) => (plot(subject, &points).figure()),
            }
        }
    }
}

fn feasible(points: &[Point]) -> Vec<(usize, Outcome)> {
    let outcome = |point: &Point| point.outcome.map(|outcome| (point.k, outcome));
    points.iter().filter_map(outcome).collect()
}

fn plot(subject: &Subject, outcomes: &[(usize, Outcome)]) -> Plot {
    let public = subject.audience.is_public();
    let point = |(k, outcome): &(usize, Outcome)| sdc_page::Point {
        across: outcome.loss,
        up: 100.0 * outcome.linkage,
        label: format!("k = {k}"),
        chosen: subject.k() == Some(*k as i64),
    };
    let cells = |(k, outcome): &(usize, Outcome)| {
        let loss = percent(outcome.loss);
        let [risk, linked] = [outcome.risk, outcome.linkage].map(|share| percent(100.0 * share));
        match public {
            true => vec![k.to_string(), loss, linked, risk],
            false => vec![
                k.to_string(),
                whole(outcome.groups as i64),
                loss,
                linked,
                risk,
                figure(outcome.seconds),
            ],
        }
    };
    Plot {
        id: "curve",
        title: "Risk against loss of microaggregation, a point for each k",
        across: "loss",
        up: "rightly linked",
        points: outcomes.iter().map(point).collect(),
        headings: match public {
            true => vec!["k", "Loss", "Rightly linked", "At most"],
            false => vec![
                "k",
                "Groups",
                "Loss",
                "Rightly linked",
                "At most",
                "Seconds",
            ],
        },
        cells: outcomes.iter().map(cells).collect(),
    }
}
