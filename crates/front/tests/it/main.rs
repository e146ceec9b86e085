//! Tests of the crate from outside.

mod ag_ui;
mod ai_sdk;
mod ai_sdk_cases;
mod ai_sdk_request;
mod bodies;
mod body;
mod chat_completions;
mod chat_headers;
mod client_history;
mod cut_run;
mod drafts;
mod native;
mod random_run;
mod responses;
mod responses_client;
mod run_writer;
mod scenario;
mod transcript;
