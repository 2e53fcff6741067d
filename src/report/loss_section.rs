//! What a release cost, as the register has it: altogether and for each key.

use crate::report::released::Released;
use maud::{Markup, html};
use sdc_page::format::{figure, percent};
use sdc_page::table::table;
use sdc_page::{Bar, Chart, Stroke, Tone};
use serde_json::Value;

/// The losses that methods record, and what they mean.
const MEANINGS: [(&str, &str); 3] = [
    (
        "information_loss",
        "share of the keys' variance that lay within groups and is gone",
    ),
    (
        "ncp",
        "normalized certainty penalty: the share of its domain that a cell leaves open, on average",
    ),
    (
        "reconstruction_error",
        "squared distance of the true rows from what readers can infer from the release, summed over rows",
    ),
];

pub fn section(release: &Released) -> Markup {
    let columns = columns(release);
    html! {
        section {
            h2 { "What it cost" }
            (table(&["Measure", "Loss", "Meaning"], &measures(&release.loss)))
            @if !columns.is_empty() {
                p { "How much each column lost, in percent:" }
                (chart(&columns).figure())
            }
        }
    }
}

fn measures(loss: &Value) -> Vec<Vec<String>> {
    let measure = |&(name, meaning): &(&str, &str)| {
        let number = loss[name].as_f64()?;
        // one unit wherever there is a whole to compare with
        let text = match name {
            "information_loss" => percent(number),
            "ncp" => percent(100.0 * number),
            _ => figure(number),
        };
        Some(vec![name.replace('_', " "), text, meaning.into()])
    };
    MEANINGS.iter().filter_map(measure).collect()
}

/// The loss of each key, in the order of the keys, where the method records it.
fn columns(release: &Released) -> Vec<(String, f64)> {
    let recorded = &release.loss["columns"];
    let column = |name: &String| Some((name.clone(), recorded.get(name)?.as_f64()?));
    release.keys.iter().filter_map(column).collect()
}

fn chart(columns: &[(String, f64)]) -> Chart {
    let bar = |(name, loss): &(String, f64)| Bar {
        label: name.clone(),
        short: None,
        strokes: vec![Stroke {
            value: *loss,
            text: percent(*loss),
            tone: Tone::Plain,
        }],
    };
    let cells = |(name, loss): &(String, f64)| vec![name.clone(), percent(*loss)];
    Chart {
        id: "loss".into(),
        title: "Loss of each key".into(),
        bars: columns.iter().map(bar).collect(),
        headings: vec!["Key", "Loss"],
        cells: columns.iter().map(cells).collect(),
    }
}
