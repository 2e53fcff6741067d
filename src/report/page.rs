//! The page around the sections. It stands alone: no script, no font, no image, no address, and a
//! policy that forbids them all.

use crate::pg::statements;
use crate::report::findings::Findings;
use crate::report::subject::Subject;
use crate::report::{
    attacked_section, attackers_section, curve_section, distribution_section, loss_section,
    origin_section, risk_section, sizes_section, utility_section, values_section, verdict_section,
};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sdc_page::encoding::plain_ascii;
use sdc_page::format::number_of;

const STYLE: &str = include_str!("page.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

pub fn page(subject: &Subject, findings: &Findings) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(subject))
            body {
                main {
                    (opening(subject, findings))
                    (verdict_section::section(subject, findings))
                    (sizes_section::section(subject, findings))
                    (risk_section::section(subject, findings))
                    (attackers_section::section(&findings.attackers))
                    (attacked_section::section(subject))
                    (values_section::section(subject, findings))
                    (curve_section::section(subject, &findings.curve))
                    @if let Some(release) = &subject.release {
                        (loss_section::section(release))
                        (utility_section::section(findings.utility.as_ref()))
                        (distribution_section::section(subject, &findings.distributions))
                        (origin_section::section(subject, release, findings))
                    }
                }
                footer { "pg_sdc " (env!("CARGO_PKG_VERSION")) ", " (today()) (audience_note(subject)) }
            }
        }
    };
    plain_ascii(&page.into_string())
}

fn head(subject: &Subject) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            meta name="referrer" content="no-referrer";
            title { (subject.title()) }
            // without one a browser asks the page's host for an icon
            link rel="icon" href="data:,";
            style { (PreEscaped(STYLE)) }
        }
    }
}

fn opening(subject: &Subject, findings: &Findings) -> Markup {
    let names = |names: &[String]| html! { @for name in names { code { (name) } " " } };
    html! {
        header {
            h1 { (subject.title()) }
            (verdict_section::banner(findings))
            (verdict_section::summary(subject, findings))
            @if let Some(release) = subject.release.as_ref().filter(|release| release.rows != findings.rows()) {
                p.banner.bad { "The release had " (subject.audience.count(release.rows)) " rows when it was published: it was changed since." }
            }
            dl {
                dt { "Rows" } dd { (rows(subject, findings)) }
                dt { "Keys" } dd { (names(subject.keys())) }
                @if !subject.check.sensitive.is_empty() {
                    dt { "Sensitive" } dd { (names(&subject.check.sensitive)) }
                }
                @if let Some(rows) = findings.least_of_all {
                    dt { "All columns" } dd { (alike(rows)) }
                }
                (persons(subject))
            }
        }
    }
}

/// What is known of persons, if they are told apart.
fn persons(subject: &Subject) -> Markup {
    let counted = subject.persons();
    let entity = subject.check.entity.as_deref();
    let entity = entity.or_else(|| counted.and(subject.release.as_ref()?.entity()));
    let entity = entity.filter(|_| counted.is_none() || !subject.audience.is_public());
    html! {
        @if counted.is_some() || entity.is_some() {
            dt { "Persons" }
            dd {
                @if let Some(counted) = counted {
                    (subject.audience.count(counted.persons)) " when the release was made"
                }
                @if let (Some(_), Some(_)) = (counted, entity) { ", " }
                @if let Some(entity) = entity { "told apart by " code { (entity) } }
                @if counted.is_some() { ". k, p and l count persons." }
            }
        }
    }
}

/// How many rows in how many groups; the public is not told of groups, of which there may be few.
fn rows(subject: &Subject, findings: &Findings) -> String {
    match subject.audience.is_public() {
        true => subject.audience.count(findings.rows()),
        false => format!(
            "{} in {}",
            number_of(findings.rows(), "row"),
            number_of(findings.groups(), "group")
        ),
    }
}

/// What the least number of rows that agree in all published columns says.
fn alike(rows: i64) -> String {
    match rows {
        ..=1 => "At least one row is unique in all published columns together. That is normal if \
                  sensitive values are published. Do not publish a column that others can look up."
            .into(),
        _ => format!(
            "Every row is like at least {} in all published columns together.",
            number_of(rows - 1, "other")
        ),
    }
}

fn audience_note(subject: &Subject) -> &'static str {
    match subject.audience.is_public() {
        true => {
            ". This page is for the public. Key values, the source and counts below k are left out."
        }
        false => {
            ". This page is for data stewards. It describes small groups, so do not publish it."
        }
    }
}

fn today() -> String {
    let today = statements::value(
        "SELECT pg_catalog.to_char(pg_catalog.timezone('UTC', pg_catalog.now()), 'YYYY-MM-DD')",
    );
    today.unwrap_or_default()
}
