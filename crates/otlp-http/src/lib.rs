//! Sends traces and metrics of an agent's runs to an OpenTelemetry collector, without delaying the
//! runs.
//!
//! ```toml
//! [dependencies]
//! silcrow-agent = "0.1.0"
//! silcrow-otlp-http = "0.1.0"
//! silcrow-provider = "0.1.0"
//! silcrow-store = "0.1.0"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```no_run
//! use silcrow_agent::Agent;
//! use silcrow_otlp_http::{Exporter, Options};
//! use silcrow_provider::ScriptedModel;
//! use silcrow_store::MemoryStore;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let options = Options::from_variables(&|name| std::env::var(name).ok())?;
//!     let exporter = Exporter::start(options.unwrap_or_default())?;
//!     let model = ScriptedModel::parse("§respond: 4\n§end", 1);
//!     let agent = Agent::new(model, MemoryStore::new()).with_observer(exporter.clone());
//!     println!("{}", agent.ask("What is 2 + 2?").await?.text);
//!     let report = exporter.shutdown(std::time::Duration::from_secs(2)).await;
//!     if let Some(lost) = report.lost() {
//!         eprintln!("{lost}");
//!     }
//!     Ok(())
//! }
//! ```
//!
//! An [`Exporter`] watches an agent's runs. Each finished span goes into a queue, which a task
//! sends in batches:
//!
//! ```text
//! a run ─► TraceReader ─► spans ─┬─► queue, which drops the oldest ─► batches ─► POST …/v1/traces
//!                                └─► sums ─► every minute and at the end ─► POST …/v1/metrics
//! ```
//!
//! A collector that is down, slow or full therefore costs a run nothing. The queue has a limit of
//! spans and bytes; further spans are dropped and counted. Only [`Exporter::shutdown`] waits, no
//! longer than its caller allows. Retries follow the rules of OTLP.
//!
//! # What it does not do
//!
//! - It does not create spans: `silcrow-otlp` does, from the events of the run.
//! - It speaks HTTP with protobuf or JSON, but not gRPC.
//! - It follows no redirects and uses no proxy, so data goes only to the configured addresses.
//! - It keeps nothing on disk: unsent spans are lost, but the conversation's log can recreate them.

mod backoff;
mod error;
mod exporter;
mod header_list;
mod options;
mod partial_success;
mod post;
mod queue;
mod report;
mod run_spans;
mod sender;
mod shared_state;
mod variables;

pub use error::{Error, ErrorKind};
pub use exporter::Exporter;
pub use options::{ExportTarget, Options, OtlpEncoding};
pub use report::ExportReport;
pub use sender::send_spans;
// The types of silcrow-otlp that public functions name.
pub use silcrow_otlp::{Attribute, RequestFacts, Resource, SemanticVocabulary, TraceSpan};
