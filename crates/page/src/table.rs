//! Tables, and those behind charts.

use maud::{Markup, html};

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

/// The figures of a chart, closed until somebody asks.
pub fn behind(headings: &[&str], cells: &[Vec<String>]) -> Markup {
    html! {
        details {
            summary { "The figures as a table" }
            (table(headings, cells))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_escaped() {
        let html = table(&["<i>"], &[vec!["<script>".into()]]).into_string();
        assert!(html.contains("<td>&lt;script&gt;</td>"), "{html}");
        assert!(html.contains("&lt;i&gt;"), "{html}");
    }
}
