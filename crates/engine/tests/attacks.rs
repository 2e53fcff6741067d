//! The attacks against their definitions: every possible world of small tables, and references
//! that look at everything.

use proptest::prelude::*;
use sdc_engine::attack::{
    LearntKeys, NOWHERE, Presence, SeenGroups, ShownKeys, TornGroups, claims, guesses, intersect,
    link, nearest_points, own_groups,
};
use sdc_engine::random::generator;
use sdc_engine::{Categories, Column, ColumnTally, Partition, Space, Table, Unwatched};
use std::collections::{BTreeMap, BTreeSet};

fn tally(group_of: &[u32], values: &[u32]) -> ColumnTally {
    let triples: Vec<_> = group_of
        .iter()
        .zip(values)
        .map(|(&g, &v)| (g, v, 1))
        .collect();
    let groups = group_of.iter().max().map_or(0, |&top| top as usize + 1);
    ColumnTally::new(groups, &triples).unwrap()
}

/// The share of a group's rows with a value.
fn share_of(tally: &ColumnTally, group: usize, value: u32) -> f64 {
    let rows = |cells: &mut dyn Iterator<Item = &(u32, u64)>| cells.map(|cell| cell.1).sum::<u64>();
    let cells = || tally.of(group).iter();
    rows(&mut cells().filter(|cell| cell.0 == value)) as f64 / rows(&mut cells()) as f64
}

/// How likely a value is by a model in which a row has each value of its group in its share there.
fn naive_bayes(
    groups: &[u32],
    tally: &ColumnTally,
    keys: &[Vec<u32>; 2],
    (person, known): (&[u32], &[Categories; 2]),
    value: u32,
) -> f64 {
    let with = |test: &dyn Fn(usize) -> bool| -> f64 {
        let rows = (0..groups.len()).filter(|&row| test(row));
        rows.map(|row| share_of(tally, groups[row] as usize, value))
            .sum()
    };
    let prior = with(&|_| true);
    (0..2).fold(prior, |product, key| {
        let top = keys[key].iter().chain(known[key].codes()).max().unwrap();
        let same = with(&|row| keys[key][row] == person[key]);
        product * (same + 1.0) / (prior + f64::from(top + 1))
    })
}

/// Every group number below the largest is used, so that groups are a partition.
fn packed(groups: Vec<u32>) -> Vec<u32> {
    let used: BTreeSet<u32> = groups.iter().copied().collect();
    let used: Vec<u32> = used.into_iter().collect();
    let number = |group: &u32| used.iter().position(|other| other == group).unwrap() as u32;
    groups.iter().map(number).collect()
}

/// All ways to give persons values so that every release shows what it shows.
fn worlds(releases: &[Vec<u32>], values: &[u32]) -> Vec<Vec<u32>> {
    let shown: Vec<ColumnTally> = releases
        .iter()
        .map(|groups| tally(groups, values))
        .collect();
    let distinct: BTreeSet<u32> = values.iter().copied().collect();
    let mut worlds = vec![Vec::new()];
    for _ in values {
        let longer = worlds.into_iter().flat_map(|world: Vec<u32>| {
            distinct.iter().map(move |&value| {
                let mut world = world.clone();
                world.push(value);
                world
            })
        });
        // what a release does not show may be left out at once
        worlds = longer
            .filter(|world| {
                releases.iter().zip(&shown).all(|(groups, shown)| {
                    let so_far = tally(&groups[..world.len()], world);
                    (0..so_far.groups()).all(|group| {
                        so_far.of(group).iter().all(|&(value, count)| {
                            let cells = shown.of(group).iter();
                            cells.clone().any(|cell| cell.0 == value && cell.1 >= count)
                        })
                    })
                })
            })
            .collect();
    }
    worlds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whoever has one value left has it in every world; what is possible in a world is left.
    #[test]
    fn intersection_agrees_with_all_worlds(
        rows in prop::collection::vec((0u32..3, [0u32..3, 0u32..3]), 1..7),
    ) {
        let values: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let releases = [0, 1].map(|at| packed(rows.iter().map(|row| row.1[at]).collect()));
        let worlds = worlds(&releases, &values);
        prop_assert!(worlds.contains(&values));
        let tallies = releases.each_ref().map(|groups| tally(groups, &values));
        let seen: Vec<SeenGroups> = releases.iter().zip(&tallies)
            .map(|(group_of, values)| SeenGroups { group_of, values, rows: 3 }).collect();
        let found = intersect(&seen, 2, &values, &mut Unwatched).unwrap();
        let possible = |person: usize| worlds.iter().map(|world| world[person]).collect::<BTreeSet<_>>();
        let certain = (0..values.len()).filter(|&person| possible(person).len() == 1).count() as u64;
        let possible: u64 = (0..values.len()).map(|person| possible(person).len() as u64).sum();
        prop_assert!(found.one_left <= certain, "{} of {certain}", found.one_left);
        prop_assert!(found.candidates >= possible);
        prop_assert_eq!(found.right, found.one_left);
        prop_assert_eq!(found.persons, values.len() as u64);
        // one release leaves exactly what is possible
        let found = intersect(&seen[..1], 2, &values, &mut Unwatched).unwrap();
        let alone = crate::worlds(&releases[..1], &values);
        let possible = |person: usize| alone.iter().map(|world| world[person]).collect::<BTreeSet<_>>().len();
        prop_assert_eq!(found.candidates, (0..values.len()).map(|person| possible(person) as u64).sum::<u64>());
        prop_assert_eq!(found.one_left, (0..values.len()).filter(|&person| possible(person) == 1).count() as u64);
    }

    /// Straight from the definition, with persons who are not in every release.
    #[test]
    fn intersection_agrees_with_its_definition(
        rows in prop::collection::vec((0u32..5, [0u32..6, 0u32..6, 0u32..6], 0u32..8), 1..60),
        least in 1usize..4,
    ) {
        let values: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let releases = [0, 1, 2].map(|at| packed(rows.iter().map(|row| row.1[at]).collect()));
        let tallies = releases.each_ref().map(|groups| tally(groups, &values));
        let mut shown = releases.clone();
        for (row, groups) in rows.iter().zip(0..) {
            // the last digit says which release the person is missing from
            if row.2 < 3 { shown[row.2 as usize][groups as usize] = NOWHERE; }
        }
        let seen: Vec<SeenGroups> = shown.iter().zip(&tallies)
            .map(|(group_of, values)| SeenGroups { group_of, values, rows: 3 }).collect();
        let found = intersect(&seen, least, &values, &mut Unwatched).unwrap();
        let present: Vec<usize> = (0..rows.len()).filter(|&row| rows[row].2 >= 3).collect();
        let left = |person: usize| -> BTreeSet<u32> {
            let holds = |value: &u32| (0..3).all(|at| {
                let own = releases[at][person];
                releases[at].iter().zip(&values).any(|(&group, other)| group == own && other == value)
            });
            values.iter().copied().filter(|value| holds(value)).collect()
        };
        let count = |test: &dyn Fn(usize) -> bool| present.iter().filter(|&&person| test(person)).count() as u64;
        prop_assert_eq!(found.persons, present.len() as u64);
        prop_assert_eq!(found.one_left, count(&|person| left(person).len() == 1));
        prop_assert_eq!(found.fewer, count(&|person| left(person).len() < least));
        prop_assert_eq!(found.candidates, present.iter().map(|&person| left(person).len() as u64).sum::<u64>());
        let rows_left = |person: usize, at: usize| (0..rows.len()).filter(|&row| releases[at][row] == releases[at][person] && left(person).contains(&values[row])).count();
        prop_assert_eq!(found.one_row, count(&|person| (0..3).any(|at| rows_left(person, at) == 1)));
        prop_assert_eq!(found.few_rows, count(&|person| (0..3).any(|at| rows_left(person, at) < 3)));
        let path = |person: usize| [0, 1, 2].map(|at| releases[at][person]);
        prop_assert_eq!(found.alone, count(&|person| present.iter().filter(|&&other| path(other) == path(person)).count() == 1));
    }

    /// Of all worlds that fit the release alone, a row has each value of its group in the share
    /// that it has there: without a model no guess beats the largest share.
    #[test]
    fn worlds_bear_out_the_promise(
        rows in prop::collection::vec((0u32..3, 0u32..3), 1..7),
    ) {
        let values: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let groups = packed(rows.iter().map(|row| row.1).collect());
        let worlds = worlds(std::slice::from_ref(&groups), &values);
        let tally = tally(&groups, &values);
        for (person, &group) in groups.iter().enumerate() {
            let cells = tally.of(group as usize);
            let size: u64 = cells.iter().map(|cell| cell.1).sum();
            for &(value, count) in cells {
                let worlds_with = worlds.iter().filter(|world| world[person] == value).count();
                prop_assert_eq!(worlds_with as u64 * size, count * worlds.len() as u64);
            }
        }
        // keys that say nothing leave the attacker with these very shares
        let keys = [Categories::new(vec![0; rows.len()])];
        let partition = Partition::new(groups.clone(), tally.groups()).unwrap();
        let found = guesses(&keys, &partition, &tally, &mut Unwatched).unwrap();
        for (guess, &group) in found.iter().zip(&groups) {
            let cells = tally.of(group as usize);
            let size: u64 = cells.iter().map(|cell| cell.1).sum();
            let top = cells.iter().map(|cell| cell.1).max().unwrap();
            prop_assert!((guess.belief - top as f64 / size as f64).abs() < 1e-9);
        }
    }

    /// The model and the rounds, written out once more with maps instead of tables.
    #[test]
    fn inference_agrees_with_a_plain_model(
        rows in prop::collection::vec((0u32..4, 0u32..5, 0u32..4, 0u32..5), 1..40),
    ) {
        let values: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let groups = packed(rows.iter().map(|row| row.3).collect());
        let keys = [
            Categories::new(rows.iter().map(|row| row.1).collect()),
            Categories::new(rows.iter().map(|row| row.2).collect()),
        ];
        let tally = tally(&groups, &values);
        let partition = Partition::new(groups.clone(), tally.groups()).unwrap();
        let found = guesses(&keys, &partition, &tally, &mut Unwatched).unwrap();
        let expected = plain_guesses(&keys, &groups, &values);
        for (found, expected) in found.iter().zip(&expected) {
            let belief = expected.get(&found.value).copied().unwrap_or(0.0);
            let best = expected.values().copied().fold(0.0, f64::max);
            prop_assert!((found.belief - belief).abs() < 1e-9 && best - belief < 1e-9);
        }
    }

    /// Own groups are ones that fit: a row with the person's keys in a group with the person's
    /// value, no row given twice, and nobody left out.
    #[test]
    fn own_groups_fit(
        rows in prop::collection::vec((0u32..4, 0u32..4, 0u32..8), 1..60),
        seed in 0u64..1000,
    ) {
        let values: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let classes: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let groups = packed(rows.iter().map(|row| row.2).collect());
        let tally = tally(&groups, &values);
        let shown = ShownKeys { released: &classes, groups: &groups, persons: &classes, values: &values };
        let mut rng = generator(Some(seed)).unwrap();
        let own = own_groups(&shown, &tally, &mut rng, &mut Unwatched).unwrap();
        let mut given: Vec<_> = classes.iter().zip(&own).collect();
        let mut released: Vec<_> = classes.iter().zip(&groups).collect();
        given.sort();
        released.sort();
        prop_assert_eq!(given, released);
        for (&group, value) in own.iter().zip(&values) {
            prop_assert!(tally.of(group as usize).iter().any(|cell| cell.0 == *value));
        }
    }

    #[test]
    fn linkage_agrees_with_looking_at_every_point(
        rows in prop::collection::vec((-9i32..9, -9i32..9, 0u32..3, 0u32..7), 2..60),
        points in prop::collection::vec((-9i32..9, -9i32..9, 0u32..3, 1u64..5), 1..20),
    ) {
        let table = |rows: &[(i32, i32, u32)]| Table::new(vec![
            Column::Numeric(rows.iter().map(|row| f64::from(row.0)).collect()),
            Column::Numeric(rows.iter().map(|row| f64::from(row.1)).collect()),
            Column::Categorical(Categories::new(rows.iter().map(|row| row.2).collect())),
        ]).unwrap();
        let originals: Vec<_> = rows.iter().map(|row| (row.0, row.1, row.2)).collect();
        let masked: Vec<_> = points.iter().map(|row| (row.0, row.1, row.2)).collect();
        let (space, released) = Space::pair(&table(&originals), &table(&masked)).unwrap();
        let own = |row: &(i32, i32, u32, u32)| if row.3 == 6 { NOWHERE } else { row.3 % points.len() as u32 };
        let own: Vec<u32> = rows.iter().map(own).collect();
        let sizes: Vec<u64> = points.iter().map(|point| point.3).collect();
        let found = link(&space, &released, &sizes, &own, &mut Unwatched).unwrap();
        let nearest = nearest_points(&space, &released, &mut Unwatched).unwrap();
        let distance = |person: usize, point: usize| {
            let numbers = space.numeric().iter().zip(released.numeric());
            let numbers: f64 = numbers.map(|(a, b)| (a[person] - b[point]) * (a[person] - b[point])).sum();
            let codes = space.categorical().iter().zip(released.categorical());
            numbers + codes.filter(|(a, b)| a.codes()[person] != b.codes()[point]).count() as f64
        };
        let (mut right, mut expected) = (0, 0.0);
        for person in 0..rows.len() {
            let distances: Vec<f64> = (0..points.len()).map(|point| distance(person, point)).collect();
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            let tied: Vec<usize> = (0..points.len()).filter(|&point| distances[point] == least).collect();
            prop_assert_eq!(nearest[person] as usize, tied[0]);
            if own[person] != NOWHERE && tied.contains(&(own[person] as usize)) {
                right += 1;
                expected += 1.0 / tied.iter().map(|&point| sizes[point]).sum::<u64>() as f64;
            }
        }
        prop_assert_eq!(found.own_nearest, right);
        prop_assert!((found.expected - expected).abs() < 1e-9);
    }

    #[test]
    fn torn_groups_agree_with_looking_at_every_group(
        rows in prop::collection::vec((0u32..4, 0u32..3, 0u32..5, 0u32..6), 1..40),
        persons in prop::collection::vec((0u32..5, 0u32..4), 1..10),
    ) {
        let values: Vec<u32> = rows.iter().map(|row| row.2).collect();
        let groups = packed(rows.iter().map(|row| row.3).collect());
        let keys = [rows.iter().map(|row| row.0).collect::<Vec<_>>(), rows.iter().map(|row| row.1).collect()];
        let tally = tally(&groups, &values);
        let partition = Partition::new(groups.clone(), tally.groups()).unwrap();
        let torn = TornGroups::new(&[(&keys[0], 5), (&keys[1], 4)], &partition, &tally).unwrap();
        let asked: Vec<Vec<u32>> = persons.iter().map(|person| vec![person.0, person.1]).collect();
        let beliefs = torn.presence(&asked, &mut Unwatched).unwrap();
        let released = keys.each_ref().map(|codes| Categories::new(codes.clone()));
        let known = [0, 1].map(|key| Categories::new(asked.iter().map(|person| person[key]).collect()));
        let learnt = LearntKeys { released: &released, partition: &partition, persons: &known };
        let guesses = torn.guesses(&asked, &learnt, &mut Unwatched).unwrap();
        for ((person, belief), guess) in asked.iter().zip(beliefs).zip(guesses) {
            let weight = |group: u32| {
                let members: Vec<usize> = (0..rows.len()).filter(|&row| groups[row] == group).collect();
                let same = |key: usize| members.iter().filter(|&&row| keys[key][row] == person[key]).count();
                (same(0) * same(1)) as f64 / members.len().pow(2) as f64
            };
            let weights: Vec<f64> = (0..tally.groups() as u32).map(weight).collect();
            prop_assert!((belief - weights.iter().sum::<f64>().min(1.0)).abs() < 1e-9);
            let likelihood = |value| naive_bayes(&groups, &tally, &keys, (person, &known), value);
            let chance = |value: u32| {
                let within = |group: usize| {
                    let whole: f64 = (0..5).map(|other| share_of(&tally, group, other) * likelihood(other)).sum();
                    share_of(&tally, group, value) * likelihood(value) / whole
                };
                let sum: f64 = weights.iter().sum();
                let chances = weights.iter().enumerate().map(|(group, weight)| weight * within(group));
                match sum > 0.0 {
                    true => chances.sum::<f64>() / sum,
                    false => likelihood(value) / (0..5).map(likelihood).sum::<f64>(),
                }
            };
            let best = (0..5).map(chance).fold(0.0, f64::max);
            prop_assert!((guess.belief - best).abs() < 1e-9);
            prop_assert!((chance(guess.value) - best).abs() < 1e-9);
        }
    }
}

fn plain_guesses(keys: &[Categories], groups: &[u32], values: &[u32]) -> Vec<BTreeMap<u32, f64>> {
    let rows = groups.len();
    let share = |group: u32, value: u32| {
        let members = (0..rows).filter(|&row| groups[row] == group);
        let same = members.clone().filter(|&row| values[row] == value).count();
        same as f64 / members.count() as f64
    };
    let of_group = |group: u32| -> BTreeSet<u32> {
        (0..rows)
            .filter(|&row| groups[row] == group)
            .map(|row| values[row])
            .collect()
    };
    let total = |value: u32| (0..rows).map(|row| share(groups[row], value)).sum::<f64>();
    let given = |key: &Categories, code: u32, value: u32| {
        let same = (0..rows).filter(|&row| key.codes()[row] == code);
        let count: f64 = same.map(|row| share(groups[row], value)).sum();
        (count + 1.0) / (total(value) + key.cardinality() as f64)
    };
    let score = |row: usize, value: u32| {
        let keys = keys.iter().map(|key| given(key, key.codes()[row], value));
        total(value) / rows as f64 * keys.product::<f64>()
    };
    let line = |row: usize| {
        let values = of_group(groups[row]).into_iter();
        values.map(|value| (value, score(row, value))).collect()
    };
    let mut beliefs: Vec<BTreeMap<u32, f64>> = (0..rows).map(line).collect();
    let normalise = |beliefs: &mut Vec<BTreeMap<u32, f64>>| {
        for line in beliefs {
            let sum: f64 = line.values().sum();
            line.values_mut().for_each(|belief| *belief /= sum);
        }
    };
    normalise(&mut beliefs);
    for _ in 0..30 {
        let before = beliefs.clone();
        for row in 0..rows {
            for (&value, belief) in beliefs[row].iter_mut() {
                let members: Vec<usize> = (0..rows)
                    .filter(|&other| groups[other] == groups[row])
                    .collect();
                let sum: f64 = members.iter().map(|&other| before[other][&value]).sum();
                *belief *= members
                    .iter()
                    .filter(|&&other| values[other] == value)
                    .count() as f64
                    / sum;
            }
        }
        normalise(&mut beliefs);
    }
    beliefs
}

/// The nine rows of LHCC15: Bob is 65 and male.
#[test]
fn bob_is_present_with_two_in_twenty_five() {
    let ages = [0, 1, 2, 3, 4, 5, 1, 6, 7];
    let sexes = [0, 0, 1, 1, 1, 0, 1, 1, 0];
    let groups = vec![0, 0, 0, 0, 0, 1, 1, 1, 1];
    let values = tally(&groups, &[0, 1, 2, 3, 4, 2, 5, 3, 6]);
    let partition = Partition::new(groups, 2).unwrap();
    let torn = TornGroups::new(&[(&ages, 8), (&sexes, 2)], &partition, &values).unwrap();
    let belief = torn.presence(&[vec![0, 0]], &mut Unwatched).unwrap();
    assert!((belief[0] - 2.0 / 25.0).abs() < 1e-12);
}

#[test]
fn presence_is_claimed_where_it_is_likely() {
    let class = |population, members, belief| Presence {
        population,
        members,
        belief,
    };
    let classes = [class(1, 1, 1.0), class(4, 3, 0.75), class(10, 1, 0.1)];
    let found = claims(&classes, 0.5);
    assert_eq!((found.persons, found.claimed, found.right), (15, 5, 4));
    assert_eq!(claims(&classes, 1.1).precision(), None);
}
