//! Tests of the crate from outside.

mod ai_sdk;
mod native;
mod random_run;
mod run_writer;
mod scenario;
mod transcript;
