//! What readers of a release can find out: attacks, run against releases that are at hand.

pub mod minimality;
