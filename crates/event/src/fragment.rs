//! Fragments: pieces of the model's text.
//!
//! This module defines the kinds of fragments, and the JSON of fragments with text.

use crate::block_mark::BlockMark;
use crate::call::{Call, InvalidCall};
use crate::diagnostic::Diagnostic;
use crate::entry::LogPosition;
use crate::json::{Json, Object, write_string};

/// A piece of the model's text, emitted as soon as its meaning is certain.
///
/// ```
/// use silcrow_event::{Fragment, TextFragment, TextKind};
///
/// let answer = TextKind::Respond { last: true };
/// let piece = |text| Fragment::Text(TextFragment { kind: answer, part: 1, id: None, text });
/// let mut shown = String::new();
/// for fragment in [piece("2 + 2 "), piece("is 4."), Fragment::Close { part: 1 }, Fragment::End] {
///     match fragment {
///         Fragment::Text(text) if text.kind.is_respond() => shown += text.text,
///         Fragment::Close { .. } => shown += "\n",
///         _ => {}
///     }
/// }
/// assert_eq!(shown, "2 + 2 is 4.\n");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fragment<'a> {
    /// Text of a thought, of an answer or of a malformed call.
    Text(TextFragment<'a>),
    /// The end of the section whose texts have this part number.
    Close {
        /// The number of the section.
        part: u32,
    },
    /// The section whose texts have this part number, and came as an answer, was a thought: the prompt
    /// had opened it, as its closing tag shows (P-38). Its `Close` follows.
    Thought {
        /// The number of the section.
        part: u32,
    },
    /// Text of a call that is still being written. The parser emits it only on request.
    CallText(CallTextFragment<'a>),
    /// A complete call.
    Call(Call),
    /// A call that cannot be run. It keeps its position in the batch.
    InvalidCall(InvalidCall),
    /// A part of a control block: its beginning, its other body, or its end.
    Block(BlockMark),
    /// The execution point of the calls before it.
    Execute,
    /// The end of the model's answer; text that follows is ignored.
    End,
    /// A report about something odd in the wire text.
    Diagnostic(Diagnostic),
}

/// A piece of the text of a thought, of an answer or of a malformed call.
///
/// ```
/// use silcrow_event::{LogPosition, TextFragment, TextKind};
///
/// let think = TextFragment { kind: TextKind::Think, part: 2, id: None, text: "Hm." };
/// let json = r#"{"type":"think","content":"Hm.","part":2}"#;
/// assert_eq!(think.to_json(&LogPosition::default()), json);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct TextFragment<'a> {
    /// The kind of the text.
    pub kind: TextKind,
    /// The number of the section in the turn, from 1. The texts of one part are concatenated, and
    /// white space at the end of the whole is trimmed.
    pub part: u32,
    /// The id of the call that the text should have been, if it is the text of a malformed call.
    /// Its result has the same id.
    pub id: Option<&'a str>,
    /// The text, which is never empty.
    pub text: &'a str,
}

/// A piece of a call's body as it is written. It is for display and is never run.
///
/// The last piece of a call has its id and no text; the [`Call`](Fragment::Call) or
/// [`InvalidCall`](Fragment::InvalidCall) with that id follows. The texts concatenated are the body
/// as the model wrote it, before any repair (P-8); text beyond the size limit of a body is left out
/// (P-9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct CallTextFragment<'a> {
    /// The number of the call in the turn, from 1, counting every `Call` and `InvalidCall`.
    pub call: u32,
    /// The call's id, in its last piece. It is not known before the body is complete, because the
    /// model may write it there, or repeat an id that is taken.
    pub id: Option<&'a str>,
    /// The call's name, which is known after its closing quote. A name of more than
    /// [`MAX_NAME`](Self::MAX_NAME) bytes is known only when the call is complete.
    pub name: Option<&'a str>,
    /// The text, which is empty in the last piece only.
    pub text: &'a str,
}

/// The kind of a text: a thought, an answer, or a call that is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 of the protocol has these")]
pub enum TextKind {
    /// Reasoning.
    Think,
    /// Part of the answer (P-22).
    Respond {
        /// Whether it ends the turn.
        last: bool,
    },
    /// The text of a malformed call (P-9), which is never shown as an answer. The
    /// [`InvalidCall`](Fragment::InvalidCall) that follows has its id.
    Malformed,
}

impl TextFragment<'_> {
    /// Returns the piece as a JSON object on one line, with a time and a position.
    pub fn to_json(&self, place: &LogPosition) -> String {
        let mut out = String::with_capacity(self.text.len() + 96);
        self.write_json(place, &mut out);
        out
    }

    /// Appends the JSON object that [`to_json`](Self::to_json) returns.
    pub fn write_json(&self, place: &LogPosition, out: &mut String) {
        // A model writes many pieces, so the constant part of each kind is written at once.
        out.push_str(match self.kind {
            TextKind::Think => r#"{"type":"think""#,
            TextKind::Respond { .. } | TextKind::Malformed => r#"{"type":"respond""#,
        });
        if let Some(id) = self.id {
            out.push_str(r#","id":"#);
            write_string(out, id);
        }
        out.push_str(r#","content":"#);
        write_string(out, self.text);
        out.push_str(match self.kind {
            TextKind::Think | TextKind::Respond { last: true } => r#","part":"#,
            TextKind::Respond { last: false } => r#","final":false,"part":"#,
            TextKind::Malformed => r#","final":false,"malformed":true,"part":"#,
        });
        Json::write_integer(out, self.part.into());
        place.write_json(out);
        out.push('}');
    }
}

impl CallTextFragment<'_> {
    /// The length in bytes of the longest name that pieces have. It is bounded, because each piece
    /// repeats the name.
    pub const MAX_NAME: usize = 128;

    /// Returns the piece as a JSON object on one line, with a time and a position.
    pub fn to_json(&self, place: &LogPosition) -> String {
        let mut out = String::with_capacity(self.text.len() + 96);
        self.write_json(place, &mut out);
        out
    }

    /// Appends the JSON object that [`to_json`](Self::to_json) returns.
    pub fn write_json(&self, place: &LogPosition, out: &mut String) {
        let mut object = Object::open(out);
        object.string("type", "call_text");
        object.integer("call", self.call.into());
        for (key, text) in [("id", self.id), ("name", self.name)] {
            if let Some(text) = text {
                object.string(key, text);
            }
        }
        object.string("content", self.text);
        place.write(&mut object);
        object.close();
    }
}

impl TextKind {
    /// Returns whether the text is part of an answer, be it the last of its turn or not.
    ///
    /// ```
    /// use silcrow_event::TextKind;
    ///
    /// assert!(TextKind::Respond { last: false }.is_respond());
    /// assert!(!TextKind::Think.is_respond());
    /// assert!(!TextKind::Malformed.is_respond());
    /// ```
    pub const fn is_respond(self) -> bool {
        matches!(self, Self::Respond { .. })
    }

    /// Returns the `type` of the event that the text becomes.
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Think => "think",
            Self::Respond { .. } | Self::Malformed => "respond",
        }
    }
}
