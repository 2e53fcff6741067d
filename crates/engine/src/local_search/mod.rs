//! What the local searches of `refine` and `p_alpha` share: rows and groups that change.

pub(crate) mod changing_groups;
pub(crate) mod cheapest;
pub(crate) mod code_frequencies;
pub(crate) mod ordered_rows;

/// A row moves, or two rows change places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Exchange {
    Shift { row: u32, to: u32 },
    Swap { a: u32, b: u32 },
}
