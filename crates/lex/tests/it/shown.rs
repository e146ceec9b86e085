//! A notation for tokens, which the tests compare.

use silcrow_lex::{Dialect, Lexer, Token};

/// Returns the tokens of a text, after checking that they do not depend on where it is cut.
///
/// The notation is `text`, `[delimiter]`, `{body}`, `~glue~`, `(tag`, `n:name`, `v:value`, and
/// capitals for a token without text.
#[track_caller]
pub(crate) fn shown(wire: &str, dialect: Dialect) -> String {
    let whole = show(&[wire], dialect);
    for at in (0..=wire.len()).filter(|&at| wire.is_char_boundary(at)) {
        let (left, right) = wire.split_at(at);
        assert_eq!(show(&[left, right], dialect), whole, "{left:?} {right:?}");
    }
    let chars: Vec<&str> = wire.split_inclusive(|_: char| true).collect();
    assert_eq!(show(&chars, dialect), whole, "{wire:?} by characters");
    whole
}

fn show(pieces: &[&str], dialect: Dialect) -> String {
    let mut lexer = Lexer::new(dialect);
    let mut joined: Vec<(&str, String, &str)> = Vec::new();
    let mut take = |token: Token<'_>| {
        let (open, text, close) = match token {
            Token::Text(text) => ("", text, ""),
            Token::Escape(text) => ("ESCAPE ", text, ""),
            Token::Delimiter(_, text) => ("[", text, "]"),
            Token::Body(text) => ("{", text, "}"),
            Token::Glue(text) => ("~", text, "~"),
            Token::Close(close) => {
                return joined.push(("", format!("{close:?}").to_uppercase(), "."));
            }
            Token::Tag(_, text) => ("(", text, ""),
            Token::Name(text) => ("n:", text, ""),
            Token::Value(text) => ("v:", text, ""),
            Token::TagEnd(end) => return joined.push(("", format!("{end:?}").to_uppercase(), ".")),
            _ => unreachable!(),
        };
        match joined.last_mut() {
            Some(last) if (last.0, last.2) == (open, close) && open != "[" => last.1.push_str(text),
            _ => joined.push((open, text.to_owned(), close)),
        }
    };
    for piece in pieces {
        let mut rest = *piece;
        while let Some(token) = lexer.next(&mut rest) {
            take(token);
        }
    }
    while let Some(token) = lexer.finish() {
        take(token);
    }
    let tokens: Vec<String> =
        joined.into_iter().map(|(open, text, close)| format!("{open}{text}{close}")).collect();
    tokens.join(" ")
}
