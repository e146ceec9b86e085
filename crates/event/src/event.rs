//! Events: the complete units of a conversation.
//!
//! This module defines the kinds of events, and which of them a log keeps. `write` writes them as
//! JSON, and `read.rs` reads them: a new kind is a variant of [`Event`] and a place in each of the
//! two.

use crate::approval::Approval;
use crate::batch::ResultBatch;
use crate::block_mark::BlockMark;
use crate::call::Call;
use crate::call_changes::CallChanges;
use crate::call_result::CallResult;
use crate::content::Content;
use crate::context_summary::ContextSummary;
use crate::diagnostic::Diagnostic;
use crate::hook_run::HookRun;
use crate::opaque::OpaqueData;
use crate::parked::Parked;
use crate::person_command::PersonCommand;

mod metric;
mod write;

pub use metric::Metric;

/// A complete unit of a conversation.
///
/// ```
/// use silcrow_event::Event;
///
/// assert!(Event::user("2 + 2?").is_stored());
/// assert!(!Event::Execute.is_stored());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A message from the person.
    User {
        /// The content of the message.
        content: Content,
        /// Whether the message was sent while the model was writing or its calls were running. The
        /// model reads it after the results of that turn.
        steer: bool,
    },
    /// A thought of the model.
    Think(Think),
    /// A call that the model wrote.
    Call(Call),
    /// A part of a control block, as the model wrote it.
    Block(BlockMark),
    /// The execution point. Never stored.
    Execute,
    /// The result of a call.
    Result(CallResult),
    /// The results of a batch of calls in one event ([`ResultBatch::fold`]), which some logs
    /// contain.
    Batch(ResultBatch),
    /// Text that the model addresses to the person.
    Respond(Respond),
    /// The model is done. Never stored.
    End,
    /// The resources used by a step and by the run so far. Never stored.
    Metric(Metric),
    /// An error. Never stored; if it ended the run, [`Failed`](Self::Failed) follows.
    Error(ErrorEvent),
    /// The stored record of why a run failed. It has no position in the wire text.
    Failed(ErrorEvent),
    /// The person, or the agent that called this one, is stopping the run. Emitted at once and
    /// never stored; the stored [`Cancelled`](Self::Cancelled) follows.
    Interrupt {
        /// The reason for the stop.
        reason: String,
    },
    /// The stored record that the person, a calling agent or a failure stopped the run before its
    /// end.
    Cancelled {
        /// A description of the stop.
        content: String,
    },
    /// The conversation's name, chosen by a person or a model. It is never part of a request.
    Title {
        /// The name.
        content: String,
    },
    /// A message from the framework to the model about its last answer. The model reads it before
    /// the next message.
    Notice {
        /// The text of the notice.
        content: String,
    },
    /// A summary that the model reads in place of the oldest part of the conversation.
    Summary(ContextSummary),
    /// Partial output of a running tool. Never stored.
    Progress(Progress),
    /// The changes a call has made to files. Never stored.
    Changes(CallChanges),
    /// A person was asked about a call, or has answered.
    Approval(Approval),
    /// The run waits for answers, and no process holds it. It may continue later.
    Parked(Parked),
    /// The permission mode that the person chose for the conversation. It is never part of a
    /// request.
    Mode {
        /// The name of the mode.
        mode: String,
    },
    /// A command that the person ran outside the agent. The model reads its output before the next
    /// message.
    PersonCommand(PersonCommand),
    /// A hook has run. No request has it.
    Hook(HookRun),
}

/// A thought of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Think {
    /// The text.
    pub content: String,
    /// The source of the thought.
    pub origin: ThoughtOrigin,
    /// Data that the vendor expects back with the thought, such as a signature.
    pub opaque: Option<Box<OpaqueData>>,
}

/// The source of a thought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a thought is on the wire or beside it")]
pub enum ThoughtOrigin {
    /// The model wrote the thought on the wire.
    #[default]
    Model,
    /// The provider sent the thought separately from the wire text. It is never sent back to the
    /// model.
    Provider,
}

/// Text that the model addresses to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Respond {
    /// The text as the person reads it.
    pub content: String,
    /// The text as the model wrote it, if substitution changed it (P-26). This is sent back to the
    /// model.
    pub wire: Option<String>,
    /// Whether the text ends the turn (P-22).
    pub last: bool,
    /// The id of the call that the text should have been, if it is the text of a malformed call
    /// (P-9). The id is empty if it is unknown. Such a text is never an answer.
    pub malformed: Option<String>,
}

/// An error: its cause, its origin and the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct ErrorEvent {
    /// A code that programs can compare.
    pub code: String,
    /// A description of the error, its place, and the next step.
    pub content: String,
    /// The party that caused the error. JSON calls it `scope`.
    pub origin: ErrorOrigin,
    /// Whether a retry may help.
    pub retry: bool,
    /// The position in the turn's wire text, in bytes; 0 if a report concerns the whole text.
    /// Errors about something else have none.
    pub at: Option<u64>,
}

/// The party that caused an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 of the protocol names them all")]
pub enum ErrorOrigin {
    /// The text that the model wrote.
    Model,
    /// A tool.
    Tool,
    /// The provider, or the connection to it.
    Provider,
    /// The caller's input, or the caller's machine.
    Caller,
}

/// Partial output of a running tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Progress {
    /// The call's id.
    pub id: String,
    /// The name of the channel, such as `stdout`.
    pub channel: String,
    /// The number of the piece within the channel, from 0.
    pub n: u64,
    /// The piece of output.
    pub content: String,
}

impl Event {
    /// Creates a thought that the model wrote on the wire.
    pub fn think(content: impl Into<String>) -> Self {
        Self::Think(Think { content: content.into(), origin: ThoughtOrigin::Model, opaque: None })
    }

    /// Creates a final answer, as the model wrote it.
    pub fn respond(content: impl Into<String>) -> Self {
        Self::Respond(Respond::new(content))
    }

    /// Creates a message from the person.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::User { content: content.into(), steer: false }
    }

    /// Creates a message from the person to a run at work.
    pub fn steer(content: impl Into<Content>) -> Self {
        Self::User { content: content.into(), steer: true }
    }

    /// Creates a name for the conversation.
    pub fn title(content: impl Into<String>) -> Self {
        Self::Title { content: content.into() }
    }

    /// Returns whether the event has data that only its own model may receive ([`OpaqueData`]).
    pub fn has_opaque(&self) -> bool {
        match self {
            Self::Think(think) => think.opaque.is_some(),
            Self::Call(call) => call.opaque().is_some(),
            _ => false,
        }
    }

    /// Returns the event for display, without the data that only its own model may receive.
    #[must_use]
    pub fn without_opaque(self) -> Self {
        match self {
            Self::Think(think) => Self::Think(Think { opaque: None, ..think }),
            Self::Call(call) => Self::Call(call.with_opaque(None)),
            other => other,
        }
    }

    /// Returns the word for `type` in JSON.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::User { .. } => "user",
            Self::Think(_) => "think",
            Self::Call(_) => "call",
            Self::Block(_) => "block",
            Self::Execute => "execute",
            Self::Result(_) | Self::Batch(_) => "result",
            Self::Respond(_) => "respond",
            Self::End => "end",
            Self::Metric(_) => "metric",
            Self::Error(_) => "error",
            Self::Failed(_) => "failed",
            Self::Interrupt { .. } => "interrupt",
            Self::Cancelled { .. } => "cancelled",
            Self::Title { .. } => "title",
            Self::Notice { .. } => "notice",
            Self::Summary(_) => "summary",
            Self::Progress(_) => "progress",
            Self::Changes(_) => "changes",
            Self::Approval(_) => "approval",
            Self::Parked(_) => "parked",
            Self::Mode { .. } => "mode",
            Self::PersonCommand(_) => "person_command",
            Self::Hook(_) => "hook",
        }
    }

    /// Returns whether the event is stored independently of runs, by the person or the program.
    /// Such an event neither begins nor ends a run, and may arrive while one is at work.
    pub const fn is_beside_runs(&self) -> bool {
        matches!(self, Self::Title { .. } | Self::Summary(_) | Self::Mode { .. } | Self::Hook(_))
    }

    /// Returns whether a log keeps the event.
    pub const fn is_stored(&self) -> bool {
        !matches!(
            self,
            Self::Execute
                | Self::End
                | Self::Metric(_)
                | Self::Error(_)
                | Self::Interrupt { .. }
                | Self::Progress(_)
                | Self::Changes(_)
        )
    }
}

impl Think {
    /// Creates a thought that the provider sent separately from the text.
    pub fn by_provider(content: impl Into<String>) -> Self {
        Self { content: content.into(), origin: ThoughtOrigin::Provider, opaque: None }
    }
}

impl Respond {
    /// Creates a final answer, as the model wrote it.
    ///
    /// ```
    /// use silcrow_event::{Event, Respond};
    ///
    /// let answer = Event::Respond(Respond::new("It is 4."));
    /// assert_eq!(answer.to_json(), r#"{"type":"respond","content":"It is 4."}"#);
    /// ```
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), wire: None, last: true, malformed: None }
    }

    /// Creates the text of the malformed call `id`.
    pub fn malformed(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { last: false, malformed: Some(id.into()), ..Self::new(content) }
    }
}

impl From<Diagnostic> for Event {
    /// Creates the event `error` that a diagnostic is printed as.
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Error(ErrorEvent {
            code: diagnostic.kind.as_str().to_owned(),
            content: diagnostic.content,
            origin: ErrorOrigin::Model,
            retry: false,
            at: Some(diagnostic.at.unwrap_or(0)),
        })
    }
}

impl ErrorOrigin {
    /// Lists every origin.
    pub const ALL: [Self; 4] = [Self::Model, Self::Tool, Self::Provider, Self::Caller];

    /// Returns the word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Provider => "provider",
            Self::Caller => "caller",
        }
    }
}
