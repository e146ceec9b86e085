//! The tokens: pieces of the input with their meaning, and without a state.

use crate::delimiter::Delimiter;

/// A piece of the input and its meaning. The texts of all tokens are the input, byte for byte.
///
/// ```
/// use silcrow_lex::{Dialect, Lexer, Token};
///
/// let text = "§call: {\"name\":\"ls\"}\n§execute";
/// let mut lexer = Lexer::new(Dialect::Sigil);
/// let (mut input, mut body, mut whole) = (text, String::new(), String::new());
/// while let Some(token) = lexer.next(&mut input).or_else(|| lexer.finish()) {
///     whole += token.text();
///     if let Token::Body(json) = token {
///         body += json;
///     }
/// }
/// assert_eq!((&*body, &*whole), (r#"{"name":"ls"}"#, text));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Token<'a> {
    /// Text between delimiters.
    Text(&'a str),
    /// The surplus first character of a doubled one (P-3), which is not content.
    Escape(&'static str),
    /// A delimiter, and its literal.
    Delimiter(Delimiter, &'static str),
    /// Text of a call's body.
    Body(&'a str),
    /// Text around the items of a list, the code fence of a body (P-8), separators after a body
    /// (P-12), text after the body of an action, and text around the attributes of a tag.
    Glue(&'a str),
    /// The end of a call's body, or of an item of a list. It covers no text.
    Close(BodyEnd),
    /// The beginning of a possible tag with attributes: its name with the `<` (P-19). Tokens
    /// `Name`, `Value` and `Glue` follow, and then a `Delimiter` that covers the `>`, or a
    /// `TagEnd`.
    Tag(Delimiter, &'static str),
    /// Text of an attribute's name.
    Name(&'a str),
    /// Text of an attribute's value: without quotes, but with the brackets of an array.
    Value(&'a str),
    /// The end of text that began with `Tag` but is not a tag. It covers no text.
    TagEnd(TagEnd),
}

impl<'a> Token<'a> {
    /// Returns the part of the input that the token covers. It is empty for `Close` and `TagEnd`.
    pub const fn text(&self) -> &'a str {
        match *self {
            Self::Text(text) | Self::Body(text) | Self::Glue(text) => text,
            Self::Name(text) | Self::Value(text) => text,
            Self::Escape(text) | Self::Delimiter(_, text) | Self::Tag(_, text) => text,
            Self::Close(_) | Self::TagEnd(_) => "",
        }
    }
}

/// The way in which a call's body ended.
///
/// ```
/// use silcrow_lex::{BodyEnd, Dialect, Lexer, Token};
///
/// let mut lexer = Lexer::new(Dialect::Sigil);
/// let mut input = "§call: {\"name\":\"l";
/// while lexer.next(&mut input).is_some() {}
/// // The answer is cut off within a string.
/// assert_eq!(lexer.finish(), Some(Token::Close(BodyEnd::Truncated)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a body ends at its bracket or before it")]
pub enum BodyEnd {
    /// The bracket that opened it was closed.
    Complete,
    /// A delimiter cut it off outside of its strings. A body of which the lexer does not count the
    /// brackets also ends in this way, even at the end of the input: one that does not begin with a
    /// bracket, or one that was [abandoned](crate::Lexer::abandon_body).
    Unclosed,
    /// The end of the input cut it off, or a delimiter inside one of its strings, after a raw line
    /// break (P-8).
    Truncated,
}

/// The reason that the text after a tag's name is not a tag that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a tag is malformed, or it is escaped")]
pub enum TagEnd {
    /// It is not a tag. All of it is text, and the next token begins with the character that
    /// disproves it.
    Malformed,
    /// It is a whole tag after a doubled first character. Its own first character is dropped, the
    /// rest is text, and the next token begins with its `>` (P-3).
    Escaped,
}
