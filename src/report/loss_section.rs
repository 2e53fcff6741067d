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

/// What perturbation records for each column of numbers.
const DISTANCE: &str = "il1s";
const DISTANCE_MEANS: &str = "distance of a number from the original, on average, in standard deviations times the square root of 2";

pub fn section(release: &Released) -> Markup {
    let columns = columns(release);
    let measures = measures(&release.loss);
    let (lead, title) = match release.is_perturbed() {
        true => (
            "How many values of each column changed:",
            "Changed values of each key",
        ),
        false => ("How much each column lost, in percent:", "Loss of each key"),
    };
    html! {
        section {
            h2 { "What it cost" }
            @if !measures.is_empty() {
                (table(&["Measure", "Loss", "Meaning"], &measures))
            }
            @if !columns.is_empty() {
                p { (lead) }
                (chart(title, &columns).figure())
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
    let mut measures: Vec<Vec<String>> = MEANINGS.iter().filter_map(measure).collect();
    let distances = loss[DISTANCE].as_object().into_iter().flatten();
    measures.extend(distances.filter_map(|(column, distance)| {
        let name = format!("{DISTANCE} of {column}");
        Some(vec![
            name,
            figure(distance.as_f64()?),
            DISTANCE_MEANS.into(),
        ])
    }));
    measures
}

/// The loss of each key, in the order of the keys, where the method records it.
fn columns(release: &Released) -> Vec<(String, f64)> {
    let recorded = &release.loss["columns"];
    let column = |name: &String| Some((name.clone(), recorded.get(name)?.as_f64()?));
    release.keys.iter().filter_map(column).collect()
}

fn chart(title: &str, columns: &[(String, f64)]) -> Chart {
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
        title: title.into(),
        bars: columns.iter().map(bar).collect(),
        headings: vec!["Key", "Loss"],
        cells: columns.iter().map(cells).collect(),
    }
}
