use std::collections::BTreeMap;
use std::hint::black_box;

use crate::message::Message;

/// A parser that is measured: it reads chunks of text, and emits their meaning.
pub(crate) trait Peer: Default {
    const NAME: &'static str;
    /// Whether a stream may have any number of messages.
    const ENDLESS: bool;
    /// Whether it separates thoughts from the rest.
    const THOUGHTS: bool;
    /// Whether it separates calls from the rest.
    const CALLS: bool;

    /// Returns a message in the form that it reads.
    fn wire(message: &Message) -> String;

    /// Reads one stream from start to end. It may be called again.
    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>));
}

/// A piece of a parser's output.
pub(crate) enum Piece<'a> {
    Think(&'a str),
    Say(&'a str),
    /// The number of the call, and its name.
    Name(usize, &'a str),
    /// Text of a call's arguments.
    Args(usize, &'a str),
    Other,
}

/// A parser, with its type erased.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    pub(crate) endless: bool,
    pub(crate) thoughts: bool,
    pub(crate) calls: bool,
    pub(crate) wire: fn(&Message) -> String,
    /// Reads all streams, and returns the number of pieces.
    pub(crate) count: fn(&[Vec<&str>]) -> u64,
    pub(crate) answer: fn(&[&str]) -> Answer,
}

impl Machine {
    pub(crate) const fn for_peer<P: Peer>() -> Self {
        Self {
            name: P::NAME,
            endless: P::ENDLESS,
            thoughts: P::THOUGHTS,
            calls: P::CALLS,
            wire: P::wire,
            count: count::<P>,
            answer: Answer::read::<P>,
        }
    }
}

fn count<P: Peer>(streams: &[Vec<&str>]) -> u64 {
    let (mut pieces, mut bytes) = (0, 0);
    let mut peer = P::default();
    for chunks in streams {
        peer.read(chunks, &mut |piece| {
            pieces += 1;
            if let Piece::Think(text) | Piece::Say(text) | Piece::Args(_, text) = piece {
                bytes += text.len();
            }
        });
    }
    black_box(bytes);
    pieces
}

/// The meaning of a message. Differences in order or in white space do not matter.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) thought: String,
    pub(crate) said: String,
    /// The names and arguments of the calls.
    pub(crate) calls: BTreeMap<usize, (String, String)>,
}

impl Answer {
    /// Returns the results of a parser in one stream.
    fn read<P: Peer>(chunks: &[&str]) -> Self {
        let mut answer = Self::default();
        P::default().read(chunks, &mut |piece| match piece {
            Piece::Think(text) => answer.thought.push_str(text),
            Piece::Say(text) => answer.said.push_str(text),
            Piece::Name(call, name) => answer.calls.entry(call).or_default().0.push_str(name),
            Piece::Args(call, text) => answer.calls.entry(call).or_default().1.push_str(text),
            Piece::Other => {}
        });
        answer.bare()
    }

    /// Returns the meaning of the message itself.
    pub(crate) fn meant(message: &Message) -> Self {
        let calls = message.calls.iter().map(|call| (call.name.clone(), call.args.clone()));
        let (thought, said) = (message.thought.clone(), message.answer.clone());
        Self { thought, said, calls: calls.enumerate().collect() }.bare()
    }

    fn bare(mut self) -> Self {
        self.thought = bare(&self.thought);
        self.said = bare(&self.said);
        for (_, args) in self.calls.values_mut() {
            let value = serde_json::from_str::<serde_json::Value>(args);
            *args = value.map_or_else(|_| bare(args), |value| value.to_string());
        }
        self
    }
}

/// Returns a text with single spaces, because parsers treat white space around delimiters
/// differently.
fn bare(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
