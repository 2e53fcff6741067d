//! Points in a plane, joined by a line.

use crate::format::figure;
use crate::table;
use maud::{Markup, html};

/// A plot of percentages with the table behind it.
pub struct Plot {
    /// unique on the page
    pub id: &'static str,
    pub title: &'static str,
    pub across: &'static str,
    pub up: &'static str,
    pub points: Vec<Point>,
    pub headings: Vec<&'static str>,
    /// the cells of the table behind the plot
    pub cells: Vec<Vec<String>>,
}

/// A point of a plot.
pub struct Point {
    pub across: f64,
    pub up: f64,
    pub label: String,
    /// whether it is the one that was asked for
    pub chosen: bool,
}

const HEIGHT: f64 = 220.0;
const STEPS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Plot {
    /// The plot as an HTML figure.
    pub fn figure(&self) -> Markup {
        let title = format!("{}-title", self.id);
        html! {
            figure {
                svg.curve role="img" aria-labelledby=(title) width="100%" height=(HEIGHT + 70.0) {
                    title id=(title) { (self.title) }
                    text x="0" y="14" { (self.up) }
                    svg x="12%" y="28" width="76%" height=(HEIGHT) { (self.inside()) }
                    text x="88%" y=(HEIGHT + 66.0) text-anchor="end" { (self.across) }
                }
                (table::behind(&self.headings, &self.cells))
            }
        }
    }

    /// Positions are relative, so that the plot stretches with the page and its text does not.
    fn inside(&self) -> Markup {
        let widest = scale_end(self.points.iter().map(|point| point.across));
        let highest = scale_end(self.points.iter().map(|point| point.up));
        let x = |point: &Point| place(100.0 * point.across / widest);
        let y = |point: &Point| place(100.0 - 100.0 * point.up / highest);
        html! {
            @for step in STEPS {
                (scale_mark(step, widest * step, highest * step))
            }
            @for pair in self.points.windows(2) {
                line.path x1=(x(&pair[0])) y1=(y(&pair[0])) x2=(x(&pair[1])) y2=(y(&pair[1])) {}
            }
            @for point in &self.points {
                circle class=(if point.chosen { "chosen" } else { "point" }) cx=(x(point)) cy=(y(point)) r="5" {}
                text x=(x(point)) y=(y(point)) dx="9" dy="-5" { (point.label) }
            }
        }
    }
}

/// One line of the grid, with the values at its ends.
fn scale_mark(step: f64, across: f64, up: f64) -> Markup {
    let level = place(100.0 - 100.0 * step);
    html! {
        line.grid x1="0%" x2="100%" y1=(level) y2=(level) {}
        text x="-6" y=(level) dy="4" text-anchor="end" { (figure(up)) "\u{a0}%" }
        text x=(place(100.0 * step)) y=(HEIGHT + 18.0) text-anchor="middle" { (figure(across)) "\u{a0}%" }
    }
}

/// A length or position relative to what is around it.
pub(crate) fn place(percent: f64) -> String {
    format!("{percent:.2}%")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        let cases = [
            (0.0, 1.0),
            (0.07, 0.1),
            (1.3, 2.0),
            (33.3, 50.0),
            (50.0, 50.0),
            (99.0, 100.0),
        ];
        for (most, end) in cases {
            assert!((scale_end([most].into_iter()) - end).abs() < 1e-9);
        }
    }

    #[test]
    fn a_single_point_at_nothing_is_inside() {
        let point = Point {
            across: 0.0,
            up: 100.0,
            label: "k = 1".into(),
            chosen: true,
        };
        let plot = Plot {
            id: "p",
            title: "t",
            across: "loss",
            up: "risk",
            points: vec![point],
            headings: vec![],
            cells: vec![],
        };
        let html = plot.figure().into_string();
        assert!(
            html.contains(r#"class="chosen" cx="0.00%" cy="0.00%""#),
            "{html}"
        );
    }
}
