//! Who may do what, and whose code may run: roles, owners, and work done as another role.

use crate::pg::errors::Failure;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Oid};

/// The role that the call runs as.
pub fn caller() -> Oid {
    // SAFETY: reads a number of this process.
    unsafe { pg_sys::GetUserId() }
}

/// Whether the caller trusts a role with code that runs as the caller: itself, and superusers. Not the
/// roles that it is a member of: other members can act as these, and make the caller a member.
pub fn trusts(role: Oid) -> bool {
    // SAFETY: a look-up in the catalog.
    role == caller() || unsafe { pg_sys::superuser_arg(role) }
}

/// Whether the caller has the rights of a role.
pub fn has_rights_of(role: Oid) -> bool {
    // SAFETY: a look-up in the catalog.
    unsafe { pg_sys::has_privs_of_role(caller(), role) }
}

/// Whether the caller may read the relation, or a column of it.
pub fn may_select(relation: Oid) -> bool {
    let mode = pg_sys::ACL_SELECT as pg_sys::AclMode;
    let any = pg_sys::AclMaskHow::ACLMASK_ANY;
    // SAFETY: look-ups in the catalog; the relation exists.
    unsafe {
        pg_sys::pg_class_aclcheck(relation, caller(), mode) == pg_sys::AclResult::ACLCHECK_OK
            || pg_sys::pg_attribute_aclcheck_all(relation, caller(), mode, any)
                == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Refuses a relation of which the caller may read nothing, before anything is done about it.
pub fn require_select(relation: Oid, kind: u8) {
    if may_select(relation) {
        return;
    }
    // SAFETY: a relation of this kind, which has a name.
    unsafe {
        pg_sys::aclcheck_error(
            pg_sys::AclResult::ACLCHECK_NO_PRIV,
            pg_sys::get_relkind_objtype(kind as std::ffi::c_char),
            pg_sys::get_rel_name(relation),
        );
    }
}

/// Does something as the owner of the register, where nobody else may write. What runs is
/// SQL of this library on tables of this library, nothing that a caller wrote.
pub fn as_owner_of<T>(relation: Oid, act: impl FnOnce() -> T) -> T {
    let Some(owner) = owner_of(relation) else {
        Failure::new(
            PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
            "the register of releases is gone",
        )
        .hint("Create the extension again: DROP EXTENSION pg_sdc; CREATE EXTENSION pg_sdc.")
        .raise()
    };
    let (mut role, mut context) = (pg_sys::InvalidOid, 0);
    let restricted = pg_sys::SECURITY_LOCAL_USERID_CHANGE | pg_sys::SECURITY_RESTRICTED_OPERATION;
    // SAFETY: role and context are put back below; where an error comes first, PostgreSQL
    // puts them back as it ends the transaction or subtransaction.
    unsafe {
        pg_sys::GetUserIdAndSecContext(&mut role, &mut context);
        pg_sys::SetUserIdAndSecContext(owner, context | restricted as i32);
    }
    let result = act();
    // SAFETY: as they were.
    unsafe { pg_sys::SetUserIdAndSecContext(role, context) };
    result
}

/// The owner of a relation; `None` if it is gone.
fn owner_of(relation: Oid) -> Option<Oid> {
    let cache = pg_sys::SysCacheIdentifier::RELOID as i32;
    // SAFETY: the entry is read before it is released.
    unsafe {
        let entry = pg_sys::SearchSysCache1(cache, relation.into());
        if entry.is_null() {
            return None;
        }
        let class: pg_sys::Form_pg_class = pg_sys::GETSTRUCT(entry).cast();
        let owner = (*class).relowner;
        pg_sys::ReleaseSysCache(entry);
        Some(owner)
    }
}
