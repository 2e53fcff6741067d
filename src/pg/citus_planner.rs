//! What Citus must be told before it plans a query over its tables.
//!
//! It splits an aggregate into partial states on its workers only where the declared types of the
//! arguments are their own: never for VARIADIC "any". So each aggregate of ours is replaced by its
//! twin, which takes the same arguments as one record (`sdc.k_anonymity_across`).
//!
//! The groups that workers send arrive in the order of their hashes, and Citus expects 200 of them:
//! a hash table that has to spill then takes minutes. Queries of ours sort them instead.
//!
//! Where Citus was not loaded before us there is no hook, and nothing is different.

use crate::pg::citus;
use crate::pg::citus_settings;
use crate::pg::pg_list::{nodes, push_node};
use crate::pg::statements;
use pgrx::pg_sys::{self, Aggref, Node, NodeTag, Oid};
use pgrx::prelude::*;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

type Planner = unsafe extern "C-unwind" fn(
    *mut pg_sys::Query,
    *const c_char,
    c_int,
    pg_sys::ParamListInfo,
) -> *mut pg_sys::PlannedStmt;

/// Citus' planner, which is called after us.
static NEXT: OnceLock<Planner> = OnceLock::new();

/// Puts the hook before Citus' own, if that is there; called when the library is loaded.
pub fn register() {
    if !citus::is_loaded() {
        return;
    }
    // SAFETY: the library is loaded once in a process, which has one thread.
    unsafe {
        if let Some(next) = pg_sys::planner_hook
            && NEXT.set(next).is_ok()
        {
            pg_sys::planner_hook = Some(plan);
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn plan(
    query: *mut pg_sys::Query,
    text: *const c_char,
    options: c_int,
    parameters: pg_sys::ParamListInfo,
) -> *mut pg_sys::PlannedStmt {
    // SAFETY: PostgreSQL hands over a query to plan, which may be written to.
    unsafe {
        let next = || match NEXT.get() {
            Some(next) => {
                pg_sys::ffi::pg_guard_ffi_boundary(|| next(query, text, options, parameters))
            }
            None => pg_sys::standard_planner(query, text, options, parameters),
        };
        let found = QueryParts::of(query);
        let own = statements::is_own();
        let aggregates = !found.aggregates.is_empty() && citus::splits_aggregates();
        let concerned = own || !found.levels.is_empty();
        if !concerned || !found.is_distributed() {
            return next();
        }
        // Citus does not push down an INSERT with a condition that sets something
        if (*query).commandType == pg_sys::CmdType::CMD_SELECT {
            citus_settings::send_with(&found.levels);
        }
        let mut settings = Vec::new();
        if own {
            settings.push((c"enable_hashagg", c"off"));
        }
        if !aggregates {
            // there are none, or their rows are gathered anyway
        } else if found.aggregates.iter().all(|&found| can_be_split(&*found)) {
            found
                .aggregates
                .iter()
                .for_each(|&found| replace(&mut *found));
        } else {
            settings.push((citus::SPLITS, c"off"));
        }
        statements::under(&settings, next)
    }
}

/// What a query holds.
struct QueryParts {
    schema: Oid,
    aggregates: Vec<*mut Aggref>,
    /// the query at hand, and those that hold a function of ours that looks at many rows
    level: *mut pg_sys::Query,
    levels: Vec<*mut pg_sys::Query>,
    relations: Vec<Oid>,
}

/// Whether Citus' tables are being looked up, by a query that is planned here, too.
static ASKING: AtomicBool = AtomicBool::new(false);

struct Asking;

impl Drop for Asking {
    fn drop(&mut self) {
        ASKING.store(false, Ordering::Relaxed);
    }
}

impl QueryParts {
    /// Whether a function is one of ours; then its query is noted.
    fn is_ours(&mut self, function: Oid) -> bool {
        // SAFETY: a catalog look-up.
        let ours = unsafe { pg_sys::get_func_namespace(function) } == self.schema;
        if ours && !self.levels.contains(&self.level) {
            self.levels.push(self.level);
        }
        ours
    }

    /// Whether the query reads a table of Citus.
    fn is_distributed(&self) -> bool {
        if self.relations.is_empty() || ASKING.swap(true, Ordering::Relaxed) {
            return false;
        }
        let _asking = Asking;
        citus::knows_any(&self.relations)
    }

    /// # Safety
    /// The query is a whole parse tree.
    unsafe fn of(query: *mut pg_sys::Query) -> Self {
        // SAFETY: a valid query; what is found in it lives as long.
        unsafe {
            let mut found = QueryParts {
                schema: pg_sys::get_namespace_oid(c"sdc".as_ptr(), true),
                aggregates: Vec::new(),
                level: query,
                levels: Vec::new(),
                relations: Vec::new(),
            };
            if found.schema != pg_sys::InvalidOid {
                visit(query.cast(), (&raw mut found).cast());
            }
            found
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn visit(node: *mut Node, found: *mut c_void) -> bool {
    if node.is_null() {
        return false;
    }
    // SAFETY: a node of the query; `found` is what the walk began with.
    unsafe {
        match (*node).type_ {
            NodeTag::T_Query => {
                let flags = pg_sys::QTW_EXAMINE_RTES_BEFORE as c_int;
                let parts = found.cast::<QueryParts>();
                let above = std::mem::replace(&mut (*parts).level, node.cast());
                let stop = pg_sys::query_tree_walker(node.cast(), Some(visit), found, flags);
                (*parts).level = above;
                return stop;
            }
            // its parts are visited behind it
            NodeTag::T_RangeTblEntry => {
                let entry = &*node.cast::<pg_sys::RangeTblEntry>();
                // PostgreSQL's own relations are not distributed
                if entry.rtekind == pg_sys::RTEKind::RTE_RELATION
                    && u32::from(entry.relid) >= pg_sys::FirstNormalObjectId
                {
                    (*found.cast::<QueryParts>()).relations.push(entry.relid);
                }
                return false;
            }
            NodeTag::T_Aggref => {
                let (aggregate, parts) = (node.cast::<Aggref>(), &mut *found.cast::<QueryParts>());
                if parts.is_ours((*aggregate).aggfnoid) {
                    parts.aggregates.push(aggregate);
                }
            }
            NodeTag::T_WindowFunc => {
                let window = node.cast::<pg_sys::WindowFunc>();
                (*found.cast::<QueryParts>()).is_ours((*window).winfnoid);
            }
            _ => {}
        }
        pg_sys::expression_tree_walker(node, Some(visit), found)
    }
}

/// Aggregates whose arguments are all keys or measured: a record is as good as its columns.
const KEYS_ONLY: [&str; 6] = [
    "k_anonymity",
    "reidentification_risk",
    "population_uniqueness",
    "sse",
    "information_loss",
    "ncp",
];

/// Whether partial states of an aggregate can go to another node; else the rows must. Not with
/// DISTINCT, nor where a record without a name is one value: its type is known to one process alone.
///
/// # Safety
/// The aggregate is part of a whole parse tree.
unsafe fn can_be_split(aggregate: &Aggref) -> bool {
    // SAFETY: an aggregate of the query, whose parts are nodes; catalog look-ups.
    unsafe {
        let name = CStr::from_ptr(pg_sys::get_func_name(aggregate.aggfnoid)).to_bytes();
        let keys_only = KEYS_ONLY.iter().any(|other| other.as_bytes() == name);
        let last_key = usize::from(name == b"reconstruction_error");
        let splits = |(place, entry): (usize, *mut pg_sys::TargetEntry)| {
            let expression = (*entry).expr.cast::<Node>();
            pg_sys::exprType(expression) != pg_sys::RECORDOID
                || (keys_only || place <= last_key) && is_flat_row(expression)
        };
        let mut arguments = nodes(aggregate.args).enumerate();
        aggregate.aggdistinct.is_null() && arguments.all(splits)
    }
}

/// Whether an expression is a `ROW(…)` of values that are not such rows.
///
/// # Safety
/// The expression is part of a whole parse tree.
unsafe fn is_flat_row(expression: *mut Node) -> bool {
    // SAFETY: a node; a row's arguments are expressions.
    unsafe {
        pgrx::is_a(expression, NodeTag::T_RowExpr)
            && nodes::<Node>((*expression.cast::<pg_sys::RowExpr>()).args)
                .all(|column| pg_sys::exprType(column) != pg_sys::RECORDOID)
    }
}

/// Puts the twin in the place of an aggregate.
///
/// # Safety
/// The aggregate is part of a whole parse tree, which nobody else changes.
unsafe fn replace(aggregate: &mut Aggref) {
    // SAFETY: an aggregate of the query, whose parts are nodes; new ones are allocated with it.
    unsafe {
        let Some(twin) = twin(aggregate).filter(|_| aggregate.aggorder.is_null()) else {
            return;
        };
        let entries = nodes::<pg_sys::TargetEntry>(aggregate.args);
        let arguments = entries.map(|entry| (*entry).expr.cast::<Node>());
        let row = row_of(arguments);
        let variadic = pg_sys::makeBoolConst(aggregate.aggvariadic, false);
        let entry = |node: *mut Node, number| {
            pg_sys::makeTargetEntry(node.cast(), number, std::ptr::null_mut(), false)
        };
        let entries = push_node(std::ptr::null_mut(), entry(row, 1));
        aggregate.args = push_node(entries, entry(variadic, 2));
        let types = pg_sys::lappend_oid(std::ptr::null_mut(), pg_sys::RECORDOID);
        aggregate.aggargtypes = pg_sys::lappend_oid(types, pg_sys::BOOLOID);
        aggregate.aggfnoid = twin;
        aggregate.aggvariadic = false;
    }
}

/// The twin of an aggregate; none for those that need none, and for the twins.
///
/// # Safety
/// The aggregate is part of a whole parse tree.
unsafe fn twin(aggregate: &Aggref) -> Option<Oid> {
    // SAFETY: catalog look-ups of a function that exists.
    unsafe {
        let name = CStr::from_ptr(pg_sys::get_func_name(aggregate.aggfnoid))
            .to_str()
            .ok()?;
        // the one whose name does not tell it from another
        let hierarchy = nodes::<pg_sys::TargetEntry>(aggregate.args).count() == 3;
        let name = match name == "t_closeness" && hierarchy {
            true => "t_closeness_by_hierarchy_across".to_string(),
            false => format!("{name}_across"),
        };
        let name = CString::new(name).ok()?;
        let path = push_node(
            std::ptr::null_mut(),
            pg_sys::makeString(c"sdc".as_ptr().cast_mut()),
        );
        let path = push_node(path, pg_sys::makeString(pg_sys::pstrdup(name.as_ptr())));
        let types = [pg_sys::RECORDOID, pg_sys::BOOLOID];
        let twin = pg_sys::LookupFuncName(path, 2, types.as_ptr(), true);
        (twin != pg_sys::InvalidOid).then_some(twin)
    }
}

/// `ROW(…)` of some expressions.
///
/// # Safety
/// The columns are expressions of a whole parse tree.
unsafe fn row_of(columns: impl Iterator<Item = *mut Node>) -> *mut Node {
    let (mut arguments, mut names) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: new nodes, allocated like those they point to.
    unsafe {
        for (place, column) in columns.enumerate() {
            arguments = push_node(arguments, column);
            let name = CString::new(format!("f{}", place + 1)).unwrap_or_default();
            names = push_node(names, pg_sys::makeString(pg_sys::pstrdup(name.as_ptr())));
        }
        let row = pg_sys::palloc0(size_of::<pg_sys::RowExpr>()).cast::<pg_sys::RowExpr>();
        (*row).xpr.type_ = NodeTag::T_RowExpr;
        (*row).args = arguments;
        (*row).row_typeid = pg_sys::RECORDOID;
        (*row).row_format = pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
        (*row).colnames = names;
        (*row).location = -1;
        row.cast()
    }
}
