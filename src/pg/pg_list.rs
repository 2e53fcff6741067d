//! PostgreSQL's lists of nodes.

use pgrx::pg_sys;

/// The nodes of a list, which may be empty (a null pointer).
///
/// # Safety
/// All of them must be of this type, and the list must not change meanwhile.
pub unsafe fn nodes<T>(list: *mut pg_sys::List) -> impl Iterator<Item = *mut T> {
    // SAFETY: a list or null.
    let length = unsafe { list.as_ref() }.map_or(0, |list| list.length as usize);
    // SAFETY: the place is below the list's length.
    (0..length).map(move |place| unsafe { (*(*list).elements.add(place)).ptr_value.cast() })
}

/// The list with a node behind its others.
///
/// # Safety
/// The list and the node must be valid.
pub unsafe fn push_node<T>(list: *mut pg_sys::List, node: *mut T) -> *mut pg_sys::List {
    // SAFETY: as promised by the caller.
    unsafe { pg_sys::lappend(list, node.cast()) }
}
