//! What a run emits while it works: pieces of text, questions to a person, and complete entries.
//!
//! [`RunEventRef`] borrows what it shows and costs no allocation; [`RunEvent`] owns it and may be
//! kept or sent elsewhere. Whether and where an event is stored is not known here.

use std::time::Duration;

use crate::action::{CallKind, CallMode};
use crate::entry::{Entry, LogPosition};
use crate::fragment::{CallTextFragment, TextFragment, TextKind};

/// An event of a run that owns its content.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunEvent {
    /// A piece of a thought or of an answer, emitted before anything is stored. The whole follows
    /// as an entry.
    Text(TextPiece),
    /// A piece of a call that is being written, where the caller asked for these. An entry with the
    /// call or its result follows.
    CallText(CallTextPiece),
    /// A question to a person, where the caller answers approvals.
    Approval(Box<ApprovalPrompt>),
    /// A complete event; an event that is to be stored is stored by then.
    Entry(Box<Entry>),
}

/// An event of a run that borrows its content.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunEventRef<'a> {
    /// A piece of a thought or of an answer, emitted before anything is stored. The whole follows
    /// as an entry.
    Text(TextFragment<'a>, LogPosition),
    /// A piece of a call that is being written, where the caller asked for these. An entry with the
    /// call or its result follows.
    CallText(CallTextFragment<'a>, LogPosition),
    /// A question to a person, where the caller answers approvals.
    Approval(&'a ApprovalPrompt),
    /// A complete event; an event that is to be stored is stored by then.
    Entry(&'a Entry),
}

/// A piece of a thought or of an answer, with its place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TextPiece {
    /// Whether the text is thought or said.
    pub kind: TextKind,
    /// The number of its section in the turn, from 1.
    pub part: u32,
    /// The text, which is never empty.
    pub text: String,
    /// The time and place at which it was written.
    pub position: LogPosition,
}

/// A piece of a call's body as it is written, with its place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallTextPiece {
    /// The number of the call in the turn, from 1.
    pub call: u32,
    /// The call's name, once it is written.
    pub name: Option<String>,
    /// The text, which is never empty.
    pub text: String,
    /// The time and place at which it was written.
    pub position: LogPosition,
}

/// A question whether a call may run, with everything that a person needs to answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalPrompt {
    /// The number of the question in its run, from 1; the answer names it.
    pub number: u64,
    /// The call's id.
    pub id: String,
    /// The names of the agents between the person's and the one that calls, the outermost first.
    pub agent_path: Vec<String>,
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The name of what is called.
    pub tool: String,
    /// The exact arguments, a JSON object.
    pub args: String,
    /// What the call acts on, where its tool says so.
    pub target: Option<String>,
    /// What the call would do to its target, where its tool says so.
    pub effect: Option<String>,
    /// What a yes for the whole conversation would cover.
    pub scope: String,
    /// The number of the attempt at the call, from 1.
    pub attempt: u32,
    /// How many attempts a yes covers, this one included.
    pub attempts: u32,
    /// How long each attempt may take.
    pub time_limit: Duration,
    /// What waits for the call.
    pub mode: CallMode,
}

impl RunEvent {
    /// Returns the event as one that borrows from this one.
    pub fn as_ref(&self) -> RunEventRef<'_> {
        match self {
            Self::Text(piece) => RunEventRef::Text(piece.fragment(), piece.position),
            Self::CallText(piece) => RunEventRef::CallText(piece.fragment(), piece.position),
            Self::Approval(prompt) => RunEventRef::Approval(prompt),
            Self::Entry(entry) => RunEventRef::Entry(entry),
        }
    }
}

impl RunEventRef<'_> {
    /// Returns the event with a copy of everything that it borrows.
    pub fn to_owned(&self) -> RunEvent {
        match *self {
            Self::Text(fragment, position) => RunEvent::Text(TextPiece {
                kind: fragment.kind,
                part: fragment.part,
                text: fragment.text.to_owned(),
                position,
            }),
            Self::CallText(fragment, position) => RunEvent::CallText(CallTextPiece {
                call: fragment.call,
                name: fragment.name.map(str::to_owned),
                text: fragment.text.to_owned(),
                position,
            }),
            Self::Approval(prompt) => RunEvent::Approval(Box::new(prompt.clone())),
            Self::Entry(entry) => RunEvent::Entry(Box::new(entry.clone())),
        }
    }
}

impl TextPiece {
    /// Returns the piece as a fragment.
    pub fn fragment(&self) -> TextFragment<'_> {
        TextFragment { kind: self.kind, part: self.part, text: &self.text }
    }
}

impl CallTextPiece {
    /// Returns the piece as a fragment.
    pub fn fragment(&self) -> CallTextFragment<'_> {
        CallTextFragment { call: self.call, name: self.name.as_deref(), text: &self.text }
    }
}

impl ApprovalPrompt {
    /// Creates the question of this number about the first attempt at a tool's call, without a
    /// preview.
    pub fn new(
        number: u64,
        id: impl Into<String>,
        tool: impl Into<String>,
        args: impl Into<String>,
    ) -> Self {
        let args = args.into();
        Self {
            number,
            id: id.into(),
            agent_path: Vec::new(),
            kind: CallKind::Tool,
            tool: tool.into(),
            scope: args.clone(),
            args,
            target: None,
            effect: None,
            attempt: 1,
            attempts: 1,
            time_limit: Duration::from_secs(60),
            mode: CallMode::Async,
        }
    }
}
