//! Roles and policies: columns say once what they are (`sdc.declare`), the data suggest it
//! (`sdc.suggest`), and every other function takes it from there (`read::label_defaults`).

mod column_figures;
mod column_words;
mod declare;
mod label_check;
mod suggest;

pub use column_words::names_person;
pub use label_check::check_label;
