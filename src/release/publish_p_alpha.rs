//! `sdc.publish_p_alpha`.

use crate::assign::p_alpha_sensitive::{PAlpha, Rows};
use crate::check::Requirements;
use crate::pg::errors::{self, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, Name, NameList, Relation};
use crate::read::arguments::count;
use crate::read::named_arguments::NamedArguments;
use crate::read::points::Points;
use crate::read::relation::Source;
use crate::read::sensitivity_categories;
use crate::read::source_rows::KeptRows;
use crate::read::table_options::{Suppression, TableOptions};
use crate::release::category_columns::{CategorizedRelease, PublishedSensitive};
use crate::release::continued_groups::ContinuedGroups;
use crate::release::sequence::Sequence;
use crate::release::{
    Entry, ReleaseMethod, Target, create_table, promise_check, register, trial_attack,
};
use pgrx::pg_sys::{Datum, Oid};
use sdc_engine::measure::{ShownLoss, Squares};
use sdc_engine::model::SensitivityCategories;
use sdc_engine::{Monitor, Partition};
use serde_json::{Value, json};

fn publish_p_alpha(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let k: i32 = arguments.required("k");
    let p: i32 = errors::required(arguments.optional("p"), "p");
    let table = TableOptions::of(&arguments);
    let requirement = PAlpha {
        k: count(k, "k"),
        p: count(p, "p"),
        alpha: arguments.required("alpha"),
        standardize: arguments.required("standardize"),
        weights: table.weights(&arguments.required::<NameList>("keys").0),
    };
    let source = Source::new(arguments.required::<Relation>("source").0);
    let target = register::begin_compared(&source, &arguments);
    let release = categorized(&arguments, source, table);
    let entity = release.table.entity.as_deref();
    let sequence = Sequence::of(&arguments, &release.source, ReleaseMethod::PAlpha, entity);
    let mut parameters = parameters(&arguments, &requirement, &release);
    if let Some(sequence) = &sequence {
        sequence.record(&mut parameters);
    }
    let mut watch = Watch::new(Some(release.source.oid));
    let how = (&requirement, sequence.as_ref());
    let written = write(&release, &target, how, &mut watch);
    let partition = &written.partition;
    let promised = Requirements::p_alpha(k, p, requirement.alpha);
    let achieved = release.verify(&target, promised);
    let mut achieved = promise_check::by_persons(achieved, written.counted);
    if let Some(groups) = &written.continued {
        groups.figures(&mut achieved);
    }
    let entry = Entry {
        achieved,
        source: &release.source,
        target: &target,
        method: ReleaseMethod::PAlpha,
        parameters,
        rows: partition.rows() as u64,
        groups: partition.groups() as u64,
        suppressed: written.suppressed as u64,
        loss: written.loss,
    };
    let continued = written.continued.as_ref();
    let entered = entry.register_continued(&arguments, sequence.as_ref(), continued, &mut watch);
    trial_attack::answer(&arguments, entered)
}

v1! {
    sdc_publish_p_alpha, pg_finfo_sdc_publish_p_alpha => publish_p_alpha;
}

/// What the call publishes.
fn categorized(
    arguments: &NamedArguments<'_>,
    source: Source,
    table: TableOptions,
) -> CategorizedRelease {
    CategorizedRelease::new(
        source,
        (
            arguments.required::<NameList>("keys").0,
            arguments.required::<Name>("sensitive").0,
            arguments.required::<NameList>("keep").0,
        ),
        sensitivity_categories::parse(arguments.required("categories")),
        PublishedSensitive::named(&arguments.required::<String>("publish")),
        (arguments.optional("hierarchies"), table),
    )
}

/// The call as the register keeps it.
fn parameters(
    arguments: &NamedArguments<'_>,
    requirement: &PAlpha,
    release: &CategorizedRelease,
) -> Value {
    let mut parameters = json!({
        "keys": release.known(),
        "sensitive": arguments.required::<Name>("sensitive").0,
        "categories": arguments.required::<Json>("categories").0,
        "k": requirement.k, "p": requirement.p, "alpha": requirement.alpha,
        "keep": arguments.required::<NameList>("keep").0,
        "publish": arguments.required::<String>("publish"),
        "standardize": requirement.standardize,
    });
    if let Some(hierarchies) = arguments.optional::<Json>("hierarchies") {
        parameters["hierarchies"] = hierarchies.0;
    }
    release.table.record(&mut parameters);
    parameters
}

/// A table that was written, and what is known of it.
struct WrittenGroups {
    partition: Partition,
    suppressed: usize,
    loss: Value,
    /// what groups achieve counted by persons, where the call tells them apart
    counted: Option<Value>,
    continued: Option<ContinuedGroups>,
}

/// Reads the rows, groups them and writes the table of the release; says what that costs.
fn write(
    release: &CategorizedRelease,
    target: &Target,
    (requirement, sequence): (&PAlpha, Option<&Sequence>),
    watch: &mut Watch,
) -> WrittenGroups {
    let selection = release.selection();
    let mut rows = KeptRows::read(&selection, watch);
    release.source.refuse_no_rows(rows.rows);
    if release.is_averaged() {
        rows.warn_of_identifiers();
        rows.warn_of_codes();
    }
    let read = rows.rows;
    let shown = release.keys.len()..selection.shown;
    let mut continued = ContinuedGroups::of(sequence, &rows, shown, requirement.k, watch);
    let categories = release.classify(&rows);
    let how = Choice {
        suppression: release.table.max_suppressed,
        continued: continued.as_mut(),
    };
    let grouped = group(requirement, &mut rows, &categories, how, watch);
    let suppressed = match &mut continued {
        None => read - rows.rows,
        Some(continued) => continued.started(&rows, &grouped.partition),
    };
    let counted = counted(&rows, &grouped.partition, requirement, &categories);
    let types = release.columns();
    let types: Vec<Oid> = types[..release.keys.len()].iter().map(|c| c.typ).collect();
    let kept = continued.as_ref();
    let kept = kept.map(|groups| groups.kept_keys(&mut rows, &types, &grouped.partition));
    let (mut masks, recoded) = release.masks(&rows, &grouped.partition);
    if let (Some(continued), Some((kept, _))) = (&mut continued, &kept) {
        continued.keep_masks(&mut masks, kept);
    }
    let averages = kept.map(|(_, losses)| losses);
    let loss = loss(
        &release.keys,
        requirement,
        &rows,
        &grouped,
        (recoded, averages),
    );
    let masked = release.write(&rows, &categories, &grouped.partition, &masks, watch);
    drop(rows);
    create_table(target, &release.columns(), &masked);
    WrittenGroups {
        partition: grouped.partition,
        suppressed,
        loss,
        counted,
        continued,
    }
}

/// What groups achieve counted by persons: those of the sensitive column alone, behind which stand
/// keys that are read a second time.
fn counted(
    rows: &KeptRows,
    partition: &Partition,
    requirement: &PAlpha,
    categories: &SensitivityCategories,
) -> Option<Value> {
    let mut counted = promise_check::verify_persons(rows, partition, requirement.k, 1)?;
    let required = (requirement.p, requirement.alpha);
    promise_check::verify_categories(rows, partition, categories, required, &mut counted);
    Some(counted)
}

/// Which persons are grouped.
struct Choice<'a> {
    suppression: Suppression,
    /// the groups that are continued
    continued: Option<&'a mut ContinuedGroups>,
}

struct PAlphaGroups {
    partition: Partition,
    squares: Squares,
}

/// Persons count by their most sensitive category, which weighs least.
fn group(
    requirement: &PAlpha,
    rows: &mut KeptRows,
    categories: &SensitivityCategories,
    how: Choice<'_>,
    watch: &mut Watch,
) -> PAlphaGroups {
    let label = rows.names().sensitive.first();
    let label = format!("the category of {}", label.map_or("", |name| name));
    let mut points = Points::of(rows, |persons, values, _| {
        persons.first_by(values, |code| categories.of(code))
    });
    points.labels.push(label);
    let space = requirement.space(&points.keys, rows.names());
    let mut cut = |chosen: Option<&[u32]>, monitor: &mut dyn Monitor| match chosen {
        None => {
            let sensitive = &points.sensitive[0];
            let all = Rows {
                space: &space,
                sensitive,
                categories,
            };
            requirement.group(&all, monitor)
        }
        Some(chosen) => {
            let (space, sensitive) = (&space.select(chosen)?, &points.sensitive[0].pick(chosen)?);
            let some = Rows {
                space,
                sensitive,
                categories,
            };
            requirement.group(&some, monitor)
        }
    };
    let partition = match how.continued {
        Some(continued) if continued.continues() => {
            continued.regroup(&points, rows, &space, &mut cut, watch)
        }
        _ => points.group(rows, how.suppression, cut, watch),
    };
    let space = requirement.space(&rows.key_table(), rows.names());
    let squares = known(Squares::new(&space, &partition));
    PAlphaGroups { partition, squares }
}

/// What the release costs: of the keys' variance and, where keys are generalized, of what
/// their cells leave open; for each key in percent.
fn loss(
    keys: &[String],
    requirement: &PAlpha,
    rows: &KeptRows,
    grouped: &PAlphaGroups,
    (recoded, shown): (Vec<Option<f64>>, Option<Vec<ShownLoss>>),
) -> Value {
    let (whole, mut columns) = match shown {
        None => (
            grouped.squares.information_loss(),
            rows.losses(&grouped.partition, requirement.standardize),
        ),
        Some(shown) => (
            ShownLoss::of_all(&shown, &requirement.weights, requirement.standardize),
            shown.iter().map(ShownLoss::percent).collect(),
        ),
    };
    let mut penalties = Vec::new();
    for (column, penalty) in columns.iter_mut().zip(recoded) {
        if let Some(penalty) = penalty {
            *column = 100.0 * penalty;
            penalties.push(penalty);
        }
    }
    let mut loss = json!({
        "information_loss": whole,
        "columns": register::by_name(keys, columns),
    });
    if !penalties.is_empty() {
        loss["ncp"] = json!(penalties.iter().sum::<f64>() / penalties.len() as f64);
    }
    loss
}
