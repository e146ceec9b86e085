use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::visible::visible;

/// Why a command did not do what was asked: one line on stderr, and an exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    /// Nothing is printed where there is nothing to say.
    message: Option<String>,
}

impl Failure {
    /// 1: it failed while running.
    pub(crate) fn running(message: impl Into<String>) -> Self {
        Self { code: 1, message: Some(message.into()) }
    }

    /// 2: what was typed or given cannot be used.
    pub(crate) fn given(message: impl Into<String>) -> Self {
        Self { code: 2, message: Some(message.into()) }
    }

    /// 130: the person stopped it.
    pub(crate) const fn interrupted() -> Self {
        Self { code: 130, message: None }
    }

    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    pub(crate) const fn is_given(&self) -> bool {
        self.code == 2
    }

    pub(crate) fn report(&self) -> ExitCode {
        if let Some(message) = &self.message {
            // Nobody is left to tell if stderr is gone too.
            let _ = writeln!(io::stderr(), "silcrow: {}", visible(message).replace('\n', " "));
        }
        ExitCode::from(self.code)
    }
}

/// Output that nobody reads any more is no failure: `silcrow … | head` is fine.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::running(format!("cannot write the output: {error}"))),
        Ok(()) => Ok(()),
    }
}
