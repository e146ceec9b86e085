use crate::batch::ResultBatch;
use crate::call::Call;
use crate::content::Content;
use crate::diagnostic::Diagnostic;
use crate::json::Object;
use crate::outcome::CallResult;
use crate::usage::Usage;

/// A complete unit of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// What the person said.
    User {
        /// The content of the message.
        content: Content,
    },
    /// What the model thought.
    Think(Think),
    /// A call that the model wrote.
    Call(Call),
    /// The execution point. Never stored.
    Execute,
    /// What came of a call.
    Result(CallResult),
    /// What came of a batch of calls, in one. Accepted on reading, made by [`ResultBatch::fold`].
    Batch(ResultBatch),
    /// What the model said to the person.
    Respond(Respond),
    /// The model is done. Never stored.
    End,
    /// What a step and the run so far took. Never stored.
    Metric(Metric),
    /// What went wrong. Never stored.
    Error(ErrorEvent),
    /// The person stopped the run. Never stored.
    Interrupt {
        /// How.
        reason: String,
    },
    /// The run was stopped before its end, by the person or by a failure, for the log.
    Cancelled {
        /// What was stopped.
        content: String,
    },
    /// What the framework told the model about its last answer, which the model reads before
    /// whatever comes next.
    Notice {
        /// The words.
        content: String,
    },
    /// Partial output of a running tool. Never stored.
    Progress(Progress),
    /// A person was asked about a call, or answered.
    Approval(Approval),
}

/// What the model thought.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Think {
    /// The text.
    pub content: String,
    /// Who says that the model thought it.
    pub origin: ThoughtOrigin,
}

/// Where a thought comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a thought is on the wire or beside it")]
pub enum ThoughtOrigin {
    /// The model wrote it on the wire.
    #[default]
    Model,
    /// The provider gave it beside the wire text. It never goes back to the model.
    Provider,
}

/// What the model said to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Respond {
    /// What the person read.
    pub content: String,
    /// The model's own text, where substitution made it differ (P-26); this goes back to the
    /// model.
    pub wire: Option<String>,
    /// Whether it ends the turn (P-22).
    pub last: bool,
}

/// What a step and the run so far took.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Metric {
    /// The last request.
    pub step: Usage,
    /// The run so far.
    pub total: Usage,
}

/// What went wrong, and for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct ErrorEvent {
    /// A word that programs may compare.
    pub code: String,
    /// What, where, and the next step.
    pub content: String,
    /// Whose fault it is.
    pub scope: ErrorScope,
    /// Whether trying again may help.
    pub retry: bool,
    /// Where in the turn's wire text, in bytes; notes only.
    pub at: Option<u64>,
}

/// Whose fault something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 of the protocol names them all")]
pub enum ErrorScope {
    /// What the model wrote.
    Model,
    /// What a tool did.
    Tool,
    /// What the provider did, or the way to it.
    Provider,
    /// What the caller gave or typed, or the caller's machine.
    Caller,
}

/// Partial output of a running tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Progress {
    /// Of the call.
    pub id: String,
    /// Such as `stdout`.
    pub channel: String,
    /// Its number within the channel, from 0.
    pub n: u64,
    /// The piece.
    pub content: String,
}

/// A person was asked about a call, or answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Approval {
    /// Of the call.
    pub id: String,
    /// Asked or answered.
    pub state: ApprovalState,
    /// SHA-256 in hex of the arguments that were asked about, as they were after substitution.
    /// `None` in logs from before it was stored.
    pub args_sha256: Option<String>,
    /// What the call acts on, resolved, where its tool says so.
    pub target: Option<String>,
    /// What a yes covers, where it covers more than this call.
    pub scope: Option<String>,
    /// The person's own words.
    pub reason: Option<String>,
}

/// How far an approval has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 of the protocol names them all")]
pub enum ApprovalState {
    /// The person was asked.
    Asked,
    /// The person said yes.
    Allowed,
    /// The person said no, or nobody was there to say yes.
    Denied,
}

impl Event {
    /// A thought that the model wrote on the wire.
    pub fn think(content: impl Into<String>) -> Self {
        Self::Think(Think { content: content.into(), origin: ThoughtOrigin::Model })
    }

    /// A final answer, as the model wrote it.
    pub fn respond(content: impl Into<String>) -> Self {
        Self::Respond(Respond { content: content.into(), wire: None, last: true })
    }

    /// What the person said.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::User { content: content.into() }
    }

    /// The word for `type` in JSON.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::User { .. } => "user",
            Self::Think(_) => "think",
            Self::Call(_) => "call",
            Self::Execute => "execute",
            Self::Result(_) | Self::Batch(_) => "result",
            Self::Respond(_) => "respond",
            Self::End => "end",
            Self::Metric(_) => "metric",
            Self::Error(_) => "error",
            Self::Interrupt { .. } => "interrupt",
            Self::Cancelled { .. } => "cancelled",
            Self::Notice { .. } => "notice",
            Self::Progress(_) => "progress",
            Self::Approval(_) => "approval",
        }
    }

    /// Whether a log keeps it.
    pub const fn is_stored(&self) -> bool {
        match self {
            Self::User { .. }
            | Self::Think(_)
            | Self::Call(_)
            | Self::Result(_)
            | Self::Batch(_)
            | Self::Respond(_)
            | Self::Cancelled { .. }
            | Self::Notice { .. }
            | Self::Approval(_) => true,
            Self::Execute
            | Self::End
            | Self::Metric(_)
            | Self::Error(_)
            | Self::Interrupt { .. }
            | Self::Progress(_) => false,
        }
    }

    /// One JSON object on one line, `type` first, without time and place.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(128);
        let mut object = Object::open(&mut out);
        self.write(&mut object);
        object.close();
        out
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("type", self.type_name());
        match self {
            Self::User { content } => content.write(false, to),
            Self::Cancelled { content } | Self::Notice { content } => {
                to.string("content", content);
            }
            Self::Think(think) => {
                to.string("content", &think.content);
                if think.origin == ThoughtOrigin::Provider {
                    to.string("origin", "provider");
                }
            }
            Self::Call(call) => {
                to.string("id", call.id());
                to.string("content", call.content());
                if let Some(action) = call.action() {
                    to.object("action", |to| action.write(to));
                }
            }
            Self::Result(result) => result.write(to),
            Self::Batch(batch) => batch.write(to),
            Self::Respond(respond) => {
                to.string("content", &respond.content);
                if let Some(wire) = &respond.wire {
                    to.string("wire", wire);
                }
                if !respond.last {
                    to.bool("final", false);
                }
            }
            Self::Metric(metric) => {
                to.object("step", |to| metric.step.write(to));
                to.object("total", |to| metric.total.write(to));
            }
            Self::Error(fault) => {
                to.string("code", &fault.code);
                to.string("content", &fault.content);
                to.string("scope", fault.scope.as_str());
                to.bool("retry", fault.retry);
                if let Some(at) = fault.at {
                    to.integer("at", at);
                }
            }
            Self::Interrupt { reason } => to.string("reason", reason),
            Self::Progress(progress) => {
                to.string("id", &progress.id);
                to.string("channel", &progress.channel);
                to.integer("n", progress.n);
                to.string("content", &progress.content);
            }
            Self::Approval(approval) => {
                to.string("id", &approval.id);
                to.string("state", approval.state.as_str());
                let Approval { args_sha256, target, scope, reason, .. } = approval;
                let fields = [
                    ("args_sha256", args_sha256),
                    ("target", target),
                    ("scope", scope),
                    ("reason", reason),
                ];
                for (key, text) in fields {
                    if let Some(text) = text {
                        to.string(key, text);
                    }
                }
            }
            Self::Execute | Self::End => {}
        }
    }
}

impl From<Diagnostic> for Event {
    /// How a note is printed where it is asked for.
    fn from(note: Diagnostic) -> Self {
        Self::Error(ErrorEvent {
            code: note.kind.as_str().to_owned(),
            content: note.content,
            scope: ErrorScope::Model,
            retry: false,
            at: Some(note.at),
        })
    }
}

impl ErrorScope {
    /// Every scope.
    pub const ALL: [Self; 4] = [Self::Model, Self::Tool, Self::Provider, Self::Caller];

    /// The word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Provider => "provider",
            Self::Caller => "caller",
        }
    }
}

impl ApprovalState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Asked, Self::Allowed, Self::Denied];

    /// The word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
        }
    }
}
