//! Hand-declared functions: what `#[pg_extern]` cannot express (window functions, `VARIADIC
//! "any"`, polymorphic sets). Their SQL stands in `sql/`.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Failure};
use crate::pg::memory_context::Context;
use pgrx::FromDatum;
use pgrx::pg_sys::{self, Datum, FunctionCallInfo, Oid};

/// Declares C functions of PostgreSQL's version-1 calling convention:
/// `v1! { symbol, info_symbol => body; }` where body takes a [`Call`] and gives a value or NULL.
/// `by row;` before them says that they are called for each row, and begin at the first by themselves.
macro_rules! v1 {
    (by row; $($name:ident, $info:ident => $body:expr;)*) => {
        v1! { @guarded_row; $($name, $info => $body;)* }
    };
    (@$guard:ident; $($name:ident, $info:ident => $body:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $info() -> &'static pgrx::pg_sys::Pg_finfo_record {
            const V1: pgrx::pg_sys::Pg_finfo_record =
                pgrx::pg_sys::Pg_finfo_record { api_version: 1 };
            &V1
        }

        #[unsafe(no_mangle)]
        #[pgrx::pg_guard]
        pub unsafe extern "C-unwind" fn $name(
            fcinfo: pgrx::pg_sys::FunctionCallInfo,
        ) -> pgrx::pg_sys::Datum {
            // SAFETY: PostgreSQL passes a valid call info that matches the SQL declaration.
            let call = unsafe { crate::pg::function_call::Call::new(fcinfo) };
            let body: fn(&crate::pg::function_call::Call) -> Option<pgrx::pg_sys::Datum> = $body;
            call.answer(crate::pg::guard::$guard(|| body(&call)))
        }
    )*};
    ($($name:ident, $info:ident => $body:expr;)*) => {
        v1! { @guarded; $($name, $info => $body;)* }
    };
}
pub(crate) use v1;

/// The result of a function that RETURNS void: not NULL, and nothing.
pub fn void() -> Option<Datum> {
    Some(Datum::from(0usize))
}

/// A call of such a function, valid while it runs.
pub struct Call {
    pub(super) fcinfo: FunctionCallInfo,
}

impl Call {
    /// # Safety
    /// `fcinfo` must be valid as long as the call is used, and be what the function's SQL
    /// declaration says.
    pub unsafe fn new(fcinfo: FunctionCallInfo) -> Self {
        Call { fcinfo }
    }

    /// The call info, for the functions of PostgreSQL that take one.
    pub fn info(&self) -> FunctionCallInfo {
        self.fcinfo
    }

    /// The function that is called, and its arguments.
    fn frame(&self) -> (&pg_sys::FmgrInfo, &pg_sys::FunctionCallInfoBaseData) {
        // SAFETY: the call info is valid, and so is the function that it names.
        unsafe { (&*(*self.fcinfo).flinfo, &*self.fcinfo) }
    }

    /// The function that is called.
    pub fn function(&self) -> Oid {
        self.frame().0.fn_oid
    }

    /// The number of arguments of this call, variadic ones counted.
    pub fn arguments(&self) -> usize {
        self.frame().1.nargs as usize
    }

    /// The type of an argument as the query has it, or as it is declared where the call is not
    /// part of a query: Citus calls transition functions by themselves.
    pub fn argument_type(&self, index: usize) -> Oid {
        // SAFETY: the call info is valid; an argument that does not exist has no type.
        let typ = unsafe { pg_sys::get_fn_expr_argtype((*self.fcinfo).flinfo, index as i32) };
        match typ == pg_sys::InvalidOid && !self.has_expression() {
            true => self.declared_type(index),
            false => typ,
        }
    }

    fn has_expression(&self) -> bool {
        !self.frame().0.fn_expr.is_null()
    }

    #[cold]
    fn declared_type(&self, index: usize) -> Oid {
        let (mut types, mut count) = (std::ptr::null_mut(), 0);
        // SAFETY: a catalog look-up of the function that is called; it gives so many types.
        unsafe {
            pg_sys::get_func_signature(self.function(), &mut types, &mut count);
            match index < count as usize {
                true => *types.add(index),
                false => pg_sys::InvalidOid,
            }
        }
    }

    pub(super) fn raw(&self, index: usize) -> (Datum, bool) {
        assert!(index < self.arguments(), "the call has no argument {index}");
        // SAFETY: the call has this argument.
        let argument = unsafe { &*(*self.fcinfo).args.as_ptr().add(index) };
        (argument.value, argument.isnull)
    }

    /// An argument, whose type was looked up before with [`argument_type`](Self::argument_type).
    ///
    /// # Safety
    /// `typ` must be the argument's type.
    pub unsafe fn cell(&self, index: usize, typ: Oid) -> Cell<'_> {
        let (datum, null) = self.raw(index);
        // SAFETY: as promised by the caller.
        unsafe { Cell::new(datum, null, typ) }
    }

    /// An argument and its type.
    pub fn argument(&self, index: usize) -> Cell<'_> {
        // SAFETY: the argument's own type.
        unsafe { self.cell(index, self.argument_type(index)) }
    }

    /// The value of an argument whose SQL type is the one that T stands for; `None` for NULL.
    pub fn optional<T: FromDatum>(&self, index: usize) -> Option<T> {
        let (datum, null) = self.raw(index);
        // SAFETY: types as in the SQL declaration.
        unsafe { T::from_datum(datum, null) }
    }

    /// The same for an argument that must not be NULL.
    pub fn required<T: FromDatum>(&self, index: usize, name: &str) -> T {
        errors::required(self.optional(index), name)
    }

    /// The relation that an argument of any type names: by its row type, as in `NULL::patient`,
    /// or as a `regclass`; none for other values.
    pub fn relation_of_argument(&self, index: usize) -> Option<Oid> {
        let typ = self.argument_type(index);
        if typ == pg_sys::REGCLASSOID {
            return self.optional(index);
        }
        // SAFETY: a catalog look-up on the argument's type.
        let relation = unsafe { pg_sys::get_typ_typrelid(typ) };
        (relation != pg_sys::InvalidOid).then_some(relation)
    }

    /// The bytes of an argument of variable length, made plain if it was compressed or stored
    /// elsewhere: equal for values that were written alike.
    pub fn required_bytes(&self, index: usize, name: &str) -> &[u8] {
        let (datum, null) = self.raw(index);
        if null {
            Failure::null(name).raise();
        }
        // SAFETY: the SQL declaration makes this a type of variable length; a copy lives in
        // the memory context of the call.
        unsafe {
            let plain = pg_sys::pg_detoast_datum_packed(datum.cast_mut_ptr());
            pgrx::varlena::varlena_to_byte_slice(plain)
        }
    }

    /// The collation under which GROUP BY would compare an argument. A function is only told
    /// one collation for all arguments; an aggregate can look up each one's own.
    pub fn argument_collation(&self, index: usize) -> Oid {
        // SAFETY: arguments of a transition function follow the state in the aggregate's order.
        unsafe {
            // without an expression the aggregate is somebody else's, with other arguments
            if !self.has_expression() {
                return pg_sys::get_typcollation(self.argument_type(index));
            }
            let aggregate = pg_sys::AggGetAggref(self.fcinfo);
            if aggregate.is_null() {
                return self.common_collation();
            }
            let entry = pg_sys::list_nth((*aggregate).args, index as i32 - 1);
            let entry = &*entry.cast::<pg_sys::TargetEntry>();
            pg_sys::exprCollation(entry.expr.cast())
        }
    }

    /// The collation of a call; none where it need not be that of every argument: of one with a
    /// collation of its own and others without, PostgreSQL names the former.
    fn common_collation(&self) -> Oid {
        // SAFETY: the call info is valid; catalog look-ups.
        unsafe {
            let collation = (*self.fcinfo).fncollation;
            let collatable = |&index: &usize| {
                pg_sys::get_typcollation(self.argument_type(index)) != pg_sys::InvalidOid
            };
            let several = (0..self.arguments()).filter(collatable).count() > 1;
            let bytes_decide =
                collation == pg_sys::InvalidOid || pg_sys::get_collation_isdeterministic(collation);
            if several && !bytes_decide {
                return pg_sys::InvalidOid;
            }
            collation
        }
    }

    /// Whether the arguments' last one is an array that was passed as VARIADIC.
    pub fn is_variadic(&self) -> bool {
        // SAFETY: the call info is valid.
        unsafe { pg_sys::get_fn_expr_variadic((*self.fcinfo).flinfo) }
    }

    /// The window object of a window function's call.
    pub fn window(&self) -> Option<*mut pg_sys::Node> {
        // SAFETY: the context of a call is a node or null.
        unsafe {
            let context = (*self.fcinfo).context;
            let window = pg_sys::NodeTag::T_WindowObjectData;
            (!context.is_null() && pgrx::is_a(context, window)).then_some(context)
        }
    }

    /// Lends what the function keeps from call to call of a query, made at the first call in the
    /// memory context that lives as long. The function must keep nothing else.
    pub fn with_kept<T, R>(&self, make: impl FnOnce() -> T, act: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: nothing else uses the function's private pointer; what it points to lives as
        // long as the query.
        unsafe {
            let function = &mut *(*self.fcinfo).flinfo;
            if function.fn_extra.is_null() {
                let mut memory = pgrx::PgMemoryContexts::For(function.fn_mcxt);
                let kept = memory.switch_to(|_| make());
                function.fn_extra = memory.leak_and_drop_on_delete(kept).cast();
            }
            act(&mut *function.fn_extra.cast::<T>())
        }
    }

    /// Returns a value, or SQL NULL.
    pub fn answer(&self, value: Option<Datum>) -> Datum {
        // SAFETY: the call info is valid.
        unsafe { (*self.fcinfo).isnull = value.is_none() };
        value.unwrap_or(Datum::from(0usize))
    }

    /// The memory context of the aggregate this call belongs to.
    pub(super) fn aggregate_context(&self) -> Context {
        let mut context = std::ptr::null_mut();
        // SAFETY: the call info is valid, and the aggregate's memory outlives the call.
        let (kind, context) = unsafe {
            let kind = pg_sys::AggCheckCallContext(self.fcinfo, &mut context);
            (kind, Context::new(context))
        };
        if kind == 0 {
            Failure::new(
                pgrx::PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
                "aggregate support function called outside an aggregate",
            )
            .raise();
        }
        context
    }
}
