//! The states of a call's body outside of brackets and strings: lists, code fences, the text after
//! a body, and text that is not followed.

use memchr::memchr3;

use crate::lexer::Lexer;
use crate::line::LinePosition;
use crate::machine::{State, Trigger};
use crate::pending::{Pending, PendingStage};
use crate::recognise::Probe;
use crate::token::{BodyEnd, Token};

/// The progress within a body, besides the state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyProgress {
    /// The number of open brackets. It saturates; JSON so deep is rejected when it is parsed.
    pub(crate) depth: u32,
    /// Whether the next byte of a string is escaped.
    pub(crate) escaped: bool,
    /// Whether the body is in a code fence.
    fenced: bool,
    /// Whether the bracket of a list is open.
    in_list: bool,
}

impl BodyProgress {
    pub(crate) const START: Self = Self { depth: 0, escaped: false, fenced: false, in_list: false };

    /// Returns the progress before the next item.
    const fn before_item(self) -> Self {
        Self { depth: 0, escaped: false, ..self }
    }
}

impl Lexer {
    /// Returns whether a call is being written. An item of a list begins with its first byte, and
    /// any other body with its delimiter.
    pub(crate) fn has_open_body(&self) -> bool {
        match self.state {
            State::Opening | State::FenceLine => !self.table().has_list(),
            state => state.is_item(),
        }
    }

    /// Returns the way in which a delimiter ends the body.
    pub(crate) fn end_at_delimiter(&self) -> BodyEnd {
        if self.state.is_string() { BodyEnd::Truncated } else { BodyEnd::Unclosed }
    }

    /// Returns the way in which the end of the input ends the body.
    pub(crate) fn end_at_input_end(&self) -> BodyEnd {
        match self.state {
            State::Raw | State::Abandoned => BodyEnd::Unclosed,
            _ => BodyEnd::Truncated,
        }
    }

    /// Returns text of the body as a token.
    #[inline]
    pub(crate) fn body_token<'a>(&self, text: &'a str) -> Token<'a> {
        if self.state.is_item() { Token::Body(text) } else { Token::Glue(text) }
    }

    /// Emits the text of a body up to `end`, or up to a candidate.
    #[inline]
    pub(crate) fn emit_body<'a>(&mut self, input: &mut &'a str, end: Probe) -> Option<Token<'a>> {
        let text = match end {
            Probe::Continue(end) => {
                let (text, rest) = input.split_at(end);
                *input = rest;
                text
            }
            Probe::Break(candidate) => self.split(input, candidate),
        };
        if text.is_empty() {
            return self.resume(input);
        }
        self.pass(text);
        Some(self.body_token(text))
    }

    /// Returns white space and punctuation before an item. Without one, the item begins, or stray
    /// text.
    #[inline(never)]
    pub(crate) fn gap<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let bytes = input.as_bytes();
        let end = self.skip_gap(bytes);
        if end > 0 {
            return self.emit_body(input, Probe::Continue(end));
        }
        if let Probe::Break(candidate) = self.probe(bytes, 0)
            && candidate.at == 0
        {
            return self.emit_body(input, Probe::Break(candidate));
        }
        self.begin_item(bytes[0]);
        if self.pending.stage.fence().is_some() {
            return self.resume(input);
        }
        self.dispatch(input)
    }

    /// Skips white space before a body, and everything between the items of a list.
    fn skip_gap(&mut self, bytes: &[u8]) -> usize {
        let has_list = self.table().has_list();
        for (at, &byte) in bytes.iter().enumerate() {
            match (self.state, byte) {
                (_, b' ' | b'\t' | b'\r' | b'\n') | (State::Between, b',') => {}
                (_, b'[') if has_list && !self.body.in_list => {
                    self.state = self.state.after(Trigger::ListStart);
                    self.body.in_list = true;
                }
                (State::Between, b']') if self.body.in_list => self.body.in_list = false,
                _ => return at,
            }
        }
        bytes.len()
    }

    /// Begins an item, or stray text, with a byte that is not skipped and does not begin a
    /// delimiter.
    fn begin_item(&mut self, byte: u8) {
        let trigger = match (self.state, byte) {
            (State::Opening, b'`' | b'~') if !self.body.fenced => {
                let stage =
                    if byte == b'`' { PendingStage::Backticks } else { PendingStage::Tildes };
                self.pending = Pending { stage, ..Pending::EMPTY };
                return;
            }
            (_, b'{' | b'[') => Trigger::ItemStart,
            (State::Between, b'"') if self.body.in_list => Trigger::ItemStart,
            (State::Between, b'`' | b'~') if self.body.fenced => {
                // The fence closes, and the list with it.
                self.body = BodyProgress::START;
                Trigger::Other
            }
            _ => Trigger::Other,
        };
        self.state = self.state.after(trigger);
        self.body = self.body.before_item();
    }

    /// Returns text between the items of a list that cannot begin one, up to an item, a bracket of
    /// the list, or the end of its fence.
    #[inline(never)]
    pub(crate) fn stray<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        match self.follow_stray(input.as_bytes()) {
            Probe::Continue(0) => self.gap(input),
            end => self.emit_body(input, end),
        }
    }

    fn follow_stray(&mut self, bytes: &[u8]) -> Probe {
        let first = self.dialect.first_byte();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'{' | b'[' => break,
                b']' if self.body.in_list => break,
                b'`' | b'~' if self.body.fenced => break,
                _ if byte == first => at = self.probe(bytes, at)?,
                _ => at += 1,
            }
        }
        if at < bytes.len() {
            self.state = self.state.after(Trigger::StrayEnd);
        }
        Probe::Continue(at)
    }

    /// Returns the separators after a complete body. A brace that follows them begins another body
    /// (P-12), and anything else is other text.
    #[inline(never)]
    pub(crate) fn after_body<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let text = *input;
        let rest = text.trim_start_matches(is_separator);
        let separators = &text[..text.len() - rest.len()];
        if !separators.is_empty() {
            *input = rest;
            self.pass(separators);
            return Some(Token::Glue(separators));
        }
        if rest.starts_with('{') {
            self.begin_item(b'{');
        } else {
            self.state = self.table().after_separators;
        }
        self.dispatch(input)
    }

    /// Returns the rest of the line that opens a fence, up to a bracket.
    #[inline(never)]
    pub(crate) fn fence_line<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let bytes = input.as_bytes();
        if matches!(bytes[0], b'{' | b'[') {
            self.state = self.state.after(Trigger::FenceLineEnd);
            return self.gap(input);
        }
        let end = memchr3(b'\n', b'{', b'[', bytes);
        let end = end.map_or(bytes.len(), |at| at + usize::from(bytes[at] == b'\n'));
        let line = &bytes[..end];
        if let Some(candidate) = self.search(line) {
            return self.emit_body(input, Probe::Break(candidate));
        }
        if line.ends_with(b"\n") {
            self.state = self.state.after(Trigger::FenceLineEnd);
        }
        self.emit_body(input, Probe::Continue(end))
    }

    /// Returns text that is not followed, up to the next delimiter.
    #[inline(never)]
    pub(crate) fn raw<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let bytes = input.as_bytes();
        let end = self.search(bytes).map_or(Probe::Continue(bytes.len()), Probe::Break);
        self.emit_body(input, end)
    }

    /// Ends an item that is complete.
    pub(crate) fn complete(&mut self) -> Token<'static> {
        self.pending = Pending::EMPTY;
        self.state = self.table().after_item;
        self.body = self.body.before_item();
        self.line = LinePosition::AfterControl;
        Token::Close(BodyEnd::Complete)
    }

    /// Compares the input with a fence. Fewer than three backticks or tildes are content.
    pub(crate) fn resume_ticks(&mut self, input: &mut &str) -> Option<Token<'static>> {
        let fence = self.pending.stage.fence()?;
        while let Some(&next) = input.as_bytes().first() {
            if next != fence.as_bytes()[0] {
                return self.release_pending();
            }
            *input = &input[1..];
            self.pending.len += 1;
            if usize::from(self.pending.len) == fence.len() {
                self.pending = Pending::EMPTY;
                self.state = self.state.after(Trigger::Fence);
                self.body = BodyProgress { fenced: true, ..BodyProgress::START };
                self.line = LinePosition::Middle;
                return Some(Token::Glue(fence));
            }
        }
        None
    }
}

/// Returns whether a character may be between two bodies (P-12).
fn is_separator(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n' | ',' | ';' | ']' | '}' | ')')
}
