//! Serves agents over HTTP: runs that outlive their readers, streams that resume, questions and
//! answers.
//!
//! ```toml
//! [dependencies]
//! silcrow-agent = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-server = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "net", "rt"] }
//! ```
//!
//! ```
//! use std::sync::Arc;
//!
//! use silcrow_agent::Agent;
//! use silcrow_provider::ScriptedModel;
//! use silcrow_server::{AccessToken, CancellationToken, RunPlace, Server, ServerUser};
//! use silcrow_store::MemoryStore;
//! use tokio::net::TcpListener;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let store = Arc::new(MemoryStore::new());
//!     let model = ScriptedModel::parse("§respond: Hello.\n§end", 1);
//!     let agent = Agent::new(model, Arc::clone(&store));
//!     let token = AccessToken::random().unwrap();
//!     let server = Server::new(store, move |_: &RunPlace| agent.clone())
//!         .with_token(token, ServerUser::default());
//!
//!     let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
//!     let stop = CancellationToken::new();
//! # stop.cancel();
//!     server.serve(listener, stop).await;
//! }
//! ```
//!
//! A run is a task of the server, which readers can neither delay nor end. Readers may come and go:
//! missed messages are in the log, or in a ring of the latest messages:
//!
//! ```text
//!                 ┌─► store: the log ──────────────┐
//! agent ─► run ───┤                                ├─► reader: stored events, then live ones
//!                 └─► ring of messages ─► live ────┘
//! ```
//!
//! A page for browsers is served at `/`, with conversations, streaming transcripts, questions, and
//! a timeline of calls. [`Options::page`] turns it off.
//!
//! # In your own program
//!
//! [`Server::router`] returns the endpoints as an axum router, and [`Server::with_authenticator`]
//! lets your program identify the user of a request:
//!
//! ```
//! use std::sync::Arc;
//!
//! use axum::Router;
//! use axum::routing::get;
//! use silcrow_agent::Agent;
//! use silcrow_provider::ScriptedModel;
//! use silcrow_server::{RunPlace, Server, ServerUser};
//! use silcrow_store::MemoryStore;
//!
//! let store = Arc::new(MemoryStore::new());
//! let agent = Agent::new(ScriptedModel::parse("", 1), Arc::clone(&store));
//! let server = Server::new(store, move |_: &RunPlace| agent.clone())
//!     .with_authenticator(|request| {
//!         let name = request.headers.get("x-user")?.to_str().ok()?.to_owned();
//!         Some(ServerUser { name: Some(name) })
//!     });
//! let app: Router = Router::new()
//!     .route("/", get(|| async { "my program" }))
//!     .nest("/agent", server.router());
//! ```
//!
//! An [`AgentSource`] makes the agent for each user and conversation. [`ServedRun::encode`] sends a
//! run through any [`RunEncoder`](silcrow_front::RunEncoder), so you can mount other protocols
//! beside these endpoints, which `GET /openapi.json` describes.
//!
//! An [`EncodedRun`] needs no server at all: it streams an agent's run as the response of your own
//! handler, from the first event to the final frames.
//!
//! Three examples are complete programs: `ag_ui` serves an agent over AG-UI in 30 lines, `mounted`
//! adds the endpoints to another program, and `handler` runs an agent in an axum handler.
//!
//! # Other front ends
//!
//! | clients | address |
//! |---|---|
//! | the Vercel AI SDK: `useChat` and its like | `/api/chat` |
//! | AG-UI: `HttpAgent` and its like | `/ag-ui` |
//! | OpenAI's Chat Completions: Open WebUI and many others | `/v1/chat/completions` |
//! | OpenAI's Responses: OpenAI's own clients | `/v1/responses` |
//!
//! # What it does not do
//!
//! - It has no TLS; put a proxy in front of it.
//! - It keeps data only in the store, so the contents of a ring are lost with the process. Several
//!   servers of one store read each other's runs ([`Server::with_peers`]) and continue waiting runs
//!   ([`Server::work_off`]); the streams between them are not encrypted.
//! - It does not ask models or decide about calls; the agent does.

mod attached_files;
mod auth;
mod bodies;
mod branches;
mod caller_text;
mod choices;
mod client_tools;
mod connection_fate;
mod conversations;
mod disconnect;
mod elsewhere;
mod encoded_run;
mod ended_sessions;
mod error;
mod faces;
mod follow;
mod forms;
mod gate;
mod http_peers;
mod journal;
mod journal_watch;
mod live_run;
mod meters;
mod mirror;
mod options;
mod page;
mod path_id;
mod patient_socket;
mod peers;
mod position;
mod prompt_files;
mod question_links;
mod random;
mod routes;
mod run_caller;
mod run_encoding;
mod run_queue;
mod run_reader;
mod runs;
mod seen_logs;
mod serve;
mod served_run;
mod server;
mod source;
mod sse;
mod stored_end;
mod takeover;
mod waiting_logs;
mod work;
mod work_queue;

pub use auth::{AccessToken, ServerUser};
pub use encoded_run::{EncodedRun, run_end};
pub use error::{Error, ErrorKind};
pub use forms::{FormAnswer, FormDesk};
pub use http_peers::HttpPeers;
pub use live_run::RunOutput;
pub use options::Options;
pub use peers::{PeerAnswer, PeerTransport};
pub use served_run::ServedRun;
pub use server::Server;
pub use silcrow_tool::CancellationToken;
pub use source::{AgentSource, ChoiceValue, PreparedAgent, RunChoice, RunPlace};
pub use work::TakenAnswers;
