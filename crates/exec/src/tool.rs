//! The trait of tools, their policy and preview, their arguments and their output.
//!
//! This module knows no tool. `silcrow-tools` has those for files; a program implements [`Tool`]
//! for its own and adds them to a [`Toolbox`](crate::Toolbox).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_event::{Content, Truncation};

use crate::context::CallContext;

/// Something that a model may call.
pub trait Tool: Send + Sync {
    /// Returns the name as the model writes it, which is unique in a toolbox.
    fn name(&self) -> &str;

    /// Returns what the tool does, for the model: a sentence or two.
    fn description(&self) -> &str;

    /// Returns the JSON schema of the arguments: an object.
    fn schema(&self) -> &str;

    /// Returns how the runner treats the tool.
    fn policy(&self) -> ToolPolicy {
        ToolPolicy::default()
    }

    /// Describes what a call with these arguments would do, without doing it. The runner calls this
    /// only for calls that may need approval: before it is decided whether a person is asked, and
    /// again right before the call runs. By default the target is unknown, and an approval for the conversation covers exactly
    /// the same arguments.
    ///
    /// # Errors
    ///
    /// Returns a [`ToolError`] if the call cannot be done. The error is the call's result, and
    /// nobody is asked. A panic has the same effect.
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move { Ok(Preview::new(args.as_str())) }.boxed()
    }

    /// Runs a call. The future is dropped when the call is cancelled or takes too long.
    ///
    /// The output is in memory until it is reported. A tool whose output may be endless collects it
    /// in a [`HeadTail`](crate::HeadTail), and one that starts processes holds their
    /// [`ProcessGroup`](crate::ProcessGroup).
    ///
    /// # Errors
    ///
    /// Returns a [`ToolError`] that explains to the model what was wrong and what to do instead.
    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;
}

impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn description(&self) -> &str {
        (**self).description()
    }

    fn schema(&self) -> &str {
        (**self).schema()
    }

    fn policy(&self) -> ToolPolicy {
        (**self).policy()
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        (**self).preview(args, context)
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (**self).call(args, context)
    }
}

/// The way in which the runner treats a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tools name what they change and take the rest")]
pub struct ToolPolicy {
    /// Whether the tool changes nothing on this machine. Unless it sends something out, its calls
    /// may start before their execution point (P-23), and an interrupted run may repeat them
    /// (P-28).
    pub read_only: bool,
    /// Whether the tool sends something to other machines, as even the address of a page does. Its
    /// calls never start before their execution point, and no run repeats them by itself.
    pub sends_out: bool,
    /// Whether two calls have the effect of one, so that an interrupted run may repeat a call
    /// (P-28).
    pub idempotent: bool,
    /// Which calls need approval, where no [`Permissions`](crate::Permissions) decide.
    pub approval: ApprovalNeed,
    /// The time limit of an attempt, unless the model sets one.
    pub timeout: Duration,
    /// The time after which an attempt without progress fails.
    pub idle_timeout: Option<Duration>,
    /// The length of the text that the model reads of one call, in bytes, if it is less than the
    /// runner's cap.
    pub output_cap: Option<usize>,
    /// The number of attempts after the first, where the model does not say how many.
    pub retries: u32,
}

impl ToolPolicy {
    /// Returns whether a call may be made again by itself: it changes nothing, or two calls have
    /// the effect of one, it sends nothing out, and not every call needs approval.
    pub const fn is_repeatable(&self) -> bool {
        (self.read_only || self.idempotent)
            && !self.sends_out
            && !matches!(self.approval, ApprovalNeed::Always)
    }

    /// Returns whether a call may start before its execution point (P-23): it changes nothing and
    /// sends nothing out.
    pub const fn may_start_early(&self) -> bool {
        self.read_only && !self.sends_out
    }
}

impl Default for ToolPolicy {
    /// Returns the policy of a tool that changes things and needs no approval, with a timeout of 60
    /// seconds and no retries (P-27).
    fn default() -> Self {
        Self {
            read_only: false,
            sends_out: false,
            idempotent: false,
            approval: ApprovalNeed::Never,
            timeout: Duration::from_secs(60),
            idle_timeout: None,
            output_cap: None,
            retries: 0,
        }
    }
}

/// Which calls of a tool need approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is none, some or all")]
pub enum ApprovalNeed {
    /// No call. No call is previewed either.
    #[default]
    Never,
    /// A call whose preview has a [risk](Preview::risk).
    IfRisky,
    /// Each call.
    Always,
}

/// The arguments of a call: a JSON object in the model's own bytes.
#[derive(Clone, Copy, Debug)]
pub struct ToolArgs<'a>(&'a str);

impl<'a> ToolArgs<'a> {
    /// Wraps JSON text.
    pub const fn new(json: &'a str) -> Self {
        Self(json)
    }

    /// Returns the JSON text.
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// Reads the arguments into a struct. With `deny_unknown_fields` it rejects unknown arguments
    /// by name.
    ///
    /// # Errors
    ///
    /// Returns a failure for the model that names the field.
    pub fn read<T: Deserialize<'a>>(self) -> Result<T, ToolError> {
        serde_json::from_str(self.0)
            .map_err(|error| ToolError::new(format!("the arguments do not fit: {error}")))
    }
}

/// A description of what a call would do, for the person who is asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preview {
    /// The thing that the call acts on, resolved: a path within the root without links and `..`, or
    /// a command with the folder that it runs in. `None` if the arguments say everything. It is
    /// stored with the approval, and the call does not run if its target has changed by then.
    pub target: Option<String>,
    /// The effect on the target as that is now, in a few words for a person, such as
    /// `replaces 5 bytes with 7`. Calls that run meanwhile may change it.
    pub effect: Option<String>,
    /// The scope of an approval for the whole conversation: it covers all calls of the tool with
    /// the same scope.
    pub scope: String,
    /// The reason why this call needs a person's own yes, which no approval for the conversation
    /// and no rule for the tool replaces, such as `it belongs to git, which runs commands that it
    /// names`. A tool that does something risky compares it with what was
    /// [approved](CallContext::approved) when it acts.
    pub risk: Option<String>,
}

impl Preview {
    /// Creates the preview of a call whose target is unknown.
    pub fn new(scope: impl Into<String>) -> Self {
        Self { target: None, effect: None, scope: scope.into(), risk: None }
    }

    /// Sets what the call acts on.
    #[must_use]
    pub fn with_target(self, target: impl Into<String>) -> Self {
        Self { target: Some(target.into()), ..self }
    }

    /// Sets the reason why this call needs a person's own yes.
    #[must_use]
    pub fn with_risk(self, risk: impl Into<String>) -> Self {
        Self { risk: Some(risk.into()), ..self }
    }

    /// Sets what the call would do to its target.
    #[must_use]
    pub fn with_effect(self, effect: impl Into<String>) -> Self {
        Self { effect: Some(effect.into()), ..self }
    }
}

/// The output of a call.
///
/// The content is what was read or found, and contains no remarks of the tool, because a file could
/// contain the same words. Remarks have fields of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// A few words for a person, such as `12 entries`.
    pub summary: String,
    /// The content that the model reads. If something is left out, this is the part before it.
    pub content: Content,
    /// The remarks of the tool about the content, such as that nothing was found. The model reads
    /// at most 4 KiB of them.
    pub notices: Vec<String>,
    /// A description of the part that is left out of the content, if any is.
    pub truncated: Option<Truncation>,
}

impl ToolOutput {
    /// Creates a complete output.
    pub fn new(summary: impl Into<String>, content: impl Into<Content>) -> Self {
        let (summary, content) = (summary.into(), content.into());
        Self { summary, content, notices: Vec::new(), truncated: None }
    }

    /// Adds a remark of the tool's own.
    #[must_use]
    pub fn with_notice(mut self, notice: impl Into<String>) -> Self {
        self.notices.push(notice.into());
        self
    }

    /// Sets what is left out of the content.
    #[must_use]
    pub fn with_truncation(self, truncated: impl Into<Option<Truncation>>) -> Self {
        Self { truncated: truncated.into(), ..self }
    }
}

/// The failure of a call, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    words: String,
    /// Whether the call waits for answers to questions of calls inside it.
    is_parked: bool,
}

impl ToolError {
    /// Creates a failure: what was wrong, and what to do instead.
    pub fn new(why: impl Into<String>) -> Self {
        Self { words: why.into(), is_parked: false }
    }

    /// Creates the end of an attempt whose call waits for answers to questions of calls inside it,
    /// as that of an agent may. The call gets no result: its run [parks](crate::Runner::is_parked),
    /// and a later run continues it ([`Scope::is_repeated`](crate::Scope::is_repeated)). An attempt
    /// that no runner drives fails with these words.
    pub fn parked(why: impl Into<String>) -> Self {
        Self { words: why.into(), is_parked: true }
    }

    /// Returns whether the call waits for answers.
    pub(crate) const fn is_parked(&self) -> bool {
        self.is_parked
    }

    /// Returns the words, of any length.
    pub(crate) fn into_words(self) -> String {
        self.words
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for ToolError {}
