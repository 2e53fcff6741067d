//! What the texts of a column stand for in both versions of a table.

use crate::compare::column_labels::ColumnLabels;
use crate::compare::hierarchy_nodes::{ColumnNodes, NodeMeaning};
use crate::compare::label_meanings::{NumberScale, elements};
use sdc_engine::measure::utility::Meaning;
use std::collections::HashMap;

/// What texts stand for as numbers.
pub fn numbers(
    scale: NumberScale,
    labels: &ColumnLabels,
    nodes: Option<&ColumnNodes>,
) -> Vec<Meaning> {
    let meaning = |text: Option<String>| {
        let Some(text) = text else {
            return Meaning::Lost;
        };
        let read = scale.meaning(&text);
        match (&read, nodes) {
            // what is written as a range says more than the values that happen to be in it
            (Meaning::Range { low, high }, _) if low < high => read,
            (Meaning::Range { .. }, Some(nodes)) => {
                between(scale, nodes.meaning_of_value(&text)).unwrap_or(read)
            }
            (_, Some(nodes)) => between(scale, nodes.meaning(&text)).unwrap_or(read),
            _ => read,
        }
    };
    labels.texts().map(meaning).collect()
}

/// The numbers from the least to the largest of a node.
fn between(scale: NumberScale, node: NodeMeaning<'_>) -> Option<Meaning> {
    let values = match node {
        NodeMeaning::Unknown => return None,
        NodeMeaning::Anything => return Some(Meaning::Lost),
        NodeMeaning::Values(values) => values,
    };
    let ends = values
        .into_iter()
        .flatten()
        .filter_map(|value| scale.meaning(value).ends());
    let ends = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    Some(ends.map_or(Meaning::Lost, |(low, high)| Meaning::Range { low, high }))
}

/// The texts of the original are the categories. A text of the release is one of them, a set of
/// them, a node of a hierarchy, or nothing that is known.
pub fn categories(
    original: &ColumnLabels,
    released: &ColumnLabels,
    nodes: Option<&ColumnNodes>,
) -> (Vec<Meaning>, Vec<Meaning>) {
    let codes: HashMap<Option<String>, u32> = original.texts().zip(0..).collect();
    let single = |code: u32| Meaning::Shares(vec![(code, 1.0)]);
    let meaning = |text: Option<String>| {
        let Some(text) = text else {
            return null(original, released, codes.get(&None).copied());
        };
        let code = codes.get(&Some(text.clone()));
        let node = nodes.map(|nodes| match code {
            Some(_) => nodes.meaning_of_value(&text),
            None => nodes.meaning(&text),
        });
        match (node, code) {
            (Some(NodeMeaning::Anything), _) => Meaning::Lost,
            (Some(NodeMeaning::Values(values)), _) => {
                let known: Vec<u32> = values
                    .into_iter()
                    .filter_map(|value| codes.get(value).copied())
                    .collect();
                match shares(&known, known.len()) {
                    Meaning::Shares(shares) if shares.len() > 1 => Meaning::Node(shares),
                    meaning => meaning,
                }
            }
            (_, Some(&code)) => single(code),
            _ => elements(&text).map_or(Meaning::Lost, |elements| {
                let known = elements.iter().filter_map(|element| codes.get(element));
                shares(&known.copied().collect::<Vec<_>>(), elements.len())
            }),
        }
    };
    let before = (0..original.texts.len() as u32).map(single).collect();
    (before, released.texts().map(meaning).collect())
}

/// The same share for each of the known values among so many.
fn shares(known: &[u32], of: usize) -> Meaning {
    match known {
        [] => Meaning::Lost,
        known => Meaning::Shares(known.iter().map(|&code| (code, 1.0 / of as f64)).collect()),
    }
}

/// NULL in the release: as many as the original has are a category, the others are lost.
fn null(original: &ColumnLabels, released: &ColumnLabels, code: Option<u32>) -> Meaning {
    let rows = |labels: &ColumnLabels| labels.nulls() * labels.labels.len() as f64;
    match code {
        None => Meaning::Lost,
        Some(code) => {
            let share = (rows(original) / rows(released)).min(1.0);
            Meaning::Shares(vec![(code, share)])
        }
    }
}
