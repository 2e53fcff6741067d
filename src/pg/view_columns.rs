//! What the columns of a view show: the columns of other relations that reach it unchanged or
//! behind a cast, through joins, subqueries, CTEs, VALUES and unions. An expression shows nothing.

use crate::pg::catalog_relations;
use pgrx::pg_sys::{self, Node, NodeTag, Oid, Query, RangeTblEntry};
use pgrx::{PgList, check_for_interrupts};
use std::cell::RefCell;
use std::collections::HashMap;
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
            true => columns(&*pg_sys::get_view_query(relation)),
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

/// A query, and where it stands: names can be of the queries around it.
#[derive(Clone, Copy)]
struct Scope<'a> {
    query: &'a Query,
    outer: Option<&'a Scope<'a>>,
    known: &'a Known,
}

/// What columns of queries show, by the query's place in memory and the column's number. A query
/// stands in one place, so whoever asks again gets the same answer: each column is followed once,
/// however often the levels above use it.
type Known = RefCell<HashMap<(*const Query, i16), Vec<BaseColumn>>>;

/// What each column of a view's query shows.
fn columns(query: &Query) -> Vec<Vec<BaseColumn>> {
    let scope = Scope {
        query,
        outer: None,
        known: &Known::default(),
    };
    let numbers = 1..=targets(query).len() as i16;
    numbers.map(|number| column(&scope, number)).collect()
}

fn targets(query: &Query) -> Vec<&pg_sys::TargetEntry> {
    let mut targets = items::<pg_sys::TargetEntry>(query.targetList);
    targets.retain(|target| !target.resjunk);
    targets
}

/// What one column of a query shows; a whole row shows what all of them do.
fn column(scope: &Scope<'_>, number: i16) -> Vec<BaseColumn> {
    let place = (&raw const *scope.query, number);
    if let Some(known) = scope.known.borrow().get(&place) {
        return known.clone();
    }
    check_for_interrupts!();
    // SAFETY: raises an error, or nothing.
    unsafe { pg_sys::check_stack_depth() };
    let shown = match number {
        0 => {
            let all = 1..=targets(scope.query).len() as i16;
            distinct(all.flat_map(|number| column(scope, number)))
        }
        _ => shown(scope, number),
    };
    scope.known.borrow_mut().insert(place, shown.clone());
    shown
}

fn shown(scope: &Scope<'_>, number: i16) -> Vec<BaseColumn> {
    let query = scope.query;
    let place = (number as usize).wrapping_sub(1);
    let Some(target) = targets(query).get(place).copied() else {
        return Vec::new();
    };
    if query.setOperations.is_null() {
        return of_node(node(target.expr.cast()), scope);
    }
    // a union shows in each column what any of its parts shows there
    let parts = items::<RangeTblEntry>(query.rtable).into_iter();
    let parts = parts.filter_map(|entry| node(entry.subquery));
    united(
        parts
            .map(|part| of_query(Some(part), number, scope))
            .collect(),
    )
}

/// Each once: a column can come several ways, and each level could double them.
fn distinct(shown: impl Iterator<Item = BaseColumn>) -> Vec<BaseColumn> {
    let mut shown: Vec<BaseColumn> = shown.collect();
    shown.sort_unstable_by_key(|&(relation, column)| (u32::from(relation), column));
    shown.dedup();
    shown
}

/// What the parts of a union show together.
fn united(parts: Vec<Vec<BaseColumn>>) -> Vec<BaseColumn> {
    let alike = parts.iter().all(|part| !part.is_empty()) && {
        let mut names = parts.iter().flatten().map(column_name);
        let first = names.next();
        names.all(|name| Some(name) == first)
    };
    let mut shown = distinct(parts.into_iter().flatten());
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

/// What an expression of a query shows.
fn of_node(expression: Option<&Node>, scope: &Scope<'_>) -> Vec<BaseColumn> {
    let Some(expression) = expression else {
        return Vec::new();
    };
    let inner = match expression.type_ {
        NodeTag::T_Var => return of_variable(cast(expression), scope),
        NodeTag::T_FuncExpr => return of_cast(cast(expression), scope),
        NodeTag::T_SubLink => return of_subquery(cast(expression), scope),
        NodeTag::T_FieldSelect => return of_field(cast(expression), scope),
        NodeTag::T_RelabelType => cast::<pg_sys::RelabelType>(expression).arg,
        NodeTag::T_CoerceViaIO => cast::<pg_sys::CoerceViaIO>(expression).arg,
        NodeTag::T_CoerceToDomain => cast::<pg_sys::CoerceToDomain>(expression).arg,
        NodeTag::T_CollateExpr => cast::<pg_sys::CollateExpr>(expression).arg,
        _ => return Vec::new(),
    };
    of_node(node(inner.cast()), scope)
}

/// A cast is a function call that SQL writes as a cast; other calls show nothing.
fn of_cast(call: &pg_sys::FuncExpr, scope: &Scope<'_>) -> Vec<BaseColumn> {
    if call.funcformat == pg_sys::CoercionForm::COERCE_EXPLICIT_CALL {
        return Vec::new();
    }
    of_node(items(call.args).first().copied(), scope)
}

/// A subquery in an expression shows what its column does, of rows that it chooses.
fn of_subquery(link: &pg_sys::SubLink, scope: &Scope<'_>) -> Vec<BaseColumn> {
    let query = node(link.subselect).filter(|query| query.type_ == NodeTag::T_Query);
    match link.subLinkType {
        pg_sys::SubLinkType::EXPR_SUBLINK | pg_sys::SubLinkType::ARRAY_SUBLINK => {
            mixed(of_query(query.map(cast), 1, scope))
        }
        _ => Vec::new(),
    }
}

/// A field of a whole row is a column; one of another value is a part of what that shows.
fn of_field(field: &pg_sys::FieldSelect, scope: &Scope<'_>) -> Vec<BaseColumn> {
    let row = node(field.arg.cast::<Node>());
    let variable = row.filter(|row| row.type_ == NodeTag::T_Var).map(cast);
    match variable.filter(|row: &&pg_sys::Var| row.varattno == 0) {
        Some(row) => of_column(row, field.fieldnum, scope),
        None => mixed(of_node(row, scope)),
    }
}

/// Labels of what is shown in part restrict, and exempt from nothing.
fn mixed(mut shown: Vec<BaseColumn>) -> Vec<BaseColumn> {
    if !shown.is_empty() {
        shown.push(MIXED);
    }
    shown
}

/// So many queries further out, as a name counts them.
fn outer<'a>(scope: &'a Scope<'a>, levels: u32) -> Option<&'a Scope<'a>> {
    (0..levels).try_fold(scope, |scope, _| scope.outer)
}

/// A variable counts the entries of its query's range table from 1.
fn of_variable(variable: &pg_sys::Var, scope: &Scope<'_>) -> Vec<BaseColumn> {
    of_column(variable, variable.varattno, scope)
}

/// A column of the range table's entry that a variable is of.
fn of_column(variable: &pg_sys::Var, column: i16, scope: &Scope<'_>) -> Vec<BaseColumn> {
    let Some(scope) = outer(scope, variable.varlevelsup) else {
        return Vec::new();
    };
    let table = items::<RangeTblEntry>(scope.query.rtable);
    match table.get((variable.varno as usize).wrapping_sub(1)) {
        Some(entry) => of_entry(entry, column, scope),
        None => Vec::new(),
    }
}

/// What a column of a table, subquery, join or CTE in FROM shows.
fn of_entry(entry: &RangeTblEntry, column: i16, scope: &Scope<'_>) -> Vec<BaseColumn> {
    let place = (column as usize).wrapping_sub(1);
    let of_list = |list| of_node(items(list).get(place).copied(), scope);
    match entry.rtekind {
        pg_sys::RTEKind::RTE_RELATION => of_relation(entry.relid, column),
        pg_sys::RTEKind::RTE_SUBQUERY => of_query(node(entry.subquery), column, scope),
        pg_sys::RTEKind::RTE_JOIN => of_list(entry.joinaliasvars),
        pg_sys::RTEKind::RTE_CTE if !entry.self_reference => of_cte(entry, column, scope),
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

/// A column of a query within this one.
fn of_query(query: Option<&Query>, number: i16, scope: &Scope<'_>) -> Vec<BaseColumn> {
    let Some(query) = query else {
        return Vec::new();
    };
    let within = Scope {
        query,
        outer: Some(scope),
        known: scope.known,
    };
    column(&within, number)
}

/// A column of a relation; a whole row holds all of them.
fn of_relation(relation: Oid, column: i16) -> Vec<BaseColumn> {
    if column != 0 {
        return vec![(relation, column)];
    }
    let columns = catalog_relations::attributes(relation).len() as i16;
    (1..=columns).map(|column| (relation, column)).collect()
}

fn of_cte(entry: &RangeTblEntry, column: i16, scope: &Scope<'_>) -> Vec<BaseColumn> {
    let Some(scope) = outer(scope, entry.ctelevelsup) else {
        return Vec::new();
    };
    // SAFETY: the names of CTEs are zero-terminated.
    let name = |cte: *const c_char| unsafe { CStr::from_ptr(cte) };
    let ctes = items::<pg_sys::CommonTableExpr>(scope.query.cteList);
    let cte = ctes
        .iter()
        .find(|cte| name(cte.ctename) == name(entry.ctename));
    let query = cte.and_then(|cte| node(cte.ctequery));
    let query = query.filter(|query| query.type_ == NodeTag::T_Query);
    of_query(query.map(cast), column, scope)
}
