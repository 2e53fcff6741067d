//! Figures of pairs of columns as a matrix, darker where two columns have more to do with each other.

use crate::format::two_decimals;
use maud::{Markup, html};

/// A figure between -1 and 1 for each pair of columns.
pub struct Matrix {
    pub title: String,
    pub names: Vec<String>,
    /// a row for each name; `None` where there is no figure
    pub figures: Vec<Vec<Option<f64>>>,
}

/// Shades that figures are shown in.
const SHADES: usize = 5;

impl Matrix {
    /// The matrix as a table that scrolls on its own where the page is too narrow.
    pub fn table(&self) -> Markup {
        html! {
            div.scroll {
                table.matrix {
                    caption { (self.title) }
                    thead { tr {
                        td {}
                        @for name in &self.names { th scope="col" { (parts(name)) } }
                    } }
                    tbody {
                        @for (name, figures) in self.names.iter().zip(&self.figures) {
                            tr {
                                th scope="row" { (parts(name)) }
                                @for figure in figures { (cell(*figure)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A name that may break after each of its underscores, so that matrices are narrow.
fn parts(name: &str) -> Markup {
    html! { @for part in name.split_inclusive('_') { (part) @if part.ends_with('_') { wbr; } } }
}

fn cell(figure: Option<f64>) -> Markup {
    let Some(figure) = figure.filter(|figure| figure.is_finite()) else {
        return html! { td { "–" } };
    };
    let shade = (figure.abs().min(1.0) * (SHADES - 1) as f64).round() as usize;
    html! { td class={ "shade-" (shade) } { (two_decimals(figure)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stronger_figures_are_darker_and_names_are_escaped() {
        let matrix = Matrix {
            title: "Correlations".into(),
            names: vec!["<a>".into(), "b_c".into()],
            figures: vec![vec![Some(1.0), Some(-0.52)], vec![None, Some(0.04)]],
        };
        let html = matrix.table().into_string();
        assert!(html.contains("&lt;a&gt;"), "{html}");
        assert!(html.contains("b_<wbr>c</th>"), "{html}");
        for cell in [
            "<td class=\"shade-4\">1.00</td>",
            "<td class=\"shade-2\">-0.52</td>",
            "<td>–</td>",
            "<td class=\"shade-0\">0.04</td>",
        ] {
            assert!(html.contains(cell), "{cell} in {html}");
        }
    }
}
