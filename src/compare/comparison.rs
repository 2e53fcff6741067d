//! The figures of a source next to those of its release.

use crate::compare::cell_meanings::{categories, numbers};
use crate::compare::column_labels::{self, ColumnLabels, matched};
use crate::compare::hierarchy_nodes::{ColumnNodes, HierarchyNodes};
use crate::compare::label_meanings::NumberScale;
use crate::pg::errors::known;
use crate::pg::progress::Watch;
use crate::read::numbers::Number;
use crate::read::relation::Source;
use sdc_engine::measure::ColumnVersions;
use sdc_engine::measure::utility::{
    Meaning, association, correlation, eigenvalues, il1s, kolmogorov_smirnov, masses, sorted,
    summary, total_variation,
};
use sdc_engine::{Monitor, Phase};

/// A figure of both versions.
pub struct ComparedFigure {
    pub columns: Vec<String>,
    pub measure: &'static str,
    pub original: Option<f64>,
    pub released: Option<f64>,
    /// the scale of the column, where the figure is about a single one of numbers
    pub scale: Option<NumberScale>,
}

impl ComparedFigure {
    /// A figure of one, two or all columns.
    fn new(columns: &[&Versions], measure: &'static str, original: f64, released: f64) -> Self {
        let figure = |figure: f64| figure.is_finite().then_some(figure);
        ComparedFigure {
            columns: columns.iter().map(|column| column.name.clone()).collect(),
            measure,
            original: figure(original),
            released: figure(released),
            scale: match columns {
                [column] => column.scale,
                _ => None,
            },
        }
    }

    /// How far the release is off.
    pub fn change(&self) -> Option<f64> {
        Some(self.released? - self.original?)
    }
}

/// Both versions of a column.
pub struct Versions {
    pub(super) name: String,
    pub(super) scale: Option<NumberScale>,
    pub(super) original: ColumnLabels,
    pub(super) original_meanings: Vec<Meaning>,
    pub(super) released: ColumnLabels,
    pub(super) released_meanings: Vec<Meaning>,
}

/// Both versions of a table.
pub struct TableVersions {
    columns: Vec<Versions>,
    rows: [usize; 2],
    /// for each row of the release its row in the source
    matched: Option<Vec<usize>>,
}

/// Beyond so many cells a table of two categorical columns says little and takes long.
const MOST_CELLS: usize = 1 << 20;

/// Less than one row in so many cannot be told from an error of rounding.
const ROUNDING: f64 = 1e-12;

impl TableVersions {
    /// Reads columns of both; `by` pairs their rows. Numbers that are `codes` are categories. What
    /// the release shows of hierarchies stands for the values below.
    pub fn read(
        (source, release): (&Source, &Source),
        (names, codes): (&[String], &[String]),
        by: Option<&String>,
        nodes: &HierarchyNodes,
        watch: &mut Watch,
    ) -> Self {
        let wanted: Vec<String> = names.iter().chain(by).cloned().collect();
        let mut original = column_labels::read(source, &wanted, watch);
        let mut released = column_labels::read(release, &wanted, watch);
        let rows = [&original, &released].map(|c| c.first().map_or(0, |c| c.labels.len()));
        let ids = by.and_then(|_| original.pop().zip(released.pop()));
        let matched = ids.zip(by).map(|((a, b), name)| matched(&a, &b, name));
        let columns = names.iter().zip(original.into_iter().zip(released));
        let columns = columns.map(|(name, (original, released))| {
            let typ = source.attribute(name).map(|attribute| attribute.typ);
            let number = typ.filter(|_| !codes.contains(name)).and_then(Number::of);
            let scale = number.map(NumberScale::of);
            Versions::new((name, scale), original, released, nodes.of(name))
        });
        TableVersions {
            columns: columns.collect(),
            rows,
            matched,
        }
    }

    pub(super) fn columns(&self) -> &[Versions] {
        &self.columns
    }

    /// Whether one of the versions has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.contains(&0)
    }

    /// All figures.
    pub fn figures(&self, watch: &mut Watch) -> Vec<ComparedFigure> {
        let [original, released] = self.rows.map(|rows| rows as f64);
        let mut figures = vec![ComparedFigure::new(&[], "rows", original, released)];
        watch.start(Phase::Checking, 0);
        for (done, column) in (1..).zip(&self.columns) {
            match column.scale {
                Some(_) => self.numeric(column, &mut figures),
                None => column.categorical(&mut figures),
            }
            if let Some(matched) = &self.matched {
                let changed = column.changed(matched);
                figures.push(ComparedFigure::new(&[column], "changed", 0.0, changed));
            }
            watch.tick(done);
        }
        self.associations(&mut figures, watch);
        self.correlations(&mut figures, watch);
        figures
    }

    fn numeric(&self, column: &Versions, figures: &mut Vec<ComparedFigure>) {
        let [original, released] = column.numbers();
        let (before, after) = (known(sorted(&original)), known(sorted(&released)));
        let one = &[column][..];
        if let (Some(a), Some(b)) = (summary(&before), summary(&after)) {
            figures.push(ComparedFigure::new(one, "mean", a.mean, b.mean));
            figures.push(ComparedFigure::new(one, "sd", a.sd, b.sd));
            let names = ["quartile 1", "median", "quartile 3"];
            for (name, (a, b)) in names
                .into_iter()
                .zip(a.quartiles.into_iter().zip(b.quartiles))
            {
                figures.push(ComparedFigure::new(one, name, a, b));
            }
        }
        let shift = mean_shift(&before, &after);
        figures.push(ComparedFigure::new(one, "mean shift in sds", 0.0, shift));
        let distance = kolmogorov_smirnov(&before, &after);
        figures.push(ComparedFigure::new(
            one,
            "Kolmogorov-Smirnov",
            0.0,
            distance,
        ));
        let lost = |all: &[f64], left: &[f64]| 1.0 - left.len() as f64 / all.len().max(1) as f64;
        let lost = [lost(&original, &before), lost(&released, &after)];
        figures.push(ComparedFigure::new(one, "missing", lost[0], lost[1]));
        if let Some(matched) = &self.matched {
            let pairs: Vec<f64> = matched.iter().map(|&row| original[row]).collect();
            let distance = known(il1s(&pairs, &released));
            figures.push(ComparedFigure::new(one, "IL1s", 0.0, distance));
        }
    }

    /// Cramér's V of each pair of categorical columns.
    fn associations(&self, figures: &mut Vec<ComparedFigure>, watch: &mut Watch) {
        let columns = self.columns.iter().filter(|column| column.scale.is_none());
        let columns: Vec<&Versions> = columns.collect();
        for (place, a) in columns.iter().enumerate() {
            for b in &columns[place + 1..] {
                if a.categories() * b.categories() <= MOST_CELLS {
                    let original = known(association(a.before(), b.before()));
                    let released = known(association(a.after(), b.after()));
                    figures.push(ComparedFigure::new(
                        &[a, b],
                        "Cramér's V",
                        original,
                        released,
                    ));
                    watch.tick(figures.len() as u64);
                }
            }
        }
    }

    /// Correlations of numeric columns, and the eigenvalues of their matrix.
    fn correlations(&self, figures: &mut Vec<ComparedFigure>, watch: &mut Watch) {
        let columns = self.columns.iter().filter(|column| column.scale.is_some());
        let columns: Vec<&Versions> = columns.collect();
        let numbers: Vec<[Vec<f64>; 2]> = columns.iter().map(|c| c.numbers()).collect();
        let size = columns.len();
        let identity = |p: usize| (0..size).map(|q| f64::from(u8::from(p == q))).collect();
        let mut matrices: [Vec<Vec<f64>>; 2] = [0, 1].map(|_| (0..size).map(identity).collect());
        for p in 0..size {
            for q in p + 1..size {
                let both = [0, 1].map(|side| {
                    let r = correlation(&numbers[p][side], &numbers[q][side]).unwrap_or(0.0);
                    matrices[side][p][q] = r;
                    matrices[side][q][p] = r;
                    r
                });
                let pair = &[columns[p], columns[q]];
                figures.push(ComparedFigure::new(pair, "correlation", both[0], both[1]));
                watch.tick(figures.len() as u64);
            }
        }
        if size > 1 {
            let [before, after] = matrices.map(|matrix| known(eigenvalues(matrix)));
            let shifts = before.iter().zip(&after).map(|(a, b)| (a - b).abs());
            let shift = shifts.sum::<f64>() / size as f64;
            figures.push(ComparedFigure::new(
                &columns,
                "eigenvalue shift",
                0.0,
                shift,
            ));
        }
    }

    /// The columns as counting queries see them.
    pub fn versions(&self) -> Vec<ColumnVersions<'_>> {
        let versions = self.columns.iter().map(|column| ColumnVersions {
            original: &column.original.labels,
            original_meanings: &column.original_meanings,
            released: &column.released.labels,
            released_meanings: &column.released_meanings,
            categories: match column.scale {
                Some(_) => 0,
                None => column.categories(),
            },
        });
        versions.collect()
    }
}

impl Versions {
    fn new(
        (name, scale): (&str, Option<NumberScale>),
        original: ColumnLabels,
        released: ColumnLabels,
        nodes: Option<&ColumnNodes>,
    ) -> Self {
        let (original_meanings, released_meanings) = match scale {
            Some(scale) => (
                numbers(scale, &original, None),
                numbers(scale, &released, nodes),
            ),
            None => categories(&original, &released, nodes),
        };
        Versions {
            name: name.to_string(),
            scale,
            original,
            original_meanings,
            released,
            released_meanings,
        }
    }

    /// The numbers of both versions, NaN for what is missing or lost.
    fn numbers(&self) -> [Vec<f64>; 2] {
        let numbers = |labels: &[u32], meanings: &[Meaning]| {
            let middles: Vec<f64> = meanings.iter().map(Meaning::middle).collect();
            labels
                .iter()
                .map(|&label| middles[label as usize])
                .collect()
        };
        [
            numbers(&self.original.labels, &self.original_meanings),
            numbers(&self.released.labels, &self.released_meanings),
        ]
    }

    /// The share of cells that do not stand for the value that was there.
    fn changed(&self, matched: &[usize]) -> f64 {
        let pairs = self.released.labels.iter().zip(matched);
        let nulls = [&self.original, &self.released].map(|labels| labels.texts.find(&[0]));
        let changed = pairs.filter(|&(&label, &row)| {
            let original = self.original.labels[row];
            self.original_meanings[original as usize] != self.released_meanings[label as usize]
                && [Some(original), Some(label)] != nulls
        });
        changed.count() as f64 / matched.len().max(1) as f64
    }

    fn categories(&self) -> usize {
        self.original.texts.len()
    }

    pub(super) fn before(&self) -> (&[u32], &[Meaning], usize) {
        (
            &self.original.labels,
            &self.original_meanings,
            self.categories(),
        )
    }

    pub(super) fn after(&self) -> (&[u32], &[Meaning], usize) {
        (
            &self.released.labels,
            &self.released_meanings,
            self.categories(),
        )
    }

    fn categorical(&self, figures: &mut Vec<ComparedFigure>) {
        let masses = |(labels, meanings, categories): (&[u32], &[Meaning], usize)| {
            known(masses(labels, meanings, categories))
        };
        let (before, after) = (masses(self.before()), masses(self.after()));
        let one = &[self][..];
        let shown = |masses: &[f64]| masses.iter().filter(|&&mass| mass > 0.0).count() as f64;
        figures.push(ComparedFigure::new(
            one,
            "categories",
            shown(&before),
            shown(&after),
        ));
        let distance = total_variation(&before, &after);
        figures.push(ComparedFigure::new(one, "total variation", 0.0, distance));
        // shares are sums of fractions: what is left of 1 by rounding is not missing
        let unknown = Some(1.0 - after.iter().sum::<f64>()).filter(|&share| share > ROUNDING);
        let null = self.original.texts.find(&[0]);
        let nulls = |masses: &[f64]| null.map_or(0.0, |null| masses[null as usize]);
        figures.push(ComparedFigure::new(
            one,
            "missing",
            nulls(&before),
            nulls(&after) + unknown.unwrap_or(0.0),
        ));
    }
}

/// How far the mean of ascending values moves, in standard deviations of the original: no number
/// where no value is left, infinitely far where the original knows one value at most and others are
/// shown.
fn mean_shift(before: &[f64], after: &[f64]) -> f64 {
    let constant = [after.first(), after.last()] == [before.first(); 2];
    match (summary(before), summary(after)) {
        _ if constant => 0.0,
        (Some(_), None) => f64::NAN,
        (Some(a), Some(b)) if a.sd > 0.0 => (b.mean - a.mean) / a.sd,
        _ => f64::INFINITY,
    }
}
