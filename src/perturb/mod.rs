//! Perturbation: single columns changed at random or cut off, as window functions and, because
//! what is drawn again at each query can be averaged out, as releases.

mod perturbation;
mod perturbed_part;
mod window_functions;

pub use perturbation::{Perturbation, perturb_categories, perturb_numbers};
pub use perturbed_part::PerturbedPart;
