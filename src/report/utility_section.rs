//! What masking did to the data, for stewards who may read the source: the figures of `sdc.compare`
//! and the error of `sdc.query_error`.

use crate::pg::errors::known;
use crate::pg::progress::Watch;
use crate::read::relation::Source;
use crate::release::{ColumnDistribution, ComparedFigure, TableVersions, released_nodes};
use crate::report::figure_text;
use crate::report::released::Released;
use crate::report::subject::Subject;
use crate::report::value_counts::BARS;
use maud::{Markup, html};
use sdc_engine::measure::counting_error;
use sdc_engine::random;
use sdc_page::Matrix;
use sdc_page::format::{percent, whole};
use sdc_page::table::table;

/// So many queries are asked. They are the same whenever a page is made.
const QUERIES: usize = 200;
const SEED: u64 = 1;

/// The measures of single columns that are shown, and what they mean.
const SINGLE: [(&str, &str); 7] = [
    ("mean", "the average"),
    (
        "sd",
        "the standard deviation, a measure of how much values differ",
    ),
    (
        "median",
        "the value in the middle: half of the rows are below it",
    ),
    (
        "Kolmogorov-Smirnov",
        "how far the two distributions are apart, from 0 (the same) to 1",
    ),
    ("categories", "how many different values occur"),
    (
        "total variation",
        "how far the two sets of frequencies are apart, from 0 (the same) to 1",
    ),
    ("missing", "the share of cells without a known value"),
];

/// What the measures of pairs mean.
const OF_PAIRS: [(&str, &str); 2] = [
    (
        "correlation",
        "how closely two numbers go together, from -1 to 1",
    ),
    (
        "Cramér's V",
        "how closely two categories go together, from 0 to 1",
    ),
];

/// Both versions of a release, measured.
pub struct Utility {
    figures: Vec<ComparedFigure>,
    error: f64,
    /// the columns of which the release shows ranges or sets
    read_back: Vec<ColumnDistribution>,
}

impl Utility {
    /// Nothing for the public, where the source is gone, or where values are published apart as
    /// they were.
    pub fn of(subject: &Subject, watch: &mut Watch) -> Option<Self> {
        let release = subject.release.as_ref()?;
        if subject.audience.is_public() || release.is_apart() {
            return None;
        }
        let (source, table) = (release.source_now()?, &subject.check.source);
        let names = published(release, &source, table);
        let codes = &subject.table.categorical;
        let nodes = released_nodes(table.oid);
        let versions = TableVersions::read((&source, table), (&names, codes), None, &nodes, watch);
        let columns = versions.versions();
        let mut generator = known(random::generator(Some(SEED)));
        let error = match columns.is_empty() || versions.is_empty() {
            true => return None,
            false => known(counting_error(&columns, QUERIES, &mut generator, watch)),
        };
        Some(Utility {
            figures: versions.figures(watch),
            read_back: versions.distributions(BARS as usize),
            error,
        })
    }

    /// A column of both versions, if the release shows it as ranges or sets that can be read back.
    pub fn read_back(&self, column: &str) -> Option<&ColumnDistribution> {
        self.read_back.iter().find(|read| read.column == column)
    }

    /// A line for each figure of a single column.
    fn columns(&self) -> Vec<Vec<String>> {
        let shown =
            |compared: &&ComparedFigure| SINGLE.iter().any(|(name, _)| *name == compared.measure);
        let line = |compared: &ComparedFigure| {
            vec![
                compared.columns.join(", "),
                compared.measure.to_string(),
                figure_text::shown(compared, compared.original),
                figure_text::shown(compared, compared.released),
            ]
        };
        self.figures.iter().filter(shown).map(line).collect()
    }

    /// A definition of each word that the section uses.
    fn meanings(&self) -> Markup {
        let used = |(name, _): &&(&str, &str)| self.figures.iter().any(|f| f.measure == *name);
        html! {
            details {
                summary { "What these words mean" }
                dl {
                    @for (name, meaning) in SINGLE.iter().chain(&OF_PAIRS).filter(used) {
                        dt { (name) } dd { (meaning) }
                    }
                }
            }
        }
    }

    /// The figures of pairs before and after; none where there are no pairs.
    fn matrices(&self, measure: &str, title: &str) -> Option<[Matrix; 2]> {
        let pairs = || {
            self.figures
                .iter()
                .filter(|compared| compared.measure == measure)
        };
        let mut names: Vec<String> = Vec::new();
        for name in pairs().flat_map(|pair| &pair.columns) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let matrix = |when: &str, side: fn(&ComparedFigure) -> Option<f64>| {
            let of_pair = |a: &String, b: &String| {
                let fits =
                    |pair: &&ComparedFigure| pair.columns.contains(a) && pair.columns.contains(b);
                if a == b {
                    Some(1.0)
                } else {
                    pairs().find(fits).and_then(side)
                }
            };
            let row = |a: &String| names.iter().map(|b| of_pair(a, b)).collect();
            Matrix {
                title: format!("{title} {when}"),
                figures: names.iter().map(row).collect(),
                names: names.clone(),
            }
        };
        (!names.is_empty()).then(|| {
            [
                matrix("before", |pair| pair.original),
                matrix("after", |pair| pair.released),
            ]
        })
    }
}

/// The columns that both versions have and that the page is about.
pub fn published(release: &Released, source: &Source, table: &Source) -> Vec<String> {
    let names = release.keys.iter().chain(release.sensitive());
    let both = |name: &&String| source.attribute(name).is_some() && table.attribute(name).is_some();
    names.filter(both).cloned().collect()
}

pub fn section(utility: Option<&Utility>) -> Markup {
    let Some(utility) = utility else {
        return html! {};
    };
    let pairs = [
        utility.matrices("correlation", "Correlations"),
        utility.matrices("Cramér's V", "Cramér's V"),
    ];
    html! {
        section {
            h2 { "What it did to the data" }
            p {
                (whole(QUERIES as i64)) " random counting queries, each about up to three columns, are off by "
                strong { (percent(100.0 * utility.error)) } " on average when the release answers them."
            }
            p { "Ranges count as their middles, and sets and nodes of hierarchies as equal shares of their values. "
                code { "sdc.compare" } " shows all figures." }
            (table(&["Column", "Measure", "Before", "After"], &utility.columns()))
            @for [before, after] in pairs.iter().flatten() {
                div.pair { (before.table()) (after.table()) }
            }
            (utility.meanings())
        }
    }
}
