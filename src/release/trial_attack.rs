//! `attack => true`: a release is attacked before it leaves. The figures are kept with its entry in
//! the register, and `attack_limit` refuses a release whose inference is right too often.
//!
//! Attacks are built on releases, so they are not called from here as Rust but as SQL, as anybody
//! would: `sdc.attack(id)`, by the caller, in the statement that publishes.

use crate::pg::errors::Failure;
use crate::pg::sql_types::Release;
use crate::pg::statements;
use crate::read::named_arguments::NamedArguments;
use crate::release::links;
use pgrx::JsonB;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;
use serde_json::Value;

/// Where the figures stand in what a release achieved.
pub const ATTACKS: &str = "attacks";

/// The attack whose figure `attack_limit` is about.
const INFERENCE: &str = "inference";

/// What a call asks for.
pub struct TrialAttack {
    /// the share of persons about whom inference may be right
    limit: Option<f64>,
    /// what the release was drawn with, so that its groups can be drawn again
    seed: Option<i64>,
}

impl TrialAttack {
    /// `None` where no attack is asked for.
    pub fn of(arguments: &NamedArguments<'_>) -> Option<Self> {
        let limit = arguments.optional::<f64>("attack_limit");
        if let Some(limit) = limit.filter(|limit| !(0.0..=1.0).contains(limit)) {
            Failure::invalid(format!("attack_limit must be between 0 and 1, not {limit}"))
                .hint("It is the largest share of persons about whom inference may be right, for example attack_limit => 0.3.")
                .raise();
        }
        let asked = arguments.required::<bool>("attack") || limit.is_some();
        let seed = arguments
            .has("seed")
            .then(|| arguments.optional("seed"))
            .flatten();
        asked.then_some(TrialAttack { limit, seed })
    }

    /// Attacks the release, and keeps the figures with its entry.
    fn make(&self, release: Release) -> Release {
        let seed = self.seed.map_or("NULL".to_string(), |seed| {
            format!("{seed}::pg_catalog.int8")
        });
        let sql = format!(
            "SELECT COALESCE(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(a)), '[]'::pg_catalog.jsonb)::pg_catalog.text \
             FROM sdc.attack({}::pg_catalog.int8, {seed}) a",
            release.id
        );
        let figures = statements::seeing_own_writes(|| statements::value::<String>(&sql));
        let figures: Value = serde_json::from_str(&figures.unwrap_or_default()).unwrap_or_default();
        if let Some(limit) = self.limit {
            refuse_above(&figures, limit);
        }
        keep(release.id, figures)
    }
}

/// The answer of a publishing function: the release, attacked if the call asks for that.
pub fn answer(arguments: &NamedArguments<'_>, release: Release) -> Option<Datum> {
    let release = match TrialAttack::of(arguments) {
        Some(attack) => attack.make(release),
        None => release,
    };
    release.into_datum()
}

fn keep(id: i64, figures: Value) -> Release {
    let sql = format!(
        "UPDATE sdc.release AS r \
         SET achieved = r.achieved OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('{ATTACKS}', $1) \
         WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8 RETURNING {}",
        links::ENTRY_COLUMNS
    );
    let (register, figures) = (links::register(), [JsonB(figures).into()]);
    let kept = links::in_register(|| statements::write_returning(register, &sql, &figures));
    kept.unwrap_or_else(|| Failure::internal("the register did not take the attacks").raise())
}

/// Refuses a release about which inference says more than it may.
fn refuse_above(figures: &Value, limit: f64) {
    let attacks = figures.as_array().into_iter().flatten();
    let inference = attacks.filter(|attack| attack["attack"] == INFERENCE);
    let measured = inference.filter_map(|attack| attack["measured"].as_f64());
    let Some(measured) = measured.reduce(f64::max) else {
        Failure::invalid("attack_limit is given, but no inference can be measured")
            .detail(
                "The release has no sensitive column, or does not show which group a person is in.",
            )
            .hint("Leave attack_limit out.")
            .raise()
    };
    if measured > limit {
        Failure::new(
            PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
            format!("inference is right about {measured:.3} of persons, more than attack_limit = {limit}"),
        )
        .hint("Use a larger l, or leave out the keys that tell most. Permutation tells less than anatomy. sdc.attack() shows all figures of a release.")
        .raise();
    }
}
