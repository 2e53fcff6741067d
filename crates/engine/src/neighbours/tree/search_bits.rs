//! Lanes of a leaf and children of a node as bits: one comparison each, no branch.

use super::tree_level::WIDTH;
use crate::neighbours::row_blocks::LANES;

/// One bit for each lane that passes the test.
#[inline]
pub(super) fn lanes_where(test: impl Fn(usize) -> bool) -> u16 {
    (0..LANES).fold(0, |lanes, lane| lanes | u16::from(test(lane)) << lane)
}

/// One bit for each child that passes the test.
#[inline]
pub(super) fn children_where(test: impl Fn(usize) -> bool) -> u16 {
    (0..WIDTH).fold(0, |bits, child| bits | u16::from(test(child)) << child)
}

/// The bit of a child that is not to be visited; none without one.
#[inline]
pub(super) fn only(child: Option<usize>) -> u16 {
    child.map_or(0, |child| 1 << child)
}

/// The places of the bits that are set.
#[inline]
pub(super) fn ones(mut bits: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (place < u16::BITS).then_some(place as usize)
    })
}
