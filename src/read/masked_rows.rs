//! What rows show of their keys: the values of their groups.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Failure, known};
use crate::pg::memory::{collected, collected_values};
use crate::pg::progress::Watch;
use crate::pg::tuple_store::TupleStore;
use crate::read::columns::{self, Decoder};
use crate::read::numbers::{NumberReader, NumberWriter};
use crate::read::source_rows::KeptRows;
use sdc_engine::measure::{ShownLoss, Squares};
use sdc_engine::{Categories, Column, Monitor, Partition, Phase, Result, Table, mask};

impl KeptRows {
    /// A copy of the keys as they were read.
    pub fn key_table(&self) -> Table {
        let copies = self.keys.iter().map(Column::try_clone);
        let copies: Result<Vec<Column>> = copies.collect();
        errors::engine(copies.and_then(Table::new), self.names())
    }

    /// What each key loses in a grouping, in percent of its variance.
    pub fn losses(&self, partition: &Partition, standardize: bool) -> Vec<f64> {
        let names = self.names();
        let loss = |key: &Column| {
            let alone = vec![errors::engine(key.try_clone(), names)];
            let alone = columns::space(alone, standardize, names);
            errors::engine(Squares::new(&alone, partition), names).information_loss()
        };
        self.keys.iter().map(loss).collect()
    }

    /// Writes every row with the key values of its group.
    pub fn mask(&self, partition: &Partition, out: &TupleStore, watch: &mut Watch) {
        self.write_masked(partition, &self.masks(partition), out, watch);
    }

    /// For each key the value that each group shows.
    pub fn masks(&self, partition: &Partition) -> Vec<Vec<Cell<'_>>> {
        let keys = 0..self.keys.len();
        keys.map(|key| self.mask_of(key, partition)).collect()
    }

    /// Writes every row with what its group shows of the keys.
    pub fn write_masked(
        &self,
        partition: &Partition,
        masks: &[Vec<Cell<'_>>],
        out: &TupleStore,
        watch: &mut Watch,
    ) {
        watch.start(Phase::Writing, partition.rows() as u64);
        self.replay(watch, |row, cells| {
            let group = partition.group_of()[row] as usize;
            let mut cells = cells[..self.shown].to_vec();
            for (mask, &place) in masks.iter().zip(&self.key_places) {
                cells[place] = mask[group];
            }
            out.push(&cells);
        });
    }

    /// The masked value of a key column in each group.
    pub fn mask_of(&self, key: usize, partition: &Partition) -> Vec<Cell<'_>> {
        let (typ, typmod) = self.key_types[key];
        match (&self.keys[key], &self.key_decoders[key]) {
            (Column::Numeric(values), Decoder::Number(_)) => {
                let means = errors::engine(mask::means(values, partition), self.names());
                let Some(mut writer) = NumberWriter::of(typ, typmod) else {
                    no_number_type()
                };
                collected_values(means.into_iter().map(|mean| writer.cell(mean)))
            }
            (Column::Categorical(categories), decoder) => {
                let modes = errors::engine(mask::modes(categories, partition), self.names());
                collected_values(modes.into_iter().map(|code| decoder.category(code)))
            }
            _ => no_number_type(),
        }
    }

    /// What each key loses where the first groups show these values, whatever their rows have
    /// now. An empty list stands for what the groups' rows have.
    pub fn losses_shown(
        &mut self,
        kept: &[Vec<Cell<'_>>],
        partition: &Partition,
    ) -> Vec<ShownLoss> {
        let keys = self.keys.iter().zip(&mut self.key_decoders).zip(kept);
        let loss = |((column, decoder), kept): ((&Column, &mut Decoder), &Vec<Cell<'_>>)| {
            let group_of = partition.group_of().iter();
            let shown = match column {
                Column::Numeric(values) => {
                    let mut shown = known(mask::means(values, partition));
                    let reader = kept.first().and_then(|cell| NumberReader::of(cell.typ()));
                    for (shown, cell) in shown.iter_mut().zip(kept) {
                        let number = reader.and_then(|reader| reader.number(*cell));
                        *shown = number.unwrap_or(f64::NAN);
                    }
                    Column::Numeric(collected(group_of.map(|&group| shown[group as usize])))
                }
                Column::Categorical(values) => {
                    let mut shown = known(mask::modes(values, partition));
                    for (shown, cell) in shown.iter_mut().zip(kept) {
                        *shown = decoder.code(*cell);
                    }
                    let codes = collected(group_of.map(|&group| shown[group as usize]));
                    Column::Categorical(Categories::new(codes))
                }
            };
            known(ShownLoss::of(column, &shown))
        };
        keys.map(loss).collect()
    }
}

fn no_number_type() -> ! {
    Failure::internal("a numeric column without a number type").raise()
}
