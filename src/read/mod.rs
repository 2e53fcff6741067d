//! Rows become typed columns, the one place where PostgreSQL's values enter the engine.

// where rows come from
pub mod arguments;
mod child_labels;
mod code_owners;
pub mod distinct_values;
mod fetched_row;
pub mod given_requirements;
pub mod hierarchy_table;
pub mod key_counts;
pub mod key_tuples;
pub mod key_warnings;
mod label_defaults;
pub mod label_text;
pub mod labels;
pub mod named_arguments;
pub mod population_argument;
pub mod relation;
pub mod source_rows;
pub mod table_options;
pub mod window_batches;
pub mod window_figures;
pub mod window_groups;
pub mod window_rows;
pub mod window_state;
pub mod window_values;

// what becomes of their values
pub mod codec;
pub mod column_weights;
pub mod columns;
pub mod dictionary;
mod enum_labels;
mod masked_rows;
pub mod null_reading;
pub mod numbers;
pub mod points;
pub mod ranks;
pub mod sensitivity_categories;
pub mod strata;
pub mod value_bytes;
pub mod value_distance;
