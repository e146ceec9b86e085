//! A parser's results, in a form in which the parsers can be compared.

use std::collections::BTreeMap;
use std::hint::black_box;

use serde_json::Value;

use crate::forms::NativeForm;

/// A parser of one form. A stream is read from its start to its end.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    pub(crate) name: &'static str,
    /// The parser's name for the form.
    pub(crate) family: &'static str,
    pub(crate) read: fn(&str, &[&str], &mut dyn FnMut(Piece<'_>)),
}

/// A piece of a parser's output.
pub(crate) enum Piece<'a> {
    Say(&'a str),
    /// The number of the call, and its name.
    Name(usize, &'a str),
    /// Text of a call's arguments.
    Args(usize, &'a str),
    Other,
}

/// Reads a stream, and returns the number of pieces.
pub(crate) fn pieces(reader: &Reader, chunks: &[&str]) -> u64 {
    let (mut pieces, mut bytes) = (0, 0);
    (reader.read)(reader.family, chunks, &mut |piece| {
        pieces += 1;
        if let Piece::Say(text) | Piece::Args(_, text) = piece {
            bytes += text.len();
        }
    });
    black_box(bytes);
    pieces
}

/// The meaning of a message. White space between its parts does not matter.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Answer {
    said: String,
    /// The names and arguments of the calls.
    calls: BTreeMap<usize, (String, String)>,
}

impl Answer {
    pub(crate) fn read(reader: &Reader, chunks: &[&str]) -> Self {
        let mut answer = Self::default();
        (reader.read)(reader.family, chunks, &mut |piece| match piece {
            Piece::Say(text) => answer.said.push_str(text),
            Piece::Name(call, name) => answer.calls.entry(call).or_default().0.push_str(name),
            Piece::Args(call, text) => answer.calls.entry(call).or_default().1.push_str(text),
            Piece::Other => {}
        });
        answer.said = answer.said.split_whitespace().collect::<Vec<_>>().join(" ");
        for (_, args) in answer.calls.values_mut() {
            if let Ok(value) = serde_json::from_str::<Value>(args) {
                *args = value.to_string();
            }
        }
        answer
    }

    /// Says whether the whole text was read as it was meant.
    pub(crate) fn summary(&self, form: &NativeForm) -> &'static str {
        let call = self.calls.values().next().map(|(name, args)| (name.as_str(), args.as_str()));
        let args = crate::forms::args().to_string();
        match (self.calls.len(), call) {
            (0, _) => "no call",
            (1, Some((name, own))) if name == crate::forms::TOOL && own == args => {
                match self.said == form.said() {
                    true => "everything",
                    false => "the call, and another text",
                }
            }
            _ => "other arguments",
        }
    }
}
