//! `sdc.publish_generalized`.

use super::{Entry, Release, Target, create_table, register};
use crate::check::{Check, Line, Requirements};
use crate::errors::{self, Failure, required};
use crate::generalization::{self, Conditions, CountedRows, Further, Generalization, count_rows};
use crate::guard::guarded;
use crate::progress::Watch;
use crate::query;
use crate::record::Attribute;
use crate::row_store::RowStore;
use crate::source::{self, Source};
use crate::sql_types::{Json, NameList, Relation};
use crate::text;
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use sdc_engine::lattice::{self, Combinations, Figures, Requirement};
use sdc_engine::{Monitor, Phase};
use serde_json::{Value, json};

const ROWS_BETWEEN_CHECKS: usize = 4096;

#[allow(clippy::too_many_arguments)]
#[pg_extern(volatile, parallel_unsafe)]
fn publish_generalized(
    source: Relation,
    target: Option<&str>,
    hierarchies: Option<Json>,
    k: Option<i32>,
    sensitive: default!(NameList, "'{}'"),
    p: default!(Option<i32>, "1"),
    max_suppressed: default!(Option<i64>, "0"),
    keep: default!(NameList, "'{}'"),
    levels: default!(Option<Json>, "NULL"),
    l: default!(Option<f64>, "NULL"),
    t: default!(Option<f64>, "NULL"),
    alpha: default!(Option<f64>, "NULL"),
    categories: default!(Option<Json>, "NULL"),
) -> Release {
    guarded(|| {
        let target = required(target, "target");
        let hierarchies = required(hierarchies, "hierarchies");
        let k = required(k, "k");
        let p = required(p, "p");
        let max_suppressed = required(max_suppressed, "max_suppressed");
        let parameters = json!({
            "hierarchies": hierarchies.0, "k": k, "sensitive": sensitive.0, "p": p,
            "max_suppressed": max_suppressed, "keep": keep.0, "l": l, "t": t, "alpha": alpha,
            "categories": categories.as_ref().map(|categories| categories.0.clone()),
        });
        let further = Further {
            l,
            t,
            alpha,
            categories,
        };
        let call = Generalization::new(source, &hierarchies, sensitive, |sensitive| {
            Conditions::new(k, p, max_suppressed, sensitive, further)
        });
        let target = Target::new(target);
        register::begin(&call.source, &target);
        let publication = Publication::new(&call, keep.0);
        let mut watch = Watch::new(Some(call.source.oid));
        let rows = publication.read(&mut watch);
        let combinations = call.combinations(&rows);
        let chosen = publication.choose(&rows, &combinations, levels, &mut watch);
        let masked = publication.mask(&rows, &combinations, &chosen, &mut watch);
        drop(rows);
        create_table(&target, &publication.columns(), &masked);

        let required = Requirements {
            k: Some(k),
            p: (!call.sensitive.is_empty()).then_some(p),
            l,
            t,
            alpha,
        };
        let achieved = publication.verify(&target, required, &chosen.figures);
        let levels = call
            .keys
            .levels(combinations.lattice(), chosen.figures.node);
        publication.register(
            &target,
            parameters,
            levels,
            &combinations,
            &chosen,
            achieved,
        )
    })
}

/// What is published of a source.
struct Publication<'a> {
    call: &'a Generalization,
    /// places among the source's attributes: sensitive columns, then those to keep
    others: Vec<usize>,
}

/// A node, and which combinations of key values it keeps.
struct Chosen {
    figures: Figures,
    kept: Vec<bool>,
}

impl<'a> Publication<'a> {
    /// Only the named columns are read, so that identifiers cannot slip through.
    fn new(call: &'a Generalization, keep: Vec<String>) -> Self {
        source::refuse_overlap(("hierarchies", &call.keys.names), ("keep", &keep));
        source::refuse_overlap(("sensitive", &call.sensitive), ("keep", &keep));
        let mut others = call.source.columns("sensitive", &call.sensitive);
        others.extend(call.source.columns("keep", &keep));
        Publication { call, others }
    }

    fn read(&self, watch: &mut Watch) -> CountedRows {
        let call = self.call;
        let sensitive = call.sensitive.len();
        count_rows(
            &call.source,
            &call.keys,
            &self.others,
            sensitive,
            true,
            watch,
        )
    }

    /// The node with the levels given, or else the minimal one that loses least.
    fn choose(
        &self,
        rows: &CountedRows,
        combinations: &Combinations,
        levels: Option<Json>,
        watch: &mut Watch,
    ) -> Chosen {
        let conditions = &self.call.conditions;
        conditions.with_requirement(rows, combinations, |requirement| {
            let figures = match levels {
                Some(levels) => self.given(combinations, requirement, &levels.0, watch),
                None => {
                    let minimal = self.call.minimal(combinations, requirement, watch);
                    let best = minimal.into_iter().next();
                    best.unwrap_or_else(|| generalization::none_satisfies())
                }
            };
            if figures.groups == 0 {
                nothing_left();
            }
            let kept = lattice::kept(combinations, requirement, figures.node, watch);
            let kept = errors::engine(kept, self.call.names());
            Chosen { figures, kept }
        })
    }

    fn given(
        &self,
        combinations: &Combinations,
        requirement: &Requirement<'_>,
        levels: &Value,
        watch: &mut Watch,
    ) -> Figures {
        let node = self.call.keys.node(combinations.lattice(), levels);
        let figures = lattice::figures(combinations, requirement, node, watch);
        let figures = errors::engine(figures, self.call.names());
        if !figures.satisfied {
            Failure::new(
                PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
                format!(
                    "these levels leave {} rows in groups that fail, more than max_suppressed = {}",
                    figures.suppressed, requirement.max_suppressed
                ),
            )
            .hint("sdc.minimal_generalizations() lists levels that satisfy the requirements.")
            .raise();
        }
        figures
    }

    /// The columns of the release: generalized keys are text.
    fn columns(&self) -> Vec<Attribute> {
        let keys = self.call.keys.names.iter().map(|name| Attribute {
            name: name.clone(),
            typ: pg_sys::TEXTOID,
            typmod: -1,
            collation: pg_sys::DEFAULT_COLLATION_OID,
            dropped: false,
        });
        let others = self.others.iter();
        let others = others.map(|&place| self.call.source.attributes[place].clone());
        keys.chain(others).collect()
    }

    /// The rows that are kept, their keys generalized.
    fn mask(
        &self,
        rows: &CountedRows,
        combinations: &Combinations,
        chosen: &Chosen,
        watch: &mut Watch,
    ) -> RowStore {
        let labels = self.labels(combinations, chosen.figures.node);
        let masked = RowStore::new(&self.columns());
        let combination_of = &rows.kept.combination_of;
        watch.start(Phase::Writing, combination_of.len() as u64);
        let (mut values, mut nulls) = (Vec::new(), Vec::new());
        let kept = &rows.kept.store;
        kept.replay(combination_of.len(), |row, others, other_nulls| {
            if row.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                // raises by itself where the call is to stop
                let _ = watch.advance(row as u64);
            }
            let combination = combination_of[row];
            if !chosen.kept[combination as usize] {
                return;
            }
            values.clear();
            nulls.clear();
            for (labels, &code) in labels.iter().zip(combinations.codes(combination)) {
                values.push(labels[code as usize].unwrap_or(Datum::from(0usize)));
                nulls.push(labels[code as usize].is_none());
            }
            values.extend_from_slice(others);
            nulls.extend_from_slice(other_nulls);
            // SAFETY: labels are texts, the other values of their columns' types.
            unsafe { masked.push(&values, &nulls) };
        });
        masked
    }

    /// For each key the text of each of its hierarchy's values at a node.
    fn labels(&self, combinations: &Combinations, node: usize) -> Vec<Vec<Option<Datum>>> {
        let levels = combinations.lattice().levels(node);
        let hierarchies = self.call.keys.hierarchies.iter().zip(levels);
        let labels = hierarchies.map(|(hierarchy, level)| {
            let values = 0..hierarchy.shape().values() as u32;
            let label = |value| hierarchy.label(level, value).map(text::to_datum);
            values.map(label).collect()
        });
        labels.collect()
    }

    /// What the release achieves. t-closeness was searched for with regard to all rows; those
    /// that are left may be too far from their own distribution, which is no bug.
    fn verify(&self, target: &Target, required: Requirements, figures: &Figures) -> Value {
        let (keys, sensitive) = (&self.call.keys.names, &self.call.sensitive);
        if figures.suppressed > 0 && required.t.is_some() {
            self.require_closeness(target, required);
        }
        let categories = self.call.conditions.categories.clone();
        register::verify_with(target, keys, sensitive, required, categories)
    }

    fn require_closeness(&self, target: &Target, required: Requirements) {
        let (keys, sensitive) = (&self.call.keys.names, &self.call.sensitive);
        let only_t = Requirements {
            t: required.t,
            ..Default::default()
        };
        let left = Source::named(&target.sql_name());
        let check = Check::of(left, keys.clone(), sensitive.clone(), only_t);
        let failing = |line: &Line| line.satisfied() == Some(false);
        let lines = query::seeing_own_writes(|| check.lines());
        if lines.iter().any(failing) {
            Failure::new(
                PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
                "the rows left after suppression are not t-close to their own distribution",
            )
            .hint("Use max_suppressed => 0, other levels, or a larger t.")
            .raise();
        }
    }

    /// What each key loses, in percent.
    fn losses(&self, combinations: &Combinations, chosen: &Chosen) -> Vec<f64> {
        let losses = lattice::column_losses(combinations, chosen.figures.node, &chosen.kept);
        losses.into_iter().map(|loss| 100.0 * loss).collect()
    }

    fn register(
        &self,
        target: &Target,
        mut parameters: Value,
        levels: Value,
        combinations: &Combinations,
        chosen: &Chosen,
        achieved: Value,
    ) -> Release {
        parameters["levels"] = levels;
        if let Value::Object(parameters) = &mut parameters {
            parameters.retain(|_, value| !value.is_null());
        }
        let suppressed = chosen.figures.suppressed;
        let entry = Entry {
            source: &self.call.source,
            target,
            method: "generalization",
            parameters,
            rows: combinations.rows() - suppressed,
            groups: chosen.figures.groups,
            suppressed,
            achieved,
            loss: json!({
                "ncp": chosen.figures.loss,
                "columns": register::by_name(&self.call.keys.names, self.losses(combinations, chosen)),
            }),
        };
        entry.register()
    }
}

fn nothing_left() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DATA_EXCEPTION,
        "every row would be suppressed",
    )
    .hint("Lower max_suppressed, so that keys are generalized instead.")
    .raise()
}
