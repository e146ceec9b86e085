use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Deserialize;

use crate::cancel::Cancel;

/// Something that a model may call.
pub trait Tool: Send + Sync {
    /// As the model writes it. Unique in a toolbox.
    fn name(&self) -> &str;

    /// What it does, for the model: a sentence or two.
    fn description(&self) -> &str;

    /// The JSON schema of its arguments: an object.
    fn schema(&self) -> &str;

    /// How the runner treats it.
    fn policy(&self) -> Policy {
        Policy::default()
    }

    /// Does it. The future is dropped when the call is cancelled or takes too long.
    ///
    /// # Errors
    ///
    /// A [`Failure`] says to the model what was wrong and what to do instead.
    fn call<'a>(
        &'a self,
        args: Args<'a>,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Output, Failure>>;
}

/// How the runner treats a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// It changes nothing: a run that was interrupted may run it again.
    pub read_only: bool,
    /// A person is asked first.
    pub needs_approval: bool,
    /// After which the call has failed.
    pub timeout: Duration,
}

impl Default for Policy {
    /// Changes things, asks nobody, 60 seconds (P-27).
    fn default() -> Self {
        Self { read_only: false, needs_approval: false, timeout: Duration::from_secs(60) }
    }
}

/// The arguments of a call: a JSON object, the model's own bytes.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a>(&'a str);

impl<'a> Args<'a> {
    /// Arguments from JSON text.
    pub const fn new(json: &'a str) -> Self {
        Self(json)
    }

    /// The JSON text.
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// Reads them into a struct; one with `deny_unknown_fields` refuses unknown arguments by name.
    ///
    /// # Errors
    ///
    /// A failure for the model that names the field.
    pub fn read<T: Deserialize<'a>>(self) -> Result<T, Failure> {
        serde_json::from_str(self.0)
            .map_err(|error| Failure::new(format!("the arguments do not fit: {error}")))
    }
}

/// What surrounds a call.
#[derive(Clone, Debug)]
pub struct Context {
    /// The conversation's id.
    pub conversation: String,
    /// The call's id, unique within its turn.
    pub call: String,
    /// Triggered when the call is to stop.
    pub cancel: Cancel,
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// A few words for a person, such as `12 entries`.
    pub summary: String,
    /// What the model reads.
    pub content: String,
}

impl Output {
    /// An output.
    pub fn new(summary: impl Into<String>, content: impl Into<String>) -> Self {
        Self { summary: summary.into(), content: content.into() }
    }
}

/// Why a call did not do what was asked, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// A failure: what was wrong, and what to do instead.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}
