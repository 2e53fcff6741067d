//! Bar charts: SVG whose bars stretch with the page while its text keeps its size, and a table
//! of the same figures for who cannot see or does not like bars.

use crate::format::shortened;
use crate::plot::place;
use crate::table;
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
    /// what a phone shows in place of a label that is too long for it; its beginning if there is none
    pub short: Option<String>,
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
    /// what others are compared with
    Quiet,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Plain => "plain",
            Tone::Bad => "bad",
            Tone::Before => "before",
            Tone::Quiet => "quiet",
        }
    }
}

const LINE: usize = 24;
const STROKE: usize = 14;
const LABEL_END: f64 = 27.0;
const BAR_START: f64 = 29.0;
const LONGEST_BAR: f64 = 46.0;
const SHORTEST_ROOM: f64 = 25.0;
/// a character in percent of the width of a phone
const CHARACTER: f64 = 2.1;
const LONGEST_LABEL: usize = 26;
const LONGEST_ON_A_PHONE: usize = 14;

impl Chart {
    /// The chart as an HTML figure.
    pub fn figure(&self) -> Markup {
        let title = format!("{}-title", self.id);
        html! {
            figure {
                svg role="img" aria-labelledby=(title) width="100%" height=(self.height()) {
                    title id=(title) { (self.title) }
                    @for (number, bar) in self.bars.iter().enumerate() {
                        (self.line(bar, self.top(number)))
                    }
                }
                (table::behind(&self.headings, &self.cells))
            }
        }
    }

    fn strokes(&self) -> usize {
        let strokes = self.bars.iter().map(|bar| bar.strokes.len()).max();
        strokes.unwrap_or(1).max(1)
    }

    fn top(&self, number: usize) -> usize {
        number * (LINE + (self.strokes() - 1) * (STROKE + 2))
    }

    fn height(&self) -> usize {
        self.top(self.bars.len()).max(LINE)
    }

    fn longest(&self) -> f64 {
        let strokes = self.bars.iter().flat_map(|bar| &bar.strokes);
        strokes.map(|stroke| stroke.value).fold(0.0, f64::max)
    }

    /// How long the longest bar may be, so that there is room for the text after it on a phone, too.
    fn longest_bar(&self) -> f64 {
        let strokes = self.bars.iter().flat_map(|bar| &bar.strokes);
        let text = strokes.map(|stroke| stroke.text.chars().count()).max();
        let text = CHARACTER * text.unwrap_or(0) as f64;
        (99.0 - BAR_START - text).clamp(SHORTEST_ROOM, LONGEST_BAR)
    }

    fn line(&self, bar: &Bar, top: usize) -> Markup {
        html! {
            (bar.name(top + 16))
            @for (number, stroke) in bar.strokes.iter().enumerate() {
                (self.stroke(stroke, top + 4 + number * (STROKE + 2)))
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
        let length = self.longest_bar() * share;
        html! {
            rect class=(stroke.tone.class()) x=(place(BAR_START)) y=(y) width=(place(length)) height=(STROKE) {}
            text x=(place(BAR_START + length + 1.0)) y=(y + 12) { (stroke.text) }
        }
    }
}

impl Bar {
    /// The label, and a shorter one for a phone where it needs that.
    fn name(&self, y: usize) -> Markup {
        let name = |class: Option<&str>, text: String| {
            html! { text class=[class] x=(place(LABEL_END)) y=(y) text-anchor="end" { (text) } }
        };
        let label = shortened(&self.label, LONGEST_LABEL);
        if label.chars().count() <= LONGEST_ON_A_PHONE {
            return name(None, label);
        }
        let short = self.short.as_ref().unwrap_or(&self.label);
        html! {
            (name(Some("wide"), label))
            (name(Some("narrow"), shortened(short, LONGEST_ON_A_PHONE)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: &[f64]) -> Chart {
        let bar = |&value: &f64| Bar {
            label: "<label>".into(),
            short: None,
            strokes: vec![Stroke {
                value,
                text: value.to_string(),
                tone: Tone::Bad,
            }],
        };
        Chart {
            id: "c".into(),
            title: "title & more".into(),
            bars: values.iter().map(bar).collect(),
            headings: vec!["value"],
            cells: vec![],
        }
    }

    #[test]
    fn the_longest_bar_fills_its_room() {
        let html = chart(&[5.0, 10.0]).figure().into_string();
        assert!(
            html.contains(r#"width="23.00%""#) && html.contains(r#"width="46.00%""#),
            "{html}"
        );
        assert!(
            html.contains("&lt;label&gt;") && html.contains("title &amp; more"),
            "{html}"
        );
    }

    #[test]
    fn a_longer_text_leaves_less_room_for_bars() {
        let mut long = chart(&[10.0]);
        long.bars[0].strokes[0].text = "measured 95.2 %".into();
        let html = long.figure().into_string();
        assert!(html.contains(r#"width="38.50%""#), "{html}");
    }

    #[test]
    fn a_phone_gets_a_shorter_label() {
        let mut long = chart(&[10.0]);
        long.bars[0].label = "Asian-Pac-Islander".into();
        let html = long.figure().into_string();
        for text in [">Asian-Pac-Islander</text>", ">Asian-Pac-Isl…</text>"] {
            assert!(html.contains(text), "{text} in {html}");
        }
        long.bars[0].short = Some("Islander".into());
        assert!(long.figure().into_string().contains(">Islander</text>"));
    }

    #[test]
    fn nothing_to_show_is_still_a_chart() {
        let html = chart(&[0.0]).figure().into_string();
        assert!(html.contains(r#"width="0.00%""#), "{html}");
        assert!(chart(&[]).figure().into_string().contains("</svg>"));
    }
}
