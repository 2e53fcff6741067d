//! Numbers groups by their generalized key codes: the innermost loop of a lattice search.

use super::Combinations;
use crate::Result;
use crate::run::Meter;
use crate::run::allocation::{self, make_room, make_table_room};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

const NONE: u32 = u32::MAX;

/// How many groups are numbered between two looks at the monitor.
const STRIDE: usize = 1 << 14;

/// Memory that one numbering leaves to the next.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    group_of: Vec<u32>,
    direct: Vec<u32>,
    hashed: HashTable<(u64, u32)>,
    hasher: RandomState,
}

/// Key columns whose codes together fit into one number below `span`.
struct Run<'a> {
    columns: Vec<Digit<'a>>,
    span: u64,
}

/// A key column as a digit of that number.
struct Digit<'a> {
    column: usize,
    code_of: &'a [u32],
    weight: u64,
}

impl Numbering {
    /// Numbers the groups of a node by first appearance. `members` holds a combination of each
    /// group of a node below; the answer holds one of each group of this node, and
    /// [`group_of`](Self::group_of) where each of the former went.
    pub fn number(
        &mut self,
        combinations: &Combinations,
        node: usize,
        members: &[u32],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<u32>> {
        refill(&mut self.group_of, members.len(), 0)?;
        let mut groups = Vec::new();
        for run in runs(combinations, node, members.len() as u64) {
            groups = self.number_run(combinations, &run, members, meter)?;
        }
        groups.shrink_to_fit();
        Ok(groups)
    }

    /// The new group of each group given to the last [`number`](Self::number).
    pub fn group_of(&self) -> &[u32] {
        &self.group_of
    }

    fn number_run(
        &mut self,
        combinations: &Combinations,
        run: &Run<'_>,
        members: &[u32],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<u32>> {
        // A table of all codes is quicker than a hash table as long as it is not much larger.
        if run.span <= 4 * members.len() as u64 + 1024 {
            let mut direct = std::mem::take(&mut self.direct);
            refill(&mut direct, run.span as usize, NONE)?;
            let number = |key, next| number_directly(&mut direct, key, next);
            let groups = self.walk(combinations, run, members, meter, number)?;
            self.direct = direct;
            return Ok(groups);
        }
        let hasher = self.hasher.clone();
        let hash = |key: u64| hasher.hash_one(key);
        let mut hashed = std::mem::take(&mut self.hashed);
        hashed.clear();
        make_table_room(&mut hashed, members.len(), |entry| hash(entry.0))?;
        let number = |key, next| number_by_hash(&mut hashed, hash, key, next);
        let groups = self.walk(combinations, run, members, meter, number)?;
        self.hashed = hashed;
        Ok(groups)
    }

    /// Gives every member's key to `number`, which answers with the number it has, or takes
    /// the next one.
    fn walk(
        &mut self,
        combinations: &Combinations,
        run: &Run<'_>,
        members: &[u32],
        meter: &mut Meter<'_>,
        mut number: impl FnMut(u64, u32) -> u32,
    ) -> Result<Vec<u32>> {
        let mut firsts = Vec::new();
        for (members, groups) in members.chunks(STRIDE).zip(self.group_of.chunks_mut(STRIDE)) {
            meter.spend(members.len())?;
            make_room(&mut firsts, members.len())?;
            for (&member, group) in members.iter().zip(groups) {
                let next = firsts.len() as u32;
                *group = number(run.key(combinations.codes(member), *group), next);
                if *group == next {
                    firsts.push(member);
                }
            }
        }
        Ok(firsts)
    }
}

impl Run<'_> {
    /// The number of a combination whose earlier columns have the number `before`.
    fn key(&self, codes: &[u32], before: u32) -> u64 {
        let digit = |digit: &Digit<'_>| {
            let code = digit.code_of[codes[digit.column] as usize];
            u64::from(code) * digit.weight
        };
        u64::from(before) + self.columns.iter().map(digit).sum::<u64>()
    }
}

/// The group of each combination at a node, and how many groups there are.
pub(crate) fn group_numbers(
    combinations: &Combinations,
    node: usize,
    meter: &mut Meter<'_>,
) -> Result<(Vec<u32>, usize)> {
    let members = allocation::collected(0..combinations.len() as u32)?;
    let mut numbering = Numbering::default();
    let groups = numbering.number(combinations, node, &members, meter)?.len();
    Ok((numbering.group_of, groups))
}

/// Deals the key columns into runs that fit 64 bits; nearly always one. A later run counts
/// on from the group numbers, below `groups`, that the one before it has given.
fn runs(combinations: &Combinations, node: usize, groups: u64) -> Vec<Run<'_>> {
    let run = |span| Run {
        columns: Vec::new(),
        span,
    };
    let mut runs = Vec::new();
    let mut last = run(1);
    for (column, hierarchy) in combinations.hierarchies().iter().enumerate() {
        let level = combinations.lattice().level(node, column);
        let codes = hierarchy.codes(level) as u64;
        if codes <= 1 {
            continue;
        }
        if last.span.checked_mul(codes).is_none() {
            runs.push(std::mem::replace(&mut last, run(groups)));
        }
        last.columns.push(Digit {
            column,
            code_of: hierarchy.code_of(level),
            weight: last.span,
        });
        last.span *= codes;
    }
    runs.push(last);
    runs
}

/// The number of a key in a table of all keys: `next` if it has none yet.
fn number_directly(table: &mut [u32], key: u64, next: u32) -> u32 {
    let entry = &mut table[key as usize];
    if *entry == NONE {
        *entry = next;
    }
    *entry
}

/// The same in a hash table with room for one more.
fn number_by_hash(
    table: &mut HashTable<(u64, u32)>,
    hash: impl Fn(u64) -> u64,
    key: u64,
    next: u32,
) -> u32 {
    let same = |entry: &(u64, u32)| entry.0 == key;
    let entry = table.entry(hash(key), same, |entry| hash(entry.0));
    entry.or_insert((key, next)).get().1
}

/// Makes a vector hold `len` copies of an item, in the memory that it has if that suffices.
fn refill(items: &mut Vec<u32>, len: usize, item: u32) -> Result<()> {
    items.clear();
    make_room(items, len)?;
    items.resize(len, item);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Phase, Unwatched,
        lattice::{Counter, Hierarchy},
    };

    fn numbered(combinations: &Combinations, node: usize) -> (Vec<u32>, Vec<u32>) {
        let mut numbering = Numbering::default();
        let members: Vec<u32> = (0..combinations.len() as u32).collect();
        let mut monitor = Unwatched;
        let mut meter = Meter::start(&mut monitor, Phase::Searching, 1);
        let firsts = numbering.number(combinations, node, &members, &mut meter);
        (firsts.unwrap(), numbering.group_of().to_vec())
    }

    /// Key columns of `values` values each, and one level that halves them.
    fn combinations(columns: usize, values: u32, rows: &[&[u32]]) -> Combinations {
        let halves = (0..values).map(|value| value / 2).collect();
        let hierarchy = Hierarchy::new(values, &[halves]).unwrap();
        let mut counter = Counter::new(vec![hierarchy; columns], 0).unwrap();
        for row in rows {
            counter.add(row, &[]).unwrap();
        }
        counter.combinations().unwrap()
    }

    #[test]
    fn combinations_that_generalize_alike_share_a_group() {
        let combinations = combinations(2, 4, &[&[0, 0], &[2, 1], &[1, 0], &[0, 1], &[3, 1]]);
        let column_0 = combinations.lattice().node(&[1, 0]).unwrap();
        assert_eq!(
            numbered(&combinations, column_0),
            (vec![0, 1, 3], vec![0, 1, 0, 2, 1])
        );
        let both = combinations.lattice().node(&[1, 1]).unwrap();
        assert_eq!(
            numbered(&combinations, both),
            (vec![0, 1], vec![0, 1, 0, 0, 1])
        );
    }

    #[test]
    fn codes_beyond_64_bits_are_numbered_in_runs() {
        let (top, near) = ((1 << 16) - 1, (1 << 16) - 2);
        let rows: [&[u32]; 4] = [
            &[top; 9],
            &[0; 9],
            &[near; 9],
            &[1, 0, 0, 0, 0, 0, 0, 0, top],
        ];
        let combinations = combinations(9, 1 << 16, &rows);
        assert_eq!(runs(&combinations, 0, 4).len(), 3);
        assert_eq!(numbered(&combinations, 0).1, [0, 1, 2, 3]);
        let halves = combinations.lattice().node(&[1; 9]).unwrap();
        assert_eq!(
            numbered(&combinations, halves),
            (vec![0, 1, 3], vec![0, 1, 0, 2])
        );
    }
}
