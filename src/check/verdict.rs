//! The verdict on each property of a check.

use crate::check::{Check, Groups, brought_values, group_queries, in_memory, spilled, wildcards};
use crate::pg::statements;
use crate::pg::type_capabilities;
use crate::read::null_reading::NullReading;
use sdc_engine::model::Property;

/// What the check says about one property.
pub struct Line {
    pub property: Property,
    pub attribute: Option<String>,
    pub required: Option<f64>,
    pub actual: Option<f64>,
    pub violating_groups: Option<i64>,
    pub violating_rows: Option<i64>,
}

impl Line {
    /// The verdict before any group has been counted.
    pub fn uncounted(property: Property, attribute: Option<&str>, required: Option<f64>) -> Self {
        Line {
            property,
            attribute: attribute.map(Into::into),
            required,
            actual: None,
            violating_groups: required.map(|_| 0),
            violating_rows: required.map(|_| 0),
        }
    }

    /// Counts a group of so many rows with its figure.
    pub fn count(&mut self, figure: f64, rows: i64) {
        let bound = self.property.bound();
        let worst = self.actual.map(|worst| bound.worse(worst, figure));
        self.actual = worst.or(Some(figure));
        if self
            .required
            .is_some_and(|required| bound.misses(figure, required))
        {
            self.violating_groups = self.violating_groups.map(|groups| groups + 1);
            self.violating_rows = self.violating_rows.map(|total| total + rows);
        }
    }

    /// Whether the requirement is met; `None` without one.
    pub fn satisfied(&self) -> Option<bool> {
        self.required.map(|_| self.violating_groups == Some(0))
    }

    /// On which side of the requirement the figure must be.
    pub fn bound(&self) -> &'static str {
        match self.property.larger_is_better() {
            true => "at least",
            false => "at most",
        }
    }
}

/// All properties, in the order users know them.
pub fn lines(check: &Check) -> Vec<Line> {
    if check.nulls == NullReading::Wildcard {
        return wildcards::lines(check);
    }
    if check.is_grouped_on_workers() {
        return on_workers(check);
    }
    let beside = check.groups_beside_values();
    let first = u64::from(!beside.is_empty());
    let mut watch = check.watch(first as usize + check.sensitive.len());
    // the first column gives the sizes of groups, unless another query does
    let mut with_size = check.gives_size_by_value();
    let mut lines = figures(beside);
    for (done, column) in (first..).zip(&check.sensitive) {
        watch.tick(done);
        let mut counted = in_memory::lines(check, column, with_size);
        if let Some(entity) = &check.entity {
            counted = counted.map(|lines| by_persons(check, column, lines));
            lines.push(brought_values::line(check, entity, column));
        }
        lines.extend(counted.unwrap_or_else(|| spilled(check, column, with_size)));
        with_size = false;
    }
    in_order(lines)
}

/// As users know them.
fn in_order(mut lines: Vec<Line>) -> Vec<Line> {
    let place = |line: &Line| Property::ALL.iter().position(|p| *p == line.property);
    lines.sort_by_key(place);
    lines
}

/// t-closeness takes the counts of all values of all groups to one node. Nobody asked for it here,
/// so it is left out where there are more of them than this.
const FEW_PAIRS: i64 = 100_000;

/// All properties of a distributed table whose groups are each on one node: workers judge their
/// groups, and a row of figures travels.
fn on_workers(check: &Check) -> Vec<Line> {
    let mut watch = check.watch(1 + check.sensitive.len());
    let groups = check.groups();
    let answers = answers(&groups);
    let pairs: Vec<i64> = answers.iter().filter_map(|answer| answer.pairs).collect();
    let mut lines = lines_of(groups, answers);
    for ((done, column), pairs) in (1..).zip(&check.sensitive).zip(pairs) {
        watch.tick(done);
        let brought = check.entity.iter();
        lines.extend(brought.map(|entity| brought_values::line(check, entity, column)));
        let counted = match pairs <= FEW_PAIRS {
            true => in_memory::lines(check, column, false),
            false => None,
        };
        let counted = counted.into_iter().flatten();
        let mut close = counted.filter(|line| line.property == Property::TCloseness);
        lines.push(
            close
                .next()
                .unwrap_or_else(|| unknown_closeness(check, column)),
        );
    }
    in_order(lines)
}

/// The same with persons in the place of rows, where values are counted. t-closeness compares rows.
fn by_persons(check: &Check, column: &str, mut lines: Vec<Line>) -> Vec<Line> {
    lines.retain(|line| line.property == Property::TCloseness);
    lines.extend(figures(vec![check.groups_by_value(column, false)]));
    lines
}

/// The same as [`in_memory::lines`] by queries that keep no group in our memory, and take longer.
fn spilled(check: &Check, column: &str, with_size: bool) -> Vec<Line> {
    let mut lines = figures(vec![check.groups_by_value(column, with_size)]);
    lines.push(closeness_line(check, column));
    lines
}

/// The figures that plain GROUP BY queries give, in one statement.
fn figures(groups: Vec<Groups>) -> Vec<Line> {
    let answers = answers(&groups);
    lines_of(groups, answers)
}

fn answers(groups: &[Groups]) -> Vec<Arrays> {
    if groups.is_empty() {
        return Vec::new();
    }
    let queries: Vec<String> = groups
        .iter()
        .enumerate()
        .map(group_queries::worst)
        .collect();
    let mut answers: Vec<Arrays> = statements::select(&queries.join(" UNION ALL "), |row| Arrays {
        part: row.get(1).unwrap_or(0),
        actual: row.get(2).unwrap_or_default(),
        groups: row.get(3).unwrap_or_default(),
        rows: row.get(4).unwrap_or_default(),
        pairs: row.get(5),
    });
    // a parallel plan gives the parts in any order
    answers.sort_by_key(|answer| answer.part);
    answers
}

fn lines_of(groups: Vec<Groups>, answers: Vec<Arrays>) -> Vec<Line> {
    let mut lines = Vec::new();
    for (groups, answer) in groups.into_iter().zip(answers) {
        for (index, figure) in groups.figures.into_iter().enumerate() {
            let missed = |counts: &[Option<i64>]| {
                figure
                    .required
                    .map(|_| counts.get(index).copied().flatten().unwrap_or(0))
            };
            lines.push(Line {
                actual: answer.actual.get(index).copied().flatten(),
                violating_groups: missed(&answer.groups),
                violating_rows: missed(&answer.rows),
                property: figure.property,
                attribute: figure.attribute,
                required: figure.required,
            });
        }
    }
    lines
}

struct Arrays {
    part: i32,
    actual: Vec<Option<f64>>,
    groups: Vec<Option<i64>>,
    rows: Vec<Option<i64>>,
    /// of group and value, where the query counts them
    pairs: Option<i64>,
}

fn unknown_closeness(check: &Check, column: &str) -> Line {
    let required = check.required.t;
    Line::uncounted(Property::TCloseness, Some(column), required)
}

fn closeness_line(check: &Check, column: &str) -> Line {
    let required = check.required.t;
    let mut line = unknown_closeness(check, column);
    // keys without an order cannot be sorted by; nobody asked for it
    if required.is_none() && !check.key_types().all(type_capabilities::can_sort) {
        return line;
    }
    spilled::distances(check, column, false, &mut |group| {
        line.count(group.distance, group.rows as i64);
    });
    line
}
