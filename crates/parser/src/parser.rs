//! The parser: it passes each token to the current section.
//!
//! This module handles positions and tags. `section.rs` handles a delimiter's effect on the
//! section.

use silcrow_event::Fragment;
use silcrow_lex::{Delimiter, Lexer, Options, TagEnd, Token};

use crate::beginning::Beginning;
use crate::call::{CallReader, split_near};
use crate::held_end::HeldEnd;
use crate::hidden::HiddenDelimiters;
use crate::outside::OutsideText;
use crate::pending_tag::PendingTag;
use crate::section::Section;
use crate::section_text::FragmentSink;

/// An incremental parser that turns wire text into fragments.
///
/// Each parser reads one turn: [`push`](Self::push) its chunks, then [`finish`](Self::finish).
/// Pending text and the call being written are bounded; see the [crate's page](crate#memory).
///
/// ```
/// use silcrow_parser::{Dialect, Fragment, Parser};
///
/// let mut parser = Parser::new(Dialect::Sigil);
/// let mut answer = String::new();
/// let mut show = |fragment: Fragment<'_>| {
///     if let Fragment::Text(piece) = fragment {
///         answer.push_str(piece.text);
///     }
/// };
/// parser.push("§resp", &mut show);
/// parser.push("ond: It is 4.", &mut show);
/// parser.finish(&mut show);
/// assert_eq!(answer, "It is 4.");
/// ```
#[derive(Debug)]
pub struct Parser {
    pub(crate) options: Options,
    pub(crate) lexer: Lexer,
    /// The position of the current token; while a delimiter takes effect, the position after it.
    pub(crate) at: u64,
    pub(crate) section: Section,
    /// The number of sections with text so far.
    pub(crate) parts: u32,
    pub(crate) calls: CallReader,
    /// The last tag with attributes, or the text that may become one.
    pub(crate) tag: PendingTag,
    pub(crate) outside: OutsideText,
    pub(crate) beginning: Beginning,
    /// The delimiters that the fences of the current section hide.
    pub(crate) hidden: HiddenDelimiters,
    pub(crate) held: Option<HeldEnd>,
    /// The position after the end delimiter.
    pub(crate) ended_at: Option<u64>,
    /// Whether no delimiter has come yet.
    pub(crate) is_plain: bool,
    /// Whether the turn has an answer that no delimiter opened.
    pub(crate) has_plain_answer: bool,
    pub(crate) has_unopened_thought: bool,
    /// Whether the input was cut off.
    pub(crate) is_cut: bool,
}

impl Parser {
    /// Creates a parser at the start of a turn.
    pub fn new(options: impl Into<Options>) -> Self {
        let options = options.into();
        let mut parser = Self {
            options,
            lexer: Lexer::new(options),
            at: 0,
            section: Section::Done,
            parts: 0,
            calls: CallReader::default(),
            tag: PendingTag::default(),
            outside: OutsideText::new(),
            beginning: Beginning::new(),
            hidden: HiddenDelimiters::default(),
            held: None,
            ended_at: None,
            is_plain: true,
            has_plain_answer: false,
            has_unopened_thought: false,
            is_cut: false,
        };
        parser.begin();
        parser
    }

    /// Also emits the text of calls while they are being written ([`Fragment::CallText`]). The last
    /// piece of each call has the call's id and no text.
    ///
    /// ```
    /// use silcrow_parser::{Dialect, Fragment, Parser};
    ///
    /// let mut parser = Parser::new(Dialect::Sigil).with_call_text();
    /// let mut log = Vec::new();
    /// let mut show = |fragment: Fragment<'_>| match fragment {
    ///     Fragment::CallText(piece) => log.push(format!("{:?} {}", piece.id.or(piece.name), piece.text)),
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
    ///         r#"Some("a1") "#,
    ///         "call a1",
    ///     ],
    /// );
    /// ```
    #[must_use]
    pub fn with_call_text(mut self) -> Self {
        self.calls.emits_text = true;
        self
    }

    /// Parses a chunk and emits everything that is certain.
    pub fn push(&mut self, text: &str, sink: &mut dyn FnMut(Fragment<'_>)) {
        let mut rest = text;
        if !self.beginning.is_over() {
            while let Some(part) = self.beginning.next(&mut rest, self.options.dialect) {
                self.begin_with(part, sink);
                if !self.is_plain {
                    self.beginning.end();
                }
            }
        }
        self.lex(rest, sink);
    }

    pub(crate) fn lex(&mut self, text: &str, sink: &mut FragmentSink<'_>) {
        let mut rest = text;
        while !rest.is_empty() {
            // A body that is too long must be abandoned at the same byte wherever the input is cut.
            let (mut near, far) = split_near(rest, self.calls.room());
            rest = far;
            while let Some(token) = self.lexer.next(&mut near) {
                if self.held.is_some() {
                    self.token(token, sink);
                    continue;
                }
                match token {
                    // Most of a turn is text and bodies.
                    Token::Text(text) => {
                        match &mut self.section {
                            Section::Text(section) => section.push(text, sink),
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

    /// Ends the input: emits pending text and closes open sections (P-6).
    pub fn finish(mut self, sink: &mut dyn FnMut(Fragment<'_>)) {
        // Text that could begin an opening tag may begin a closing one.
        for _ in 0..2 {
            if let Some(part) = self.beginning.release() {
                self.begin_with(part, sink);
            }
        }
        while let Some(token) = self.lexer.finish() {
            self.token(token, sink);
        }
        self.end(sink);
    }

    /// Ends an input that was cut off, such as by a broken connection or a limit of the provider.
    ///
    /// Unlike [`finish`](Self::finish), it drops pending text that may begin a delimiter, so that half
    /// a delimiter never becomes content (P-6), and emits no [`Execute`](Fragment::Execute) for calls
    /// that wait for one (P-14): nobody knows whether the model was done with them.
    ///
    /// ```
    /// use silcrow_parser::{Dialect, Fragment, Parser};
    ///
    /// let mut parser = Parser::new(Dialect::Sigil);
    /// let mut answer = String::new();
    /// let mut show = |fragment: Fragment<'_>| {
    ///     if let Fragment::Text(text) = fragment {
    ///         answer.push_str(text.text);
    ///     }
    /// };
    /// parser.push("hello\n§en", &mut show);
    /// parser.finish_cut(&mut show);
    /// assert_eq!(answer, "hello");
    ///
    /// let mut parser = Parser::new(Dialect::Sigil);
    /// let mut runs = false;
    /// let mut run = |fragment: Fragment<'_>| runs |= fragment == Fragment::Execute;
    /// parser.push("§call: {\"name\": \"pay\"}\n", &mut run);
    /// parser.finish_cut(&mut run);
    /// assert!(!runs);
    /// ```
    pub fn finish_cut(mut self, sink: &mut dyn FnMut(Fragment<'_>)) {
        self.beginning.drop_pending();
        self.lexer.drop_pending();
        self.tag.end();
        self.is_cut = true;
        self.finish(sink);
    }

    pub(crate) fn token(&mut self, token: Token<'_>, sink: &mut FragmentSink<'_>) {
        if self.held.is_some() && !matches!(token, Token::Text(_)) {
            self.release_held(sink);
        }
        match token {
            Token::Text(text) => {
                let text = self.extend_held(text, sink).unwrap_or(text);
                if text.is_empty() {
                    return;
                }
                self.text(text, self.at, sink);
                self.at += text.len() as u64;
            }
            Token::Escape(first) => {
                if !self.delimiter_counts() {
                    self.text(first, self.at, sink);
                }
                self.at += first.len() as u64;
            }
            Token::Delimiter(delimiter, literal) => {
                if self.delimiter_counts() {
                    self.at += literal.len() as u64;
                    self.delimiter(delimiter, sink);
                } else if self.may_hold(delimiter) {
                    self.hold(delimiter, literal);
                } else {
                    self.hide(delimiter, self.at);
                    self.treat_as_text(literal, sink);
                }
            }
            Token::Body(text) => self.body(text, sink),
            Token::Glue(text) => {
                match &mut self.section {
                    _ if self.tag.is_open => self.tag.push_glue(text),
                    Section::List(list) => list.push(text, self.at, sink),
                    Section::Action(action) => action.around.push(text, self.at, sink),
                    Section::Stray(stray) => stray.push(text, self.at),
                    _ => {}
                }
                self.at += text.len() as u64;
            }
            Token::Close(close) => self.close_body(close, sink),
            Token::Tag(delimiter, name) => {
                if self.delimiter_counts() {
                    self.tag.begin(delimiter, name, self.at);
                    self.at += name.len() as u64;
                } else {
                    if !self.lexer.is_in_escaped_tag() {
                        self.hide(delimiter, self.at);
                    }
                    self.treat_as_text(name, sink);
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
                    TagEnd::Malformed => 0,
                    TagEnd::Escaped => self.options.dialect.first_char().len(),
                };
                self.tag.end();
                let tag = std::mem::take(&mut self.tag);
                if end == TagEnd::Escaped && tag.is_block {
                    self.outside.blocks.escape();
                }
                self.text(&tag.text()[dropped..], tag.at + dropped as u64, sink);
                self.tag = tag;
            }
            _ => {}
        }
    }

    /// Returns whether a delimiter at this position counts.
    pub(crate) fn delimiter_counts(&self) -> bool {
        match &self.section {
            Section::Text(text) | Section::Outside(text) => text.delimiter_counts(),
            Section::Stray(stray) if self.options.needs_line_start() => stray.delimiter_counts(),
            _ => true,
        }
    }

    /// Takes note of a delimiter at position `at` that a fence hides. Comments, and tags with the names
    /// of control blocks, are common in code, and hide nothing.
    pub(crate) fn hide(&mut self, delimiter: Delimiter, at: u64) {
        if delimiter != Delimiter::Comment && !delimiter.is_block() && self.has_fences() {
            self.hidden.push(self.options.dialect.literal(delimiter), at);
        }
    }

    fn has_fences(&self) -> bool {
        matches!(self.section, Section::Text(_) | Section::Outside(_))
    }

    /// Makes a delimiter, or the name of a tag, plain text, because it is in a fence (P-34).
    fn treat_as_text(&mut self, literal: &str, sink: &mut FragmentSink<'_>) {
        self.lexer.treat_as_text();
        self.text(literal, self.at, sink);
        self.at += literal.len() as u64;
    }

    /// Takes text of a call's body.
    fn body(&mut self, text: &str, sink: &mut FragmentSink<'_>) {
        if self.calls.is_at_start() {
            self.begin_body(sink);
        }
        if self.calls.push(text, self.at, sink) {
            self.lexer.abandon_body();
        }
        self.at += text.len() as u64;
    }

    /// Takes text at position `at`.
    pub(crate) fn text(&mut self, text: &str, at: u64, sink: &mut FragmentSink<'_>) {
        match &mut self.section {
            Section::Text(section) => section.push(text, sink),
            Section::Outside(piece) => self.outside.push(piece, text, at, sink),
            Section::Stray(stray) => stray.push(text, at),
            Section::Comment(piece) => self.outside.push_comment(piece, text, sink),
            Section::List(_) | Section::Action(_) | Section::Done => {}
        }
    }
}
