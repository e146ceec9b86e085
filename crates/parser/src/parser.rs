use silcrow_event::Fragment;
use silcrow_lex::{Lexer, TagEnd, Token};

use crate::call::Calls;
use crate::flow::Sink;
use crate::options::Options;
use crate::outside::Outside;
use crate::section::Section;
use crate::tag::Tag;

/// Turns wire text into fragments as it comes.
#[derive(Debug)]
pub struct Parser {
    pub(crate) options: Options,
    lexer: Lexer,
    /// Bytes before the token at hand; while a delimiter takes effect, those up to its end.
    pub(crate) at: u64,
    pub(crate) section: Section,
    /// Sections that gave text so far.
    pub(crate) parts: u32,
    pub(crate) calls: Calls,
    /// The last thing that may be a tag with attributes.
    pub(crate) tag: Tag,
    pub(crate) outside: Outside,
}

impl Parser {
    /// At the start of a turn.
    pub fn new(options: impl Into<Options>) -> Self {
        let options = options.into();
        let mut parser = Self {
            options,
            lexer: options.lexer(),
            at: 0,
            section: Section::Done,
            parts: 0,
            calls: Calls::default(),
            tag: Tag::default(),
            outside: Outside::new(),
        };
        parser.begin();
        parser
    }

    /// Gives out the bodies of calls too while they are written ([`Fragment::CallText`]).
    ///
    /// ```
    /// use silcrow_event::Fragment;
    /// use silcrow_parser::{Dialect, Parser};
    ///
    /// let mut parser = Parser::new(Dialect::Sigil).with_call_text();
    /// let mut log = Vec::new();
    /// let mut show = |fragment: Fragment<'_>| match fragment {
    ///     Fragment::CallText(piece) => log.push(format!("{:?} {}", piece.name, piece.text)),
    ///     Fragment::Call(call) => log.push(format!("call {}", call.id())),
    ///     _ => {}
    /// };
    /// for chunk in ["§call: {\"name\":\"no", "te\",\"args\":{\"text\":\"wa", "nt", "ed\"}}"] {
    ///     parser.push(chunk, &mut show);
    /// }
    /// assert_eq!(
    ///     log,
    ///     [
    ///         r#"None {"name":"no"#,
    ///         r#"None te"#,
    ///         r#"Some("note") ","args":{"text":"wa"#,
    ///         r#"Some("note") nt"#,
    ///         r#"Some("note") ed"}}"#,
    ///         "call a1",
    ///     ],
    /// );
    /// ```
    #[must_use]
    pub fn with_call_text(mut self) -> Self {
        self.calls.shown = true;
        self
    }

    /// Takes a chunk and gives out all that is certain.
    pub fn push(&mut self, text: &str, sink: &mut dyn FnMut(Fragment<'_>)) {
        let mut rest = text;
        while !rest.is_empty() {
            // A body that is too long must be given up at the same byte however the input is cut.
            let (mut near, far) = split_near(rest, self.calls.room());
            rest = far;
            while let Some(token) = self.lexer.next(&mut near) {
                match token {
                    // These are by far the most of a turn.
                    Token::Text(text) => {
                        match &mut self.section {
                            Section::Text(flow) => flow.push(text, sink),
                            _ => self.text(text, self.at, sink),
                        }
                        self.at += text.len() as u64;
                    }
                    Token::Body(text) => self.body(text, sink),
                    token => self.token(token, sink),
                }
            }
        }
    }

    /// The end of the input: gives out what is withheld and closes what is open (P-6).
    pub fn finish(mut self, sink: &mut dyn FnMut(Fragment<'_>)) {
        while let Some(token) = self.lexer.finish() {
            self.token(token, sink);
        }
        self.end(sink);
    }

    fn token(&mut self, token: Token<'_>, sink: &mut Sink<'_>) {
        match token {
            Token::Text(text) => {
                self.text(text, self.at, sink);
                self.at += text.len() as u64;
            }
            Token::Escape(first) => {
                if !self.delimiter_counts() {
                    self.text(first, self.at, sink);
                }
                self.at += first.len() as u64;
            }
            Token::Delimiter(marker, literal) => {
                if self.delimiter_counts() {
                    self.at += literal.len() as u64;
                    self.delimiter(marker, sink);
                } else {
                    self.dismiss(literal, sink);
                }
            }
            Token::Body(text) => self.body(text, sink),
            Token::Glue(text) => {
                match &mut self.section {
                    _ if self.tag.is_open => self.tag.push_glue(text),
                    Section::List(list) => list.push(text, self.at, sink),
                    Section::Action(action) => action.around.push(text, self.at, sink),
                    _ => {}
                }
                self.at += text.len() as u64;
            }
            Token::Close(close) => self.close_body(close, sink),
            Token::Tag(_, name) => {
                if self.delimiter_counts() {
                    self.tag.begin(name, self.at);
                    self.at += name.len() as u64;
                } else {
                    self.dismiss(name, sink);
                }
            }
            Token::Name(text) => {
                self.tag.push_name(text);
                self.at += text.len() as u64;
            }
            Token::Value(text) => {
                self.tag.push_value(text);
                self.at += text.len() as u64;
            }
            Token::TagEnd(end) => {
                let dropped = match end {
                    TagEnd::Broken => 0,
                    TagEnd::Escaped => self.options.dialect.first().len(),
                };
                self.tag.end();
                let tag = std::mem::take(&mut self.tag);
                self.text(&tag.text()[dropped..], tag.at + dropped as u64, sink);
                self.tag = tag;
            }
            _ => {}
        }
    }

    /// Whether a delimiter that comes now counts.
    pub(crate) fn delimiter_counts(&self) -> bool {
        match &self.section {
            Section::Text(flow) | Section::Outside(flow) => flow.delimiter_counts(),
            _ => true,
        }
    }

    /// A delimiter, or the name of a tag, in a fence is text (P-34).
    fn dismiss(&mut self, literal: &str, sink: &mut Sink<'_>) {
        self.lexer.dismiss();
        self.text(literal, self.at, sink);
        self.at += literal.len() as u64;
    }

    /// Takes text of a call body.
    fn body(&mut self, text: &str, sink: &mut Sink<'_>) {
        if self.calls.is_at_start()
            && let Section::List(list) = &mut self.section
        {
            list.item(self.at, sink);
        }
        if self.calls.push(text, self.at, sink) {
            self.lexer.abandon_body();
        }
        self.at += text.len() as u64;
    }

    /// Takes text that stands at `at`.
    fn text(&mut self, text: &str, at: u64, sink: &mut Sink<'_>) {
        match &mut self.section {
            Section::Text(flow) => flow.push(text, sink),
            Section::Outside(piece) => self.outside.push(piece, text, at, sink),
            Section::Aside(aside) => aside.push(text, at),
            Section::List(_) | Section::Action(_) | Section::Comment | Section::Done => {}
        }
    }
}

/// Splits a text behind `len` bytes, or before the character that they end in; if that is the
/// first, behind it.
fn split_near(text: &str, len: usize) -> (&str, &str) {
    if text.len() <= len {
        return (text, "");
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    text.split_at(text.floor_char_boundary(len).max(first))
}
