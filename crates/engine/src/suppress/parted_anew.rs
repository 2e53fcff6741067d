//! Groups made better: a few that are near each other are taken apart and put together again in
//! the best of all ways, as long as that saves anything.

use super::alike_groups;
use super::blank_masks::BlankMasks;
use super::exact_groups::{BestParts, Item, differing};
use crate::random::{Generator, generator};
use crate::run::{Meter, allocation};
use crate::{Categories, Result};
use rand::RngExt;
use rand::seq::SliceRandom;

/// So many items are parted in all ways at once.
const ITEMS: usize = 11;
/// So many groups on either side of a group, in an order of all, are looked at.
const NEAR: usize = 64;
/// Of the nearest groups so many are drawn from.
const NEAREST: usize = 6;
/// Of larger groups it is not looked up whether some rows are more alike than all.
const FEW: usize = 64;
/// After so many rounds that saved nothing the search ends.
const IDLE_ROUNDS: usize = 6;
/// So often groups are parted anew at most.
const MOST_TRIES: usize = 4_000;

/// Blanks fewer cells, where a search finds a way. Every row stays like k rows.
pub(super) fn improve(
    columns: &[Categories],
    k: usize,
    masks: &BlankMasks<'_>,
    blanked: &mut [u16],
    meter: &mut Meter<'_>,
) -> Result<()> {
    let members = alike_groups::partition(columns, blanked)?.members()?;
    let mut groups: Vec<LookAlikes> = allocation::reserved(members.iter().len())?;
    for rows in members.iter() {
        groups.push(LookAlikes {
            mask: blanked[rows[0] as usize],
            rows: allocation::collected(rows.iter().copied())?,
        });
    }
    let mut search = PartingAnew {
        columns,
        masks,
        groups,
        best: BestParts::new(columns, k, masks, ITEMS)?,
        // any numbers will do, the same each time
        random: generator(Some(1))?,
        tries: 0,
    };
    search.run(meter)?;
    for group in &search.groups {
        let rows = group.rows.iter();
        rows.for_each(|&row| blanked[row as usize] = group.mask);
    }
    Ok(())
}

/// Rows that look alike once the columns in which they differ are blanked.
struct LookAlikes {
    rows: Vec<u32>,
    mask: u16,
}

struct PartingAnew<'a> {
    columns: &'a [Categories],
    masks: &'a BlankMasks<'a>,
    groups: Vec<LookAlikes>,
    best: BestParts<'a>,
    random: Generator,
    tries: usize,
}

impl PartingAnew<'_> {
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<()> {
        let mut idle = 0;
        for round in 0.. {
            if idle == IDLE_ROUNDS || self.tries >= MOST_TRIES {
                break;
            }
            match self.round(round, meter)? {
                true => idle = 0,
                false => idle += 1,
            }
        }
        Ok(())
    }

    /// Tries each group that has blanks once, with groups near to it in an order by the columns
    /// from this round's on. Says whether anything was saved.
    fn round(&mut self, round: usize, meter: &mut Meter<'_>) -> Result<bool> {
        self.order(round % self.columns.len())?;
        let blanks = (0..self.groups.len()).filter(|&group| self.groups[group].mask != 0);
        let mut places: Vec<usize> = allocation::reserved(self.groups.len())?;
        places.extend(blanks);
        places.shuffle(&mut self.random);
        let mut saved = false;
        for place in places {
            if self.tries >= MOST_TRIES {
                break;
            }
            // a group may have gone to another since
            if self.groups[place].mask != 0 && !self.groups[place].rows.is_empty() {
                saved |= self.regroup(place, meter)?;
            }
        }
        self.groups.retain(|group| !group.rows.is_empty());
        Ok(saved)
    }

    /// Groups that have the same values in the columns from `first` on stand beside each other.
    fn order(&mut self, first: usize) -> Result<()> {
        let columns = self.columns;
        let codes = |group: &LookAlikes| {
            let row = group.rows[0] as usize;
            let rotated = columns[first..].iter().chain(&columns[..first]);
            rotated.map(move |column| column.codes()[row])
        };
        crate::sorting::sort_by(&mut self.groups, |a, b| codes(a).cmp(codes(b)))
    }

    /// Parts a group and some that are near to it anew, if that saves anything.
    fn regroup(&mut self, place: usize, meter: &mut Meter<'_>) -> Result<bool> {
        self.tries += 1;
        let mut chosen = self.near(place);
        chosen.truncate(self.random.random_range(1..=3));
        chosen.push(place);
        let mut pieces: Vec<Piece> = Vec::with_capacity(ITEMS);
        for (number, &group) in chosen.iter().enumerate() {
            let room = (ITEMS - pieces.len()) / (chosen.len() - number);
            self.take_apart(group, room, &mut pieces);
        }
        let items: Vec<Item> = pieces.iter().map(|piece| piece.item).collect();
        meter.spend(3usize.pow(items.len() as u32) + 2 * NEAR * self.columns.len())?;
        let cost = |group: &LookAlikes| self.masks.of_rows(&group.rows, group.mask);
        let before: f64 = chosen.iter().map(|&group| cost(&self.groups[group])).sum();
        if self.best.cost(&items) >= before * (1.0 - 1e-9) {
            return Ok(false);
        }
        self.put_together(&chosen, &pieces)?;
        Ok(true)
    }

    /// Makes the parts that were found to be best groups, in the places of those taken apart.
    fn put_together(&mut self, chosen: &[usize], pieces: &[Piece]) -> Result<()> {
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(ITEMS);
        for piece in pieces {
            rows.push(match piece.rest_of {
                None => vec![piece.item.row],
                Some(group) => {
                    let mut rest = std::mem::take(&mut self.groups[group].rows);
                    rest.truncate(piece.item.rows);
                    rest
                }
            });
        }
        for &group in chosen {
            self.groups[group].rows.clear();
        }
        for (number, (part, mask)) in self.best.parts(pieces.len()).enumerate() {
            let mut group = LookAlikes {
                rows: Vec::new(),
                mask,
            };
            for piece in (0..pieces.len()).filter(|piece| part & (1 << piece) != 0) {
                let more = std::mem::take(&mut rows[piece]);
                if group.rows.is_empty() {
                    group.rows = more;
                } else {
                    allocation::make_room(&mut group.rows, more.len())?;
                    group.rows.extend(more);
                }
            }
            match chosen.get(number) {
                Some(&place) => self.groups[place] = group,
                None => {
                    allocation::make_room(&mut self.groups, 1)?;
                    self.groups.push(group);
                }
            }
        }
        Ok(())
    }

    /// Some of the groups whose rows differ least from those of one, in an order drawn anew.
    fn near(&mut self, place: usize) -> Vec<usize> {
        let own = &self.groups[place];
        let from = place.saturating_sub(NEAR);
        let around = from..(place + NEAR + 1).min(self.groups.len());
        let others = around.filter(|&other| other != place && !self.groups[other].rows.is_empty());
        let mut near: Vec<(f64, usize)> = Vec::with_capacity(2 * NEAR);
        near.extend(others.map(|other| {
            let group = &self.groups[other];
            let apart = differing(self.columns, own.rows[0], group.rows[0]);
            (self.masks.cost(own.mask | group.mask | apart), other)
        }));
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut near: Vec<usize> = near.into_iter().map(|near| near.1).take(NEAREST).collect();
        near.shuffle(&mut self.random);
        near
    }

    /// Makes at most so many pieces of a group: single rows, drawn from it, and before them one of
    /// all others that are left.
    fn take_apart(&mut self, group: usize, room: usize, pieces: &mut Vec<Piece>) {
        let LookAlikes { rows, mask } = &mut self.groups[group];
        let single = if rows.len() > room {
            room - 1
        } else {
            rows.len()
        };
        let rest = rows.len() - single;
        if rest > 0 {
            for place in (rest..rows.len()).rev() {
                rows.swap(place, self.random.random_range(0..=place));
            }
            let differs = match rest {
                ..=FEW => {
                    let others = rows[..rest].iter();
                    let others = others.map(|&row| differing(self.columns, rows[0], row));
                    others.fold(0, |mask, other| mask | other)
                }
                _ => *mask,
            };
            pieces.push(Piece {
                item: Item {
                    row: rows[0],
                    rows: rest,
                    differs,
                    empty: self.masks.empty_cells(&rows[..rest]),
                },
                rest_of: Some(group),
            });
        }
        for &row in &rows[rest..] {
            pieces.push(Piece {
                item: Item::single(row, self.masks),
                rest_of: None,
            });
        }
    }
}

/// What a group is taken apart into.
struct Piece {
    item: Item,
    /// the group of which it is all that was not drawn
    rest_of: Option<usize>,
}
