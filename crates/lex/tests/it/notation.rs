//! The notation of tokens.
//!
//! - `Text` is `‹text›`.
//! - `Delimiter` is `▸` and its literal: `▸§call:`, `▸</think>`, and `▸>` at the end of a tag.
//! - `Body`, `Glue`, `Escape`, `Tag`, `Name` and `Value` are the kind and the text: `body ‹{}›`.
//! - `Close` and `TagEnd` are `◂` and the reason: `◂complete`, `◂unclosed`, `◂truncated`.

use std::fmt;

use silcrow_lex::{Lexer, Options, Token};

/// Tokens as people read them. Tokens that a cut may separate are joined.
pub(crate) struct Notation {
    tokens: Vec<(String, String)>,
}

impl Notation {
    pub(crate) const fn new() -> Self {
        Self { tokens: Vec::new() }
    }

    /// Returns the tokens of a text, after checking that they do not depend on where it is cut.
    #[track_caller]
    pub(crate) fn lex(wire: &str, options: impl Into<Options>) -> String {
        let options = options.into();
        let whole = Self::lex_pieces(&[wire], options);
        for at in (0..=wire.len()).filter(|&at| wire.is_char_boundary(at)) {
            let (left, right) = wire.split_at(at);
            assert_eq!(Self::lex_pieces(&[left, right], options), whole, "{left:?} {right:?}");
        }
        let chars: Vec<&str> = wire.split_inclusive(|_: char| true).collect();
        assert_eq!(Self::lex_pieces(&chars, options), whole, "{wire:?} by characters");
        whole
    }

    fn lex_pieces(pieces: &[&str], options: Options) -> String {
        let mut lexer = Lexer::new(options);
        let mut notation = Self::new();
        for piece in pieces {
            notation.read(&mut lexer, piece);
        }
        notation.finish(&mut lexer);
        notation.to_string()
    }

    /// Adds the tokens of a chunk.
    pub(crate) fn read(&mut self, lexer: &mut Lexer, mut chunk: &str) {
        while let Some(token) = lexer.next(&mut chunk) {
            self.push(token);
        }
    }

    /// Adds the tokens of the end of the input.
    pub(crate) fn finish(&mut self, lexer: &mut Lexer) {
        while let Some(token) = lexer.finish() {
            self.push(token);
        }
    }

    fn push(&mut self, token: Token<'_>) {
        let (name, is_streamed) = match token {
            Token::Text(_) => ("", true),
            Token::Escape(_) => ("escape ", false),
            Token::Delimiter(..) => ("▸", false),
            Token::Body(_) => ("body ", true),
            Token::Glue(_) => ("glue ", true),
            Token::Close(end) => (&*format!("◂{end:?}").to_lowercase(), false),
            Token::Tag(..) => ("tag ", false),
            Token::Name(_) => ("name ", true),
            Token::Value(_) => ("value ", true),
            Token::TagEnd(end) => (&*format!("◂{end:?}").to_lowercase(), false),
            other => panic!("unknown token {other:?}"),
        };
        match self.tokens.last_mut() {
            Some((last, text)) if is_streamed && last == name => text.push_str(token.text()),
            _ => self.tokens.push((name.to_owned(), token.text().to_owned())),
        }
    }

    /// Returns how many bytes of the input the tokens cover.
    pub(crate) fn len(&self) -> usize {
        self.tokens.iter().map(|(_, text)| text.len()).sum()
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, text)) in self.tokens.iter().enumerate() {
            let before = if index == 0 { "" } else { " " };
            write!(f, "{before}{name}")?;
            match name.as_str() {
                "▸" => f.write_str(text)?,
                _ if text.is_empty() => {}
                _ => write!(f, "‹{}›", marked(text))?,
            }
        }
        Ok(())
    }
}

/// Returns a text with marks for the white space that a reader could not see.
pub(crate) fn marked(text: &str) -> String {
    MARKS.iter().fold(text.to_owned(), |text, (char, mark)| text.replace(*char, mark))
}

/// Returns the text that [`marked`] returned the marks of.
pub(crate) fn unmarked(text: &str) -> String {
    MARKS.iter().fold(text.to_owned(), |text, (char, mark)| text.replace(mark, char))
}

const MARKS: [(&str, &str); 3] = [("\n", "␊"), ("\t", "␉"), ("\r", "␍")];
