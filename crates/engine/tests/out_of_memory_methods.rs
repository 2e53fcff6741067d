//! The methods that build on others, and large lattices, when memory is refused: as in
//! `out_of_memory.rs`, an allocation that takes no refusal aborts this test.

mod refusing;

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use refusing::{ROWS, codes, numbers, refusals, table};
use sdc_engine::assign::{self, Method};
use sdc_engine::lattice::{Counter, Hierarchy, Requirement, minimal_generalizations};
use sdc_engine::model::SensitivityCategories;
use sdc_engine::sequence::{KeptSlots, NEW, Returning, SignedRows, balance, continue_groups};
use sdc_engine::{Categories, Column, Partition, Space, Table, Unwatched};

fn space() -> Space {
    Space::new(&table(), true).unwrap()
}

#[test]
fn v_mdav_survives_refused_memory() {
    let space = space();
    for (k, gamma) in [(3, Some(1.1)), (ROWS / 3, Some(1.1)), (5, None)] {
        let work = || assign::v_mdav(&space, k, gamma, &mut Unwatched);
        refusals("v_mdav", work);
    }
}

/// The value of all rows but three, which lie far from each other.
fn rare() -> Categories {
    let value = |row: usize| u32::from(row % (ROWS / 3) == 7) * (1 + (row / (ROWS / 3)) as u32);
    Categories::new((0..ROWS).map(value).collect())
}

#[test]
fn p_sensitive_methods_survive_refused_memory() {
    let space = space();
    let columns = [("many values", codes(5, 40)), ("rare values", rare())];
    for (what, column) in columns {
        for method in [
            Method::Merge,
            Method::RandomRowsLean,
            Method::LeastLoss,
            Method::Symmetric,
        ] {
            for k in [3, ROWS / 3] {
                let work = || {
                    let mut rng = ChaCha20Rng::seed_from_u64(7);
                    let sensitive = std::slice::from_ref(&column);
                    assign::p_sensitive(&space, sensitive, k, 2, method, &mut rng, &mut Unwatched)
                };
                refusals(what, work);
            }
        }
    }
}

/// Values that follow the key, so that several sizes of groups are tried.
#[test]
fn k_first_survives_refused_memory() {
    let keys = numbers(1);
    let space = Space::new(
        &Table::new(vec![Column::Numeric(keys.clone())]).unwrap(),
        true,
    );
    let space = space.unwrap();
    let bands = keys.iter().map(|key| (key * 3.0 / 16_777_216.0) as u32);
    let sensitive = [Categories::new(bands.collect())];
    let work = || assign::k_first(&space, &sensitive, 1500, 2, &mut Unwatched);
    refusals("k_first", work);
}

#[test]
fn p_alpha_survives_refused_memory() {
    let keys = numbers(1);
    let band = |key: &f64| (key * 4.0 / 16_777_216.0) as u32;
    let (even, local) = (
        codes(5, 4),
        Categories::new(keys.iter().map(band).collect()),
    );
    let categories = SensitivityCategories::new((0..4).collect(), 4).unwrap();
    let numeric = vec![Column::Numeric(keys), Column::Numeric(numbers(2))];
    let numeric = Space::new(&Table::new(numeric).unwrap(), true).unwrap();
    let mixed = space();
    let cases = [
        (&mixed, &even, 3, 1.0),
        (&mixed, &even, 3, 100.0),
        (&mixed, &local, 3, 1.0),
        (&numeric, &even, ROWS / 3, 20.0),
        (&numeric, &local, ROWS / 3, 20.0),
    ];
    for (space, column, k, alpha) in cases {
        refusals("p_alpha", || {
            assign::p_alpha_sensitive(space, column, &categories, k, 2, alpha, &mut Unwatched)
        });
    }
}

/// Few rows and a great many nodes: what a search keeps follows the nodes.
#[test]
fn large_lattices_survive_refused_memory() {
    let keys = [codes(1, 5), codes(2, 5), codes(3, 5), codes(4, 5)];
    let levels = || {
        let top = std::iter::once(vec![0; 5]);
        Hierarchy::new(
            5,
            &Vec::from_iter((0..9).map(|_| (0..5).collect()).chain(top)),
        )
    };
    let work = || {
        let hierarchies = vec![levels()?, levels()?, levels()?, levels()?];
        let mut counter = Counter::new(hierarchies, 0)?;
        for row in 0..600 {
            counter.add(&[0, 1, 2, 3].map(|key: usize| keys[key].codes()[row]), &[])?;
        }
        let requirement = Requirement {
            k: 20,
            p: 1,
            max_suppressed: 100,
            conditions: Vec::new(),
        };
        minimal_generalizations(&counter.combinations()?, &requirement, &mut Unwatched)
    };
    refusals("lattice", work);
}

/// Groups of three, of which every tenth person is another one.
#[test]
fn slots_survive_refused_memory() {
    let space = space();
    let known = ROWS / 2 / 3 * 3;
    let slots = Partition::new(vec![0, 0, 0], 1).unwrap();
    let shown: Vec<u32> = (0..ROWS as u32).map(|row| row % 3).collect();
    let stays = |row: &u32| (*row as usize) < known && !row.is_multiple_of(10);
    let only = |row: u32, value: u32| Some(value).filter(|_| stays(&row)).unwrap_or(NEW);
    let slot_of: Vec<u32> = (0..ROWS as u32).map(|row| only(row, row % 3)).collect();
    let group_of: Vec<u32> = (0..ROWS as u32).map(|row| only(row, row / 3)).collect();
    refusals("slots", || {
        let kept = KeptSlots {
            signatures: &slots,
            shown: &[0, 1, 2],
        };
        let persons = Returning {
            shown: &shown,
            slot_of: &slot_of,
            group_of: &group_of,
        };
        continue_groups(kept, persons, &space, &mut Unwatched)
    });
}

#[test]
fn signatures_survive_refused_memory() {
    let values: Vec<u32> = (0..ROWS as u32).map(|row| row % 4).collect();
    let signature = |row: usize| {
        if row < ROWS / 2 {
            (row % 4) as u32 / 2
        } else {
            NEW
        }
    };
    let signature_of: Vec<u32> = (0..ROWS).map(signature).collect();
    refusals("signatures", || {
        let rows = SignedRows {
            values: &values,
            strata: &[],
            signature_of: &signature_of,
            signatures: &[vec![0, 1], vec![2, 3]],
        };
        let found = balance(rows, 2, &mut ChaCha20Rng::seed_from_u64(7), &mut Unwatched)?;
        found.shown()
    });
}
