//! Connects to the models of vendors, over HTTP and WebSockets.
//!
//! A [`Model`] speaks the [`Api`] of a vendor. Each API has an alias: [`Chat`] for OpenAI's Chat
//! Completions and every server that speaks it, such as llama.cpp, Ollama and vLLM; [`Responses`]
//! and [`Realtime`] for OpenAI's other APIs; [`Messages`] for Anthropic's; [`Gemini`],
//! [`Interactions`] and [`Live`] for Google's.
//!
//! ```toml
//! [dependencies]
//! futures-util = "0.3"
//! silcrow-event = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-vendors = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use futures_util::StreamExt as _;
//! use silcrow_event::{Message, Role};
//! use silcrow_provider::{Delta, Provider as _, Request};
//! use silcrow_vendors::Chat;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), silcrow_provider::Error> {
//! # use std::io::{Read as _, Write as _};
//! # let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
//! # let served = format!("http://{}", server.local_addr().unwrap());
//! # std::thread::spawn(move || {
//! #     let (mut socket, _) = server.accept().unwrap();
//! #     socket.read(&mut [0; 4096]).unwrap();
//! #     let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
//! #     let text = r#"{"choices":[{"delta":{"content":"§end"},"finish_reason":"stop"}]}"#;
//! #     write!(socket, "{head}data: {text}\n\ndata: [DONE]\n\n").unwrap();
//! # });
//!     let url = "http://127.0.0.1:8080/v1";
//! # let url = &*served;
//!     let model = Chat::compatible(url, "gemma3", None)?;
//!     let mut deltas = model.stream(Request::new(vec![Message::new(Role::User, "hi")]));
//!     let (mut text, mut end) = (String::new(), None);
//!     while let Some(delta) = deltas.next().await {
//!         match delta? {
//!             Delta::Text(piece) => text += &piece,
//!             Delta::Done(reason) => end = Some(reason),
//!             _ => {}
//!         }
//!     }
//!     println!("{text} ({end:?})");
//! # assert_eq!((&*text, end), ("§end", Some(silcrow_provider::FinishReason::Stop)));
//!     Ok(())
//! }
//! ```
//!
//! ```text
//! socket ─ http ─▶ bytes ─ sse ─▶ data ─ an API's reader ─▶ Delta ─ limit ─▶ agent
//! socket ─ ws ─▶ texts ─ an API's protocol ─▶ Delta ─ session ─▶ agent, and back
//! ```
//!
//! An answer is complete once its finish reason has arrived; otherwise it was cut off, however
//! cleanly the connection ended. Every error says who failed and what to do next, and no error
//! shows a key. Keys are sent only over https or to this machine, unless plain HTTP is allowed.
//!
//! This crate does not retry ([`Retry`](silcrow_provider::Retry) does), read environment variables,
//! follow redirects, or use a proxy that it was not given. It does not interpret the text of
//! answers.
//!
//! [`Api`] is sealed, so a new API is a module of this crate, like `messages`: a type that implements
//! the private trait `Adapter` and then [`Api`], an encoder of requests, and a reader of answers. A
//! model in another crate implements [`Provider`](silcrow_provider::Provider) instead. A server that
//! speaks Chat Completions needs no code: use [`Chat::compatible`](Model::compatible).

mod answer;
mod body;
mod body_list;
mod cache;
mod calls;
mod catalog;
mod chat;
mod ends;
mod error;
mod fault;
mod fields;
mod gemini;
mod headers;
mod host;
mod http;
mod instructions;
mod interactions;
mod key;
mod known_model;
mod lenient;
mod listed_limits;
mod listed_model;
mod live;
mod media_parts;
mod messages;
mod model;
mod protocol;
mod proxy;
mod reader;
mod realtime;
mod responses;
mod retry_advice;
mod schema;
mod session;
mod status;
mod text;
mod thoughts;
mod timeouts;
mod too_long;
mod url;
mod usage;
mod written;
mod ws;

pub use chat::{Chat, ChatApi, GrammarServer, OutputGrammar};
pub use gemini::{Gemini, GeminiApi};
pub use headers::is_secret_header;
pub use host::authority;
pub use interactions::{Interactions, InteractionsApi};
pub use key::ApiKey;
pub use known_model::{KNOWN_MODELS_DATE, KnownModel, KnownPrice, known_model, known_window};
pub use listed_limits::ListedLimits;
pub use listed_model::ListedModel;
pub use live::{Live, LiveApi};
pub use messages::{AnthropicVersion, Messages, MessagesApi};
pub use model::{Api, Model, SamplingApi};
pub use proxy::Proxy;
pub use realtime::{Realtime, RealtimeApi};
pub use responses::{Responses, ResponsesApi};
pub use thoughts::InlineReasoning;
pub use timeouts::Timeouts;
