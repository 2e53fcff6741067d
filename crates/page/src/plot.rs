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
            @for (point, side) in self.points.iter().zip(self.label_sides(widest, highest)) {
                circle class=(if point.chosen { "chosen" } else { "point" }) cx=(x(point)) cy=(y(point)) r="5" {}
                @if let Some((dx, dy, anchor)) = side {
                    text x=(x(point)) y=(y(point)) dx=(dx) dy=(dy) text-anchor=(anchor) { (point.label) }
                }
            }
        }
    }
}

/// Where a label stands beside its point: across, down, and which end of the text is there.
type Side = (f64, f64, &'static str);

/// Above and below a point, to its right and to its left.
const SIDES: [Side; 4] = [
    (9.0, -5.0, "start"),
    (-9.0, -5.0, "end"),
    (9.0, 17.0, "start"),
    (-9.0, 17.0, "end"),
];

/// The width of a plot on a phone, where labels are closest, and the room on either side of it.
const NARROWEST: f64 = 270.0;
const MARGIN: f64 = 40.0;
const LETTER: f64 = 7.5;
const LINE: f64 = 15.0;

/// What a label covers: left, top, right and bottom, in pixels of the narrowest plot.
type Extent = [f64; 4];

fn meet(a: &Extent, b: &Extent) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

impl Plot {
    /// A side for the label of each point where it covers no other label and no other point, or
    /// none: the table behind the plot has all of them. The chosen point has the first choice.
    fn label_sides(&self, widest: f64, highest: f64) -> Vec<Option<Side>> {
        let at = |point: &Point| {
            let across = NARROWEST * point.across / widest;
            (across, HEIGHT - HEIGHT * point.up / highest)
        };
        let dot = |point: &Point| {
            let (x, y) = at(point);
            [x - 5.0, y - 5.0, x + 5.0, y + 5.0]
        };
        let mut taken: Vec<Extent> = self.points.iter().map(dot).collect();
        let mut sides = vec![None; self.points.len()];
        let (chosen, others): (Vec<_>, Vec<_>) =
            (0..sides.len()).partition(|&place| self.points[place].chosen);
        for place in chosen.into_iter().chain(others) {
            let (x, y) = at(&self.points[place]);
            let width = LETTER * self.points[place].label.chars().count() as f64;
            let extent = |&(dx, dy, anchor): &Side| {
                let left = x + dx - if anchor == "end" { width } else { 0.0 };
                [left, y + dy - LINE + 3.0, left + width, y + dy + 3.0]
            };
            let fits = |side: &&Side| {
                let extent = extent(side);
                let inside = extent[0] >= -MARGIN && extent[2] <= NARROWEST + MARGIN;
                inside
                    && extent[3] <= HEIGHT + 4.0
                    && !taken.iter().any(|other| meet(&extent, other))
            };
            sides[place] = SIDES.iter().find(fits).copied();
            taken.extend(sides[place].as_ref().map(extent));
        }
        sides
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

    fn plot(places: &[(f64, f64)]) -> Plot {
        let point = |(number, &(across, up)): (usize, &(f64, f64))| Point {
            across,
            up,
            label: format!("k = {number}"),
            chosen: number == 1,
        };
        Plot {
            id: "p",
            title: "t",
            across: "loss",
            up: "risk",
            points: places.iter().enumerate().map(point).collect(),
            headings: vec![],
            cells: vec![],
        }
    }

    #[test]
    fn labels_leave_room_for_each_other() {
        let crowded = plot(&[
            (1.0, 50.0),
            (1.1, 49.0),
            (1.2, 48.0),
            (1.3, 47.0),
            (99.0, 1.0),
        ]);
        let sides = crowded.label_sides(100.0, 50.0);
        assert!(sides[1].is_some(), "the chosen point is labelled");
        assert!(
            sides.iter().flatten().count() < 5,
            "a crowd cannot have all its labels"
        );
        assert_eq!(
            sides[4].map(|side| side.2),
            Some("end"),
            "the last one stays on the page"
        );
        let apart = plot(&[(1.0, 50.0), (20.0, 30.0), (50.0, 10.0)]);
        assert!(apart.label_sides(50.0, 50.0).iter().all(Option::is_some));
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
