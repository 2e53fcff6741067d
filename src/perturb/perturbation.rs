//! The methods by name and parameter, for window functions and releases alike.

use crate::pg::errors::{self, Failure, Names};
use crate::pg::memory;
use crate::pg::progress::Watch;
use crate::read::columns::Decoder;
use crate::read::ranks;
use pgrx::PgSqlErrorCode;
use sdc_engine::random::Generator;
use sdc_engine::{Categories, perturb};
use serde_json::Value;

/// What is done to a column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Perturbation {
    /// exchanged with a value at most so many percent of the rows away
    RankSwap(f64),
    /// kept with this probability at least, else redrawn
    Pram(f64),
    /// noise of this share of the variance
    Noise(f64),
    /// cut off above a quantile, or below it
    TopCode(f64),
    BottomCode(f64),
    /// cut off above a bound, or below it
    TopBound(f64),
    BottomBound(f64),
    /// in whole multiples of a unit
    Round(f64),
}

/// The methods, the name of their parameter, and how they are made of it.
type Named = (&'static str, &'static str, fn(f64) -> Perturbation);
const METHODS: [Named; 8] = [
    ("rank_swap", "percent", Perturbation::RankSwap),
    ("pram", "keep_probability", Perturbation::Pram),
    ("noise", "share", Perturbation::Noise),
    ("top_code", "quantile", Perturbation::TopCode),
    ("bottom_code", "quantile", Perturbation::BottomCode),
    ("top_code", "bound", Perturbation::TopBound),
    ("bottom_code", "bound", Perturbation::BottomBound),
    ("round", "unit", Perturbation::Round),
];

impl Perturbation {
    /// The method that a call names: `{"method": "rank_swap", "percent": 5}`.
    pub fn parse(column: &str, method: &Value) -> Self {
        let name = method.get("method").and_then(Value::as_str);
        let mut known = METHODS.iter().filter(|known| Some(known.0) == name);
        // some take one parameter or another
        let is_given = |known: &&Named| method.get(known.1).is_some();
        let known = known.clone().find(is_given).or(known.next());
        let Some((name, parameter, make)) = known else {
            refuse(format!("column \"{column}\" has no known method"))
        };
        let Some(value) = method.get(parameter).and_then(Value::as_f64) else {
            refuse(format!(
                "method {name} of column \"{column}\" needs the number \"{parameter}\""
            ))
        };
        if method.as_object().is_some_and(|object| object.len() != 2) {
            refuse(format!(
                "method {name} of column \"{column}\" takes \"{parameter}\" and nothing else"
            ));
        }
        if *parameter == "percent" && value > 0.0 && value < 1.0 {
            Failure::new(
                PgSqlErrorCode::ERRCODE_WARNING,
                format!("percent of column \"{column}\" is {value}: values move by less than one percent of the rows"),
            )
            .hint("It is a percentage, not a share: \"percent\": 5 is 5 percent.")
            .warn();
        }
        make(value)
    }

    /// Whether values are numbers to the method; others are compared.
    pub fn is_numeric(self) -> bool {
        !matches!(self, Perturbation::RankSwap(_) | Perturbation::Pram(_))
    }
}

fn refuse(message: String) -> ! {
    let methods = METHODS.map(|(name, parameter, _)| format!("{name} ({parameter})"));
    Failure::invalid(message)
        .detail(format!("Methods are {}.", methods.join(", ")))
        .hint(r#"For example methods => '{"age": {"method": "rank_swap", "percent": 5}}'."#)
        .raise()
}

/// The code of each row of a column after a method that compares values; NULL stays NULL.
pub fn perturb_categories(
    method: Perturbation,
    column: &Categories,
    values: &Decoder,
    rng: &mut Generator,
    watch: &mut Watch,
) -> Vec<u32> {
    let mut cells = values.categories();
    let null = cells
        .position(|cell| cell.is_null())
        .map(|code| code as u32);
    let result = match method {
        Perturbation::Pram(keep) => perturb::pram(column, null, keep, rng, watch),
        Perturbation::RankSwap(percent) => swapped(percent, column, values, null, rng, watch),
        _ => Failure::internal("a method for numbers was given categories").raise(),
    };
    errors::engine(result, Names::default())
}

fn swapped(
    percent: f64,
    column: &Categories,
    values: &Decoder,
    null: Option<u32>,
    rng: &mut Generator,
    watch: &mut Watch,
) -> sdc_engine::Result<Vec<u32>> {
    let places = match values {
        Decoder::Category { codec, seen } => ranks::places(codec, seen),
        Decoder::Number(_) => None,
    };
    let Some(places) = places else { no_order() };
    let rank = |&code: &u32| (Some(code) != null).then(|| places[code as usize]);
    let ranks = memory::collected(column.codes().iter().map(rank));
    let source = perturb::rank_swap(&ranks, percent, rng, watch)?;
    let code = |row: u32| column.codes()[row as usize];
    Ok(memory::collected(source.into_iter().map(code)))
}

/// The numbers of columns after a method; noise is drawn for all of them together, so that their
/// covariances stay.
pub fn perturb_numbers(
    method: Perturbation,
    columns: &[&[f64]],
    rng: &mut Generator,
    watch: &mut Watch,
) -> Vec<Vec<f64>> {
    let each = |change: fn(&[f64], f64) -> sdc_engine::Result<Vec<f64>>, share: f64| {
        columns.iter().map(|column| change(column, share)).collect()
    };
    let result = match method {
        Perturbation::Noise(share) => perturb::noise(columns, share, rng, watch),
        Perturbation::TopCode(share) => each(perturb::top_code, share),
        Perturbation::BottomCode(share) => each(perturb::bottom_code, share),
        Perturbation::TopBound(bound) => each(perturb::top_bound, bound),
        Perturbation::BottomBound(bound) => each(perturb::bottom_bound, bound),
        Perturbation::Round(unit) => each(perturb::rounded, unit),
        _ => Failure::internal("a method for categories was given numbers").raise(),
    };
    errors::engine(result, Names::default())
}

fn no_order() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
        "values of this type have no order, and so no ranks",
    )
    .hint("Use sdc.pram() for such values.")
    .raise()
}
