//! The post-randomization method (Gouweleeuw, Kooiman, Willenborg, de Wolf 1998): categories are
//! redrawn. The transition matrix is invariant: it keeps the expected frequencies.

use crate::run::Meter;
use crate::run::allocation;
use crate::{Categories, Error, Monitor, Phase, Result};
use rand::{Rng, RngExt};

/// The code of each row after it was kept with a probability, or redrawn from the column's own
/// frequencies. With π the frequencies the matrix is keep·I + (1 − keep)·1πᵀ, and π stays what it
/// is. A category that does not occur is never drawn. Rows of the code `fixed` keep it.
pub fn pram(
    column: &Categories,
    fixed: Option<u32>,
    keep: f64,
    rng: &mut impl Rng,
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    if !(0.0..=1.0).contains(&keep) {
        return Err(Error::NotAProbability {
            name: "keep_probability",
        });
    }
    let codes = column.codes();
    let mut meter = Meter::start(monitor, Phase::Permuting, codes.len());
    let mut drawn = allocation::reserved(codes.len())?;
    // a value of a random row has the frequencies of the column
    let mut pool = allocation::reserved(codes.len())?;
    pool.extend(codes.iter().copied().filter(|&code| Some(code) != fixed));
    for &code in codes {
        let redraw = Some(code) != fixed && rng.random::<f64>() >= keep;
        drawn.push(match redraw {
            true => pool[rng.random_range(0..pool.len())],
            false => code,
        });
        meter.grouped(1);
        meter.spend(8)?;
    }
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Unwatched, random::generator};

    fn drawn(codes: &[u32], fixed: Option<u32>, keep: f64, seed: u64) -> Vec<u32> {
        let mut rng = generator(Some(seed)).unwrap();
        pram(
            &Categories::new(codes.to_vec()),
            fixed,
            keep,
            &mut rng,
            &mut Unwatched,
        )
        .unwrap()
    }

    #[test]
    fn frequencies_are_kept_on_average() {
        let codes: Vec<u32> = (0..10_000)
            .map(|row| [0, 0, 0, 0, 0, 1, 1, 1, 3, 3][row % 10])
            .collect();
        let mut counts = [0.0f64; 4];
        for seed in 0..40 {
            for code in drawn(&codes, None, 0.6, seed) {
                counts[code as usize] += 1.0 / 400_000.0;
            }
        }
        for (found, expected) in counts.iter().zip([0.5, 0.3, 0.0, 0.2]) {
            assert!((found - expected).abs() < 0.004, "{counts:?}");
        }
        assert_eq!(counts[2], 0.0);
    }

    #[test]
    fn values_are_kept_as_often_as_promised() {
        let codes: Vec<u32> = (0..20_000).map(|row| row % 4).collect();
        let drawn = drawn(&codes, None, 0.8, 7);
        let kept = drawn.iter().zip(&codes).filter(|(a, b)| a == b).count() as f64 / 20_000.0;
        // kept, or redrawn as what it was: 0.8 + 0.2 / 4
        assert!((kept - 0.85).abs() < 0.01, "{kept}");
    }

    #[test]
    fn the_identity_changes_nothing_and_what_is_fixed_stays() {
        let codes: Vec<u32> = (0..500).map(|row| row % 7).collect();
        assert_eq!(drawn(&codes, None, 1.0, 3), codes);
        let redrawn = drawn(&codes, Some(2), 0.0, 3);
        assert!(
            redrawn
                .iter()
                .zip(&codes)
                .all(|(a, b)| (*a == 2) == (*b == 2))
        );
        assert!(drawn(&[], None, 0.5, 1).is_empty());
        let mut rng = generator(Some(1)).unwrap();
        assert!(
            pram(
                &Categories::new(vec![0]),
                None,
                1.5,
                &mut rng,
                &mut Unwatched
            )
            .is_err()
        );
    }
}
