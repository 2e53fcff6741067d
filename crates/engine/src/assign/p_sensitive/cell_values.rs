//! What the values of cells allow.
//!
//! k rows of each cell are its core, drawn among those that go with it: its own, and those of cells
//! that were dissolved. A side with p values has them whatever other rows it has, so that its core may
//! decide. Conditions such as l-diversity and t-closeness look at all rows. So that a decision
//! still stays what it is when the cores of two sides are exchanged, it asks for either core
//! together with either side's other rows.

use super::Input;
use super::cell_cubes::Cubes;
use super::symmetric::Cells;
use super::value_quota::Quota;
use crate::Result;
use crate::assign::conditions::ConditionCheck;
use crate::run::Meter;
use crate::run::allocation;
use crate::run::sorting;

pub(super) struct CellValues<'a> {
    cubes: &'a Cubes,
    /// k rows of each cell, one cell after the other
    core: &'a [u32],
    k: usize,
    /// (cell, row) of rows that are in no core, by cell
    others: Vec<(u32, u32)>,
    quota: Quota<'a>,
    /// what is asked beside p values, if anything
    check: Option<ConditionCheck<'a>>,
}

/// The rows of the cells of some nodes.
struct PartRows {
    core: Vec<u32>,
    others: Vec<u32>,
}

impl<'a> CellValues<'a> {
    /// `home` is the cell that each row goes with.
    pub(super) fn new(
        input: &Input<'a>,
        cells: &'a Cells,
        core: &'a [u32],
        home: &[u32],
    ) -> Result<Self> {
        let conditions = input.conditions;
        let (check, others) = match conditions.is_empty() {
            true => (None, Vec::new()),
            false => (
                Some(ConditionCheck::new(&conditions)?),
                beside_core(core, home)?,
            ),
        };
        Ok(CellValues {
            quota: Quota::new(input.sensitive, input.p, true)?,
            cubes: &cells.cubes,
            core,
            k: cells.k,
            others,
            check,
        })
    }

    /// Whether nodes that are to be parted have all that is asked, part by part.
    pub(super) fn parts_hold(&mut self, parts: &[&[u32]], meter: &mut Meter) -> Result<bool> {
        for nodes in parts {
            if !self.is_complete(nodes, meter)? {
                return Ok(false);
            }
        }
        if self.check.is_none() {
            return Ok(true);
        }
        let rows = parts.iter().map(|nodes| self.rows(nodes, meter));
        let rows = rows.collect::<Result<Vec<PartRows>>>()?;
        let plain = rows.iter().all(|part| part.others.is_empty());
        for (core_of, part) in rows.iter().enumerate() {
            for (others_of, other) in rows.iter().enumerate() {
                if plain && core_of != others_of {
                    continue;
                }
                meter.spend(part.core.len() + other.others.len())?;
                let points = part.core.iter().chain(&other.others).copied();
                let holds = self.check.as_mut().map(|check| check.holds(points));
                if !holds.transpose()?.unwrap_or(true) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether the cores of some nodes have p values of every sensitive column.
    fn is_complete(&mut self, nodes: &[u32], meter: &mut Meter) -> Result<bool> {
        self.quota.start();
        let mut looks = 0;
        for &node in nodes {
            let more = self.cubes.cells(node, &mut |cell| {
                let rows = &self.core[cell as usize * self.k..][..self.k];
                rows.iter().for_each(|&row| self.quota.add(row));
                looks += self.k;
                self.quota.is_short()
            });
            if !more {
                break;
            }
        }
        meter.spend(looks)?;
        Ok(!self.quota.is_short())
    }

    fn rows(&self, nodes: &[u32], meter: &mut Meter) -> Result<PartRows> {
        let mut cells = Vec::new();
        for &node in nodes {
            let mut found = Ok(());
            self.cubes.cells(node, &mut |cell| {
                found = allocation::make_room(&mut cells, 1);
                cells.push(cell);
                found.is_ok()
            });
            found?;
        }
        meter.spend(cells.len())?;
        let mut core = allocation::reserved(cells.len() * self.k)?;
        let mut others = Vec::new();
        for &cell in &cells {
            core.extend_from_slice(&self.core[cell as usize * self.k..][..self.k]);
            let from = self.others.partition_point(|&(other, _)| other < cell);
            let own = self.others[from..]
                .iter()
                .take_while(|&&(other, _)| other == cell);
            for &(_, row) in own {
                allocation::make_room(&mut others, 1)?;
                others.push(row);
            }
        }
        Ok(PartRows { core, others })
    }
}

/// The rows that are in no core, with the cells that they go with.
fn beside_core(core: &[u32], home: &[u32]) -> Result<Vec<(u32, u32)>> {
    let mut is_core = allocation::filled(home.len(), false)?;
    let core = core.iter().filter(|&&row| row != u32::MAX);
    core.for_each(|&row| is_core[row as usize] = true);
    let mut others = Vec::new();
    for (row, &home) in (0..).zip(home) {
        if !is_core[row as usize] {
            allocation::make_room(&mut others, 1)?;
            others.push((home, row));
        }
    }
    sorting::sort_by_key(&mut others, |&other| other)?;
    Ok(others)
}
