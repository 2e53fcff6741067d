//! `sdc.assert_utility`: limits on what a release may change.

use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::read::named_arguments::NamedArguments;
use crate::release::ComparedFigure;
use crate::utility::utility_functions::figures;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;

/// The limits that a caller may set, and what each of them is about.
const LIMITS: [(&str, &str); 7] = [
    ("max_mean_shift", "mean shift in sds"),
    ("max_ks", "Kolmogorov-Smirnov"),
    ("max_total_variation", "total variation"),
    ("max_missing", "missing"),
    ("max_correlation_change", "correlation"),
    ("max_association_change", "Cramér's V"),
    ("max_row_change", "rows"),
];

/// A limit that was given.
struct Limit {
    name: &'static str,
    measure: &'static str,
    most: f64,
}

impl Limit {
    fn given(arguments: &NamedArguments<'_>) -> Vec<Self> {
        let limits = LIMITS.iter().filter_map(|&(name, measure)| {
            let most: f64 = arguments.given(name)?;
            if most.is_nan() || most < 0.0 {
                Failure::invalid(format!("{name} must be at least 0, not {most}"))
                    .hint("0 allows no change at all.")
                    .raise();
            }
            Some(Limit {
                name,
                measure,
                most,
            })
        });
        limits.collect()
    }

    /// How much a figure changes; without a figure in the release it is beyond any limit. Rows
    /// change as a share of those of the source.
    fn change(&self, compared: &ComparedFigure) -> f64 {
        let change = compared.change().map_or(f64::INFINITY, f64::abs);
        match compared.original {
            Some(rows) if compared.columns.is_empty() && change > 0.0 => change / rows,
            _ => change,
        }
    }

    /// What breaks the limit, if anything does.
    fn broken(&self, figures: &[ComparedFigure]) -> Option<String> {
        let Limit {
            name,
            measure,
            most,
        } = self;
        let about = figures
            .iter()
            .filter(|compared| compared.measure == *measure);
        let changes = about.map(|compared| (self.change(compared), compared));
        let Some((change, compared)) = changes.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            self.without_figure();
        };
        if change <= *most {
            return None;
        }
        let columns = match compared.columns.is_empty() {
            true => "number of rows".to_string(),
            false => format!("{measure} of {}", compared.columns.join(", ")),
        };
        Some(match change.is_finite() {
            true => format!("{columns} changes by {change:.4}, more than {name} = {most}"),
            false => format!("{columns} has no finite value in the release, but {name} = {most}"),
        })
    }

    /// A limit that limits nothing would pass whatever happened.
    fn without_figure(&self) -> ! {
        Failure::invalid(format!(
            "{} limits {}, but no such figure could be compared",
            self.name, self.measure
        ))
        .detail("Numbers and times have Kolmogorov-Smirnov and mean shift, other columns total variation. A correlation needs two columns of numbers, Cramér's V two others.")
        .hint("Leave the limit out, or compare columns that have the figure.")
        .raise()
    }
}

fn assert_utility(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let limits = Limit::given(&arguments);
    if limits.is_empty() {
        Failure::invalid("no limit is given")
            .hint(format!(
                "Give one of {}.",
                LIMITS.map(|(name, _)| name).join(", ")
            ))
            .raise();
    }
    let figures = figures(&arguments);
    let broken = limits.iter().filter_map(|limit| limit.broken(&figures));
    let broken: Vec<String> = broken.collect();
    if let Some(first) = broken.first() {
        Failure::new(PgSqlErrorCode::ERRCODE_CHECK_VIOLATION, first.clone())
            .detail(match broken.len() {
                1 => "All other limits hold.".to_string(),
                _ => format!("Also: {}.", broken[1..].join("; ")),
            })
            .hint("sdc.compare() shows every figure; a smaller k, fewer keys or another method lose less.")
            .raise();
    }
    None
}

v1! {
    sdc_assert_utility, pg_finfo_sdc_assert_utility => assert_utility;
}
