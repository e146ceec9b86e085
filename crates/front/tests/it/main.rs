//! Tests of the crate from outside.

mod ag_ui;
mod ai_sdk;
mod ai_sdk_request;
mod native;
mod random_run;
mod run_writer;
mod scenario;
mod transcript;
