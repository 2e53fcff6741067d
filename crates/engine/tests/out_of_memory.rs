//! Every allocation that follows the size of the data may fail, and its failure is an error:
//! one that nobody expects would end the process, and with it the whole database server.
//!
//! An allocator that refuses the n-th large request is asked for n = 0, 1, 2 … until a method
//! gets all that it wants; before that it must answer with an error. A request that takes no
//! refusal aborts this test.

mod refusing;

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use refusing::{ROWS, codes, numbers, refusals, table, without_memory};
use sdc_engine::assign::refine::{Limits, refine};
use sdc_engine::intersection::{Shown, shrunk_groups};
use sdc_engine::lattice::{Counter, Hierarchy, Requirement, every_node, minimal_generalizations};
use sdc_engine::model::{
    AlphaK, AlphaWeight, BasicLikeness, DeltaDisclosure, Distribution, EnhancedLikeness,
    EntropyDiversity, EqualCloseness, KAnonymity, LDiversity, OrderedCloseness, PPlus,
    PSensitivity, PrivacyModel, RecursiveDiversity, SensitivityCategories, worst,
};
use sdc_engine::{
    Categories, Error, GroupCounts, GroupMoments, Interner, Partition, SortedIds, Space, Tally,
    Unwatched, assign, estimate, feasibility, mask, measure, permute,
};

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(7)
}

/// One single group of all rows.
fn whole() -> Partition {
    Partition::new(vec![0; ROWS], 1).unwrap()
}

fn halves() -> Partition {
    let groups = (0..ROWS as u32).map(|row| row / 2);
    Partition::new(groups.collect(), ROWS / 2).unwrap()
}

#[test]
fn methods_survive_refused_memory() {
    let (table, line, sensitive) = (table(), numbers(1), [codes(5, 40)]);
    let space = Space::new(&table, true).unwrap();
    let methods = [
        assign::Method::PFirst,
        assign::Method::PFirstLean,
        assign::Method::RandomSeeds,
        assign::Method::RandomRows,
    ];
    refusals("space", || Space::new(&table, true));
    for k in [3, ROWS / 3, ROWS] {
        refusals("mdav", || assign::mdav(&space, k, &mut Unwatched));
        refusals("univariate", || {
            assign::univariate(&line, k, &mut Unwatched)
        });
        refusals("mondrian", || {
            assign::mondrian(&table, &sensitive, k, 2, &mut Unwatched)
        });
        for method in methods {
            refusals("p_sensitive", || {
                assign::p_sensitive(&space, &sensitive, k, 2, method, &mut rng(), &mut Unwatched)
            });
        }
    }
    refusals("k_first", || {
        assign::k_first(&space, &sensitive, 5, 2, &mut Unwatched)
    });
    refusals("anatomy", || {
        assign::anatomy(&sensitive[0], 3, &mut rng(), &mut Unwatched)
    });
    refusals("permutation", || {
        assign::permutation(&table, &sensitive[0], 3, 2, &mut rng(), &mut Unwatched)
    });
}

/// Persons who have the same value in both of their rows.
#[test]
fn methods_of_persons_survive_refused_memory() {
    let persons: Vec<u32> = (0..ROWS as u32).map(|row| row / 2).collect();
    let value = |person: &u32| person % 1300;
    let values = Categories::new(persons.iter().map(value).collect());
    let of = Some(&persons[..]);
    refusals("anatomy", || {
        assign::anatomy_of_persons(&values, of, 3, &mut rng(), &mut Unwatched)
    });
    let table = table();
    refusals("permutation", || {
        assign::permutation_of_persons(&table, &values, of, 3, 2, &mut rng(), &mut Unwatched)
    });
}

#[test]
fn refinement_survives_refused_memory() {
    let space = Space::new(&table(), true).unwrap();
    let sensitive = [codes(5, 40)];
    let method = assign::Method::PFirst;
    let groups_of = |k| {
        let (rng, monitor) = (&mut rng(), &mut Unwatched);
        assign::p_sensitive(&space, &sensitive, k, 2, method, rng, monitor).unwrap()
    };
    let starts = [
        (3, groups_of(3)),
        (ROWS / 3, groups_of(ROWS / 3)),
        (3, whole()),
        (ROWS / 3, whole()),
    ];
    for (k, start) in starts {
        let limits = Limits {
            k,
            p: 2,
            sensitive: &sensitive,
        };
        let refused = refusals("refine", || {
            let mut copy = Vec::new();
            let room = copy.try_reserve_exact(ROWS);
            room.map_err(|_| Error::OutOfMemory { bytes: ROWS })?;
            copy.extend_from_slice(start.group_of());
            let start = Partition::new(copy, start.groups())?;
            refine(&space, limits, start, 0, &mut rng(), &mut Unwatched)
        });
        assert!(refused > 5);
    }
}

#[test]
fn figures_survive_refused_memory() {
    let (table, line, sensitive) = (table(), numbers(1), codes(5, 4000));
    let space = Space::new(&table, true).unwrap();
    for partition in [halves(), whole()] {
        refusals("members", || partition.members());
        refusals("modes", || mask::modes(&sensitive, &partition));
        refusals("squares", || measure::Squares::new(&space, &partition));
        refusals("ncp", || measure::ncp(&table, &partition));
        refusals("reconstruction", || {
            measure::reconstruction_error(&partition, &sensitive, Some(&table))
        });
        refusals("permute", || {
            permute::permute(&partition, &mut rng(), &mut Unwatched)
        });
        refusals("tally", || Tally::new(&partition, &[&sensitive]));
    }
    let partition = halves();
    refusals("means", || mask::means(&line, &partition));
    let counts = vec![vec![1; ROWS]];
    refusals("feasibility", || feasibility::max_groups(&counts, ROWS / 2));
}

#[test]
fn models_survive_refused_memory() {
    let sensitive = codes(5, 4000);
    let tally = Tally::new(&whole(), &[&sensitive]).unwrap();
    let column = &tally.columns()[0];
    refusals("totals", || column.totals());
    let ranks: Vec<u32> = (0..4000).collect();
    refusals("closeness", || {
        let table = Distribution::new(column)?;
        let model = OrderedCloseness::new(&table, &ranks)?;
        worst(&model, &tally, Some(0))
    });
    let categories = SensitivityCategories::new((0..4000).collect(), 4000).unwrap();
    let weight = AlphaWeight::new(&categories).unwrap();
    let recursive = RecursiveDiversity::new(2.0).unwrap();
    let table = Distribution::new(column).unwrap();
    let models: [&dyn PrivacyModel; 12] = [
        &KAnonymity,
        &PSensitivity,
        &AlphaK,
        &LDiversity,
        &EntropyDiversity,
        &recursive,
        &PPlus::new(&categories),
        &weight,
        &EqualCloseness::new(&table),
        &BasicLikeness::new(&table),
        &EnhancedLikeness::new(&table),
        &DeltaDisclosure::new(&table),
    ];
    for model in models {
        assert!(
            without_memory(|| worst(model, &tally, Some(0))).is_ok_and(|worst| worst.is_some())
        );
    }
}

#[test]
fn estimates_survive_refused_memory() {
    let (partition, line, values) = (halves(), numbers(1), codes(5, 4000));
    let flags: Vec<bool> = line.iter().map(|&number| number > 1e6).collect();
    let covered = vec![vec![0.5; ROWS / 2]];
    refusals("anatomy", || {
        estimate::anatomy_count(&partition, &flags, &flags)
    });
    refusals("presence", || estimate::presence(&partition, &[&flags]));
    refusals("generalized", || {
        estimate::generalized_count(&partition, &covered, &flags)
    });
    refusals("range", || {
        estimate::covered_range(&partition, &line, 0.0, 1e6)
    });
    refusals("values", || {
        estimate::covered_values(&partition, &values, &flags)
    });
}

#[test]
fn counting_survives_refused_memory() {
    let (keys, values) = (numbers(1), numbers(2));
    let counted = || {
        let mut counts = GroupCounts::new(1);
        for (key, value) in keys.iter().zip(&values) {
            let group = counts.add_group(&key.to_le_bytes(), 1)?;
            counts.add_value(0, group, &value.to_le_bytes(), 1)?;
        }
        Ok(counts)
    };
    refusals("counts", || counted()?.tally());
    let whole = counted().unwrap();
    let mut bytes = Vec::new();
    whole.write(&mut bytes).unwrap();
    refusals("writing", || whole.write(&mut Vec::new()));
    refusals("reading", || GroupCounts::read(&mut bytes.as_slice()));
    let copy = |bytes: &[u8], out: &mut Vec<u8>| out.extend_from_slice(bytes);
    refusals("merging", || {
        let mut merged = GroupCounts::new(1);
        merged.merge(&whole, copy, |_, bytes, out| copy(bytes, out))
    });
    let interned = || {
        let mut interner = Interner::new();
        keys.iter()
            .try_for_each(|key| interner.intern(&key.to_le_bytes()).map(drop))
    };
    refusals("interner", interned);
}

#[test]
fn moments_survive_refused_memory() {
    let values = numbers(1);
    let gathered = || {
        let mut moments = GroupMoments::new(2);
        for (group, &value) in (0..).zip(&values) {
            moments.cell(group, 0)?.add(value);
        }
        Ok(moments)
    };
    refusals("moments", gathered);
    let (all, groups) = (gathered().unwrap(), Vec::from_iter(0..ROWS as u32));
    refusals("merged moments", || {
        let mut merged = GroupMoments::new(2);
        merged.merge(&all, &groups)
    });
}

#[test]
fn sorted_numbers_survive_refused_memory() {
    refusals("sorted numbers", || {
        let mut ids = SortedIds::default();
        for id in 0..300_000 {
            if let Err(place) = ids.find(|other| other.cmp(&id)) {
                ids.insert(place, id)?;
            }
        }
        Ok(())
    });
}

#[test]
fn lattices_survive_refused_memory() {
    let (keys, sensitive) = (codes(1, 6000), codes(5, 40));
    let labels = |values: u32| {
        [
            (0..values).map(|value| value / 10).collect(),
            vec![0; values as usize],
        ]
    };
    let (large, small) = (labels(6000), labels(40));
    refusals("hierarchy", || Hierarchy::new(6000, &large));
    let searched = || {
        let mut counter = Counter::new(
            vec![Hierarchy::new(6000, &large)?, Hierarchy::new(40, &small)?],
            1,
        )?;
        for (&key, &value) in keys.codes().iter().zip(sensitive.codes()) {
            counter.add(&[key, value], &[&value.to_le_bytes()])?;
        }
        let combinations = counter.combinations()?;
        let requirement = Requirement {
            k: 2,
            p: 1,
            max_suppressed: 10,
            conditions: Vec::new(),
        };
        every_node(&combinations, &requirement, &mut Unwatched)?;
        minimal_generalizations(&combinations, &requirement, &mut Unwatched)
    };
    refusals("lattice", searched);
}

#[test]
fn intersections_survive_refused_memory() {
    let (keys, values, partition) = (codes(1, 3000), codes(2, 50), halves());
    let groups = partition.group_of();
    let columns = [(0, keys.codes())];
    let compared = |torn: bool| {
        let shown = if torn {
            Shown::permutation
        } else {
            Shown::anatomy
        };
        let releases = [shown(&columns, groups, (groups, values.codes()))?];
        let known = [keys.try_clone()?];
        shrunk_groups(&known, &partition, &releases, 2, &mut Unwatched)
    };
    refusals("anatomies", || compared(false));
    refusals("permutations", || compared(true));
}
