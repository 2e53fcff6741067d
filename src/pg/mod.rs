//! The border to PostgreSQL, lowest of the layers: whatever is unsafe, behind functions that are
//! not. Values travel upwards as [`cell::Cell`]s, which know their type.

// how calls come in and answers go out
pub mod aggregate_call;
pub mod appended_rows;
pub mod deleted_rows;
pub mod function_call;
pub mod guard;
pub mod label_provider;
pub mod row_results;
pub mod sql_types;

// values and rows
pub mod arrays;
pub mod catalog_names;
pub mod catalog_relations;
pub mod cell;
pub mod composite;
pub mod datum_copies;
pub mod datum_image;
pub mod domain;
pub mod text_casts;
pub mod tuple_store;
pub mod type_capabilities;
pub mod type_functions;

// statements
pub mod citus;
pub mod citus_planner;
mod citus_settings;
pub mod kept_schemas;
pub mod pg_list;
pub mod pinned_relations;
mod query_execution;
pub mod quoting;
pub mod sight;
pub mod statements;
pub mod stored_rows;
pub mod unnamed_relations;
pub mod view_columns;

// how a call behaves: errors, interrupts, memory, rights, randomness, settings
pub mod attempt;
mod counting_allocator;
pub mod errors;
pub mod memory;
pub mod memory_context;
pub mod privileges;
pub mod progress;
pub mod randomness;
pub mod settings;
pub mod thread_shield;
