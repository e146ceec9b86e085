use crate::call::{Call, InvalidCall};
use crate::diagnostic::Diagnostic;
use crate::entry::LogPosition;
use crate::json::Object;

/// A piece of what the model writes, given out as soon as its meaning is certain.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fragment<'a> {
    /// Text of a thought or an answer.
    Text(TextFragment<'a>),
    /// The section that gave the texts of this part is complete.
    Close {
        /// The number of the section.
        part: u32,
    },
    /// Text of a call that is still being written, given where it was asked for.
    CallText(CallTextFragment<'a>),
    /// A complete call.
    Call(Call),
    /// A call that cannot be run; it takes its place in the batch.
    InvalidCall(InvalidCall),
    /// The execution point of the calls before it.
    Execute,
    /// The model is done; nothing after it is processed.
    End,
    /// Something odd.
    Diagnostic(Diagnostic),
}

/// Text of a section that gives text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a kind, a section and a text")]
pub struct TextFragment<'a> {
    /// Whether it is thought or said.
    pub kind: TextKind,
    /// The number of its section in the turn, from 1. Texts of one part are concatenated, and the
    /// end of the whole is trimmed.
    pub part: u32,
    /// The piece: never empty.
    pub text: &'a str,
}

/// A piece of a call's body as it is written: to be looked at, never to be run.
///
/// The next [`Call`](Fragment::Call) or [`InvalidCall`](Fragment::InvalidCall) is what became of it. Its
/// texts concatenated are the body as the model wrote it, before anything of it is repaired (P-8);
/// what exceeds the cap of a body is left out (P-9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a call, its name and a text")]
pub struct CallTextFragment<'a> {
    /// The number of the call in the turn, from 1: the `n`th of all `Call` and `InvalidCall`.
    pub call: u32,
    /// The call's name, from the quote on that ends it in the text; a name of more than
    /// [`MAX_NAME`](Self::MAX_NAME) bytes is not told before the call is complete.
    pub name: Option<&'a str>,
    /// The piece: never empty.
    pub text: &'a str,
}

/// Whether text is thought or said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 of the protocol has these two")]
pub enum TextKind {
    /// Reasoning.
    Think,
    /// Part of the answer; not of the last one of its turn where `last` is false (P-22).
    Respond {
        /// Whether it ends the turn.
        last: bool,
    },
}

impl TextFragment<'_> {
    /// One JSON object on one line.
    pub fn to_json(&self, place: &LogPosition) -> String {
        let mut out = String::with_capacity(self.text.len() + 96);
        let mut object = Object::open(&mut out);
        object.string("type", self.kind.type_name());
        object.string("content", self.text);
        if self.kind == (TextKind::Respond { last: false }) {
            object.bool("final", false);
        }
        object.integer("part", self.part.into());
        place.write(&mut object);
        object.close();
        out
    }
}

impl CallTextFragment<'_> {
    /// The longest name that is told of a call still being written, in bytes: each piece repeats
    /// it.
    pub const MAX_NAME: usize = 128;

    /// One JSON object on one line.
    pub fn to_json(&self, place: &LogPosition) -> String {
        let mut out = String::with_capacity(self.text.len() + 96);
        let mut object = Object::open(&mut out);
        object.string("type", "call_text");
        object.integer("call", self.call.into());
        if let Some(name) = self.name {
            object.string("name", name);
        }
        object.string("content", self.text);
        place.write(&mut object);
        object.close();
        out
    }
}

impl TextKind {
    /// Whether it is part of an answer, the last one of its turn or not.
    ///
    /// ```
    /// use silcrow_event::TextKind;
    ///
    /// assert!(TextKind::Respond { last: false }.is_respond());
    /// assert!(!TextKind::Think.is_respond());
    /// ```
    pub const fn is_respond(self) -> bool {
        matches!(self, Self::Respond { .. })
    }

    /// The `type` of the event that the text becomes.
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Think => "think",
            Self::Respond { .. } => "respond",
        }
    }
}
