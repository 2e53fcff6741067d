//! PostgreSQL's memory contexts: what is allocated in one goes with it.

use pgrx::PgMemoryContexts;
use pgrx::pg_sys::{self, MemoryContext};

/// A memory context that is there as long as this is used.
#[derive(Clone, Copy)]
pub struct Context(MemoryContext);

impl Context {
    /// # Safety
    /// The context must be there as long as this is used.
    pub unsafe fn new(context: MemoryContext) -> Self {
        Context(context)
    }

    /// The one in which memory is allocated now.
    pub fn current() -> Self {
        Context(PgMemoryContexts::CurrentMemoryContext.value())
    }

    /// Does something that allocates memory there.
    pub fn within<T>(self, act: impl FnOnce() -> T) -> T {
        // SAFETY: the context is there; the one before is put back, by PostgreSQL where an error
        // comes first.
        unsafe { PgMemoryContexts::For(self.0).switch_to(|_| act()) }
    }

    /// The bytes of the context and those below it.
    pub fn bytes(self) -> usize {
        // SAFETY: the context is there.
        unsafe { pg_sys::MemoryContextMemAllocated(self.0, true) as usize }
    }

    /// Puts something of Rust there, which is dropped with the context or when it is reset.
    pub fn keep<T>(self, value: T) -> *mut T {
        PgMemoryContexts::For(self.0).leak_and_drop_on_delete(value)
    }

    /// The bare context, for the functions of PostgreSQL that take one.
    pub fn raw(self) -> MemoryContext {
        self.0
    }
}

/// A memory context of our own below the current one, deleted with this.
pub struct Arena(PgMemoryContexts);

impl Arena {
    pub fn new(name: &str) -> Self {
        Arena(PgMemoryContexts::new(name))
    }

    /// The context, which must not be used when the arena is gone.
    pub fn context(&self) -> Context {
        Context(self.0.value())
    }

    /// Does something that allocates memory there. None of it may be used when the arena is
    /// gone or reset.
    pub fn within<T>(&self, act: impl FnOnce() -> T) -> T {
        self.context().within(act)
    }

    /// Frees what is allocated there.
    pub fn reset(&mut self) {
        // SAFETY: the context is ours, and nobody may use what was there.
        unsafe { self.0.reset() };
    }
}
