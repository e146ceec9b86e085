//! The lexer: its dispatch over the states, and the text of sections.
//!
//! Pending text comes first: the end of the last chunk, and text that is recognised but not yet
//! emitted. Then the state decides; `machine.rs` shows the states and the transitions. The files
//! `body.rs` and `item.rs` read the text of bodies, and `tag.rs` the text of tags.

use crate::body::BodyProgress;
use crate::dialect::Dialect;
use crate::line::LinePosition;
use crate::machine::{State, Trigger};
use crate::options::Options;
use crate::pending::{Pending, PendingStage};
use crate::recognise::Candidate;
use crate::table::DialectTable;
use crate::tag::TagProgress;
use crate::token::{TagEnd, Token};

/// A lexer that finds delimiters in text that arrives in chunks.
///
/// Between chunks it holds a few words of state, and no text.
///
/// ```
/// use silcrow_lex::{Delimiter, Dialect, Lexer, Token};
///
/// let mut lexer = Lexer::new(Dialect::Sigil);
/// // The chunk may be the beginning of a delimiter, so it is pending.
/// assert_eq!(lexer.next(&mut "§thi"), None);
/// let mut chunk = "nk: hm";
/// let think = Token::Delimiter(Delimiter::Think, "§think:");
/// assert_eq!(lexer.next(&mut chunk), Some(think));
/// assert_eq!(lexer.next(&mut chunk), Some(Token::Text(" hm")));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lexer {
    pub(crate) dialect: Dialect,
    pub(crate) inline: bool,
    pub(crate) state: State,
    /// The state before the last delimiter.
    pub(crate) before: State,
    /// The state around the current call's body, or the last one.
    pub(crate) outer: State,
    pub(crate) line: LinePosition,
    pub(crate) pending: Pending,
    pub(crate) body: BodyProgress,
    pub(crate) tag: TagProgress,
}

const _: () = assert!(size_of::<Lexer>() <= 32, "the state is a few words");

impl Lexer {
    /// Creates a lexer before any text.
    pub fn new(options: impl Into<Options>) -> Self {
        let Options { dialect, inline } = options.into();
        Self {
            dialect,
            inline,
            state: State::Text,
            before: State::Text,
            outer: State::Text,
            line: LinePosition::Start,
            pending: Pending::EMPTY,
            body: BodyProgress::START,
            tag: TagProgress::START,
        }
    }

    /// Returns the next token of `input`, and advances `input` past it.
    ///
    /// Returns `None` when the chunk is used up. Then the longest suffix that may still become a
    /// delimiter is pending.
    // It is short, and a call would cost as much as the search in a short chunk. Without the word
    // `always`, the compiler makes that call in a program with two callers.
    #[inline(always)]
    pub fn next<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        if self.pending.stage != PendingStage::Empty
            && let Some(token) = self.resume(input)
        {
            return Some(token);
        }
        if input.is_empty() {
            return None;
        }
        // Most of a turn is text of sections, and strings and brackets of a body. These skip the
        // dispatch, whose jump is often predicted wrongly.
        if self.state.is_text() {
            self.text(input)
        } else if self.state == State::String {
            self.string(input)
        } else if self.state == State::Brackets {
            self.item(input)
        } else {
            self.dispatch(input)
        }
    }

    /// Ends the input: returns the text that is still pending, one token a call, and then `None`.
    pub fn finish(&mut self) -> Option<Token<'static>> {
        if self.pending.stage == PendingStage::Prefix {
            self.settle_word();
        }
        if self.pending.stage != PendingStage::Empty
            && let Some(token) = self.resume(&mut "")
        {
            return Some(token);
        }
        if self.state == State::Tag {
            return Some(self.end_tag(TagEnd::Malformed));
        }
        if let Some(token) = self.release_pending() {
            return Some(token);
        }
        let close = self.has_open_body().then(|| Token::Close(self.end_at_input_end()));
        self.state = State::Done;
        close
    }

    /// Drops text that is pending because it may begin a delimiter, and ends a tag that is not
    /// complete. Call it before [`finish`](Self::finish) if the input was cut, and not ended.
    ///
    /// A whole `§execute` or `§end` stays pending, because only the next character is missing.
    pub fn drop_pending(&mut self) {
        if self.pending.stage == PendingStage::Prefix {
            self.settle_word();
        }
        if self.pending.stage == PendingStage::Prefix {
            self.pending = Pending::EMPTY;
        }
        if self.state == State::Tag {
            self.state = self.before;
        }
    }

    /// Treats the delimiter, or the tag's name, that was just emitted as plain text (P-34), and
    /// restores the state before it. Call it only right after that token.
    pub fn treat_as_text(&mut self) {
        // The delimiter ended the body, so another body begins.
        self.state = if self.before.is_body() { State::Opening } else { self.before };
        self.line = LinePosition::Middle;
    }

    /// Returns whether the position is in a tag after a doubled first character, which is text if it
    /// is a whole tag (P-3).
    pub fn is_in_escaped_tag(&self) -> bool {
        self.state == State::Tag && self.tag.doubled
    }

    /// Stops following the call's body, because it is too long. Its rest extends to the next
    /// delimiter at a line's start, or to the closing delimiter (P-9).
    pub fn abandon_body(&mut self) {
        if self.state.is_body() {
            self.state = self.state.after(Trigger::TooLong);
            self.body = BodyProgress::START;
            if self.pending.stage == PendingStage::Complete {
                self.pending = Pending::EMPTY;
            }
        }
    }

    pub(crate) fn table(&self) -> &'static DialectTable {
        self.dialect.table()
    }

    /// Returns the next token by the state. `input` is not empty, and nothing is pending.
    // The methods are not inlined, so that this is a jump and not a prologue for all of them. If it
    // were inlined itself, the compiler would make one jump table of it and the checks before it.
    #[inline(never)]
    pub(crate) fn dispatch<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        match self.state {
            State::Text | State::Think | State::Results | State::Respond | State::Done => {
                self.text(input)
            }
            State::String => self.string(input),
            State::Brackets | State::TornString => self.item(input),
            State::Opening | State::Between => self.gap(input),
            State::FenceLine => self.fence_line(input),
            State::Stray => self.stray(input),
            State::AfterBody => self.after_body(input),
            State::Raw | State::Abandoned | State::Trailing => self.raw(input),
            State::Comment => self.comment(input),
            State::Tag => self.tag(input),
        }
    }

    /// Returns text up to the next delimiter that counts.
    #[inline]
    fn text<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let text = *input;
        let near = self.dialect.find_first(text.as_bytes());
        if near.is_some() {
            return self.text_with_candidate(input, near);
        }
        *input = "";
        self.pass(text);
        Some(Token::Text(text))
    }

    /// Continues `text`, where `near` is the first byte that may begin a delimiter.
    #[cold]
    fn text_with_candidate<'a>(
        &mut self,
        input: &mut &'a str,
        near: Option<usize>,
    ) -> Option<Token<'a>> {
        let near = near.filter(|_| self.state != State::Done);
        let candidate = near.and_then(|near| self.search_from(input.as_bytes(), near));
        self.emit_text(input, candidate)
    }

    /// Emits the text before a candidate, or the whole text if no candidate is in it.
    pub(crate) fn emit_text<'a>(
        &mut self,
        input: &mut &'a str,
        candidate: Option<Candidate>,
    ) -> Option<Token<'a>> {
        let text = match candidate {
            None => core::mem::take(input),
            Some(candidate) => self.split(input, candidate),
        };
        if text.is_empty() {
            return self.resume(input);
        }
        self.pass(text);
        Some(Token::Text(text))
    }

    /// Advances the input past a candidate, which becomes pending, and returns the text before it.
    pub(crate) fn split<'a>(&mut self, input: &mut &'a str, candidate: Candidate) -> &'a str {
        let (text, rest) = input.split_at(candidate.at);
        self.pending = candidate.pending;
        *input = &rest[usize::from(self.pending.len)..];
        text
    }

    /// Updates the position in the line for text that is emitted.
    #[inline]
    pub(crate) fn pass(&mut self, text: &str) {
        self.line.advance(text.as_bytes());
    }
}
