//! The interface between an agent and a model: a model streams an answer to a list of messages.
//!
//! ```toml
//! [dependencies]
//! futures-util = "0.3"
//! silcrow-event = "0.1"
//! silcrow-provider = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use futures_util::{StreamExt as _, stream};
//! use silcrow_event::Message;
//! use silcrow_provider::{
//!     Delta, DeltaStream, Error, FinishReason, OpeningSession, Provider, Request,
//! };
//!
//! /// A model that repeats the last message.
//! struct Echo;
//!
//! impl Provider for Echo {
//!     fn name(&self) -> &str {
//!         "echo"
//!     }
//!
//!     fn stream(&self, request: Request) -> DeltaStream {
//!         let last = request.messages.last().map_or_else(String::new, |last| last.text().into());
//!         stream::iter([Ok(Delta::Text(last)), Ok(Delta::Done(FinishReason::Stop))]).boxed()
//!     }
//!
//!     fn connect(&self, _: Request) -> Option<OpeningSession> {
//!         None
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Error> {
//!     let mut deltas = Echo.stream(Request::new(vec![Message::user("hi")]));
//!     let mut text = String::new();
//!     while let Some(delta) = deltas.next().await {
//!         if let Delta::Text(piece) = delta? {
//!             text.push_str(&piece);
//!         }
//!     }
//!     assert_eq!(text, "hi");
//!     Ok(())
//! }
//! ```
//!
//! To add a model, implement [`Provider`]. Your crate depends on this one, on `silcrow-event`, and
//! on `futures-util` for boxed streams and futures. These parts help: [`sse`] decodes server-sent
//! events, [`limit_silence`] ends an answer that falls silent, [`add_sent_bytes`] reports the bytes
//! of requests, and [`Estimate`] estimates tokens ([`MessageEstimates`] for requests that repeat
//! messages). Any HTTP client will do; `silcrow-http-client` makes one that is careful with keys.
//! This crate has no decoder for JSON lines, and no conformance suite for providers.
//!
//! Pass your model to `Agent::new`. The option `--model`, settings and manifests open only the models
//! that `silcrow-models` lists, so another one needs a contribution there.
//!
//! Wrappers add what every model needs. This one repeats failed requests, and its answers are
//! recorded for a test:
//!
//! ```
//! use std::time::Duration;
//!
//! use futures_util::StreamExt as _;
//! use silcrow_event::Message;
//! use silcrow_provider::record::{Record, Replay, Secrets};
//! use silcrow_provider::{Error, Provider as _, Request, Retry, RetryPolicy};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Error> {
//!     // A model that is busy at first. Its answers come from a recording, too.
//!     let request = r#"{"streaming":true,"messages":[{"role":"user","content":"hi"}]}"#;
//!     let busy = r#"[{"error":{"code":"overload","message":"try again later"}}]"#;
//!     let lines = [busy, r#"[{"text":"§end"},{"done":"stop"}]"#]
//!         .map(|answer| format!(r#"{{"request":{request},"answer":{answer}}}"#));
//!     let model = Replay::parse(&lines.join("\n"), Secrets::default())?;
//!
//!     let (reader, file) = std::io::pipe().unwrap();
//!     let policy = RetryPolicy::default().with_pause(Duration::ZERO);
//!     let model = Record::new(Retry::new(model).with_policy(policy), file, Secrets::default());
//!     let request = Request::new(vec![Message::user("hi")]);
//!     let answer = model.stream(request).collect::<Vec<_>>().await;
//!     assert!(answer.iter().all(Result::is_ok));
//!     drop(model);
//!     // The recording has one answer, and nothing of the failure.
//!     assert_eq!(std::io::read_to_string(reader).unwrap(), format!("{}\n", lines[1]));
//!     Ok(())
//! }
//! ```
//!
//! Six wrappers work with every provider: [`KeyRotation`] tries several keys, [`Renewed`] makes a
//! model again when its keys change, [`RateLimited`] limits the rate of requests, [`Retry`] repeats
//! failed requests, [`MaskedErrors`] removes secrets from errors, and [`record`] records answers and
//! replays them. Nest them in this order, with `KeyRotation` innermost: then a repeated request
//! waits for the rate limit too, and an answer is recorded only once. [`Provider`] has no default
//! methods, so that a wrapper cannot forget to forward one. [`ScriptedModel`] is a provider for tests
//! and demonstrations.
//!
//! A model may also offer a [`Session`]: a connection that keeps the conversation, so that only new
//! messages are sent.
//!
//! This crate opens no sockets and runs no tools. `silcrow-vendors` has the models of vendors.

mod delta;
mod error;
mod estimate;
mod key_rotation;
mod masked_errors;
mod message_estimates;
mod provider;
mod rate_limit;
pub mod record;
mod renewed;
mod retry;
mod sampling;
mod scripted;
mod sent_bytes;
mod session;
mod silence;
pub mod sse;
mod tool_declaration;

pub use delta::{CallDelta, Delta, FinishReason};
pub use error::{Error, ErrorKind, UnknownErrorKind};
pub use estimate::Estimate;
pub use key_rotation::KeyRotation;
pub use masked_errors::MaskedErrors;
pub use message_estimates::MessageEstimates;
pub use provider::{Attempt, DeltaStream, Provider, Request};
pub use rate_limit::{RateLimited, RateLimiter, RateLimits};
pub use renewed::{ModelRenewal, Renewed};
pub use retry::{RequestPause, Retry, RetryPolicy, RetryWatch};
pub use sampling::{Effort, Sampling, SamplingField, ThinkingDisplay};
pub use scripted::{ScriptedModel, random_pieces};
pub use sent_bytes::add_sent_bytes;
pub use session::{OpeningSession, Session};
pub use silence::{Activity, SilenceLimits, limit_silence};
pub use tool_declaration::{ToolDeclaration, vendor_name};
