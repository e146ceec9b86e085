//! Reads a text in pieces, and joins the fragments, so that they do not depend on the cuts.

use std::sync::Arc;

use silcrow_native::{Fragment, NativeFamily, NativeParser, TextKind, ToolSchemas};

/// The way a text is read.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) families: Vec<NativeFamily>,
    pub(crate) in_thought: bool,
    pub(crate) tools: Arc<ToolSchemas>,
}

/// A joined fragment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Joined {
    Thought(String),
    Answer(String),
    /// A name, the arguments and an id.
    Call(String, String, String),
    /// The id, and whether it was cut off.
    Invalid(String, bool, String),
    /// The pieces of the arguments of a call.
    Pieces(u32, String),
    Other(String),
}

impl Setup {
    pub(crate) fn new(family: NativeFamily) -> Self {
        Self { families: vec![family], in_thought: false, tools: Arc::default() }
    }

    pub(crate) fn parser(&self) -> NativeParser {
        let parser = NativeParser::for_families(&self.families).with_tools(Arc::clone(&self.tools));
        if self.in_thought { parser.with_open_thought() } else { parser }
    }

    /// Reads pieces, and checks the rules for every text.
    pub(crate) fn read<'a>(&self, pieces: impl IntoIterator<Item = &'a str>) -> Vec<Joined> {
        let mut parser = self.parser().with_call_text();
        let mut joined = JoinedFragments::default();
        for piece in pieces {
            parser.push(piece, &mut |fragment| joined.push(fragment));
        }
        parser.finish(&mut |fragment| joined.push(fragment));
        assert_eq!(joined.open, None, "a section is still open");
        joined.all
    }

    /// Checks that the fragments are the same however the text is cut, and that the pieces of calls
    /// change nothing.
    pub(crate) fn check(&self, text: &str, seed: u64) -> Vec<Joined> {
        let whole = self.read([text]);
        let one = self.read(text.split_inclusive(|_: char| true));
        assert_eq!(one, whole, "{self:?} by characters: {text:?}");
        for most in [3, 9] {
            let pieces = self.read(random_pieces(text, seed, most));
            assert_eq!(pieces, whole, "{self:?}, seed {seed}, up to {most}: {text:?}");
        }
        whole
    }
}

#[derive(Debug, Default)]
struct JoinedFragments {
    all: Vec<Joined>,
    open: Option<u32>,
    pieces: Option<(u32, String)>,
}

impl JoinedFragments {
    fn push(&mut self, fragment: Fragment<'_>) {
        match fragment {
            Fragment::Text(text) => {
                assert!(!text.text.is_empty());
                let is_thought = text.kind == TextKind::Think;
                if self.open == Some(text.part) {
                    let Some(Joined::Thought(all) | Joined::Answer(all)) = self
                        .all
                        .iter_mut()
                        .rev()
                        .find(|one| matches!(one, Joined::Thought(_) | Joined::Answer(_)))
                    else {
                        panic!("no open section");
                    };
                    all.push_str(text.text);
                } else {
                    assert_eq!(self.open, None, "a section is still open");
                    self.open = Some(text.part);
                    let text = text.text.to_owned();
                    self.all.push(if is_thought {
                        Joined::Thought(text)
                    } else {
                        Joined::Answer(text)
                    });
                }
            }
            Fragment::Close { part } => assert_eq!(self.open.take(), Some(part)),
            Fragment::CallText(piece) if piece.id.is_some() => {
                let Some((call, text)) = self.pieces.take() else { panic!("no pieces") };
                self.all.push(Joined::Pieces(call, text));
            }
            Fragment::CallText(piece) => {
                assert!(piece.name.is_some_and(|name| !name.is_empty()) || piece.name.is_none());
                let (call, text) = self.pieces.get_or_insert_default();
                *call = piece.call;
                text.push_str(piece.text);
            }
            Fragment::Call(call) => {
                if let Some(Joined::Pieces(_, text)) = self.all.last()
                    && text != call.args()
                {
                    // A parameter was given twice.
                    assert!(text.len() > call.args().len(), "{text} {}", call.args());
                }
                let (name, args) = (call.name().to_owned(), call.args().to_owned());
                self.all.push(Joined::Call(name, args, call.id().to_owned()));
            }
            Fragment::InvalidCall(call) => {
                assert_eq!(self.pieces, None);
                self.all.push(Joined::Invalid(call.id, call.truncated, call.text));
            }
            other => self.all.push(Joined::Other(format!("{other:?}"))),
        }
    }
}

/// Returns pieces of a text of up to `most` characters.
fn random_pieces(text: &str, seed: u64, most: u64) -> Vec<&str> {
    let (mut state, mut rest, mut pieces) = (seed | 1, text, Vec::new());
    while !rest.is_empty() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let count = 1 + state % most;
        let end = rest.char_indices().nth(count as usize).map_or(rest.len(), |(at, _)| at);
        let (piece, left) = rest.split_at(end);
        pieces.push(piece);
        rest = left;
    }
    pieces
}
