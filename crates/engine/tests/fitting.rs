//! Rows that persons fit into, against looking at every row.

use proptest::prelude::*;
use sdc_engine::attack::{CellMeaning, FittingPoints, NOWHERE, ShownCells};
use sdc_engine::random::generator;
use sdc_engine::{ColumnTally, Unwatched};

/// Numbers that the codes of the first key stand for; the last one is missing.
const NUMBERS: [f64; 5] = [30.0, 10.0, 20.0, 40.0, f64::NAN];

fn meaning(kind: u32, ends: (u32, u32), numeric: bool) -> CellMeaning {
    let (low, high) = (f64::from(10 * ends.0), f64::from(10 * (ends.0 + ends.1)));
    match kind {
        0 => CellMeaning::Anything,
        1 if numeric => CellMeaning::Between { low, high },
        _ => CellMeaning::OneOf((ends.0..=ends.0 + ends.1).collect()),
    }
}

fn fits(meaning: &CellMeaning, code: u32, numbers: &[f64]) -> bool {
    match meaning {
        CellMeaning::Anything => true,
        CellMeaning::Between { low, high } => (*low..=*high).contains(&numbers[code as usize]),
        CellMeaning::OneOf(codes) => codes.contains(&code),
    }
}

proptest! {
    #[test]
    fn fitting_rows_are_those_all_of_whose_cells_hold_the_person(
        cells in [prop::collection::vec((0u32..3, (0u32..4, 0u32..3)), 1..6), prop::collection::vec((0u32..3, (0u32..4, 0u32..3)), 1..6)],
        points in prop::collection::vec((0u32..6, 0u32..6, 1u64..4, 0u32..3), 1..20),
        persons in prop::collection::vec((0u32..5, 0u32..5, 0u32..3, 1u64..4), 1..12),
    ) {
        let meanings = [0, 1].map(|key| -> Vec<CellMeaning> {
            cells[key].iter().map(|&(kind, ends)| meaning(kind, ends, key == 0)).collect()
        });
        let cell = |key: usize, cell: u32| cell % meanings[key].len() as u32;
        let cell_of = [points.iter().map(|point| cell(0, point.0)).collect::<Vec<_>>(), points.iter().map(|point| cell(1, point.1)).collect()];
        let sizes: Vec<u64> = points.iter().map(|point| point.2).collect();
        // all rows of a point have one value
        let triples: Vec<_> = points.iter().zip(0..).map(|(point, number)| (number, point.3, point.2)).collect();
        let values = ColumnTally::new(points.len(), &triples).unwrap();
        let keys = [ShownCells { cell_of: &cell_of[0], meanings: &meanings[0], numbers: &NUMBERS },
            ShownCells { cell_of: &cell_of[1], meanings: &meanings[1], numbers: &[] }];
        let asked = [persons.iter().map(|person| person.0).collect::<Vec<_>>(), persons.iter().map(|person| person.1).collect()];
        let truth: Vec<u32> = persons.iter().map(|person| person.2).collect();
        let population: Vec<u64> = persons.iter().map(|person| person.3).collect();
        let fitting = |person: usize| -> Vec<usize> {
            (0..points.len()).filter(|&point| (0..2).all(|key| {
                fits(&meanings[key][cell_of[key][point] as usize], asked[key][person], &NUMBERS)
            })).collect()
        };
        let rows = |person: usize| fitting(person).iter().map(|&point| sizes[point]).sum::<u64>();
        let fitted = |person: &usize| rows(*person) > 0;
        let mut found = FittingPoints::new(&keys, &[5, 5], &sizes).unwrap();
        let linked = found.link(&asked, None, &mut Unwatched).unwrap();
        let expected: f64 = (0..persons.len()).filter(fitted).map(|person| 1.0 / rows(person) as f64).sum();
        prop_assert_eq!(linked.persons, (0..persons.len()).filter(fitted).count() as u64);
        prop_assert!((linked.expected - expected).abs() < 1e-9);

        let guesses = found.guesses(&asked, &values, &mut Unwatched).unwrap();
        let beliefs = found.presence(&asked, &population, &mut Unwatched).unwrap();
        let mut rng = generator(Some(1)).unwrap();
        let (own, several) = found.own(&asked, &[(&truth, &values)], &mut rng, &mut Unwatched).unwrap();
        let holding = |person: usize| -> Vec<usize> {
            fitting(person).into_iter().filter(|&point| points[point].3 == truth[person]).collect()
        };
        prop_assert_eq!(several, (0..persons.len()).filter(|&person| holding(person).len() > 1).count() as u64);
        for (person, &own) in own.iter().enumerate() {
            let of_value = |value: u32| fitting(person).iter().filter(|&&point| points[point].3 == value)
                .map(|&point| sizes[point]).sum::<u64>();
            let most = (0..3).map(of_value).max().unwrap();
            if most > 0 {
                prop_assert_eq!(of_value(guesses[person].value), most);
                prop_assert!((guesses[person].belief - most as f64 / rows(person) as f64).abs() < 1e-9);
            }
            match holding(person).is_empty() {
                true => prop_assert_eq!(own, NOWHERE),
                false => prop_assert!(holding(person).contains(&(own as usize))),
            }
            let room = |point: usize| {
                let near = (0..persons.len()).filter(|&other| fitting(other).contains(&point));
                sizes[point] as f64 / near.map(|other| population[other]).sum::<u64>() as f64
            };
            let room: f64 = fitting(person).into_iter().map(room).sum();
            prop_assert!((beliefs[person] - room.min(1.0)).abs() < 1e-9);
        }
    }
}
