//! Squared distances: what microaggregation loses.

use crate::{Partition, Space};

/// Sum of squared distances to the group's centroid (within) and to the table's (total), over
/// the space's columns. A categorical column counts the rows that differ from the most
/// frequent value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Squares {
    pub within: f64,
    pub total: f64,
}

impl Squares {
    pub fn new(space: &Space, partition: &Partition) -> Self {
        let whole = Partition::new(vec![0; space.rows()], usize::from(space.rows() > 0));
        let total = whole.map_or(0.0, |whole| within(space, &whole));
        Squares {
            within: within(space, partition),
            total,
        }
    }

    /// 100 · SSE/SST; 0 when nothing varies.
    pub fn information_loss(&self) -> f64 {
        if self.total > 0.0 {
            100.0 * self.within / self.total
        } else {
            0.0
        }
    }
}

/// Within-group sum of squares.
pub fn within(space: &Space, partition: &Partition) -> f64 {
    let numeric = space.numeric().iter().map(|values| {
        let means = crate::mask::means(values, partition);
        let groups = values.iter().zip(partition.group_of());
        let square = |(value, &group): (&f64, &u32)| (value - means[group as usize]).powi(2);
        groups.map(square).sum::<f64>()
    });
    let categorical = space.categorical().iter().map(|categories| {
        let modes = crate::mask::modes(categories, partition);
        let groups = categories.codes().iter().zip(partition.group_of());
        groups
            .filter(|&(code, &group)| *code != modes[group as usize])
            .count() as f64
    });
    numeric.chain(categorical).sum()
}
