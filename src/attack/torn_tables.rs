//! The two tables of a permutation as an attack sees them: keys and values by groups.

use crate::attack::attacked_persons::Persons;
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::truth::linked_tables;
use crate::pg::errors::known;
use crate::pg::progress::Watch;
use sdc_engine::attack::TornGroups;
use sdc_engine::{ColumnTally, Partition};

pub struct TornTables {
    /// the codes of each key, of each row
    pub key_codes: Vec<Vec<u32>>,
    pub partition: Partition,
    pub values: ColumnTally,
}

impl TornTables {
    pub fn read(release: &AttackedRelease, persons: &mut Persons, watch: &mut Watch) -> Self {
        let linked = linked_tables(release, persons, watch);
        TornTables {
            key_codes: linked.key_codes,
            partition: known(Partition::new(linked.group_of, linked.groups)),
            values: linked.values,
        }
    }

    /// Each key by itself: within a group nothing says which keys belong together.
    pub fn groups(&self, persons: &Persons) -> TornGroups<'_> {
        let keys = persons.keys.iter().zip(&self.key_codes);
        let keys: Vec<(&[u32], usize)> =
            keys.map(|(key, codes)| (&codes[..], key.count())).collect();
        known(TornGroups::new(&keys, &self.partition, &self.values))
    }
}
