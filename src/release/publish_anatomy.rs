//! `sdc.publish_anatomy`: a quasi-identifier table, a sensitive table, a view with weights.

use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{self, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::memory::collected_values;
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::quoting::identifier;
use crate::pg::randomness;
use crate::pg::tuple_store::TupleStore;
use crate::read::named_arguments::NamedArguments;
use crate::read::source_rows::KeptRows;
use crate::release::apart::{Apart, ApartLayout, COUNT, GROUP, RowsApart};
use crate::release::composition;
use crate::release::signed_groups::SignedGroups;
use crate::release::{ReleaseMethod, Target, create_table, create_view, trial_attack};
use pgrx::pg_sys::{self, Datum};
use sdc_engine::random::Generator;
use sdc_engine::{Categories, Monitor, Partition, Phase, Tally, assign, measure};
use serde_json::json;

fn publish_anatomy(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let release = Apart::new(&arguments);
    let [qit, st] = release.tables(ReleaseMethod::Anatomy);
    let mut watch = Watch::new(Some(release.source.oid));
    let mut rows = release.read(false, &mut watch);
    let mut generator = randomness::generator(arguments.optional("seed"));
    release.parameters(json!({}));
    let mut signed = release.sequence.as_ref().map(|sequence| {
        let typ = release.attributes(std::slice::from_ref(&release.sensitive))[0].typ;
        SignedGroups::new(sequence, &mut rows, typ)
    });
    let partition = group(&release, &mut rows, &mut signed, &mut generator, &mut watch);

    let values = known(rows.sensitive[0].try_clone());
    let (shown, values) = match &signed {
        Some(signed) => signed.with_nobodys(&partition, &values),
        None => (partition.clone(), values),
    };
    let earlier = composition::shown_before(&release, &mut rows);
    write_keys(&release, &qit, &rows, &partition, &mut watch);
    write_values(&release, &st, &rows, (&shown, &values), &mut watch);
    create_view(
        &release.target,
        &release.view(ReleaseMethod::Anatomy, [&qit, &st]),
    );

    let error = measure::reconstruction_error(&shown, &values, None);
    let error = errors::engine(error, rows.names());
    let shape = ApartLayout {
        method: ReleaseMethod::Anatomy,
        options: json!({}),
        partition: &partition,
        keys: &qit,
        values: format!(
            "SELECT {GROUP}, {}, {COUNT} FROM {}",
            identifier(&release.sensitive),
            st.sql_name()
        ),
        signed: signed.as_ref(),
        earlier,
    };
    let loss = json!({ "reconstruction_error": error });
    let entered = release.register(shape, &mut rows, loss, &mut watch);
    trial_attack::answer(&arguments, entered)
}

/// Groups of l different values; those of earlier releases are continued, or remembered.
fn group(
    release: &Apart,
    rows: &mut KeptRows,
    signed: &mut Option<SignedGroups>,
    generator: &mut Generator,
    watch: &mut Watch,
) -> Partition {
    let first = release.sequence.as_ref().is_none_or(|s| s.first.is_none());
    if let (Some(signed), false) = (&mut *signed, first) {
        return signed.regroup(rows, release.l, generator, watch);
    }
    let group = |apart: RowsApart<'_>, monitor: &mut dyn Monitor| {
        let RowsApart {
            sensitive, persons, ..
        } = apart;
        assign::anatomy_of_persons(sensitive, persons, release.l, generator, monitor)
    };
    let partition = release.group(rows, group, watch);
    let partition = release.shuffled(partition, generator);
    if let Some(signed) = signed {
        signed.start(rows, &partition);
    }
    partition
}

v1! {
    sdc_publish_anatomy, pg_finfo_sdc_publish_anatomy => publish_anatomy;
}

/// QIT: the keys as they are, and the group.
fn write_keys(
    release: &Apart,
    table: &Target,
    rows: &KeptRows,
    partition: &Partition,
    watch: &mut Watch,
) {
    let mut columns = release.attributes(&release.keys);
    columns.push(Attribute::plain(GROUP, pg_sys::INT4OID));
    let store = TupleStore::new(&columns);
    let width = columns.len();
    watch.start(Phase::Writing, rows.rows as u64);
    rows.replay(watch, |row, cells| {
        // the first columns of the selection are the keys; the sensitive column stands where
        // the group goes
        let mut cells = cells[..width].to_vec();
        cells[width - 1] = Cell::of(Some(partition.group_of()[row] as i32 + 1));
        store.push(&cells);
    });
    create_table(table, &columns, &store);
}

/// ST: how often each sensitive value occurs in each group.
fn write_values(
    release: &Apart,
    table: &Target,
    rows: &KeptRows,
    (partition, values): (&Partition, &Categories),
    watch: &mut Watch,
) {
    let sensitive = release.attributes(std::slice::from_ref(&release.sensitive));
    let mut columns = vec![Attribute::plain(GROUP, pg_sys::INT4OID)];
    columns.extend(sensitive);
    columns.push(Attribute::plain(COUNT, pg_sys::INT8OID));
    let store = TupleStore::new(&columns);
    let decoded = collected_values(rows.sensitive_values[0].categories());
    watch.start(Phase::Writing, partition.groups() as u64);
    let tally = errors::engine(Tally::new(partition, &[values]), rows.names());
    for (group, cells) in (1i32..).zip(tally.columns()[0].iter()) {
        for &(code, count) in cells {
            let (group, count) = (Cell::of(Some(group)), Cell::of(Some(count as i64)));
            store.push(&[group, decoded[code as usize], count]);
        }
        if (group as usize).is_multiple_of(ROWS_BETWEEN_CHECKS) {
            watch.tick(group as u64);
        }
    }
    create_table(table, &columns, &store);
}
