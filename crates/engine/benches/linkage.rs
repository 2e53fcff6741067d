//! How fast linkage is beside MDAV: `cargo bench --bench linkage [-- rows]`.

mod synthetic;

use sdc_engine::assign::mdav;
use sdc_engine::attack::{link, nearest_points};
use sdc_engine::{Column, Space, Table, Unwatched, mask};
use synthetic::{Shape, seconds, space};

const K: usize = 5;

/// Seconds of MDAV, of linking everybody who is known to be in a group, and of looking for the
/// nearest group of everybody.
fn row(shape: Shape, rows: usize, columns: usize) {
    let numbers = space(shape, rows, columns).numeric().to_vec();
    let columns_of = numbers.into_iter().map(Column::Numeric).collect();
    let keys = Table::new(columns_of).expect("columns are equally long");
    let grouped = Space::new(&keys, true).expect("memory");
    let (forming, partition) = seconds(|| mdav(&grouped, K, &mut Unwatched).expect("k fits"));
    let means = mask::of_groups(&keys, &partition).expect("memory");
    let (persons, points) = Space::pair(&keys, &means).expect("memory");
    let sizes: Vec<u64> = partition.sizes().iter().map(|&n| u64::from(n)).collect();
    let own = partition.group_of();
    let (linking, linked) = seconds(|| link(&persons, &points, &sizes, own, &mut Unwatched));
    let (looking, nearest) = seconds(|| nearest_points(&persons, &points, &mut Unwatched));
    let linked = linked.expect("memory");
    let sum: u64 = nearest.expect("memory").iter().map(|&p| u64::from(p)).sum();
    println!(
        "{:<10} {columns:>2} {forming:>9.3} {linking:>9.3} {looking:>9.3}  {} {:.6} {sum}",
        format!("{shape:?}"),
        linked.own_nearest,
        linked.expected,
    );
}

fn main() {
    let arguments: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let rows = arguments.first().copied().unwrap_or(1_000_000);
    println!(
        "{:<10} {:>2} {:>9} {:>9} {:>9}  own nearest, expected",
        "seconds", "d", "MDAV", "link", "nearest"
    );
    for shape in [Shape::Uniform, Shape::Clustered, Shape::Integers] {
        for columns in [4, 8] {
            row(shape, rows, columns);
        }
    }
}
