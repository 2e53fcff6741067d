//! The risk-utility curve: what masking with each k would cost, and what risk it would leave.

use crate::pg::progress::Watch;
use crate::pg::quoting::identifier;
use crate::pg::statements;
use crate::read::numbers::Number;
use crate::read::relation::Source;
use crate::read::table_options::TableOptions;
use crate::release::ReleaseMethod;
use crate::release::{Outcome, Point, TradeOff};
use crate::report::released::Released;
use crate::report::subject::Subject;
use maud::{Markup, html};
use sdc_engine::assign::Method;
use sdc_page::Plot;
use sdc_page::format::{percent, seconds, whole};
use serde_json::Value;

/// The curve of a page, or why there is none.
pub enum Curve {
    NotAsked,
    LeftOut(String),
    Drawn {
        points: Vec<Point>,
        sample: Option<Sample>,
    },
}

/// Which part of the rows the curve is drawn from.
pub struct Sample {
    /// how many rows there were to read
    of: i64,
    rows: usize,
}

impl Sample {
    fn note(&self) -> Markup {
        html! {
            p {
                "Drawn from a random sample of " (whole(self.rows as i64)) " of " (whole(self.of))
                " rows, because all rows would take too long. The sample loses more than all rows would. "
                code { "sdc.risk_utility()" } " reads them all."
            }
        }
    }
}

/// So many rows are grouped in a few seconds for the usual values of k. Distances between
/// categories are dearer than those between numbers.
const ROWS_OF_NUMBERS: i64 = 50_000;
const ROWS_OF_CATEGORIES: i64 = 10_000;

impl Curve {
    pub fn of(subject: &Subject, watch: &mut Watch) -> Self {
        if subject.ks.is_empty() {
            return Curve::NotAsked;
        }
        match &subject.release {
            None => Self::over(&subject.check.source, subject, watch),
            Some(release) if release.known_method() == Some(ReleaseMethod::Microaggregation) => {
                match release.source_with(subject.table.entity.as_slice()) {
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
        let keys = grouped_keys(subject);
        let parameter = |name| subject.release.as_ref().map(|it| &it.parameters[name]);
        let method = parameter("method").and_then(|name| Method::named(name.as_str()?));
        let trade_off = TradeOff {
            source,
            keys: &keys,
            sensitive: if p > 1 { &check.sensitive } else { &[] },
            p,
            method,
            standardize: parameter("standardize").and_then(Value::as_bool) != Some(false),
            table: &subject.table,
        };
        if let Some(reason) = refusal(source, &keys, &subject.table) {
            return Curve::LeftOut(reason);
        }
        let (all, part) = sampled(source, subject);
        let trade_off = TradeOff {
            source: part.as_ref().unwrap_or(source),
            ..trade_off
        };
        let rows = trade_off.read(watch);
        if rows.rows == 0 {
            return Curve::LeftOut("There are no rows.".into());
        }
        if rows.sensitive.iter().any(|values| values.cardinality() < p) {
            return Curve::LeftOut(format!("A sensitive column has fewer than p = {p} values."));
        }
        let sample = part.is_some().then_some(Sample {
            of: all,
            rows: rows.rows,
        });
        let points = trade_off.points(rows, &subject.ks, watch);
        Curve::Drawn { points, sample }
    }
}

/// The keys without strata, which a release names among them.
fn grouped_keys(subject: &Subject) -> Vec<String> {
    let keys = subject.keys().iter();
    let keys = keys.filter(|key| !subject.table.strata.contains(key));
    keys.cloned().collect()
}

/// The number of rows, and a random part of them where all would take too long.
fn sampled(source: &Source, subject: &Subject) -> (i64, Option<Source>) {
    let is_code = |name: &String| subject.table.categorical.contains(name);
    let numeric = |&key: &usize| {
        let key = &source.attributes[key];
        Number::of(key.typ).is_some() && !is_code(&key.name)
    };
    let keys = source.columns("keys", &grouped_keys(subject));
    let most = match keys.iter().all(numeric) {
        true => ROWS_OF_NUMBERS,
        false => ROWS_OF_CATEGORIES,
    };
    let count = format!("SELECT pg_catalog.count(*) FROM {}", source.sql_name);
    let all = statements::value::<i64>(&count).unwrap_or(0);
    let part = (all > most).then(|| part_of(source, subject, most as f64 / all as f64));
    (all, part)
}

/// A random part of a table. All rows of a person are in it, or none.
fn part_of(source: &Source, subject: &Subject, share: f64) -> Source {
    let drawn = match &subject.table.entity {
        Some(entity) => format!(
            "pg_catalog.hashtext({}::pg_catalog.text)::pg_catalog.float8 \
             OPERATOR(pg_catalog./) 4294967296.0 OPERATOR(pg_catalog.+) 0.5",
            identifier(entity)
        ),
        None => "pg_catalog.random()".to_string(),
    };
    // no more columns than the curve needs: the caller may have no right to read the others
    let names = [subject.keys(), &subject.check.sensitive].concat();
    let names = names.iter().chain(&subject.table.entity);
    let columns: Vec<String> = names.map(|name| identifier(name)).collect();
    source.part(&format!(
        "SELECT {} FROM {} WHERE ({drawn}) OPERATOR(pg_catalog.<) {share}",
        columns.join(", "),
        source.sql_name
    ))
}

/// Why microaggregation would refuse these rows: a page must not fail because of one part. The rows
/// of a release may have changed since.
fn refusal(source: &Source, keys: &[String], table: &TableOptions) -> Option<String> {
    if holds_no_distance(source, keys, table) {
        return Some(
            "A numeric key holds NaN or infinities, between which there is no distance.".into(),
        );
    }
    let entity = identifier(table.entity.as_ref()?);
    let is_true = |query: String| statements::value::<bool>(&query) == Some(true);
    let from = &source.sql_name;
    if is_true(format!(
        "SELECT EXISTS (SELECT 1 FROM {from} WHERE {entity} IS NULL)"
    )) {
        return Some("The column that tells persons apart holds nulls.".into());
    }
    let strata = table.strata.iter().map(|name| identifier(name));
    let columns: Vec<String> = [entity.clone()].into_iter().chain(strata).collect();
    let several = is_true(format!(
        "SELECT EXISTS (SELECT 1 FROM (SELECT {entity} AS person FROM {from} GROUP BY {}) s \
         GROUP BY s.person HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1)",
        columns.join(", ")
    ));
    several.then(|| "Some person has rows in several strata.".into())
}

/// Whether a numeric key holds what has no distance to numbers.
fn holds_no_distance(source: &Source, keys: &[String], table: &TableOptions) -> bool {
    let refused = source.columns("keys", keys).into_iter().filter_map(|key| {
        let attribute = &source.attributes[key];
        if table.categorical.contains(&attribute.name) {
            return None;
        }
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
        return false;
    }
    let query = format!(
        "SELECT EXISTS (SELECT 1 FROM {} WHERE {})",
        source.sql_name,
        refused.join(" OR ")
    );
    statements::value::<bool>(&query) == Some(true)
}

pub fn section(subject: &Subject, curve: &Curve) -> Markup {
    let points = match curve {
        Curve::NotAsked => return html! {},
        Curve::LeftOut(reason) => Err(reason),
        Curve::Drawn { points, sample } => Ok((feasible(points), sample)),
    };
    let release = subject.release.as_ref();
    let steward_release = release.filter(|_| !subject.audience.is_public());
    html! {
        section {
            h2 { "Risk and utility" }
            p {
                "This is what microaggregation of these keys would cost, and what risk it would leave. Loss is the "
                "share of the keys' variance that is gone. An attacker who knows everybody's keys links each person "
                "to the nearest group and draws one of its rows. The plot shows how often that row is the right one. "
                "It is at most the average of 1 over the size of groups. Lower and further left is better."
                @if points.as_ref().is_ok_and(|(points, _)| required_is_shown(subject, points)) {
                    " The red point is the k that is required."
                }
            }
            @match points {
                Err(reason) => p { "Left out. " (reason) },
                Ok((points, _)) if points.is_empty() => p {
                    @if subject.table.strata.is_empty() { "There are fewer rows than the smallest k." }
                    @else { "Some stratum has fewer rows than the smallest k, or too few values." }
                },
                Ok((points, sample)) => {
                    @if let Some(sample) = sample { (sample.note()) }
                    @if let Some(release) = steward_release { (as_released(release)) }
                    (plot(subject, &points).figure())
                }
            }
        }
    }
}

/// What a release was made with that the curve leaves out, so that losses differ.
const LEFT_OUT: [&str; 4] = ["l", "t", "refine", "continues"];

/// What the curve shares with the release, and what not.
fn as_released(release: &Released) -> Markup {
    let set =
        |name: &&&str| !matches!(release.parameters[**name], Value::Null | Value::Bool(false));
    let mut missing: Vec<&str> = LEFT_OUT.iter().filter(set).copied().collect();
    if release.suppressed > 0 {
        missing.push("max_suppressed");
    }
    let method = release.parameters["method"].as_str();
    let draws = method.and_then(Method::named).is_some_and(Method::draws);
    html! {
        p {
            "Rows are grouped as the release groups them, by the same method. "
            @if !missing.is_empty() {
                "The curve leaves out "
                @for (place, name) in missing.iter().enumerate() {
                    @if place > 0 { ", " }
                    code { (name) }
                }
                ", so the release's own loss differs. "
            }
            @if draws { "The method draws at random, so losses differ a little each time." }
        }
    }
}

fn required_is_shown(subject: &Subject, points: &[(usize, Outcome)]) -> bool {
    points.iter().any(|(k, _)| subject.k() == Some(*k as i64))
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
                seconds(outcome.seconds),
            ],
        }
    };
    Plot {
        id: "curve",
        title: "Risk against loss of microaggregation, a point for each k",
        across: "loss",
        up: "linked",
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
