//! The failure of a command: its message and its exit code.

use std::io::{self, Write as _};
use std::process::ExitCode;

use silcrow_event::{ErrorEvent, ErrorOrigin, Event};
use silcrow_sanitize::{mask_key_shapes, sanitize};
use silcrow_settings::{ErrorKind, known_secrets};

/// The failure of a command, which becomes one line on stderr and an exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: u8,
    /// The message. If it is empty, nothing is printed.
    message: String,
    /// A code for programs to compare.
    code: &'static str,
    /// Whether another attempt may help.
    retry: bool,
}

impl Failure {
    /// Creates a failure while running, with exit code 1.
    pub(crate) fn running(message: impl Into<String>) -> Self {
        Self { exit: 1, message: message.into(), code: "failed", retry: false }
    }

    /// Creates a failure because of wrong arguments or input, with exit code 2.
    pub(crate) fn given(message: impl Into<String>) -> Self {
        Self { exit: WRONG, message: message.into(), code: "usage", retry: false }
    }

    /// Creates the failure of a run that waits for answers, with exit code 3.
    pub(crate) fn waiting(message: impl Into<String>) -> Self {
        Self { exit: WAITING, message: message.into(), code: "waiting", retry: false }
    }

    /// Creates the failure of a run that answered although calls were denied, with exit code 4.
    pub(crate) fn denied(message: impl Into<String>) -> Self {
        Self { exit: DENIED, message: message.into(), code: "denied", retry: false }
    }

    /// Returns the exit code.
    pub(crate) const fn exit(&self) -> u8 {
        self.exit
    }

    /// Creates the failure of a command that a signal stopped, such as Ctrl-C.
    pub(crate) const fn interrupted(signal: u8) -> Self {
        let exit = Self::exit_of_signal(signal);
        Self { exit, message: String::new(), code: "interrupted", retry: false }
    }

    /// Returns the exit code for a signal, which is 130 for Ctrl-C.
    pub(crate) const fn exit_of_signal(signal: u8) -> u8 {
        128 + signal
    }

    /// Adds the person's next step.
    pub(crate) fn with_way_on(self, way: &str) -> Self {
        Self { message: self.message + way, ..self }
    }

    /// Adds another fault, which may be the reason, so the arguments may be right.
    pub(crate) fn besides(self, what: &str) -> Self {
        let exit = if self.exit == WRONG { 1 } else { self.exit };
        let message = match self.message.is_empty() {
            true => what.to_owned(),
            false => format!("{}; besides, {what}", self.message),
        };
        Self { exit, message, ..self }
    }

    pub(crate) const fn code(&self) -> &'static str {
        self.code
    }

    /// Replaces the code for programs.
    pub(crate) fn named(self, code: &'static str, retry: bool) -> Self {
        Self { code, retry, ..self }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the event that reports the failure to programs, if it has a message. A run that waits
    /// or that answered has not failed, and its last event says so.
    pub(crate) fn to_event(&self) -> Option<Event> {
        let fault = ErrorEvent {
            code: self.code.to_owned(),
            content: self.shown(),
            origin: ErrorOrigin::Caller,
            retry: self.retry,
            at: None,
        };
        let is_failure = !self.message.is_empty() && ![WAITING, DENIED].contains(&self.exit);
        is_failure.then_some(Event::Error(fault))
    }

    /// Returns the message without secrets. A setting that a message quotes may hold one by mistake.
    fn shown(&self) -> String {
        mask_key_shapes(&known_secrets().mask(&self.message)).into_owned()
    }

    pub(crate) fn report(&self) -> ExitCode {
        if !self.message.is_empty() {
            let line = sanitize(&self.shown()).replace('\n', " ");
            // If stderr is closed, the failure cannot be reported.
            let _ = writeln!(io::stderr(), "silcrow: {line}");
        }
        ExitCode::from(self.exit)
    }
}

/// Converts an error of settings. Every error but a failed operation is the fault of an argument or
/// a setting.
impl From<silcrow_settings::Error> for Failure {
    fn from(error: silcrow_settings::Error) -> Self {
        match error.kind() {
            ErrorKind::Failed => Self::running(error.to_string()),
            kind @ (ErrorKind::InvalidPolicy | ErrorKind::Widens) => {
                Self::given(error.to_string()).named(kind.as_str(), error.is_retryable())
            }
            _ => Self::given(error.to_string()),
        }
    }
}

/// Converts an error of a session. Scripts compare these codes.
impl From<silcrow_session::Error> for Failure {
    fn from(error: silcrow_session::Error) -> Self {
        use silcrow_session::ErrorKind as Kind;
        use silcrow_settings::ErrorKind as Settings;
        let failure = match error.is_callers_fault() {
            true => Self::given(error.message()),
            false => Self::running(error.message()),
        };
        match error.kind() {
            Kind::Active => failure.named("active", true),
            Kind::Untrusted => failure.named("untrusted_manifest", false),
            kind @ (Kind::Store(_)
            | Kind::Policy(_)
            | Kind::Agent(_)
            | Kind::Telemetry(_)
            | Kind::Settings(Settings::InvalidPolicy | Settings::Widens)) => {
                failure.named(kind.as_str(), error.is_retryable())
            }
            _ => failure,
        }
    }
}

/// Converts an error of a session with a person.
impl From<silcrow_interactive::Error> for Failure {
    fn from(error: silcrow_interactive::Error) -> Self {
        error.into_session().map_or_else(Self::interrupted, Self::from)
    }
}

/// The exit code for wrong arguments or input.
const WRONG: u8 = 2;

/// The exit code of a run that waits for answers.
const WAITING: u8 = 3;

/// The exit code of a run that answered although calls were denied.
const DENIED: u8 = 4;

/// Converts the outcome of writing output. A closed pipe is not a failure, so that `silcrow … |
/// head` succeeds.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::running(format!("cannot write the output: {error}"))),
        Ok(()) => Ok(()),
    }
}
