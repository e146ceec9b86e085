//! Wire text as the answers of a model, each cut into tokens.
//!
//! An agent stops reading at an execution point, so the text is cut there: the rest is the model's
//! answer to the results. The text is parsed before it is played, because its calls decide which
//! stubs there are.

use silcrow_event::{Call, Fragment};
use silcrow_lex::{Lexer, Token};
use silcrow_parser::{Dialect, Options, Parser};

/// The answers of a model, and the calls in them.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) answers: Vec<Vec<ScriptToken>>,
    pub(crate) calls: Vec<Call>,
}

/// A token of a model, or a part of one that an execution point cuts.
#[derive(Clone, Debug)]
pub(crate) struct ScriptToken {
    /// The number of the token in the whole text, from 1.
    pub(crate) number: u32,
    pub(crate) text: String,
}

impl Script {
    /// Cuts a text. There is at least one answer, which may be empty.
    pub(crate) fn parse(wire: &str, options: Options) -> Self {
        let mut script = Self::default();
        let mut rest = wire;
        loop {
            let (answer, after) = script.cut(rest, options);
            let from = wire[..wire.len() - rest.len()].chars().count();
            script.answers.push(tokens(answer, from));
            if after.trim().is_empty() {
                return script;
            }
            rest = after;
        }
    }

    /// Returns the first answer of a text, and the text of the further ones. Keeps its calls.
    fn cut<'t>(&mut self, text: &'t str, options: Options) -> (&'t str, &'t str) {
        let mut parser = Parser::new(options);
        for (at, char) in text.char_indices() {
            let end = at + char.len_utf8();
            let (mut executes, mut ends) = (false, false);
            parser.push(&text[at..end], &mut |fragment| match fragment {
                Fragment::Call(call) => self.calls.push(call),
                Fragment::Execute => executes = true,
                Fragment::End => ends = true,
                _ => {}
            });
            // Nothing after the end mark is processed (P-11).
            match (ends, executes, options.dialect) {
                (true, ..) => return (text, ""),
                (false, false, _) => {}
                // The character after the delimiter decides that it is one (P-11).
                (_, true, Dialect::Sigil) => {
                    return (&text[..end], next_section(&text[at..], options));
                }
                (_, true, _) => return text.split_at(end),
            }
        }
        parser.finish(&mut |fragment| {
            if let Fragment::Call(call) = fragment {
                self.calls.push(call);
            }
        });
        (text, "")
    }
}

/// Returns the text from its first delimiter on. The agent does not read text between an execution
/// point and the next section.
fn next_section(text: &str, options: Options) -> &str {
    let mut lexer = Lexer::new(options);
    let mut rest = text;
    loop {
        match lexer.next(&mut rest) {
            Some(Token::Delimiter(_, literal)) => {
                return &text[text.len() - rest.len() - literal.len()..];
            }
            Some(_) => {}
            None => match lexer.finish() {
                Some(Token::Delimiter(_, literal)) => return &text[text.len() - literal.len()..],
                _ => return "",
            },
        }
    }
}

/// Cuts an answer at the ends of the whole text's tokens; `from` is the position of its first
/// character.
fn tokens(answer: &str, from: usize) -> Vec<ScriptToken> {
    let mut tokens = Vec::new();
    let (mut rest, mut at) = (answer, from);
    while !rest.is_empty() {
        let chars = CHARS - at % CHARS;
        let len = rest.char_indices().nth(chars).map_or(rest.len(), |(len, _)| len);
        let (text, more) = rest.split_at(len);
        at += chars;
        let number = u32::try_from(at / CHARS).unwrap_or(u32::MAX);
        tokens.push(ScriptToken { number, text: text.to_owned() });
        rest = more;
    }
    tokens
}

/// The characters of a token.
const CHARS: usize = 4;
