//! Rows that lack the same numbers, cut among themselves.

use super::side_check::SideCheck;
use super::{Cutting, cut};
use crate::assign::null_groups::{Parts, Variety};
use crate::{Categories, Monitor, Partition, Result, Table};

/// What is cut, tried on the rows of single patterns.
pub(super) struct PatternParts<'a> {
    table: &'a Table,
    sensitive: &'a [Categories],
    cutting: &'a Cutting<'a>,
    variety: Variety<'a>,
    sides: SideCheck<'a>,
}

impl<'a> PatternParts<'a> {
    pub fn new(
        table: &'a Table,
        sensitive: &'a [Categories],
        cutting: &'a Cutting<'a>,
    ) -> Result<Self> {
        Ok(PatternParts {
            variety: Variety::new(sensitive)?,
            sides: SideCheck::new(sensitive, cutting.conditions)?,
            table,
            sensitive,
            cutting,
        })
    }
}

impl Parts for PatternParts<'_> {
    fn can_group(&mut self, rows: &[u32]) -> Result<bool> {
        Ok(rows.len() >= self.cutting.k
            && self.variety.reaches(self.cutting.p, rows)
            && self.sides.rows_hold(rows))
    }

    fn group(&mut self, rows: &[u32], monitor: &mut dyn Monitor) -> Result<Partition> {
        // conditions know values by their codes
        let sensitive = self.sensitive.iter().map(|column| column.pick(rows));
        let sensitive = sensitive.collect::<Result<Vec<_>>>()?;
        cut(&self.table.select(rows)?, &sensitive, self.cutting, monitor)
    }
}
