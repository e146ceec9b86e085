use silcrow_event::{Fragment, Text, Voice};
use silcrow_parser::{Options, Parser};

/// A piece of wire text as a model gives it out, and what it becomes.
pub(crate) type Token = Vec<Piece>;

/// A fragment that outlives its token.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(Voice, u32, String),
    Other(Fragment<'static>),
}

impl Piece {
    pub(crate) fn as_fragment(&self) -> Fragment<'_> {
        match self {
            &Self::Text(voice, part, ref text) => Fragment::Text(Text { voice, part, text }),
            Self::Other(other) => other.clone(),
        }
    }
}

/// The tokens of a text, 4 characters each; what the end brings belongs to the last.
pub(crate) fn tokens(wire: &str, options: Options) -> Vec<Token> {
    const CHARS: usize = 4;
    let mut parser = Parser::new(options);
    let mut tokens = Vec::new();
    let mut rest = wire;
    while !rest.is_empty() {
        let len = rest.char_indices().nth(CHARS).map_or(rest.len(), |(at, _)| at);
        let (token, more) = rest.split_at(len);
        let mut pieces = Vec::new();
        parser.push(token, &mut |fragment| pieces.extend(piece(fragment)));
        tokens.push(pieces);
        rest = more;
    }
    let mut last = tokens.pop().unwrap_or_default();
    parser.finish(&mut |fragment| last.extend(piece(fragment)));
    tokens.push(last);
    tokens
}

fn piece(fragment: Fragment<'_>) -> Option<Piece> {
    Some(match fragment {
        Fragment::Text(text) => Piece::Text(text.voice, text.part, text.text.to_owned()),
        Fragment::Close { part } => Piece::Other(Fragment::Close { part }),
        Fragment::Call(call) => Piece::Other(Fragment::Call(call)),
        Fragment::BadCall(bad) => Piece::Other(Fragment::BadCall(bad)),
        Fragment::Execute => Piece::Other(Fragment::Execute),
        Fragment::End => Piece::Other(Fragment::End),
        Fragment::Note(note) => Piece::Other(Fragment::Note(note)),
        _ => return None,
    })
}
