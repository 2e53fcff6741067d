//! Bar charts: SVG whose bars stretch with the page while its text keeps its size, and a table
//! of the same figures for who cannot see or does not like bars.

use super::format::shortened;
use maud::{Markup, html};

/// A chart with the table behind it.
pub struct Chart {
    /// unique on the page
    pub id: String,
    pub title: String,
    pub bars: Vec<Bar>,
    pub headings: Vec<&'static str>,
    /// the cells of the table behind the chart
    pub cells: Vec<Vec<String>>,
}

/// One line of a chart.
pub struct Bar {
    pub label: String,
    pub strokes: Vec<Stroke>,
}

/// One bar of a line; two of them compare before and after.
pub struct Stroke {
    pub value: f64,
    pub text: String,
    pub tone: Tone,
}

/// The colour of a bar; what it means is said in words too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Bad,
    Before,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Plain => "plain",
            Tone::Bad => "bad",
            Tone::Before => "before",
        }
    }
}

const LINE: usize = 24;
const STROKE: usize = 14;
const LABEL_END: f64 = 27.0;
const BAR_START: f64 = 29.0;
/// leaves room for the text after the longest bar, on a phone too
const LONGEST_BAR: f64 = 46.0;
const LONGEST_LABEL: usize = 14;

impl Chart {
    pub fn figure(&self) -> Markup {
        let title = format!("{}-title", self.id);
        html! {
            figure {
                svg role="img" aria-labelledby=(title) width="100%" height=(self.height()) {
                    title id=(title) { (self.title) }
                    @for (place, bar) in self.bars.iter().enumerate() {
                        (self.line(bar, self.top(place)))
                    }
                }
                (table_behind(&self.headings, &self.cells))
            }
        }
    }

    fn strokes(&self) -> usize {
        let strokes = self.bars.iter().map(|bar| bar.strokes.len()).max();
        strokes.unwrap_or(1).max(1)
    }

    fn top(&self, place: usize) -> usize {
        place * (LINE + (self.strokes() - 1) * (STROKE + 2))
    }

    fn height(&self) -> usize {
        self.top(self.bars.len()).max(LINE)
    }

    fn longest(&self) -> f64 {
        let strokes = self.bars.iter().flat_map(|bar| &bar.strokes);
        strokes.map(|stroke| stroke.value).fold(0.0, f64::max)
    }

    fn line(&self, bar: &Bar, top: usize) -> Markup {
        html! {
            text x=(percent(LABEL_END)) y=(top + 16) text-anchor="end" { (shortened(&bar.label, LONGEST_LABEL)) }
            @for (place, stroke) in bar.strokes.iter().enumerate() {
                (self.stroke(stroke, top + 4 + place * (STROKE + 2)))
            }
        }
    }

    fn stroke(&self, stroke: &Stroke, y: usize) -> Markup {
        let longest = self.longest();
        let share = if longest > 0.0 {
            stroke.value / longest
        } else {
            0.0
        };
        let length = LONGEST_BAR * share;
        html! {
            rect class=(stroke.tone.class()) x=(percent(BAR_START)) y=(y) width=(percent(length)) height=(STROKE) {}
            text x=(percent(BAR_START + length + 1.0)) y=(y + 12) { (stroke.text) }
        }
    }
}

/// A length or position relative to the chart.
pub fn percent(number: f64) -> String {
    format!("{number:.2}%")
}

/// The figures of a chart, closed until somebody asks.
pub fn table_behind(headings: &[&str], cells: &[Vec<String>]) -> Markup {
    html! {
        details {
            summary { "The figures as a table" }
            (table(headings, cells))
        }
    }
}

/// A table that scrolls on its own where the page is too narrow.
pub fn table(headings: &[&str], cells: &[Vec<String>]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
                tbody {
                    @for row in cells {
                        tr { @for cell in row { td { (cell) } } }
                    }
                }
            }
        }
    }
}
