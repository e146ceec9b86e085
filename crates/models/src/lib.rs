//! Opens a model by its name, with keys from variables, files and commands.
//!
//! Given a name such as `openai:gpt-5.1`, `anthropic:claude-sonnet-4-5` or
//! `compatible:http://127.0.0.1:8080/v1#gemma3`, this crate returns a
//! [`Provider`](silcrow_provider::Provider) that retries, respects rate limits, rotates keys and
//! never shows one. [`Models`] has the table of names.
//!
//! ```toml
//! [dependencies]
//! futures-util = "0.3"
//! silcrow-event = "0.1"
//! silcrow-models = "0.1"
//! silcrow-provider = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use futures_util::StreamExt as _;
//! use silcrow_event::{Message, Role};
//! use silcrow_models::{Environment, ModelOptions, Models};
//! use silcrow_provider::{Delta, Request};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("silcrow-models-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let script = folder.join("answers.txt");
//! # std::fs::write(&script, "Rain in the morning.")?;
//! # let written = format!("script:{}", script.display());
//!     // The name comes from a flag or a file of settings.
//!     let name = "script:answers.txt";
//! # let name = &*written;
//!     let options = ModelOptions::read(Environment::process())?.with_chosen(name);
//!     let model = Models::new(options).open(name)?;
//!
//!     let question = Message::new(Role::User, "What will the weather be?");
//!     let mut deltas = model.stream(Request::new(vec![question]));
//!     let mut answer = String::new();
//!     while let Some(delta) = deltas.next().await {
//!         if let Delta::Text(text) = delta? {
//!             answer += &text;
//!         }
//!     }
//!     println!("{answer}");
//! # assert_eq!(answer, "Rain in the morning.");
//! # std::fs::remove_dir_all(&folder)?;
//!     Ok(())
//! }
//! ```
//!
//! ```text
//! name ─► Models ─► keys ─► model of a vendor ─► rate limit ─► retries ─► masked errors
//!                    ▲
//!   variable, file or command, read again when a key is rejected
//! ```
//!
//! The crate also answers questions about models: [`ModelSource`] lists the models of each key,
//! [`ListedWindow`] asks a server for an unknown window, [`has_sampling_field`] says which sampling
//! values a model accepts, and [`FoundKey`] suggests a first model.
//! [`known_window`](silcrow_vendors::known_window) has the windows of well-known models.
//!
//! A key is sent only to its own server. Headers, extra fields and keys without a host belong to
//! the server of [`ModelOptions::chosen`], so a file that names another server gets none of them.
//!
//! This crate reads no settings or arguments, writes nothing to a terminal or disk, and does not
//! choose a model; the caller does. `silcrow-vendors` makes the requests. It does not interpret the
//! text of answers.

mod by_key;
mod closest;
mod error;
mod found_key;
mod key_place;
mod key_renewal;
mod keys;
mod limits;
mod listed_window;
mod listing;
mod models;
mod name;
mod options;
mod proxy;
mod sampling;
mod secret_command;
mod server_key;
mod server_settings;
mod sources;
mod text_file;

pub use error::{Error, ErrorKind};
pub use found_key::FoundKey;
pub use limits::RequestLimits;
pub use listed_window::{ListedWindow, WindowMemory};
pub use models::Models;
pub use name::{REHEARSAL, is_rehearsal, label, server};
pub use options::{KeyCommand, ModelOptions};
pub use proxy::{NamedProxy, ProxyOptions};
pub use sampling::has_sampling_field;
pub use secret_command::SecretCommand;
pub use server_key::server_key;
pub use silcrow_environment::Environment;
pub use sources::{ModelSource, SourceAnswer};
