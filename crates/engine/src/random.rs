//! The one place where the engine's random numbers come from.

use crate::{Error, Result};
use rand::{SeedableRng, rngs::SysRng};
use rand_chacha::ChaCha20Rng;

/// A cryptographic generator: whoever could predict a permutation could undo it. Keyed by the
/// operating system, or by a seed that makes every result reproducible.
pub fn generator(seed: Option<u64>) -> Result<ChaCha20Rng> {
    match seed {
        Some(seed) => Ok(ChaCha20Rng::seed_from_u64(seed)),
        None => ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|_| Error::NoRandomness),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn draw(seed: Option<u64>) -> u128 {
        generator(seed).unwrap().random()
    }

    #[test]
    fn a_seed_repeats_and_the_operating_system_does_not() {
        assert_eq!(draw(Some(7)), draw(Some(7)));
        assert_ne!(draw(Some(7)), draw(Some(8)));
        assert_ne!(draw(None), draw(None));
    }
}
