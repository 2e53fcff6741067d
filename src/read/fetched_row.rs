//! The other arguments of a row that PostgreSQL has just fetched for one argument. Its window API
//! fetches the row again for each of them, from disk where the partition is there.

use crate::pg::pg_list::nodes;
use pgrx::pg_sys::{self, Datum};
use std::ffi::c_void;

/// How a window object begins in PostgreSQL 9.0 to 18. It has no header, so what stands there is
/// looked at before it is used.
#[repr(C)]
struct ObjectHead {
    tag: pg_sys::NodeTag,
    node: *mut pg_sys::WindowAggState,
    arguments: *mut pg_sys::List,
}

/// Where PostgreSQL evaluates the arguments of a window function.
pub struct FetchedRow {
    expressions: Vec<*mut pg_sys::ExprState>,
    context: *mut pg_sys::ExprContext,
}

impl FetchedRow {
    /// The expressions of `count` arguments of a window function; none where the window object is
    /// not what it is expected to be.
    ///
    /// # Safety
    /// The window object must be that of the running call.
    pub unsafe fn of(window: *mut c_void, count: usize) -> Option<Self> {
        // SAFETY: a window object begins with its tag and two pointers to nodes or null; tags are
        // compared before anything else of a node is read.
        unsafe {
            let head = &*window.cast::<ObjectHead>();
            let (node, arguments) = (head.node.cast(), head.arguments.cast());
            let expected = is(node, pg_sys::NodeTag::T_WindowAggState)
                && is(arguments, pg_sys::NodeTag::T_List);
            if !expected {
                return None;
            }
            let expressions: Vec<*mut pg_sys::ExprState> = nodes(head.arguments).collect();
            let evaluable = |&state: &*mut pg_sys::ExprState| {
                is(state.cast(), pg_sys::NodeTag::T_ExprState) && (*state).evalfunc.is_some()
            };
            let context = (*head.node).ss.ps.ps_ExprContext;
            let complete = expressions.len() == count && expressions.iter().all(evaluable);
            (complete && !context.is_null()).then_some(FetchedRow {
                expressions,
                context,
            })
        }
    }

    /// An argument in the row that was fetched last, and whether it is null.
    ///
    /// # Safety
    /// A row must have been fetched for another argument of this call, and nothing since. The
    /// caller guards against PostgreSQL's errors.
    pub unsafe fn argument(&self, index: usize) -> (Datum, bool) {
        let (state, mut null) = (self.expressions[index], false);
        // SAFETY: the row is where the expression looks for it; there is a function, as checked.
        unsafe {
            match (*state).evalfunc {
                Some(evaluate) => (evaluate(state, self.context, &mut null), null),
                None => (Datum::from(0usize), true),
            }
        }
    }
}

/// Whether there is a node with this tag.
///
/// # Safety
/// A pointer to a node, or null.
unsafe fn is(node: *mut pg_sys::Node, tag: pg_sys::NodeTag) -> bool {
    // SAFETY: as promised by the caller.
    !node.is_null() && unsafe { pgrx::is_a(node, tag) }
}
