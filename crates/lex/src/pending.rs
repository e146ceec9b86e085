//! Pending text: the end of a chunk that may still become a delimiter, and text that is recognised
//! but not yet emitted.
//!
//! Pending text is always a prefix of a literal, so only the literal and a length are kept. If the
//! next chunk disproves the delimiter, the text is emitted as a slice of the literal.
//!
//! ```text
//! stage        next stage                         emits
//! Prefix       Delimiter, Tag, Escape, or Empty   nothing, or text if it is disproved
//! Delimiter    Closed in an open body, or Empty   Close, or Delimiter
//! Closed       Empty                              Delimiter
//! Tag          Empty                              Tag
//! Escape       Tail, or Empty                     Escape
//! Tail         Empty                              Text
//! Backticks    Empty                              Glue, or Body if there are too few
//! Tildes       Empty                              Glue, or Body if there are too few
//! Complete     Empty                              Close
//! ```

use crate::body::BodyProgress;
use crate::index::RuleSet;
use crate::lexer::Lexer;
use crate::line::LinePosition;
use crate::machine::{State, Trigger};
use crate::table::{Boundary, DelimiterRule};
use crate::token::Token;

/// The first `len` bytes of a stem or of a code fence, which are not emitted yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// The rules that agree with it; exactly one, once it is settled.
    pub(crate) rules: RuleSet,
    pub(crate) len: u8,
    pub(crate) stage: PendingStage,
    /// Whether another first character precedes it, which makes it an escaped delimiter (P-3).
    pub(crate) doubled: bool,
    /// Whether a backtick precedes it, so that it is content if another one follows (P-39).
    pub(crate) after_tick: bool,
}

/// The kind of the pending text, which decides the next token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingStage {
    /// Nothing is pending.
    Empty,
    /// Text that may become a delimiter.
    Prefix,
    /// A whole delimiter.
    Delimiter,
    /// The name of a possible tag, escaped or not.
    Tag,
    /// A whole delimiter, after the end of the body before it was emitted.
    Closed,
    /// The first character of an escaped delimiter, and the rest of its literal so far.
    Escape,
    /// The rest of an escaped delimiter, after its first character was emitted.
    Tail,
    /// Backticks before a body, which may become a fence.
    Backticks,
    /// Tildes before a body, which may become a fence.
    Tildes,
    /// The end of an item; it has no bytes.
    Complete,
}

impl Pending {
    pub(crate) const EMPTY: Self =
        Self { rules: 0, len: 0, stage: PendingStage::Empty, doubled: false, after_tick: false };
}

impl PendingStage {
    /// Returns the fence that the pending text may become.
    pub(crate) const fn fence(self) -> Option<&'static str> {
        match self {
            Self::Backticks => Some("```"),
            Self::Tildes => Some("~~~"),
            _ => None,
        }
    }

    /// Returns the stage of a whole stem with its boundary.
    pub(crate) fn settled(boundary: Boundary, doubled: bool) -> Self {
        match boundary {
            Boundary::Name | Boundary::BlockName => Self::Tag,
            _ if doubled => Self::Escape,
            _ => Self::Delimiter,
        }
    }
}

impl Lexer {
    /// Emits pending text that is certain, and compares other pending text with the input.
    #[cold]
    pub(crate) fn resume<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        if self.pending.stage == PendingStage::Prefix
            && let Some(text) = self.resume_prefix(input)
        {
            return Some(text);
        }
        let first = self.table().first;
        match self.pending.stage {
            PendingStage::Empty | PendingStage::Prefix => None,
            PendingStage::Delimiter if self.has_open_body() => {
                self.pending.stage = PendingStage::Closed;
                Some(Token::Close(self.end_at_delimiter()))
            }
            PendingStage::Delimiter | PendingStage::Closed => {
                let rule = self.pending_rule();
                self.pending = Pending::EMPTY;
                self.enter(rule);
                Some(Token::Delimiter(rule.delimiter, rule.literal))
            }
            PendingStage::Tag => {
                let Pending { rules, doubled, .. } = self.pending;
                self.pending = Pending::EMPTY;
                Some(self.begin_tag(rules, doubled))
            }
            PendingStage::Escape => {
                let has_tail = usize::from(self.pending.len) > first.len();
                self.pending.stage =
                    if has_tail { PendingStage::Tail } else { PendingStage::Empty };
                self.line = LinePosition::Middle;
                Some(Token::Escape(first))
            }
            PendingStage::Backticks | PendingStage::Tildes => self.resume_ticks(input),
            PendingStage::Complete => Some(self.complete()),
            PendingStage::Tail => {
                let tail = &self.pending_text()[first.len()..];
                self.pending = Pending::EMPTY;
                Some(Token::Text(tail))
            }
        }
    }

    /// Compares the input with a prefix. Emits disproved text, settles a whole delimiter, and
    /// otherwise keeps more pending.
    fn resume_prefix(&mut self, input: &mut &str) -> Option<Token<'static>> {
        if self.state == State::Comment {
            return self.resume_comment(input);
        }
        let first = self.table().first;
        let offset = usize::from(self.pending.len) - first.len();
        if offset == 0 && self.dialect.strip_first(input.as_bytes()).is_some() {
            *input = &input[first.len()..];
            self.pending.doubled = true;
            return Some(self.content(first));
        }
        if self.pending.doubled && self.state.is_body() && !input.is_empty() {
            return self.release_pending();
        }
        let (rules, end) = self.table().index.follow(self.pending.rules, offset, input.as_bytes());
        *input = &input[end - offset..];
        self.pending.rules = rules;
        self.pending.len = (first.len() + end) as u8;
        let next = input.as_bytes().first();
        match self.stage(rules, end, self.pending.doubled, self.pending.after_tick, next) {
            Some(stage) => self.pending.stage = stage,
            None => return self.release_pending(),
        }
        None
    }

    /// Emits the pending text as content.
    pub(crate) fn release_pending(&mut self) -> Option<Token<'static>> {
        if self.pending.stage == PendingStage::Empty {
            return None;
        }
        let text = self.pending_text();
        self.pending = Pending::EMPTY;
        self.line = LinePosition::Middle;
        Some(self.content(text))
    }

    /// Enters the state that a delimiter opens.
    pub(crate) fn enter(&mut self, rule: &DelimiterRule) {
        self.before = self.state;
        self.state = rule.opens.unwrap_or(self.outer);
        if self.state == State::Opening {
            self.outer = self.before;
        }
        self.body = BodyProgress::START;
        self.line = match rule.boundary {
            Boundary::Word => LinePosition::AfterControl,
            Boundary::None | Boundary::Name | Boundary::BlockName => LinePosition::Middle,
        };
    }

    /// Settles a whole delimiter that is pending at the end of the input.
    pub(crate) fn settle_word(&mut self) {
        let Pending { rules, len, doubled, after_tick, .. } = self.pending;
        let table = self.table();
        let whole = table.index.whole(rules, usize::from(len) - table.first.len());
        if whole == 0 {
            return;
        }
        let boundary = table.rule(whole).boundary;
        if boundary == Boundary::Word || after_tick {
            self.pending.stage = PendingStage::settled(boundary, doubled);
        }
    }

    fn pending_rule(&self) -> &'static DelimiterRule {
        self.table().rule(self.pending.rules)
    }

    fn pending_text(&self) -> &'static str {
        let whole = self.pending.stage.fence().unwrap_or_else(|| self.pending_rule().literal);
        &whole[..usize::from(self.pending.len)]
    }

    /// Returns pending text as a token of the current state. Pending text has neither quotes nor
    /// brackets, so the only transition that it causes is the start of an item.
    fn content(&mut self, text: &'static str) -> Token<'static> {
        if !self.state.is_body() {
            return Token::Text(text);
        }
        self.state = self.state.after(Trigger::Other);
        self.body_token(text)
    }
}
