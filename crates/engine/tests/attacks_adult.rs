//! The attacks on releases of Adult and the American Community Survey, with the figures that
//! independent code has measured; skipped where the data is absent.

mod lattice_data;

use lattice_data::{Data, sizes};
use sdc_engine::assign::{Method, anatomy, permutation};
use sdc_engine::attack::{
    Intersected, LearntKeys, Linked, NOWHERE, Regrouping, SeenGroups, ShownKeys, TornGroups,
    binned, control, guesses, intersect, link, nearest_points, own_groups, score,
};
use sdc_engine::random::generator;
use sdc_engine::{Categories, Column, Interner, Partition, Space, Table, Tally, Unwatched, mask};

const KEYS: [&str; 6] = [
    "age",
    "workclass",
    "education",
    "marital_status",
    "race",
    "sex",
];
const NUMBERS: [&str; 4] = ["age", "education_num", "hours_per_week", "fnlwgt"];
const SENSITIVE: &str = "occupation";

fn categories(data: &Data, name: &str) -> Categories {
    let place = data.column(name);
    let mut seen = Interner::new();
    let code = |row: &Vec<String>| seen.intern(row[place].as_bytes()).unwrap();
    Categories::new(data.rows.iter().map(code).collect())
}

fn numbers(data: &Data, name: &str) -> Vec<f64> {
    let place = data.column(name);
    data.rows
        .iter()
        .map(|row| row[place].parse().unwrap())
        .collect()
}

fn column(data: &Data, name: &str) -> Column {
    match name {
        "age" => Column::Numeric(numbers(data, name)),
        _ => Column::Categorical(categories(data, name)),
    }
}

fn keys(data: &Data, names: &[&str]) -> Vec<Categories> {
    let key = |name: &&str| binned(&column(data, name)).unwrap();
    names.iter().map(key).collect()
}

fn grouped(sensitive: &Categories, l: usize, seed: u64) -> Partition {
    let mut rng = generator(Some(seed)).unwrap();
    anatomy(sensitive, l, &mut rng, &mut Unwatched).unwrap()
}

fn inferred(keys: &[Categories], sensitive: &Categories, partition: &Partition) -> f64 {
    let tally = Tally::new(partition, &[sensitive]).unwrap();
    let guesses = guesses(keys, partition, &tally.columns()[0], &mut Unwatched).unwrap();
    score(&guesses, sensitive, 0.0).precision().unwrap()
}

#[track_caller]
fn near(measured: f64, expected: f64) {
    println!("measured {measured:.4}, expected {expected}");
    assert!(
        (measured - expected).abs() < 0.01,
        "{measured} is not {expected}"
    );
}

#[test]
fn inference_on_anatomies_of_adult() {
    let Some(adult) = lattice_data::adult() else {
        return;
    };
    let (keys, sensitive) = (keys(&adult, &KEYS), categories(&adult, SENSITIVE));
    for (l, expected) in [(2, 0.8208), (3, 0.6724), (4, 0.5606), (6, 0.4038)] {
        near(
            inferred(&keys, &sensitive, &grouped(&sensitive, l, 1)),
            expected,
        );
    }
}

#[test]
fn inference_without_anything_to_infer_stays_at_its_bound() {
    let Some(adult) = lattice_data::adult() else {
        return;
    };
    let (keys, sensitive) = (keys(&adult, &KEYS), categories(&adult, SENSITIVE));
    let mut rng = generator(Some(1)).unwrap();
    for l in [2, 4] {
        let found = control(
            &keys,
            &sensitive,
            Regrouping::Anatomy(l),
            &mut rng,
            &mut Unwatched,
        );
        near(found.unwrap().precision().unwrap(), 1.0 / l as f64);
    }
}

#[test]
fn inference_on_the_american_community_survey() {
    let Some(mut acs) = lattice_data::acs() else {
        return;
    };
    acs.rows.truncate(50_000);
    let names = [
        "age",
        "gender",
        "education",
        "marital",
        "race",
        "work_class",
    ];
    let (keys, sensitive) = (keys(&acs, &names), categories(&acs, "occ50"));
    for (l, expected) in [(2, 0.826), (4, 0.572), (10, 0.298)] {
        near(
            inferred(&keys, &sensitive, &grouped(&sensitive, l, 1)),
            expected,
        );
    }
}

/// Number of each combination of key values.
fn classes(keys: &[Column]) -> Vec<u32> {
    let mut seen = Interner::new();
    let class = |row: usize| {
        let mut bytes = Vec::new();
        for key in keys {
            match key {
                Column::Numeric(values) => bytes.extend(values[row].to_le_bytes()),
                Column::Categorical(codes) => bytes.extend(codes.codes()[row].to_le_bytes()),
            }
        }
        seen.intern(&bytes).unwrap()
    };
    (0..keys[0].rows()).map(class).collect()
}

/// The groups that the steward finds for each person from the two tables of an anatomy.
fn found_groups(keys: &[Column], sensitive: &Categories, partition: &Partition) -> Vec<u32> {
    let classes = classes(keys);
    let tally = Tally::new(partition, &[sensitive]).unwrap();
    let shown = ShownKeys {
        released: &classes,
        groups: partition.group_of(),
        persons: &classes,
        values: sensitive.codes(),
    };
    let mut rng = generator(Some(7)).unwrap();
    own_groups(&shown, &tally.columns()[0], &mut rng, &mut Unwatched).unwrap()
}

#[test]
fn the_steward_finds_the_same_figures_without_knowing_the_groups() {
    let Some(adult) = lattice_data::adult() else {
        return;
    };
    let sensitive = categories(&adult, SENSITIVE);
    let columns: Vec<Column> = KEYS.iter().map(|name| column(&adult, name)).collect();
    let keys = keys(&adult, &KEYS);
    for (l, expected) in [(2, 0.8208), (4, 0.5606)] {
        let partition = grouped(&sensitive, l, 1);
        let found = found_groups(&columns, &sensitive, &partition);
        let lost = found.iter().filter(|&&group| group == NOWHERE).count();
        assert_eq!(lost, 0);
        let found = Partition::new(found, partition.groups()).unwrap();
        let tally = Tally::new(&partition, &[&sensitive]).unwrap();
        let guesses = guesses(&keys, &found, &tally.columns()[0], &mut Unwatched).unwrap();
        near(
            score(&guesses, &sensitive, 0.0).precision().unwrap(),
            expected,
        );
    }
}

/// The share of persons guessed rightly from a permutation.
fn inferred_from_permutation(adult: &Data, l: usize, seed: u64) -> f64 {
    let sensitive = categories(adult, SENSITIVE);
    let columns: Vec<Column> = KEYS.iter().map(|name| column(adult, name)).collect();
    let exact: Vec<Categories> = KEYS.iter().map(|name| categories(adult, name)).collect();
    let person = |row: usize| exact.iter().map(|key| key.codes()[row]).collect();
    let persons: Vec<Vec<u32>> = (0..sensitive.codes().len()).map(person).collect();
    let table = Table::new(columns).unwrap();
    let binned = keys(adult, &KEYS);
    let mut rng = generator(Some(seed)).unwrap();
    let partition = permutation(&table, &sensitive, l, 5, &mut rng, &mut Unwatched).unwrap();
    let tally = Tally::new(&partition, &[&sensitive]).unwrap();
    let keys: Vec<_> = exact
        .iter()
        .map(|key| (key.codes(), key.cardinality()))
        .collect();
    let torn = TornGroups::new(&keys, &partition, &tally.columns()[0]).unwrap();
    let learnt = LearntKeys {
        released: &binned,
        partition: &partition,
        persons: &binned,
    };
    let guesses = torn.guesses(&persons, &learnt, &mut Unwatched).unwrap();
    score(&guesses, &sensitive, 0.0).precision().unwrap()
}

/// How rows are split depends on the seed and on the order of the rows, and with it what is found.
/// The first figures are of seed 1, with rows as COPY had put them into a table, which is not quite
/// the order of the file. Up to l = 4 that differs by less than .01, with l = 6 it lies between two
/// seeds.
#[test]
fn inference_on_permutations_of_adult() {
    let Some(adult) = lattice_data::adult() else {
        return;
    };
    for (l, expected, measured) in [
        (2, 0.410, [0.4089, 0.4110]),
        (3, 0.343, [0.3412, 0.3443]),
        (4, 0.281, [0.2816, 0.2728]),
    ] {
        for (seed, measured) in [1, 4].into_iter().zip(measured) {
            let found = inferred_from_permutation(&adult, l, seed);
            near(found, expected);
            assert!((found - measured).abs() < 0.00005, "{found}");
        }
    }
    let [first, fourth] = [1, 4].map(|seed| inferred_from_permutation(&adult, 6, seed));
    assert!((first - 0.1924).abs() < 0.00005, "{first}");
    assert!((fourth - 0.1422).abs() < 0.00005, "{fourth}");
    assert!(fourth < 0.172 && 0.172 < first);
}

fn intersected(groups: &[(Vec<u32>, Tally)], least: usize, truth: &Categories) -> Intersected {
    let seen =
        |(group_of, tally): &'_ (Vec<u32>, Tally)| (group_of.clone(), tally.columns()[0].clone());
    let owned: Vec<_> = groups.iter().map(seen).collect();
    let releases: Vec<SeenGroups> = owned
        .iter()
        .map(|(group_of, values)| SeenGroups {
            group_of,
            values,
            rows: 0,
        })
        .collect();
    intersect(&releases, least, truth.codes(), &mut Unwatched).unwrap()
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[test]
fn two_anatomies_of_adult_leave_one_value() {
    let Some(adult) = lattice_data::adult() else {
        return;
    };
    let sensitive = categories(&adult, SENSITIVE);
    let columns: Vec<Column> = KEYS.iter().map(|name| column(&adult, name)).collect();
    for (l, expected) in [(3, 0.540), (4, 0.221)] {
        let release = |seed| {
            let partition = grouped(&sensitive, l, seed);
            let tally = Tally::new(&partition, &[&sensitive]).unwrap();
            (partition, tally)
        };
        let [first, second] = [release(1), release(2)];
        let known = [&first, &second]
            .map(|(partition, tally)| (partition.group_of().to_vec(), tally.clone()));
        let found = intersected(&known, l, &sensitive);
        near(share(found.one_left, found.persons), expected);
        assert_eq!(found.right, found.one_left);
        let guessed = [&first, &second].map(|(partition, tally)| {
            (found_groups(&columns, &sensitive, partition), tally.clone())
        });
        let found = intersected(&guessed, l, &sensitive);
        near(share(found.one_left, found.persons), expected);
        assert_eq!(intersected(&known[..1], l, &sensitive).fewer, 0);
    }
}

/// A microaggregation of the numeric keys: the groups, and their masked keys.
fn microaggregated(
    keys: &Table,
    sensitive: &[Categories],
    (k, p): (usize, usize),
) -> (Partition, Table) {
    let space = Space::new(keys, true).unwrap();
    // the default of the version that the figures are about
    let method = Method::LeastLoss;
    let mut rng = method.generator(Some(1)).unwrap();
    let partition = method
        .group(&space, sensitive, k, p, &mut rng, &mut Unwatched)
        .unwrap();
    let means = |column: &Column| match column {
        Column::Numeric(values) => {
            let means = mask::means(values, &partition).unwrap();
            // whole numbers are published rounded
            Column::Numeric(means.into_iter().map(f64::round).collect())
        }
        Column::Categorical(_) => unreachable!(),
    };
    let masked = Table::new(keys.columns().iter().map(means).collect()).unwrap();
    (partition, masked)
}

fn linked(keys: &Table, partition: &Partition, masked: &Table) -> Linked {
    let (persons, points) = Space::pair(keys, masked).unwrap();
    link(
        &persons,
        &points,
        &sizes(partition),
        partition.group_of(),
        &mut Unwatched,
    )
    .unwrap()
}

#[test]
fn linkage_of_microaggregated_adult() {
    let Some(adult) = lattice_data::adult() else {
        return;
    };
    let columns = NUMBERS.map(|name| Column::Numeric(numbers(&adult, name)));
    let keys = Table::new(columns.to_vec()).unwrap();
    for (k, own, expected) in [(3, 0.815, 0.2715), (5, 0.766, 0.1532), (10, 0.719, 0.0719)] {
        let (partition, masked) = microaggregated(&keys, &[], (k, 1));
        let found = linked(&keys, &partition, &masked);
        near(share(found.own_nearest, found.persons), own);
        near(found.expected / found.persons as f64, expected);
        assert!(found.expected / found.persons as f64 <= 1.0 / k as f64);
    }
}

#[test]
fn two_microaggregations_of_adult_leave_one_value() {
    let Some(adult) = lattice_data::adult() else {
        return;
    };
    let sensitive = categories(&adult, SENSITIVE);
    let columns = NUMBERS.map(|name| Column::Numeric(numbers(&adult, name)));
    let keys = Table::new(columns.to_vec()).unwrap();
    let only = std::slice::from_ref(&sensitive);
    let releases = [(3, 2), (5, 3)].map(|limits| microaggregated(&keys, only, limits));
    let tallies = releases
        .iter()
        .map(|(partition, _)| Tally::new(partition, &[&sensitive]).unwrap());
    let tallies: Vec<Tally> = tallies.collect();
    let own = releases
        .iter()
        .map(|(partition, _)| partition.group_of().to_vec());
    let own: Vec<_> = own.zip(tallies.iter().cloned()).collect();
    let found = intersected(&own, 2, &sensitive);
    near(share(found.one_left, found.persons), 0.181);
    assert_eq!(found.right, found.one_left);
    near(share(found.alone, found.persons), 0.4015);
    let found = intersected(&nearest(&keys, &releases, &sensitive), 2, &sensitive);
    near(share(found.one_left, found.persons), 0.198);
    near(share(found.right, found.one_left), 0.6075);
}

/// Two releases as an outsider sees them: everybody in the group with the nearest masked keys.
fn nearest(
    keys: &Table,
    releases: &[(Partition, Table)],
    sensitive: &Categories,
) -> Vec<(Vec<u32>, Tally)> {
    let seen = |(partition, masked): &(Partition, Table)| {
        let (persons, points) = Space::pair(keys, masked).unwrap();
        let groups = nearest_points(&persons, &points, &mut Unwatched).unwrap();
        (groups, Tally::new(partition, &[sensitive]).unwrap())
    };
    releases.iter().map(seen).collect()
}

/// The figures for persons alone and for the nearest centroid are those of releases without p.
#[test]
fn two_microaggregations_of_adult_without_p_leave_persons_alone() {
    let Some(adult) = lattice_data::adult() else {
        return;
    };
    let sensitive = categories(&adult, SENSITIVE);
    let columns = NUMBERS.map(|name| Column::Numeric(numbers(&adult, name)));
    let keys = Table::new(columns.to_vec()).unwrap();
    let releases = [3, 5].map(|k| microaggregated(&keys, &[], (k, 1)));
    let own = releases.iter().map(|(partition, _)| {
        let tally = Tally::new(partition, &[&sensitive]).unwrap();
        (partition.group_of().to_vec(), tally)
    });
    let found = intersected(&own.collect::<Vec<_>>(), 2, &sensitive);
    near(share(found.alone, found.persons), 0.378);
    let found = intersected(&nearest(&keys, &releases, &sensitive), 2, &sensitive);
    near(share(found.one_left, found.persons), 0.238);
    near(share(found.right, found.one_left), 0.67);
}
