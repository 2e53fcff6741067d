//! The risk-utility curve: what masking with each k would cost, and what risk it would leave.

use super::chart::{percent as place, table_behind};
use super::format::{self, percent, whole};
use super::subject::Subject;
use crate::check::{Check, select};
use crate::generate_sql::identifier;
use crate::number::Number;
use crate::progress::Watch;
use crate::risk_utility::{Outcome, Point, TradeOff};
use crate::source::Source;
use maud::{Markup, html};

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
            Some(release) if release.method == "microaggregation" => match release.source_now() {
                Some(source) => Self::over(&source, subject, watch),
                None => Curve::LeftOut("The source is gone, or not yours to read.".into()),
            },
            Some(_) => Curve::NotAsked,
        }
    }

    fn over(source: &Source, subject: &Subject, watch: &mut Watch) -> Self {
        let check = &subject.check;
        let p = check.required.p.map_or(1, |p| p as usize);
        let trade_off = TradeOff {
            source,
            keys: subject.keys(),
            sensitive: if p > 1 { &check.sensitive } else { &[] },
            p,
            method: None,
        };
        if let Some(reason) = refusal(check, source, subject.keys()) {
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
fn refusal(check: &Check, source: &Source, keys: &[String]) -> Option<String> {
    if check.entity.is_some() {
        return Some("Microaggregation groups rows, not persons.".into());
    }
    let refused = source.columns("keys", keys).into_iter().filter_map(|key| {
        let attribute = &source.attributes[key];
        let column = identifier(&attribute.name);
        match Number::of(attribute.typ)? {
            Number::Int2 | Number::Int4 | Number::Int8 => Some(format!("{column} IS NULL")),
            _ => Some(format!(
                "{column} IS NULL OR pg_catalog.lower({column}::pg_catalog.text) OPERATOR(pg_catalog.=) \
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
    let found = select(&query, |row| row.get::<bool>(1).ok().flatten());
    let found = found.first() == Some(&Some(true));
    found.then(|| {
        "A numeric key holds nulls, NaN or infinities, between which there is no distance.".into()
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
                "share of the keys' variance that is gone, risk the average chance to find the right row. "
                "Lower and further left is better."
            }
            @match points {
                Err(reason) => p { "Left out. " (reason) },
                Ok(points) if points.is_empty() => p { "There are fewer rows than the smallest k." },
                Ok(points) => (figure(subject, &points)),
            }
        }
    }
}

fn feasible(points: &[Point]) -> Vec<(usize, Outcome)> {
    let outcome = |point: &Point| point.outcome.map(|outcome| (point.k, outcome));
    points.iter().filter_map(outcome).collect()
}

fn figure(subject: &Subject, points: &[(usize, Outcome)]) -> Markup {
    let public = subject.audience.is_public();
    let headings: &[&str] = match public {
        true => &["k", "Loss", "Risk"],
        false => &["k", "Groups", "Loss", "Risk", "Seconds"],
    };
    let cells = |(k, outcome): &(usize, Outcome)| {
        let (loss, risk) = (percent(outcome.loss), percent(100.0 * outcome.risk));
        match public {
            true => vec![k.to_string(), loss, risk],
            false => vec![
                k.to_string(),
                whole(outcome.groups as i64),
                loss,
                risk,
                format::figure(outcome.seconds),
            ],
        }
    };
    html! {
        figure {
            (drawing(points, subject.k()))
            (table_behind(headings, &points.iter().map(cells).collect::<Vec<_>>()))
        }
    }
}

const HEIGHT: f64 = 220.0;
const STEPS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Positions are relative, so that the plot stretches with the page and its text does not.
fn drawing(points: &[(usize, Outcome)], k: Option<i64>) -> Markup {
    let widest = scale_end(points.iter().map(|(_, outcome)| outcome.loss));
    let highest = scale_end(points.iter().map(|(_, outcome)| 100.0 * outcome.risk));
    let x = |outcome: &Outcome| place(100.0 * outcome.loss / widest);
    let y = |outcome: &Outcome| place(100.0 - 100.0 * 100.0 * outcome.risk / highest);
    let chosen = |point: usize| k == Some(point as i64);
    html! {
        svg.curve role="img" aria-labelledby="curve-title" width="100%" height=(HEIGHT + 70.0) {
            title id="curve-title" { "Risk against loss of microaggregation, a point for each k" }
            text x="0" y="14" { "risk" }
            svg.plot x="12%" y="28" width="76%" height=(HEIGHT) {
                @for step in STEPS {
                    line.grid x1="0%" x2="100%" y1=(place(100.0 - 100.0 * step)) y2=(place(100.0 - 100.0 * step)) {}
                    text x="-6" y=(place(100.0 - 100.0 * step)) dy="4" text-anchor="end" { (scale(highest * step)) }
                    text x=(place(100.0 * step)) y=(HEIGHT + 18.0) text-anchor="middle" { (scale(widest * step)) }
                }
                @for pair in points.windows(2) {
                    line.path x1=(x(&pair[0].1)) y1=(y(&pair[0].1)) x2=(x(&pair[1].1)) y2=(y(&pair[1].1)) {}
                }
                @for (number, outcome) in points {
                    circle class=(if chosen(*number) { "chosen" } else { "point" }) cx=(x(outcome)) cy=(y(outcome)) r="5" {}
                    text x=(x(outcome)) y=(y(outcome)) dx="9" dy="-5" { "k = " (number) }
                }
            }
            text x="88%" y=(HEIGHT + 66.0) text-anchor="end" { "loss" }
        }
    }
}

/// The end of an axis: the next 1, 2 or 5 times a power of ten.
fn scale_end(values: impl Iterator<Item = f64>) -> f64 {
    let most = values.fold(0.0, f64::max);
    if most <= 0.0 || !most.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(most.log10().floor());
    let ends = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    ends.into_iter().find(|end| *end >= most).unwrap_or(most)
}

fn scale(value: f64) -> String {
    format!("{} %", format::figure(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (most, end) in [
            (0.0, 1.0),
            (0.07, 0.1),
            (1.3, 2.0),
            (33.3, 50.0),
            (50.0, 50.0),
            (99.0, 100.0),
        ] {
            assert!((scale_end([most].into_iter()) - end).abs() < 1e-9);
        }
    }
}
