//! What the columns of a view show: the columns of other relations that reach it unchanged or
//! behind a cast, through joins, subqueries, CTEs, VALUES and unions. An expression shows nothing.

use crate::pg::catalog_relations;
use pgrx::PgList;
use pgrx::pg_sys::{self, Node, NodeTag, Oid, Query, RangeTblEntry};
use std::ffi::{CStr, c_char};

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
            true => columns(&[&*pg_sys::get_view_query(relation)]),
            false => Vec::new(),
        };
        pg_sys::relation_close(relation, lock);
        shown
    }
}

/// What a pointer of a parse tree points to. A tree is valid as a whole, as long as its relation
/// is open; trees reach this file through [`shown_columns`] only.
fn node<'a, T>(pointer: *const T) -> Option<&'a T> {
    // SAFETY: pointers of a valid tree are null or valid.
    unsafe { pointer.as_ref() }
}

/// What a node is, after its tag has said so.
fn cast<T>(node: &Node) -> &T {
    // SAFETY: a node is what its tag says.
    unsafe { &*(&raw const *node).cast() }
}

/// What a list of a parse tree holds.
fn items<'a, T>(list: *mut pg_sys::List) -> Vec<&'a T> {
    // SAFETY: lists of a valid tree hold what their names say.
    let list = unsafe { PgList::<T>::from_pg(list) };
    list.iter_ptr().filter_map(|item| node(item)).collect()
}

/// What the columns of the last of these queries show; each of the others holds the next.
fn columns(queries: &[&Query]) -> Vec<Vec<BaseColumn>> {
    let Some(&query) = queries.last() else {
        return Vec::new();
    };
    // SAFETY: raises an error, or nothing.
    unsafe { pg_sys::check_stack_depth() };
    let mut targets = items::<pg_sys::TargetEntry>(query.targetList);
    targets.retain(|target| !target.resjunk);
    if query.setOperations.is_null() {
        let shown = |target: &&pg_sys::TargetEntry| of_node(node(target.expr.cast()), queries);
        return targets.iter().map(shown).collect();
    }
    // a union shows in each column what any of its parts shows there
    let mut shown: Vec<Vec<Vec<BaseColumn>>> = vec![Vec::new(); targets.len()];
    for entry in items::<RangeTblEntry>(query.rtable) {
        if let Some(subquery) = node(entry.subquery) {
            let part = columns(&below(queries, subquery));
            let parts = shown.iter_mut().zip(part);
            parts.for_each(|(all, more)| all.push(more));
        }
    }
    shown.into_iter().map(united).collect()
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

fn below<'a>(queries: &[&'a Query], query: &'a Query) -> Vec<&'a Query> {
    queries.iter().copied().chain([query]).collect()
}

/// What an expression of the last query shows.
fn of_node(expression: Option<&Node>, queries: &[&Query]) -> Vec<BaseColumn> {
    let Some(expression) = expression else {
        return Vec::new();
    };
    let inner = match expression.type_ {
        NodeTag::T_Var => return of_variable(cast(expression), queries),
        NodeTag::T_FuncExpr => return of_cast(cast(expression), queries),
        NodeTag::T_SubLink => return of_subquery(cast(expression), queries),
        NodeTag::T_FieldSelect => return of_field(cast(expression), queries),
        NodeTag::T_RelabelType => cast::<pg_sys::RelabelType>(expression).arg,
        NodeTag::T_CoerceViaIO => cast::<pg_sys::CoerceViaIO>(expression).arg,
        NodeTag::T_CoerceToDomain => cast::<pg_sys::CoerceToDomain>(expression).arg,
        NodeTag::T_CollateExpr => cast::<pg_sys::CollateExpr>(expression).arg,
        _ => return Vec::new(),
    };
    of_node(node(inner.cast()), queries)
}

/// A cast is a function call that SQL writes as a cast; other calls show nothing.
fn of_cast(call: &pg_sys::FuncExpr, queries: &[&Query]) -> Vec<BaseColumn> {
    if call.funcformat == pg_sys::CoercionForm::COERCE_EXPLICIT_CALL {
        return Vec::new();
    }
    of_node(items(call.args).first().copied(), queries)
}

/// A subquery in an expression shows what its column does, of rows that it chooses.
fn of_subquery(link: &pg_sys::SubLink, queries: &[&Query]) -> Vec<BaseColumn> {
    let query = node(link.subselect).filter(|query| query.type_ == NodeTag::T_Query);
    match link.subLinkType {
        pg_sys::SubLinkType::EXPR_SUBLINK | pg_sys::SubLinkType::ARRAY_SUBLINK => {
            mixed(of_query(query.map(cast), 1, queries))
        }
        _ => Vec::new(),
    }
}

/// A field of a whole row is a column; one of another value is a part of what that shows.
fn of_field(field: &pg_sys::FieldSelect, queries: &[&Query]) -> Vec<BaseColumn> {
    let row = node(field.arg.cast::<Node>());
    let variable = row.filter(|row| row.type_ == NodeTag::T_Var).map(cast);
    match variable.filter(|row: &&pg_sys::Var| row.varattno == 0) {
        Some(row) => of_column(row, field.fieldnum, queries),
        None => mixed(of_node(row, queries)),
    }
}

/// Labels of what is shown in part restrict, and exempt from nothing.
fn mixed(mut shown: Vec<BaseColumn>) -> Vec<BaseColumn> {
    if !shown.is_empty() {
        shown.push(MIXED);
    }
    shown
}

/// The queries without so many of the last ones: those that a name counts levels up from.
fn outer<'a, 'q>(queries: &'a [&'q Query], levels: u32) -> Option<(&'q Query, &'a [&'q Query])> {
    let queries = &queries[..queries.len().checked_sub(levels as usize)?];
    Some((queries.last()?, queries))
}

/// A variable counts the entries of its query's range table from 1.
fn of_variable(variable: &pg_sys::Var, queries: &[&Query]) -> Vec<BaseColumn> {
    of_column(variable, variable.varattno, queries)
}

/// A column of the range table's entry that a variable is of.
fn of_column(variable: &pg_sys::Var, column: i16, queries: &[&Query]) -> Vec<BaseColumn> {
    let Some((query, queries)) = outer(queries, variable.varlevelsup) else {
        return Vec::new();
    };
    let table = items::<RangeTblEntry>(query.rtable);
    match table.get((variable.varno as usize).wrapping_sub(1)) {
        Some(entry) => of_entry(entry, column, queries),
        None => Vec::new(),
    }
}

/// What a column of a table, subquery, join or CTE in FROM shows.
fn of_entry(entry: &RangeTblEntry, column: i16, queries: &[&Query]) -> Vec<BaseColumn> {
    let place = (column as usize).wrapping_sub(1);
    let of_list = |list| of_node(items(list).get(place).copied(), queries);
    match entry.rtekind {
        pg_sys::RTEKind::RTE_RELATION => of_relation(entry.relid, column),
        pg_sys::RTEKind::RTE_SUBQUERY => of_query(node(entry.subquery), column, queries),
        pg_sys::RTEKind::RTE_JOIN => of_list(entry.joinaliasvars),
        pg_sys::RTEKind::RTE_CTE if !entry.self_reference => of_cte(entry, column, queries),
        pg_sys::RTEKind::RTE_VALUES => {
            let rows = items::<pg_sys::List>(entry.values_lists).into_iter();
            united(
                rows.map(|row| of_list((&raw const *row).cast_mut()))
                    .collect(),
            )
        }
        #[cfg(feature = "pg18")]
        pg_sys::RTEKind::RTE_GROUP => of_list(entry.groupexprs),
        _ => Vec::new(),
    }
}

fn of_query(query: Option<&Query>, column: i16, queries: &[&Query]) -> Vec<BaseColumn> {
    match query {
        Some(query) => nth(columns(&below(queries, query)), column),
        None => Vec::new(),
    }
}

/// A column of a relation; a whole row holds all of them.
fn of_relation(relation: Oid, column: i16) -> Vec<BaseColumn> {
    if column != 0 {
        return vec![(relation, column)];
    }
    let columns = catalog_relations::attributes(relation).len() as i16;
    (1..=columns).map(|column| (relation, column)).collect()
}

fn of_cte(entry: &RangeTblEntry, column: i16, queries: &[&Query]) -> Vec<BaseColumn> {
    let Some((query, queries)) = outer(queries, entry.ctelevelsup) else {
        return Vec::new();
    };
    // SAFETY: the names of CTEs are zero-terminated.
    let name = |cte: *const c_char| unsafe { CStr::from_ptr(cte) };
    let ctes = items::<pg_sys::CommonTableExpr>(query.cteList);
    let cte = ctes
        .iter()
        .find(|cte| name(cte.ctename) == name(entry.ctename));
    let query = cte.and_then(|cte| node(cte.ctequery));
    let query = query.filter(|query| query.type_ == NodeTag::T_Query);
    of_query(query.map(cast), column, queries)
}

/// What one column shows; a whole row shows what all of them do.
fn nth(mut shown: Vec<Vec<BaseColumn>>, column: i16) -> Vec<BaseColumn> {
    match usize::try_from(column) {
        Ok(0) => shown.into_iter().flatten().collect(),
        Ok(column) if column <= shown.len() => shown.swap_remove(column - 1),
        _ => Vec::new(),
    }
}
