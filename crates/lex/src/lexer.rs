use crate::body::Body;
use crate::dialect::Dialect;
use crate::pending::{Pending, Stage};
use crate::recognise::Found;
use crate::table::{Delimiter, Mode, Table};
use crate::tag::{Tag, TagEnd};

/// A piece of the input and what it is. The texts of all tokens are the input, byte for byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Token<'a> {
    /// Text between delimiters.
    Text(&'a str),
    /// The one character that a doubled first character is too many (P-3): no content.
    Escape(&'static str),
    /// A delimiter, and its literal.
    Delimiter(Delimiter, &'static str),
    /// Text of a call body.
    Body(&'a str),
    /// Text around the items of a list body, the code fence of a body (P-8), what stands behind
    /// the body of an action, and what stands around the attributes of a tag.
    Glue(&'a str),
    /// The call body, or the item of a list body, is over. Covers no text.
    Close(BodyEnd),
    /// What may become a tag with attributes, and its name with the `<` (P-19). What follows are
    /// `Name`, `Value` and `Glue`, and then a `Delimiter` that covers the `>`, or a `TagEnd`.
    Tag(Delimiter, &'static str),
    /// Text of an attribute's name.
    Name(&'a str),
    /// Text of an attribute's value: without quotes, and with the brackets of an array.
    Value(&'a str),
    /// What began with `Tag` counts for nothing. Covers no text.
    TagEnd(TagEnd),
}

/// How a call body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a body ends at its bracket or before it")]
pub enum BodyEnd {
    /// Its last bracket closed.
    Complete,
    /// A delimiter came outside of its strings before it closed, or it was never tracked.
    Unclosed,
    /// The end of the input cut it off, or a delimiter inside one of its strings, after a raw line
    /// break (P-8).
    Torn,
}

/// The state between chunks: a few words, no text.
#[derive(Clone, Copy, Debug)]
pub struct Lexer {
    pub(crate) dialect: Dialect,
    /// Delimiters count anywhere in a line.
    inline: bool,
    pub(crate) mode: Mode,
    /// The mode before the last delimiter.
    pub(crate) before: Mode,
    /// The mode that the call body at hand, or the last one, stands in.
    pub(crate) outer: Mode,
    pub(crate) line: Line,
    pub(crate) held: Pending,
    pub(crate) body: Body,
    pub(crate) tag: Tag,
}

const _: () = assert!(size_of::<Lexer>() <= 32, "the state is a few words");

/// Where in a line the next byte stands (P-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Start,
    /// Only blanks stand between it and a control delimiter or a complete call body.
    After,
    Middle,
}

impl Lexer {
    /// The initial state. `inline` lets delimiters count anywhere in a line (P-2).
    pub const fn new(dialect: Dialect, inline: bool) -> Self {
        Self {
            dialect,
            inline,
            mode: Mode::Text,
            before: Mode::Text,
            outer: Mode::Text,
            line: Line::Start,
            held: Pending::EMPTY,
            body: Body::START,
            tag: Tag::START,
        }
    }

    /// The next token of `input`, which is moved behind it. `None` when the chunk is used up; what
    /// is withheld then is the longest suffix that may still become a delimiter.
    #[inline]
    pub fn next<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        if self.held.stage != Stage::Empty
            && let Some(token) = self.resume(input)
        {
            return Some(token);
        }
        if input.is_empty() {
            return None;
        }
        match self.mode {
            Mode::Body => self.body(input),
            Mode::Tag => self.tag(input),
            _ => self.text(input),
        }
    }

    /// What is still withheld, when the input has ended, piece by piece; `None` when nothing is.
    pub fn finish(&mut self) -> Option<Token<'static>> {
        if self.held.stage == Stage::Prefix {
            self.settle_word();
        }
        if self.held.stage != Stage::Empty
            && let Some(token) = self.resume(&mut "")
        {
            return Some(token);
        }
        if self.mode == Mode::Tag {
            return Some(self.end_tag(TagEnd::Broken));
        }
        if let Some(token) = self.release_pending() {
            return Some(token);
        }
        let cut = self.mode == Mode::Body && self.body.is_open(self.table());
        let close = cut.then(|| Token::Close(self.body.end()));
        self.mode = Mode::Done;
        close
    }

    /// The delimiter just given out, or the tag just begun, does not count: it is text, and what was
    /// before it goes on behind it (P-34).
    pub fn dismiss(&mut self) {
        self.mode = self.before;
        self.line = Line::Middle;
    }

    /// The call body is too long to follow: what is left of it reaches to the next delimiter at a
    /// line's start, or to the closing delimiter (P-9).
    pub fn abandon_body(&mut self) {
        if self.mode == Mode::Body {
            self.body = Body::DROPPED;
            if self.held.stage == Stage::Complete {
                self.held = Pending::EMPTY;
            }
        }
    }

    pub(crate) fn table(&self) -> &'static Table {
        self.dialect.table()
    }

    /// Whether delimiters need a line's start where the lexer stands (P-2, P-8, P-9).
    pub(crate) fn needs_line_start(&self) -> bool {
        let table = self.table();
        let in_body = self.mode == Mode::Body;
        (in_body && self.body.in_string)
            || (table.at_line_start && (!self.inline || (in_body && self.body.is_dropped())))
    }

    /// Text up to the next delimiter that counts here.
    #[inline]
    fn text<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let text = *input;
        let near = self.dialect.find_first(text.as_bytes());
        if near.is_some() || self.line == Line::After || self.mode == Mode::Comment {
            return self.marked(input, near);
        }
        *input = "";
        self.line = if text.ends_with('\n') { Line::Start } else { Line::Middle };
        Some(Token::Text(text))
    }

    /// As `text`, where `near` is the first byte that may begin a delimiter.
    #[cold]
    fn marked<'a>(&mut self, input: &mut &'a str, near: Option<usize>) -> Option<Token<'a>> {
        let found = match self.mode {
            Mode::Done => None,
            Mode::Comment => self.search_comment(input.as_bytes()),
            _ => near.and_then(|near| self.search_from(input.as_bytes(), near)),
        };
        let text = match found {
            None => core::mem::take(input),
            Some(found) => self.split(input, found),
        };
        if text.is_empty() {
            return self.resume(input);
        }
        self.pass(text);
        Some(Token::Text(text))
    }

    /// Moves the input behind what was found, which is held from here on, and returns the text
    /// before it.
    pub(crate) fn split<'a>(&mut self, input: &mut &'a str, found: Found) -> &'a str {
        let (text, rest) = input.split_at(found.at);
        self.held = found.held;
        *input = &rest[usize::from(self.held.len)..];
        text
    }

    /// Follows the line through text that is given out.
    pub(crate) fn pass(&mut self, text: &str) {
        if text.ends_with('\n') {
            self.line = Line::Start;
        } else if self.line != Line::After || !text.bytes().all(is_blank) {
            self.line = Line::Middle;
        }
    }
}

pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}
