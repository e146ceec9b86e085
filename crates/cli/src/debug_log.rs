//! Writes the log of silcrow's crates for people who debug their own agent, by `SILCROW_LOG`.
//!
//! Only silcrow's own spans and events are shown, which have no contents. Events of the libraries
//! below might have headers with keys.

use std::io;
use std::path::Path;
use std::sync::Mutex;

use silcrow_sanitize::sanitize_line;
use silcrow_settings::owned;
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::{SubscriberInitExt as _, TryInitError};
use tracing_subscriber::{EnvFilter, fmt, registry};

use crate::environment::set;
use crate::failure::Failure;

/// Begins to write the log, if the environment asks for it. `has_screen` says whether the command
/// draws on the terminal to which standard error goes.
pub(crate) fn start(has_screen: bool) -> Result<(), Failure> {
    let Some(words) = set(FILTER) else { return Ok(()) };
    let filter = EnvFilter::builder().parse(&words).map_err(|error| {
        let error = sanitize_line(&error.to_string()).into_owned();
        Failure::given(format!(
            "{FILTER} cannot be read: {error}; write a level, such as debug, or levels of crates, \
             such as info,silcrow_exec=trace"
        ))
    })?;
    let shown = filter.and(filter_fn(|about| about.target().starts_with("silcrow")));
    let lines = fmt::layer().with_ansi(false);
    let begun = match set(FILE) {
        Some(file) => {
            let opened = owned::append(Path::new(&file)).map_err(|error| {
                Failure::given(format!("cannot write to {file} ({FILE}): {error}"))
            })?;
            let lines = lines.with_writer(Mutex::new(opened.file)).with_filter(shown);
            registry().with(lines).try_init()
        }
        None if has_screen => {
            return Err(Failure::given(format!(
                "{FILTER} would write over the screen: set {FILE} to a file, or add 2> FILE"
            )));
        }
        None => registry().with(lines.with_writer(io::stderr).with_filter(shown)).try_init(),
    };
    begun.map_err(|error: TryInitError| Failure::running(format!("{FILTER}: {error}")))
}

/// The variable with the filter, in the form of `RUST_LOG`.
const FILTER: &str = "SILCROW_LOG";

/// The variable with the file to which it is appended.
const FILE: &str = "SILCROW_LOG_FILE";
