//! What must hold of every group: k rows, and p values of each sensitive column.

use crate::local_search::changing_groups::Groups;

impl Groups<'_> {
    /// Whether k and p let a row leave its group.
    pub fn may_leave(&self, row: u32) -> bool {
        let group = self.group_of(row);
        let mut columns = self.rows().values(row).iter().zip(self.values(group));
        self.size(group) > self.k()
            && columns.all(|(&value, values)| {
                let lost = values.count(value) == 1;
                values.distinct() - usize::from(lost) >= self.p()
            })
    }

    /// Whether p lets two rows of different groups change places.
    pub fn may_swap(&self, a: u32, b: u32) -> bool {
        self.may_replace(a, b) && self.may_replace(b, a)
    }

    fn may_replace(&self, leaver: u32, joiner: u32) -> bool {
        let rows = self.rows();
        let codes = rows.values(leaver).iter().zip(rows.values(joiner));
        let mut columns = self.values(self.group_of(leaver)).iter().zip(codes);
        columns.all(|(values, (&old, &new))| values.distinct_after(old, new) >= self.p())
    }

    /// How many values the group lacks in the sensitive column that lacks most.
    pub fn lacking(&self, group: u32) -> usize {
        let columns = self.values(group).iter();
        let lacking = columns.map(|values| self.p().saturating_sub(values.distinct()));
        lacking.max().unwrap_or(0)
    }

    /// Whether a row brings the group a value that a sensitive column with too few lacks.
    pub fn contributes(&self, row: u32, group: u32) -> bool {
        let mut columns = self.rows().values(row).iter().zip(self.values(group));
        columns.any(|(&value, values)| values.distinct() < self.p() && values.count(value) == 0)
    }
}
