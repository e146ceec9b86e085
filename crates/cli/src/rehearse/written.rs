use silcrow_accumulate::{Accumulator, AnswerCap, AnswerLimits, Step};
use silcrow_event::{Fragment, TextFragment, TextKind};
use silcrow_parser::{Options, Parser};
use silcrow_plan::Plan;

/// A piece of wire text as a model gives it out, and what it becomes.
pub(crate) type Token = Vec<Piece>;

/// A fragment that outlives its token.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(TextKind, u32, String),
    Other(Fragment<'static>),
    /// The text is longer than an answer may be (P-9).
    TooMuch,
}

impl Piece {
    pub(crate) fn play(
        &self,
        accumulator: &mut Accumulator,
        plan: &mut Plan,
        take: &mut dyn FnMut(Step<'_>),
    ) {
        match self {
            &Self::Text(kind, part, ref text) => {
                accumulator.push(Fragment::Text(TextFragment { kind, part, text }), plan, take);
            }
            Self::Other(other) => accumulator.push(other.clone(), plan, take),
            Self::TooMuch => accumulator.too_much(plan, take),
        }
    }
}

/// The tokens of a text, 4 characters each; what the end brings belongs to the last.
pub(crate) fn tokens(wire: &str, options: Options) -> Vec<Token> {
    const CHARS: usize = 4;
    let mut parser = Parser::new(options);
    let mut tokens = Vec::new();
    let admitted = AnswerCap::new(AnswerLimits::default()).admit(wire);
    let mut rest = admitted;
    while !rest.is_empty() {
        let len = rest.char_indices().nth(CHARS).map_or(rest.len(), |(at, _)| at);
        let (token, more) = rest.split_at(len);
        let mut pieces = Vec::new();
        parser.push(token, &mut |fragment| pieces.extend(piece(fragment)));
        tokens.push(pieces);
        rest = more;
    }
    let mut last = tokens.pop().unwrap_or_default();
    if admitted.len() < wire.len() {
        last.push(Piece::TooMuch);
    }
    parser.finish(&mut |fragment| last.extend(piece(fragment)));
    tokens.push(last);
    tokens
}

fn piece(fragment: Fragment<'_>) -> Option<Piece> {
    Some(match fragment {
        Fragment::Text(text) => Piece::Text(text.kind, text.part, text.text.to_owned()),
        Fragment::Close { part } => Piece::Other(Fragment::Close { part }),
        Fragment::Call(call) => Piece::Other(Fragment::Call(call)),
        Fragment::InvalidCall(bad) => Piece::Other(Fragment::InvalidCall(bad)),
        Fragment::Execute => Piece::Other(Fragment::Execute),
        Fragment::End => Piece::Other(Fragment::End),
        Fragment::Diagnostic(note) => Piece::Other(Fragment::Diagnostic(note)),
        _ => return None,
    })
}
