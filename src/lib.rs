//! The SQL surface of pg_sdc.

::pgrx::pg_module_magic!(name, version);
