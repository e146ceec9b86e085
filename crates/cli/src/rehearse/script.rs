//! Wire text as the tokens of a model, each with the fragments that it becomes.
//!
//! The text is parsed before it is rehearsed, because the calls in it decide which stubs there are.

use silcrow_accumulate::{Accumulator, AnswerCap, AnswerLimits, Step};
use silcrow_event::{Call, Fragment, TextFragment, TextKind};
use silcrow_parser::{Options, Parser};
use silcrow_plan::Plan;

/// The fragments that a token of the model becomes.
pub(crate) type ScriptToken = Vec<ScriptFragment>;

/// A fragment that outlives its token.
#[derive(Clone, Debug)]
pub(crate) enum ScriptFragment {
    /// A piece of text with the number of its section.
    Text(TextKind, u32, String),
    /// A fragment that borrows nothing.
    Owned(Fragment<'static>),
    /// The text is longer than an answer may be (P-9).
    TooMuch,
}

impl ScriptFragment {
    /// Passes the fragment to an accumulator.
    pub(crate) fn push(
        &self,
        accumulator: &mut Accumulator,
        plan: &mut Plan,
        take: &mut dyn FnMut(Step<'_>),
    ) {
        match self {
            &Self::Text(kind, part, ref text) => {
                accumulator.push(Fragment::Text(TextFragment { kind, part, text }), plan, take);
            }
            Self::Owned(fragment) => accumulator.push(fragment.clone(), plan, take),
            Self::TooMuch => accumulator.too_much(plan, take),
        }
    }

    /// Returns the call, if the fragment is one.
    pub(crate) const fn call(&self) -> Option<&Call> {
        match self {
            Self::Owned(Fragment::Call(call)) => Some(call),
            _ => None,
        }
    }
}

/// Returns the tokens of a text, 4 characters each. The last one also has what the end of the text
/// brings.
pub(crate) fn tokens(wire: &str, options: Options) -> Vec<ScriptToken> {
    const CHARS: usize = 4;
    let mut parser = Parser::new(options);
    let mut tokens = Vec::new();
    let admitted = AnswerCap::new(AnswerLimits::default()).admit(wire);
    let mut rest = admitted;
    while !rest.is_empty() {
        let len = rest.char_indices().nth(CHARS).map_or(rest.len(), |(at, _)| at);
        let (token, more) = rest.split_at(len);
        let mut fragments = Vec::new();
        parser.push(token, &mut |fragment| fragments.extend(owned(fragment)));
        tokens.push(fragments);
        rest = more;
    }
    let mut last = tokens.pop().unwrap_or_default();
    if admitted.len() < wire.len() {
        last.push(ScriptFragment::TooMuch);
    }
    parser.finish(&mut |fragment| last.extend(owned(fragment)));
    tokens.push(last);
    tokens
}

/// Returns a copy of the fragment; the text of calls that are still being written has none.
fn owned(fragment: Fragment<'_>) -> Option<ScriptFragment> {
    Some(ScriptFragment::Owned(match fragment {
        Fragment::Text(TextFragment { kind, part, text }) => {
            return Some(ScriptFragment::Text(kind, part, text.to_owned()));
        }
        Fragment::Close { part } => Fragment::Close { part },
        Fragment::Call(call) => Fragment::Call(call),
        Fragment::InvalidCall(bad) => Fragment::InvalidCall(bad),
        Fragment::Execute => Fragment::Execute,
        Fragment::End => Fragment::End,
        Fragment::Diagnostic(diagnostic) => Fragment::Diagnostic(diagnostic),
        _ => return None,
    }))
}
