//! The one place where the engine's random numbers come from.

use crate::{Error, Result};
use rand::{Rng, SeedableRng, rngs::SysRng};
use rand_chacha::ChaCha20Rng;

/// The generator of all methods.
pub type Generator = ChaCha20Rng;

/// A cryptographic generator: whoever could predict a permutation could undo it. Keyed by the
/// operating system, or by a seed that makes every result reproducible.
pub fn generator(seed: Option<u64>) -> Result<Generator> {
    match seed {
        Some(seed) => Ok(ChaCha20Rng::seed_from_u64(seed)),
        None => ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|_| Error::NoRandomness),
    }
}

/// One of the many independent generators that a seed has: the columns of a release must not
/// be permuted alike, with a fixed seed neither. Number 0 is that of [`generator`].
pub fn numbered(seed: Option<u64>, number: u64) -> Result<Generator> {
    let mut generator = generator(seed)?;
    generator.set_stream(number);
    Ok(generator)
}

/// The next 64 random bits.
pub fn number(generator: &mut Generator) -> u64 {
    generator.next_u64()
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

    #[test]
    fn numbered_generators_of_a_seed_differ() {
        let draw = |number| numbered(Some(7), number).unwrap().random::<u128>();
        assert_eq!(draw(0), super::tests::draw(Some(7)));
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(0), draw(1));
    }
}
