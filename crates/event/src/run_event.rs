//! The events of a run while it works: pieces of text, questions to a person, transitions of calls,
//! and complete entries.
//!
//! [`RunEventRef`] borrows its content and allocates nothing; [`RunEvent`] owns it and may be kept
//! or sent elsewhere.

use std::time::Duration;

use crate::action::{CallKind, CallMode};
use crate::call_transition::CallTransition;
use crate::entry::{Entry, LogPosition};
use crate::fragment::{CallTextFragment, TextFragment, TextKind};
use crate::grant::Grants;
use crate::preview_diff::PreviewDiff;

/// An event of a run that owns its content.
///
/// ```
/// use silcrow_event::{Event, RunEvent};
///
/// let answer = RunEvent::Entry(Box::new(Event::respond("4").into()));
/// let line = answer.as_ref().to_line().unwrap();
/// assert_eq!(line, r#"{"type":"respond","content":"4"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunEvent {
    /// A piece of a thought or of an answer, emitted before anything is stored. An entry with the
    /// whole text follows.
    Text(TextPiece),
    /// A piece of a call that is being written, if the caller asked for such pieces. An entry with
    /// the call or its result follows.
    CallText(CallTextPiece),
    /// A question to a person, if the caller answers approvals.
    Approval(Box<ApprovalPrompt>),
    /// A change in the state of a call of the run itself, which is not stored; not of calls that
    /// other agents make for it.
    Call(CallTransition<'static>, LogPosition),
    /// A complete event. If it belongs in the log, it is already stored.
    Entry(Box<Entry>),
}

/// An event of a run that borrows its content.
///
/// ```
/// use silcrow_event::{Entry, Event, LogPosition, RunEventRef, TextFragment, TextKind};
///
/// /// Returns the text to show at once.
/// fn shown<'a>(event: RunEventRef<'a>) -> &'a str {
///     match event {
///         RunEventRef::Text(piece, _) if piece.kind.is_respond() => piece.text,
///         _ => "",
///     }
/// }
///
/// let kind = TextKind::Respond { last: true };
/// let piece = TextFragment { kind, part: 1, id: None, text: "It is 4." };
/// assert_eq!(shown(RunEventRef::Text(piece, LogPosition::default())), "It is 4.");
/// // The entry has the whole text again.
/// assert_eq!(shown(RunEventRef::Entry(&Entry::from(Event::respond("It is 4.")))), "");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunEventRef<'a> {
    /// A piece of a thought or of an answer, emitted before anything is stored. An entry with the
    /// whole text follows.
    Text(TextFragment<'a>, LogPosition),
    /// A piece of a call that is being written, if the caller asked for such pieces. An entry with
    /// the call or its result follows.
    CallText(CallTextFragment<'a>, LogPosition),
    /// A question to a person, if the caller answers approvals.
    Approval(&'a ApprovalPrompt),
    /// A change in the state of a call of the run itself, which is not stored; not of calls that
    /// other agents make for it.
    Call(&'a CallTransition<'a>, LogPosition),
    /// A complete event. If it belongs in the log, it is already stored.
    Entry(&'a Entry),
}

/// A piece of a thought or of an answer, with its time and position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextPiece {
    /// Whether the text is a thought or an answer.
    pub kind: TextKind,
    /// The number of its section in the turn, from 1.
    pub part: u32,
    /// The id of the call that the text should have been, if it is the text of a malformed call.
    pub id: Option<String>,
    /// The text, which is never empty.
    pub text: String,
    /// The time and position at which it was written.
    pub position: LogPosition,
}

/// A piece of a call's body as it is written, with its time and position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallTextPiece {
    /// The number of the call in the turn, from 1.
    pub call: u32,
    /// The call's id, in its last piece.
    pub id: Option<String>,
    /// The call's name, once it is written.
    pub name: Option<String>,
    /// The text, which is empty in the last piece only.
    pub text: String,
    /// The time and position at which it was written.
    pub position: LogPosition,
}

/// A question whether a call may run, with everything that a person needs to answer it.
///
/// ```
/// use silcrow_event::{ApprovalPrompt, RunEvent, RunEventRef};
///
/// let prompt = ApprovalPrompt::new(1, "a1", "shell", r#"{"command":"make"}"#);
/// let event = RunEvent::Approval(Box::new(prompt));
/// // Only the reader of this run can answer, so it is not passed on as a line.
/// assert_eq!(event.as_ref().to_line(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalPrompt {
    /// The number of the question in its run, from 1; the answer names it.
    pub number: u64,
    /// The conversation in which it is called.
    pub conversation: String,
    /// The number of the turn in the conversation; 0 outside a turn.
    pub turn: u32,
    /// The call's id, unique within its turn.
    pub id: String,
    /// The names of the agents between the person's own and the caller, the outermost first.
    pub agent_path: Vec<String>,
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The name of the called tool, of any kind.
    pub tool: String,
    /// The exact arguments, a JSON object.
    pub args: String,
    /// The target of the call, if its tool names one.
    pub target: Option<String>,
    /// The effect of the call on its target, if its tool describes it.
    pub effect: Option<String>,
    /// The lines that the call would change in files, if its tool shows them.
    pub diff: Option<PreviewDiff>,
    /// The calls that an approval for the whole conversation would cover.
    pub scope: String,
    /// Wider scopes that an approval for the whole conversation may cover instead, the narrowest
    /// first.
    pub wider_scopes: Vec<String>,
    /// The doors that a yes opens for the call.
    pub grants: Grants,
    /// The reason why a person has to say yes to this very call. An approval for the conversation
    /// then covers only this call.
    pub risk: Option<String>,
    /// The reason why a person is asked, such as a rule or the mode.
    pub why: Option<String>,
    /// The number of the attempt at the call, from 1.
    pub attempt: u32,
    /// The number of attempts that an approval covers, including this one.
    pub attempts: u32,
    /// The time limit of each attempt.
    pub time_limit: Duration,
    /// The way in which the turn waits for the call.
    pub mode: CallMode,
}

impl RunEvent {
    /// Returns a view that borrows from this event.
    pub fn as_ref(&self) -> RunEventRef<'_> {
        match self {
            Self::Text(piece) => RunEventRef::Text(piece.fragment(), piece.position),
            Self::CallText(piece) => RunEventRef::CallText(piece.fragment(), piece.position),
            Self::Approval(prompt) => RunEventRef::Approval(prompt),
            Self::Call(transition, position) => RunEventRef::Call(transition, *position),
            Self::Entry(entry) => RunEventRef::Entry(entry),
        }
    }
}

impl RunEventRef<'_> {
    /// Returns an event with a copy of everything that this one borrows.
    pub fn to_owned(&self) -> RunEvent {
        match *self {
            Self::Text(fragment, position) => RunEvent::Text(TextPiece {
                kind: fragment.kind,
                part: fragment.part,
                id: fragment.id.map(str::to_owned),
                text: fragment.text.to_owned(),
                position,
            }),
            Self::CallText(fragment, position) => RunEvent::CallText(CallTextPiece {
                call: fragment.call,
                id: fragment.id.map(str::to_owned),
                name: fragment.name.map(str::to_owned),
                text: fragment.text.to_owned(),
                position,
            }),
            Self::Approval(prompt) => RunEvent::Approval(Box::new(prompt.clone())),
            Self::Call(transition, position) => {
                RunEvent::Call(transition.clone().into_owned(), position)
            }
            Self::Entry(entry) => RunEvent::Entry(Box::new(entry.clone())),
        }
    }
}

impl TextPiece {
    /// Returns the piece as a fragment.
    pub fn fragment(&self) -> TextFragment<'_> {
        let Self { kind, part, id, text, .. } = self;
        TextFragment { kind: *kind, part: *part, id: id.as_deref(), text }
    }
}

impl CallTextPiece {
    /// Returns the piece as a fragment.
    pub fn fragment(&self) -> CallTextFragment<'_> {
        let Self { call, id, name, text, .. } = self;
        CallTextFragment { call: *call, id: id.as_deref(), name: name.as_deref(), text }
    }
}

impl ApprovalPrompt {
    /// Creates the question `number` about the first attempt at a tool's call, without a preview,
    /// and with a time limit of 60 seconds.
    pub fn new(
        number: u64,
        id: impl Into<String>,
        tool: impl Into<String>,
        args: impl Into<String>,
    ) -> Self {
        let args = args.into();
        Self {
            number,
            conversation: String::new(),
            turn: 0,
            id: id.into(),
            agent_path: Vec::new(),
            kind: CallKind::Tool,
            tool: tool.into(),
            scope: args.clone(),
            args,
            target: None,
            effect: None,
            diff: None,
            wider_scopes: Vec::new(),
            grants: Grants::none(),
            risk: None,
            why: None,
            attempt: 1,
            attempts: 1,
            time_limit: Duration::from_secs(60),
            mode: CallMode::Async,
        }
    }
}
