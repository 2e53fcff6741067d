//! Which values each row lacks.

use crate::run::allocation::filled;
use crate::{Categories, Column, Result};

/// The pattern of missing numbers of each row, numbered by first appearance; `None` where all
/// rows have the same one.
pub(crate) fn patterns(columns: &[Column], rows: usize) -> Result<Option<Categories>> {
    let mut codes = filled(rows, 0u32)?;
    let mut count = 1;
    for column in columns {
        let Column::Numeric(values) = column else {
            continue;
        };
        if !values.iter().any(|value| value.is_nan()) {
            continue;
        }
        let mut number_of = filled(2 * count as usize, u32::MAX)?;
        count = 0;
        for (code, value) in codes.iter_mut().zip(values) {
            let number = &mut number_of[2 * *code as usize + usize::from(value.is_nan())];
            if *number == u32::MAX {
                *number = count;
                count += 1;
            }
            *code = *number;
        }
    }
    Ok((count > 1).then(|| Categories::new(codes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_lack_the_same_values_share_a_number() {
        let gap = f64::NAN;
        let columns = [
            Column::Numeric(vec![1.0, gap, 2.0, gap, gap]),
            Column::Numeric(vec![1.0, 5.0, gap, gap, 7.0]),
            Column::Categorical(Categories::new(vec![0, 1, 2, 3, 4])),
        ];
        let found = patterns(&columns, 5).unwrap().unwrap();
        assert_eq!(found.codes(), [0, 1, 2, 3, 1]);
        assert_eq!(patterns(&columns[2..], 5), Ok(None));
        let all = [Column::Numeric(vec![gap, gap])];
        assert_eq!(patterns(&all, 2), Ok(None));
    }
}
