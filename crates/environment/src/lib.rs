//! The environment of a process as a value: its variables, the keys and other secrets in them, and
//! the words of commands that mention them.
//!
//! ```toml
//! [dependencies]
//! silcrow-environment = "0.1"
//! silcrow-sanitize = "0.1"
//! ```
//!
//! ```
//! use silcrow_environment::{Environment, expanded, printed_secrets, split_words};
//! use silcrow_sanitize::Secrets;
//!
//! fn main() -> Result<(), String> {
//!     // A program takes `Environment::process()`, and a test gives variables.
//!     let environment = Environment::from_vars([
//!         ("OPENAI_API_KEY", "sk-canary-0123"),
//!         ("FORGE_TOKEN", "canary-0123456789"),
//!         ("VAULT", "my vault"),
//!     ]);
//!
//!     // Whatever is shown or stored is masked first.
//!     let secrets = Secrets::named(environment.secrets()).following(printed_secrets());
//!     let shown = secrets.mask("the key sk-canary-0123 is wrong");
//!     assert_eq!(shown, "the key [secret OPENAI_API_KEY] is wrong");
//!
//!     // A command in a file of settings is words, and variables in them are replaced.
//!     let value = |name: &str| environment.get(name).ok_or_else(|| format!("{name} is not set"));
//!     let command = split_words("op read --vault $VAULT key").unwrap();
//!     let command: Result<Vec<_>, _> = command.iter().map(|word| expanded(word, &value)).collect();
//!     assert_eq!(command?, ["op", "read", "--vault", "my vault", "key"]);
//!     Ok(())
//! }
//! ```
//!
//! [`KEY_VARIABLES`] lists the variables that hold keys of models, and [`key_secrets`] reads them.
//! [`separate_keys`] and [`key_and_host`] parse a value, which may hold several keys and the hosts
//! they are for. [`printed_secrets`] returns secrets that came from commands and files;
//! [`add_secrets`] adds to them.
//!
//! This crate runs no commands, asks no server and keeps nothing. It reads only the key files that
//! variables ending in `_FILE` name, and never changes a variable, because other threads may be
//! reading it. Settings are in `silcrow-settings`; `silcrow-models` opens models with the keys.

mod environment;
mod expanded;
mod key_variables;
mod printed_secrets;
mod secret_header;
mod secrets;
mod words;

pub use environment::Environment;
pub use expanded::{expanded, variables_in};
pub use key_variables::{
    COMPATIBLE_KEY, KEY_VARIABLES, header_secrets, key_and_host, key_files, key_secrets,
    separate_keys,
};
pub use printed_secrets::{add_secrets, printed_secrets};
pub use secret_header::is_secret_header;
pub use secrets::is_key_name;
pub use words::{quoted_word, split_words};
