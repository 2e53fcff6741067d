//! Which of the groups that a sequence remembers a release shows, where several show the same keys.

use super::NOWHERE;
use crate::run::allocation::{collected, filled};
use crate::{Error, Result, sorting};

/// A group that is remembered.
#[derive(Debug, Clone, Copy)]
pub struct RememberedGroup {
    /// the released point that shows its keys, [`NOWHERE`] for none
    pub point: u32,
    /// its rows in a release that shows it, if that is known
    pub rows: Option<u64>,
    /// whether all its places are held now
    pub whole: bool,
}

/// Which groups are shown for certain. `released` are the rows of each point.
///
/// All groups of a point are shown if together they have as many rows. If they have more, the whole
/// ones are, if these fit: so it is where nothing has changed since the release. Otherwise nobody
/// knows, and none of them counts: a wrong guess would look as if a group had lost its values.
pub fn shown_groups(groups: &[RememberedGroup], released: &[u64]) -> Result<Vec<bool>> {
    let mut shown = filled(groups.len(), false)?;
    let mut by_point = collected(0..groups.len() as u32)?;
    let point = |group: u32| groups[group as usize].point;
    by_point.retain(|&group| point(group) != NOWHERE);
    sorting::sort_by_key(&mut by_point, |&group| (point(group), group))?;
    for here in by_point.chunk_by(|&a, &b| point(a) == point(b)) {
        let Some(&rows) = released.get(point(here[0]) as usize) else {
            return Err(Error::Broken("a group of an unknown point".into()));
        };
        let group = |number: u32| &groups[number as usize];
        let all = here.iter().map(|&number| group(number).rows);
        let all = all.sum::<Option<u64>>();
        let whole = here.iter().filter(|&&number| group(number).whole);
        let whole = whole.map(|&number| group(number).rows);
        let whole = whole.sum::<Option<u64>>();
        for &number in here {
            shown[number as usize] = match (here.len() == 1 || all == Some(rows), whole) {
                (true, _) => true,
                (false, whole) => whole == Some(rows) && group(number).whole,
            };
        }
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(point: u32, rows: u64, whole: bool) -> RememberedGroup {
        RememberedGroup {
            point,
            rows: Some(rows),
            whole,
        }
    }

    #[test]
    fn a_group_that_is_left_out_is_not_shown_where_another_shows_its_keys() {
        // somebody left the first group, and the third shows the same keys
        let groups = [group(0, 3, false), group(1, 3, true), group(0, 3, true)];
        let found = shown_groups(&groups, &[3, 3]).unwrap();
        assert_eq!(found, [false, true, true]);
        // in an earlier release it was there
        let found = shown_groups(&groups, &[6, 3]).unwrap();
        assert_eq!(found, [true; 3]);
    }

    #[test]
    fn what_counts_do_not_tell_does_not_count() {
        let groups = [group(0, 3, false), group(0, 3, false), group(0, 4, true)];
        let found = shown_groups(&groups, &[7]).unwrap();
        assert_eq!(found, [false; 3]);
        // the only group of a point is shown, whatever is known of it
        let mut alone = group(0, 9, false);
        alone.rows = None;
        let nowhere = group(NOWHERE, 3, true);
        let found = shown_groups(&[alone, nowhere], &[3]).unwrap();
        assert_eq!(found, [true, false]);
    }

    /// Where nothing has changed since the release, what is shown is found whatever the groups are.
    #[test]
    fn whole_groups_are_shown_where_nothing_has_changed() {
        for number in 0..4096u32 {
            let of = |place: u32| {
                group(
                    place % 2,
                    2 + u64::from(number >> place & 1),
                    number >> (6 + place) & 1 == 1,
                )
            };
            let groups: Vec<RememberedGroup> = (0..6).map(of).collect();
            let mut released = vec![0; 2];
            for group in groups.iter().filter(|group| group.whole) {
                released[group.point as usize] += group.rows.unwrap();
            }
            let whole: Vec<bool> = groups.iter().map(|group| group.whole).collect();
            assert_eq!(shown_groups(&groups, &released).unwrap(), whole);
        }
    }
}
