//! What the columns of a view show: the columns of other relations that reach it unchanged or
//! behind a cast, through joins, subqueries, CTEs and unions. An expression shows nothing.

use pgrx::PgList;
use pgrx::pg_sys::{self, Node, NodeTag, Oid, Query, RangeTblEntry};
use std::ffi::CStr;

/// A column of a relation.
pub type BaseColumn = (Oid, i16);

/// Stands among what a column shows if only some of its rows show that: the parts of a union are
/// expressions, or columns of different names.
pub const MIXED: BaseColumn = (pg_sys::InvalidOid, 0);

/// For each column of a view or materialized view, what it shows.
pub fn shown_columns(view: Oid) -> Vec<Vec<BaseColumn>> {
    let lock = pg_sys::AccessShareLock as i32;
    // SAFETY: the relation stays open, and its rule in the relation cache, while it is read.
    unsafe {
        let relation = pg_sys::relation_open(view, lock);
        let has_rule = matches!((*(*relation).rd_rel).relkind as u8, b'v' | b'm')
            && !(*relation).rd_rules.is_null();
        let shown = match has_rule {
            true => columns(&[pg_sys::get_view_query(relation)]),
            false => Vec::new(),
        };
        pg_sys::relation_close(relation, lock);
        shown
    }
}

/// What the columns of the last of these queries show; each of the others holds the next.
///
/// # Safety
/// The queries must be valid parse trees.
unsafe fn columns(queries: &[*mut Query]) -> Vec<Vec<BaseColumn>> {
    let Some(&query) = queries.last() else {
        return Vec::new();
    };
    // SAFETY: lists of a valid parse tree hold what their names say.
    unsafe {
        pg_sys::check_stack_depth();
        let targets = PgList::<pg_sys::TargetEntry>::from_pg((*query).targetList);
        let targets: Vec<_> = targets.iter_ptr().filter(|t| !(**t).resjunk).collect();
        if (*query).setOperations.is_null() {
            let shown =
                |target: &*mut pg_sys::TargetEntry| of_node((**target).expr.cast(), queries);
            return targets.iter().map(shown).collect();
        }
        // a union shows in each column what any of its parts shows there
        let mut shown = vec![Vec::new(); targets.len()];
        for entry in PgList::<RangeTblEntry>::from_pg((*query).rtable).iter_ptr() {
            if !(*entry).subquery.is_null() {
                let part = columns(&below(queries, (*entry).subquery));
                shown
                    .iter_mut()
                    .zip(part)
                    .for_each(|(all, more): (&mut Vec<Vec<BaseColumn>>, _)| all.push(more));
            }
        }
        shown.into_iter().map(united).collect()
    }
}

/// What the parts of a union show together.
fn united(parts: Vec<Vec<BaseColumn>>) -> Vec<BaseColumn> {
    let alike = parts.iter().all(|part| !part.is_empty()) && {
        let mut names = parts.iter().flatten().map(column_name);
        let first = names.next();
        names.all(|name| Some(name) == first)
    };
    let mut shown: Vec<BaseColumn> = parts.into_iter().flatten().collect();
    if !alike {
        shown.push(MIXED);
    }
    shown
}

fn column_name(&(relation, column): &BaseColumn) -> Vec<u8> {
    // SAFETY: a look-up in the catalog; the name is a C string, or null where there is none.
    unsafe {
        let name = pg_sys::get_attname(relation, column, true);
        match name.is_null() {
            true => Vec::new(),
            false => CStr::from_ptr(name).to_bytes().to_vec(),
        }
    }
}

fn below(queries: &[*mut Query], query: *mut Query) -> Vec<*mut Query> {
    queries.iter().copied().chain([query]).collect()
}

/// What an expression of the last query shows.
///
/// # Safety
/// As for [`columns`]; the node must be valid.
unsafe fn of_node(node: *mut Node, queries: &[*mut Query]) -> Vec<BaseColumn> {
    if node.is_null() {
        return Vec::new();
    }
    // SAFETY: a node is what its tag says.
    unsafe {
        match (*node).type_ {
            NodeTag::T_Var => of_variable(&*node.cast(), queries),
            NodeTag::T_RelabelType => {
                of_node((*node.cast::<pg_sys::RelabelType>()).arg.cast(), queries)
            }
            NodeTag::T_CoerceViaIO => {
                of_node((*node.cast::<pg_sys::CoerceViaIO>()).arg.cast(), queries)
            }
            NodeTag::T_CoerceToDomain => {
                of_node((*node.cast::<pg_sys::CoerceToDomain>()).arg.cast(), queries)
            }
            NodeTag::T_CollateExpr => {
                of_node((*node.cast::<pg_sys::CollateExpr>()).arg.cast(), queries)
            }
            NodeTag::T_FuncExpr => of_cast(&*node.cast(), queries),
            _ => Vec::new(),
        }
    }
}

/// A cast is a function call that SQL writes as a cast; other calls show nothing.
unsafe fn of_cast(call: &pg_sys::FuncExpr, queries: &[*mut Query]) -> Vec<BaseColumn> {
    if call.funcformat == pg_sys::CoercionForm::COERCE_EXPLICIT_CALL {
        return Vec::new();
    }
    // SAFETY: the arguments of a valid call.
    unsafe {
        match PgList::<Node>::from_pg(call.args).get_ptr(0) {
            Some(argument) => of_node(argument, queries),
            None => Vec::new(),
        }
    }
}

unsafe fn of_variable(variable: &pg_sys::Var, queries: &[*mut Query]) -> Vec<BaseColumn> {
    let depth = queries.len().checked_sub(variable.varlevelsup as usize);
    let Some(queries) = depth.map(|depth| &queries[..depth]) else {
        return Vec::new();
    };
    let Some(&query) = queries.last() else {
        return Vec::new();
    };
    // SAFETY: a variable counts the entries of its query's range table from 1.
    unsafe {
        let table = PgList::<RangeTblEntry>::from_pg((*query).rtable);
        match table.get_ptr((variable.varno as usize).wrapping_sub(1)) {
            Some(entry) => of_entry(&*entry, variable.varattno, queries),
            None => Vec::new(),
        }
    }
}

/// What a column of a table, subquery, join or CTE in FROM shows.
unsafe fn of_entry(entry: &RangeTblEntry, column: i16, queries: &[*mut Query]) -> Vec<BaseColumn> {
    let place = (column as usize).wrapping_sub(1);
    // SAFETY: the fields that an entry of its kind has.
    unsafe {
        match entry.rtekind {
            pg_sys::RTEKind::RTE_RELATION => of_relation(entry.relid, column),
            pg_sys::RTEKind::RTE_SUBQUERY => nth(columns(&below(queries, entry.subquery)), column),
            pg_sys::RTEKind::RTE_JOIN => {
                let aliases = PgList::<Node>::from_pg(entry.joinaliasvars);
                let alias = aliases.get_ptr(place);
                alias.map_or(Vec::new(), |alias| of_node(alias, queries))
            }
            pg_sys::RTEKind::RTE_CTE if !entry.self_reference => of_cte(entry, column, queries),
            #[cfg(feature = "pg18")]
            pg_sys::RTEKind::RTE_GROUP => {
                let grouped = PgList::<Node>::from_pg(entry.groupexprs);
                let grouped = grouped.get_ptr(place);
                grouped.map_or(Vec::new(), |node| of_node(node, queries))
            }
            _ => Vec::new(),
        }
    }
}

/// A column of a relation; a whole row holds all of them.
fn of_relation(relation: Oid, column: i16) -> Vec<BaseColumn> {
    if column != 0 {
        return vec![(relation, column)];
    }
    let lock = pg_sys::AccessShareLock as i32;
    // SAFETY: the relation is open while its descriptor is read.
    let columns = unsafe {
        let opened = pg_sys::relation_open(relation, lock);
        let columns = (*(*opened).rd_att).natts as i16;
        pg_sys::relation_close(opened, lock);
        columns
    };
    (1..=columns).map(|column| (relation, column)).collect()
}

unsafe fn of_cte(entry: &RangeTblEntry, column: i16, queries: &[*mut Query]) -> Vec<BaseColumn> {
    let depth = queries.len().checked_sub(entry.ctelevelsup as usize);
    let Some(queries) = depth.map(|depth| &queries[..depth]) else {
        return Vec::new();
    };
    let Some(&query) = queries.last() else {
        return Vec::new();
    };
    // SAFETY: the CTEs of a valid query, whose names are zero-terminated.
    unsafe {
        let ctes = PgList::<pg_sys::CommonTableExpr>::from_pg((*query).cteList);
        let name = CStr::from_ptr(entry.ctename);
        let mut ctes = ctes.iter_ptr();
        match ctes.find(|cte| CStr::from_ptr((**cte).ctename) == name) {
            Some(cte) if (*(*cte).ctequery).type_ == NodeTag::T_Query => {
                nth(columns(&below(queries, (*cte).ctequery.cast())), column)
            }
            _ => Vec::new(),
        }
    }
}

/// What one column shows; a whole row shows what all of them do.
fn nth(mut shown: Vec<Vec<BaseColumn>>, column: i16) -> Vec<BaseColumn> {
    match usize::try_from(column) {
        Ok(0) => shown.into_iter().flatten().collect(),
        Ok(column) if column <= shown.len() => shown.swap_remove(column - 1),
        _ => Vec::new(),
    }
}
