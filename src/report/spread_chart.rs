//! Charts of rows by a figure of their group: its size, or its number of distinct values.

use crate::report::audience::Audience;
use maud::Markup;
use sdc_engine::spread::{self, Range, Spread};
use sdc_page::format::{share, whole};
use sdc_page::{Bar, Chart, Stroke, Tone};

/// What to draw.
pub struct SpreadChart<'a> {
    pub id: String,
    pub title: String,
    /// what the figure is called
    pub figure: &'static str,
    pub spread: &'a [Spread],
    /// groups whose figure is below this are marked
    pub least: i64,
    pub audience: Audience,
}

impl SpreadChart<'_> {
    pub fn figure(self) -> Markup {
        let ranges = spread::ranges(self.spread, Some(self.least));
        let headings = match self.audience.is_public() {
            true => vec![self.figure, "Share of rows"],
            false => vec![self.figure, "Groups", "Rows", "Share of rows"],
        };
        let chart = Chart {
            bars: ranges.iter().map(|range| self.bar(range)).collect(),
            cells: ranges.iter().map(|range| self.cells(range)).collect(),
            id: self.id,
            title: self.title,
            headings,
        };
        chart.figure()
    }

    fn bar(&self, range: &Range) -> Bar {
        let text = match self.audience.is_public() {
            true => self.share(range),
            false => whole(range.rows),
        };
        let tone = match range.to < self.least {
            true => Tone::Bad,
            false => Tone::Plain,
        };
        let value = range.rows as f64;
        Bar {
            label: range.label(),
            short: None,
            strokes: vec![Stroke { value, text, tone }],
        }
    }

    /// The public is told shares of rows: the number of groups in a range may be below k.
    fn cells(&self, range: &Range) -> Vec<String> {
        let (label, share) = (range.label(), self.share(range));
        match self.audience.is_public() {
            true => vec![label, share],
            false => vec![label, whole(range.groups), whole(range.rows), share],
        }
    }

    fn share(&self, range: &Range) -> String {
        let rows = self.spread.iter().map(|spread| spread.rows).sum();
        share(range.rows, rows)
    }
}
