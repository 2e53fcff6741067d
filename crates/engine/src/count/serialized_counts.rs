//! Counts as bytes, for the way from a parallel worker to its leader. Numbers take seven bits
//! a byte, low ones first: most are small, and PostgreSQL limits a value to 1 GB.

use super::group_counts::{Cell, GroupCounts, LOOK_UP, ValueCounts};
use crate::run::allocation::{make_room, reserved};
use crate::run::limits::Pulse;
use crate::{Error, Interner, Result};

impl GroupCounts {
    /// Appends the counts as bytes that [`read`](Self::read) understands.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write_interner(&self.keys, out)?;
        for &size in &self.sizes {
            write_number(size, out)?;
        }
        write_number(self.columns.len() as u64, out)?;
        self.columns.iter().try_for_each(|column| column.write(out))
    }

    /// Takes counts off the front of `bytes`, as [`write`](Self::write) put them there.
    pub fn read(bytes: &mut &[u8]) -> Result<Self> {
        let keys = read_interner(bytes)?;
        let mut sizes = reserved(keys.len())?;
        for _ in 0..keys.len() {
            sizes.push(read_number(bytes)?);
        }
        let columns = read_number(bytes)?;
        let columns = (0..columns).map(|_| ValueCounts::read(sizes.len(), bytes));
        Ok(GroupCounts {
            columns: columns.collect::<Result<_>>()?,
            keys,
            sizes,
        })
    }
}

impl ValueCounts {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write_interner(&self.values, out)?;
        write_number(self.pairs() as u64, out)?;
        for cell in self.iter() {
            write_number(cell.group.into(), out)?;
            write_number(cell.value.into(), out)?;
            write_number(cell.rows, out)?;
        }
        Ok(())
    }

    fn read(groups: usize, bytes: &mut &[u8]) -> Result<Self> {
        let mut counts = ValueCounts {
            values: read_interner(bytes)?,
            ..Default::default()
        };
        let mut pulse = Pulse::default();
        for _ in 0..read_number(bytes)? {
            pulse.spend(1)?;
            make_room(&mut counts.listed, 1)?;
            counts.listed.push(Cell {
                group: read_id(groups, bytes)?,
                value: read_id(counts.values.len(), bytes)?,
                rows: read_number(bytes)?,
            });
        }
        counts.distinct = counts.listed.len();
        Ok(counts)
    }
}

fn write_interner(interner: &Interner, out: &mut Vec<u8>) -> Result<()> {
    write_number(interner.len() as u64, out)?;
    for key in interner.iter() {
        write_number(key.len() as u64, out)?;
        append(key, out)?;
    }
    Ok(())
}

fn read_interner(bytes: &mut &[u8]) -> Result<Interner> {
    let mut interner = Interner::new();
    let mut pulse = Pulse::default();
    for id in 0..read_number(bytes)? {
        pulse.spend(LOOK_UP)?;
        let length = read_number(bytes)?;
        let length = usize::try_from(length).map_err(|_| damaged())?;
        let (key, rest) = bytes.split_at_checked(length).ok_or_else(damaged)?;
        if u64::from(interner.intern(key)?) != id {
            return Err(damaged());
        }
        *bytes = rest;
    }
    Ok(interner)
}

/// A number below `limit`.
fn read_id(limit: usize, bytes: &mut &[u8]) -> Result<u32> {
    let number = read_number(bytes)?;
    match u32::try_from(number) {
        Ok(id) if (id as usize) < limit => Ok(id),
        _ => Err(damaged()),
    }
}

fn write_number(mut number: u64, out: &mut Vec<u8>) -> Result<()> {
    let mut digits = [0; 10];
    let mut length = 0;
    while number > 0x7F {
        digits[length] = number as u8 | 0x80;
        number >>= 7;
        length += 1;
    }
    digits[length] = number as u8;
    append(&digits[..=length], out)
}

fn read_number(bytes: &mut &[u8]) -> Result<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&digit, rest) = bytes.split_first().ok_or_else(damaged)?;
        *bytes = rest;
        number |= u64::from(digit & 0x7F) << shift;
        if digit <= 0x7F {
            return Ok(number);
        }
    }
    Err(damaged())
}

fn append(bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    make_room(out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

fn damaged() -> Error {
    Error::Broken("serialized counts are damaged".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::group_counts::tests::{counts, sorted};
    use proptest::prelude::*;

    fn written(counts: &GroupCounts) -> Vec<u8> {
        let mut bytes = Vec::new();
        counts.write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn numbers_of_all_lengths_come_back() {
        let powers = (0..u64::BITS).map(|bit| 1u64 << bit);
        for number in powers
            .flat_map(|power| [power - 1, power])
            .chain([u64::MAX])
        {
            let mut bytes = Vec::new();
            write_number(number, &mut bytes).unwrap();
            let mut rest = &bytes[..];
            assert_eq!((read_number(&mut rest), rest.len()), (Ok(number), 0));
        }
    }

    #[test]
    fn numbers_of_things_that_are_not_there_are_refused() {
        let mut counts = counts(&[(1, 1)]);
        for (group, value) in [(7, 0), (0, 7)] {
            let cell = Cell {
                group,
                value,
                rows: 1,
            };
            let mut wrong = counts.clone();
            wrong.columns[0].add(cell).unwrap();
            assert!(GroupCounts::read(&mut &written(&wrong)[..]).is_err());
        }
        counts.add_group(b"", u64::MAX).unwrap();
        assert_eq!(
            GroupCounts::read(&mut &written(&counts)[..])
                .unwrap()
                .sizes(),
            counts.sizes()
        );
    }

    proptest! {
        #[test]
        fn written_counts_are_read_back(rows in prop::collection::vec((0u8..9, 0u8..9), 0..80)) {
            let original = counts(&rows);
            let bytes = written(&original);
            let mut rest = &bytes[..];
            let read = GroupCounts::read(&mut rest).unwrap();
            prop_assert_eq!(sorted(&read), sorted(&original));
            prop_assert!(rest.is_empty());
            for end in 0..bytes.len() {
                prop_assert!(GroupCounts::read(&mut &bytes[..end]).is_err());
            }
        }

        #[test]
        fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = GroupCounts::read(&mut &noise[..]);
        }
    }
}
