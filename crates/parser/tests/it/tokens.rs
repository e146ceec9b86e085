//! The tokens of a text, comparable for different cuts of it.

use silcrow_lex::{BodyEnd, Delimiter, Dialect, Lexer, Options, TagEnd, Token};

/// The tokens of a text. Tokens that a cut may separate are joined.
#[derive(Debug, PartialEq)]
pub(crate) struct Tokens {
    /// The texts of all tokens.
    pub(crate) text: String,
    /// The kind of each token, and its end in the text.
    pub(crate) kinds: Vec<(TokenKind, usize)>,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TokenKind {
    Text,
    Escape,
    Delimiter(Delimiter),
    Body,
    Glue,
    Close(BodyEnd),
    Tag(Delimiter),
    Name,
    Value,
    TagEnd(TagEnd),
}

impl Tokens {
    pub(crate) fn lex<'a>(
        pieces: impl IntoIterator<Item = &'a str>,
        dialect: Dialect,
        inline: bool,
    ) -> Self {
        let mut tokens = Self { text: String::with_capacity(256), kinds: Vec::with_capacity(32) };
        let mut lexer = Lexer::new(Options::new(dialect).with_inline(inline));
        for mut rest in pieces {
            while let Some(token) = lexer.next(&mut rest) {
                tokens.push(token);
            }
            assert_eq!(rest, "", "all of a chunk is taken");
        }
        while let Some(token) = lexer.finish() {
            tokens.push(token);
        }
        assert_eq!(lexer.finish(), None, "finish is idempotent");
        tokens
    }

    fn push(&mut self, token: Token<'_>) {
        let text = token.text();
        let kind = match token {
            Token::Text(_) => TokenKind::Text,
            Token::Escape(_) => TokenKind::Escape,
            Token::Delimiter(delimiter, _) => TokenKind::Delimiter(delimiter),
            Token::Body(_) => TokenKind::Body,
            Token::Glue(_) => TokenKind::Glue,
            Token::Close(close) => TokenKind::Close(close),
            Token::Tag(delimiter, _) => TokenKind::Tag(delimiter),
            Token::Name(_) => TokenKind::Name,
            Token::Value(_) => TokenKind::Value,
            Token::TagEnd(end) => TokenKind::TagEnd(end),
            other => panic!("unknown token {other:?}"),
        };
        let is_streamed = matches!(
            kind,
            TokenKind::Text
                | TokenKind::Body
                | TokenKind::Glue
                | TokenKind::Name
                | TokenKind::Value
        );
        assert!(!is_streamed || !text.is_empty(), "an empty {kind:?}");
        self.text.push_str(text);
        match self.kinds.last_mut() {
            Some((last, end)) if is_streamed && *last == kind => *end = self.text.len(),
            _ => self.kinds.push((kind, self.text.len())),
        }
    }
}
