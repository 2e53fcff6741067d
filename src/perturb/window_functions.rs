//! `sdc.rank_swap`, `sdc.pram`, `sdc.noise`, `sdc.top_code` and `sdc.bottom_code`.

use crate::perturb::perturbation::{Perturbation, perturb_categories, perturb_numbers};
use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::quoting::type_label;
use crate::read::columns::Role;
use crate::read::numbers::Number;
use crate::read::window_rows::{Columns, WindowCall};
use crate::read::window_values::WindowValues;
use pgrx::pg_sys::{Datum, Oid};
use sdc_engine::Column;

/// Answers a call with the perturbed value of its row.
fn answer(
    call: &Call,
    (name, parameter): (&str, &str),
    make: fn(f64) -> Perturbation,
) -> Option<Datum> {
    let typ = call.argument_type(0);
    let call = WindowCall::new(call);
    let method = make(call.required(1, parameter));
    // an array of numbers would be read as several columns
    if method.is_numeric() && Number::of(typ).is_none() {
        not_numeric(name, typ);
    }
    let mut perturbed = WindowValues::of(&call);
    if !perturbed.is_ready() {
        let mut watch = Watch::new(None);
        let role = match method.is_numeric() {
            true => Role::Key,
            false => Role::SensitiveValue,
        };
        let columns = Columns {
            arguments: 0..1,
            role,
        };
        for table in call.read(&[columns], &mut watch) {
            let (columns, decoders) = table.finish();
            for (column, values) in columns.iter().zip(&decoders) {
                call.with_generator(|rng| match column {
                    Column::Categorical(codes) if !method.is_numeric() => {
                        let drawn = perturb_categories(method, codes, values, rng, &mut watch);
                        for (row, code) in drawn.into_iter().enumerate() {
                            perturbed.put(row, values.category(code));
                        }
                    }
                    Column::Numeric(numbers) => {
                        let changed = perturb_numbers(method, &[numbers], rng, &mut watch);
                        for (row, &number) in changed.iter().flatten().enumerate() {
                            perturbed.put(row, values.number(number, typ, -1));
                        }
                    }
                    Column::Categorical(_) => not_numeric(name, typ),
                });
            }
        }
        perturbed.set_ready();
    }
    perturbed.get(call.position())
}

fn not_numeric(name: &str, typ: Oid) -> ! {
    Failure::new(
        pgrx::PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
        format!(
            "sdc.{name}() takes numbers, dates and timestamps, not {}",
            type_label(typ)
        ),
    )
    .hint("Use sdc.pram() or sdc.rank_swap() for other values.")
    .raise()
}

v1! {
    sdc_rank_swap, pg_finfo_sdc_rank_swap => |call| answer(call, ("rank_swap", "percent"), Perturbation::RankSwap);
    sdc_pram, pg_finfo_sdc_pram => |call| answer(call, ("pram", "keep_probability"), Perturbation::Pram);
    sdc_noise, pg_finfo_sdc_noise => |call| answer(call, ("noise", "share"), Perturbation::Noise);
    sdc_top_code, pg_finfo_sdc_top_code => |call| answer(call, ("top_code", "quantile"), Perturbation::TopCode);
    sdc_bottom_code, pg_finfo_sdc_bottom_code => |call| answer(call, ("bottom_code", "quantile"), Perturbation::BottomCode);
}
