//! Persons with several rows, all with one sensitive value: their groups together must leave l
//! values, because keys tell in which groups a person's rows stand.

use crate::pg::errors::{Failure, known, number_of};
use crate::pg::progress::Watch;
use crate::read::source_rows::KeptRows;
use crate::release::composition::Composition;
use sdc_engine::attack::RowsOfPersons;
use sdc_engine::{Partition, Tally};
use serde_json::{Value, json};

const WHY: &str = "Their rows are in several groups, which readers may find by the keys. Anyone who knows that a person's value never differs is left with the values that all these groups share.";
const WHAT_TO_DO: &str = "Publish one row for each person and value (a view with SELECT DISTINCT), use a smaller l, or use sdc.publish_microaggregated, which keeps all rows of a person in one group.";

/// Counts these persons into what a release achieves, and says how many are left with fewer than
/// l values.
pub fn judge(
    rows: &KeptRows,
    partition: &Partition,
    (l, composition): (usize, Composition),
    achieved: &mut Value,
    watch: &mut Watch,
) {
    let Some(persons) = &rows.persons else {
        return;
    };
    let tally = known(Tally::new(partition, &[&rows.sensitive[0]]));
    let attacked = RowsOfPersons {
        persons: persons.rows(),
        values: rows.sensitive[0].codes(),
    };
    let shown = &tally.columns()[0];
    let found = known(attacked.in_groups(partition.group_of(), shown, l, watch));
    let Some(least) = found.least else {
        return;
    };
    achieved["l_of_constant"] = json!(least);
    if found.fewer == 0 {
        return;
    }
    achieved["constant_below_l"] = json!(found.fewer);
    let verb = if found.fewer == 1 { "is" } else { "are" };
    let said = Failure::new(
        composition.code(),
        format!(
            "{} whose value is the same in several rows {verb} left with fewer than l = {l} values",
            number_of(found.fewer, "person"),
        ),
    );
    composition.report(said.detail(WHY).hint(WHAT_TO_DO));
}
