use crate::call::{BadCall, Call};
use crate::entry::Place;
use crate::json::Object;
use crate::note::Note;

/// A piece of what the model writes, given out as soon as its meaning is certain.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fragment<'a> {
    /// Text of a thought or an answer.
    Text(Text<'a>),
    /// The section that gave the texts of this part is complete.
    Close {
        /// The number of the section.
        part: u32,
    },
    /// Text of a call that is still being written, given where it was asked for.
    CallText(CallText<'a>),
    /// A complete call.
    Call(Call),
    /// A call that cannot be run; it takes its place in the batch.
    BadCall(BadCall),
    /// The execution point of the calls before it.
    Execute,
    /// The model is done; nothing after it is processed.
    End,
    /// Something odd.
    Note(Note),
}

/// Text of a section that gives text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// Whether it is thought or said.
    pub voice: Voice,
    /// The number of its section in the turn, from 1. Texts of one part are concatenated, and the
    /// end of the whole is trimmed.
    pub part: u32,
    /// The piece: never empty.
    pub text: &'a str,
}

/// A piece of a call's body as it is written: to be looked at, never to be run.
///
/// The next [`Call`](Fragment::Call) or [`BadCall`](Fragment::BadCall) is what became of it. Its
/// texts concatenated are the body as the model wrote it, before anything of it is repaired (P-8);
/// what exceeds the cap of a body is left out (P-9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallText<'a> {
    /// The number of the call in the turn, from 1: the `n`th of all `Call` and `BadCall`.
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
pub enum Voice {
    /// Reasoning.
    Think,
    /// Part of the answer; not of the last one of its turn where `last` is false (P-22).
    Respond {
        /// Whether it ends the turn.
        last: bool,
    },
}

impl Text<'_> {
    /// One JSON object on one line.
    pub fn to_json(&self, place: &Place) -> String {
        let mut out = String::with_capacity(self.text.len() + 96);
        let mut object = Object::open(&mut out);
        object.string("type", self.voice.type_name());
        object.string("content", self.text);
        if self.voice == (Voice::Respond { last: false }) {
            object.bool("final", false);
        }
        object.integer("part", self.part.into());
        place.write(&mut object);
        object.close();
        out
    }
}

impl CallText<'_> {
    /// The longest name that is told of a call still being written, in bytes: each piece repeats
    /// it.
    pub const MAX_NAME: usize = 128;

    /// One JSON object on one line.
    pub fn to_json(&self, place: &Place) -> String {
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

impl Voice {
    /// The `type` of the event that the text becomes.
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Think => "think",
            Self::Respond { .. } => "respond",
        }
    }
}
