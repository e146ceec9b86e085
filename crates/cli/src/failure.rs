//! Why a command failed, and with which exit code it ends.

use std::error::Error;
use std::io::{self, Write as _};
use std::iter;
use std::process::ExitCode;

use silcrow_event::{ErrorEvent, ErrorScope, Event};
use silcrow_sanitize::sanitize;

/// Why a command did not do what was asked: one line on stderr, and an exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: u8,
    /// Nothing is printed where there is nothing to say.
    message: String,
    /// A word that programs may compare.
    code: &'static str,
    /// Whether trying again may help.
    retry: bool,
}

impl Failure {
    /// 1: it failed while running.
    pub(crate) fn running(message: impl Into<String>) -> Self {
        Self { exit: 1, message: message.into(), code: "failed", retry: false }
    }

    /// 2: what was typed or given cannot be used.
    pub(crate) fn given(message: impl Into<String>) -> Self {
        Self { exit: 2, message: message.into(), code: "usage", retry: false }
    }

    /// 130: the person stopped it.
    pub(crate) const fn interrupted() -> Self {
        Self { exit: 130, message: String::new(), code: "interrupted", retry: false }
    }

    /// The same under a word of its own.
    pub(crate) fn named(self, code: &'static str, retry: bool) -> Self {
        Self { code, retry, ..self }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The event that tells programs of it; none where there is nothing to say.
    pub(crate) fn to_event(&self) -> Option<Event> {
        let fault = ErrorEvent {
            code: self.code.to_owned(),
            content: self.message.clone(),
            scope: ErrorScope::Caller,
            retry: self.retry,
            at: None,
        };
        (!self.message.is_empty()).then_some(Event::Error(fault))
    }

    pub(crate) fn report(&self) -> ExitCode {
        if !self.message.is_empty() {
            let line = sanitize(&self.message).replace('\n', " ");
            // Nobody is left to tell if stderr is gone too.
            let _ = writeln!(io::stderr(), "silcrow: {line}");
        }
        ExitCode::from(self.exit)
    }
}

/// Returns the message of an error and those of its sources, outermost first. A source whose
/// message was in one before it is left out.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    for source in iter::successors(error.source(), |&source| source.source()) {
        let message = source.to_string();
        if !line.contains(&message) {
            line += &format!(": {message}");
        }
    }
    line
}

/// Output that nobody reads any more is no failure: `silcrow … | head` is fine.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::running(format!("cannot write the output: {error}"))),
        Ok(()) => Ok(()),
    }
}
