//! Input that is piped beside a prompt.
//!
//! A regular file or a device is read at once. A pipe or a socket may be one that the process
//! inherited and that nobody writes or closes, so its first byte has a time to arrive; after that
//! byte, or if the person named standard input, everything is read until the end.
//!
//! ```text
//! waiting for the first byte ─ it arrives ─► reading ─ the end ─► the text
//!             └─ nothing arrives in time ─► the run continues without it
//! ```
//!
//! Ctrl-C ends the process meanwhile, because nothing handles signals yet.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::time::Duration;

use silcrow_console::quantity::size;
use silcrow_session::prompt::{AttachedSource, Attachment, MOST_BYTES, is_medium, text};

use crate::failure::Failure;
use crate::input::unreadable;
use crate::system::{is_ready, may_stay_open, standard_input};

/// The contents of standard input.
pub(super) enum PipedInput {
    Nothing,
    /// Nothing arrived in time; the line says so.
    Silent(String),
    Text(Attachment),
}

/// Reads the piped input. `waits` is whether the person named standard input, so that its first
/// byte has all the time it needs.
pub(super) fn read(waits: bool) -> Result<PipedInput, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() && !waits {
        return Ok(PipedInput::Nothing);
    }
    let failed = |error: io::Error| unreadable(NAME, &error);
    let mut input = standard_input().map_err(failed)?;
    let may_stay_open = may_stay_open(input.metadata().map_err(failed)?.file_type());
    let mut bytes = Vec::new();
    let mut has_said = false;
    let mut buffer = [0; 8192];
    loop {
        if !has_said && !is_ready(&input, SECOND).map_err(failed)? {
            has_said = true;
            // If stderr is closed, the notice is lost.
            let _ = writeln!(
                io::stderr(),
                "silcrow: waiting for the end of {NAME}; Ctrl-D ends it, < /dev/null gives none"
            );
            let limited = may_stay_open && !waits && bytes.is_empty();
            if limited && !is_ready(&input, PATIENCE - SECOND).map_err(failed)? {
                return Ok(PipedInput::Silent(format!(
                    "nothing came from {NAME} in {} seconds, so the run continues without it; \
                     --file - waits for it",
                    PATIENCE.as_secs(),
                )));
            }
        }
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => bytes.extend_from_slice(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                is_ready(&input, SECOND).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
        }
        // A picture or a document may be larger; an error about the size names the kind.
        let most = if is_medium(&bytes) { MOST_OF_MEDIUM } else { MOST_BYTES };
        if bytes.len() > most {
            return Err(Failure::given(format!(
                "{NAME} has more than {}, which is the most beside a prompt; keep it in a file, and \
                 let the agent read that with its tools",
                size(most),
            )));
        }
    }
    if bytes.is_empty() {
        return Ok(PipedInput::Nothing);
    }
    let what = AttachedSource::Input;
    if let Some(medium) = Attachment::of_medium(&bytes, NAME, what)? {
        return Ok(PipedInput::Text(medium));
    }
    let (name, text) = (NAME.to_owned(), text(bytes, NAME)?);
    Ok(PipedInput::Text(Attachment { name, what, text, medium: None }))
}

const NAME: &str = "standard input";

/// The number of bytes of a picture or a document at most.
const MOST_OF_MEDIUM: usize = 20 << 20;

const SECOND: Duration = Duration::from_secs(1);

/// The time in which the first byte of a pipe arrives.
const PATIENCE: Duration = Duration::from_secs(5);
