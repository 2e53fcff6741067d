//! How often each code of one categorical column occurs in one group.

/// The codes of a group with their counts, in no order. Groups are small, so a list beats a map.
#[derive(Debug, Clone, Default)]
pub(in crate::assign) struct Frequencies {
    cells: Vec<(u32, u32)>,
    /// the count of the most frequent code
    top: u32,
}

impl Frequencies {
    pub fn add(&mut self, code: u32) {
        let count = match self.cells.iter_mut().find(|cell| cell.0 == code) {
            Some(cell) => {
                cell.1 += 1;
                cell.1
            }
            None => {
                self.cells.push((code, 1));
                1
            }
        };
        self.top = self.top.max(count);
    }

    /// Takes away one occurrence of a code that is there.
    pub fn remove(&mut self, code: u32) {
        self.top = self.top_without(code);
        if let Some(at) = self.cells.iter().position(|cell| cell.0 == code) {
            self.cells[at].1 -= 1;
            if self.cells[at].1 == 0 {
                self.cells.swap_remove(at);
            }
        }
    }

    pub fn count(&self, code: u32) -> u32 {
        let cell = self.cells.iter().find(|cell| cell.0 == code);
        cell.map_or(0, |cell| cell.1)
    }

    /// The number of different codes.
    pub fn distinct(&self) -> usize {
        self.cells.len()
    }

    /// The number of different codes once `leaver` has made room for `joiner`.
    pub fn distinct_after(&self, leaver: u32, joiner: u32) -> usize {
        if leaver == joiner {
            return self.distinct();
        }
        let gained = usize::from(self.count(joiner) == 0);
        let lost = usize::from(self.count(leaver) == 1);
        self.distinct() + gained - lost
    }

    /// The count of the most frequent code.
    pub fn top(&self) -> u32 {
        self.top
    }

    /// The most frequent code; ties go to the lower one. 0 while there is none.
    pub fn mode(&self) -> u32 {
        let at_top = self.cells.iter().filter(|cell| cell.1 == self.top);
        at_top.map(|cell| cell.0).min().unwrap_or(0)
    }

    /// The count of the most frequent code once the codes of another group have joined.
    pub fn top_merged(&self, other: &Frequencies) -> u32 {
        let joint = |cell: &(u32, u32)| cell.1 + other.count(cell.0);
        let most = self.cells.iter().map(joint).max().unwrap_or(0);
        most.max(other.top)
    }

    pub fn top_with(&self, code: u32) -> u32 {
        self.top.max(self.count(code) + 1)
    }

    pub fn top_without(&self, code: u32) -> u32 {
        let at_top = |cell: &&(u32, u32)| cell.1 == self.top && cell.0 != code;
        let alone = self.count(code) == self.top && !self.cells.iter().any(|cell| at_top(&cell));
        self.top - u32::from(alone)
    }

    /// The count of the most frequent code once `leaver` has made room for `joiner`.
    pub fn top_after(&self, leaver: u32, joiner: u32) -> u32 {
        if leaver == joiner {
            return self.top;
        }
        self.top_without(leaver).max(self.count(joiner) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frequencies(codes: &[u32]) -> Frequencies {
        let mut frequencies = Frequencies::default();
        codes.iter().for_each(|&code| frequencies.add(code));
        frequencies
    }

    #[test]
    fn two_groups_together_have_the_codes_of_both() {
        let (few, many) = (frequencies(&[4, 1, 4]), frequencies(&[1, 1, 0]));
        assert_eq!((few.mode(), many.mode()), (4, 1));
        assert_eq!((few.top_merged(&many), many.top_merged(&few)), (3, 3));
        let empty = Frequencies::default();
        assert_eq!((few.top_merged(&empty), empty.top_merged(&few)), (2, 2));
        assert_eq!(frequencies(&[3, 2]).mode(), 2);
    }

    /// (distinct codes, count of the most frequent one) by the definition.
    fn figures(codes: &[u32]) -> (usize, u32) {
        let counts = (0..5).map(|code| codes.iter().filter(|&&other| other == code).count());
        let counts: Vec<usize> = counts.filter(|&count| count > 0).collect();
        (counts.len(), counts.into_iter().max().unwrap_or(0) as u32)
    }

    #[test]
    fn every_change_is_foreseen_and_made() {
        let tables: [&[u32]; 6] = [
            &[0],
            &[0, 0],
            &[0, 1],
            &[0, 0, 1],
            &[2, 1, 1, 2],
            &[3, 3, 3, 0],
        ];
        for codes in tables {
            for leaver in codes.iter().copied() {
                let mut rest = codes.to_vec();
                rest.remove(codes.iter().position(|&code| code == leaver).unwrap());
                let mut less = frequencies(codes);
                assert_eq!(less.top_without(leaver), figures(&rest).1);
                less.remove(leaver);
                assert_eq!((less.distinct(), less.top()), figures(&rest));
                for joiner in 0..5 {
                    let before = frequencies(codes);
                    let after = [rest.as_slice(), &[joiner]].concat();
                    let foreseen = (
                        before.distinct_after(leaver, joiner),
                        before.top_after(leaver, joiner),
                    );
                    assert_eq!(foreseen, figures(&after));
                    let with = [codes, &[joiner]].concat();
                    assert_eq!(before.top_with(joiner), figures(&with).1);
                }
            }
        }
    }
}
