//! Tests of the crate from outside.

mod random_run;
mod transcript;
