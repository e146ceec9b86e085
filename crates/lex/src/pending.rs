use crate::body::{Body, FENCE};
use crate::index::RuleSet;
use crate::lexer::{Lexer, Line, Token};
use crate::table::{Ends, Mode, Rule};

/// What is withheld, or settled and not yet given out: the first `len` bytes of a stem, or of a
/// code fence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// The rules that it agrees with: one, once it is settled.
    pub(crate) rules: RuleSet,
    pub(crate) len: u8,
    pub(crate) stage: Stage,
    /// Another first character stands before it.
    pub(crate) doubled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing is held.
    Empty,
    /// What may become a delimiter.
    Prefix,
    /// A whole delimiter.
    Marker,
    /// The name of what may become a tag, or a doubled one.
    Tag,
    /// A whole delimiter, and the end of the body before it is given out.
    Closed,
    /// The last first character of a doubled delimiter, and what else of the literal is held.
    Escape,
    /// As `Escape`, with that character given out.
    Tail,
    /// Backticks before a body, which may become a fence.
    Ticks,
    /// The end of a body's item; no bytes.
    Complete,
}

impl Pending {
    pub(crate) const EMPTY: Self = Self { rules: 0, len: 0, stage: Stage::Empty, doubled: false };
}

impl Stage {
    /// Of a whole stem, or of one that another first character stands before.
    pub(crate) fn settled(ends: Ends, doubled: bool) -> Self {
        match ends {
            Ends::Name => Self::Tag,
            _ if doubled => Self::Escape,
            _ => Self::Marker,
        }
    }
}

impl Lexer {
    /// Gives out what is settled, and compares what is withheld with the input.
    #[cold]
    pub(crate) fn resume<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        if self.held.stage == Stage::Prefix
            && let Some(text) = self.resume_prefix(input)
        {
            return Some(text);
        }
        let first = self.table().first;
        match self.held.stage {
            Stage::Empty | Stage::Prefix => None,
            Stage::Marker if self.mode == Mode::Body && self.body.is_open(self.table()) => {
                self.held.stage = Stage::Closed;
                Some(Token::Close(self.body.cut()))
            }
            Stage::Marker | Stage::Closed => {
                let rule = self.pending_rule();
                self.held = Pending::EMPTY;
                self.enter(rule);
                Some(Token::Delimiter(rule.marker, rule.literal))
            }
            Stage::Tag => {
                let Pending { rules, doubled, .. } = self.held;
                self.held = Pending::EMPTY;
                Some(self.begin_tag(rules, doubled))
            }
            Stage::Escape => {
                let more = usize::from(self.held.len) > first.len();
                self.held.stage = if more { Stage::Tail } else { Stage::Empty };
                self.line = Line::Middle;
                Some(Token::Escape(first))
            }
            Stage::Ticks => self.resume_ticks(input),
            Stage::Complete => Some(self.complete()),
            Stage::Tail => {
                let tail = &self.pending_text()[first.len()..];
                self.held = Pending::EMPTY;
                Some(Token::Text(tail))
            }
        }
    }

    /// Compares the input with what is withheld: gives out what is disproved, settles what is
    /// whole, else withholds more.
    fn resume_prefix(&mut self, input: &mut &str) -> Option<Token<'static>> {
        if self.mode == Mode::Comment {
            return self.resume_comment(input);
        }
        let first = self.table().first;
        let place = usize::from(self.held.len) - first.len();
        if place == 0 && self.dialect.strip_first(input.as_bytes()).is_some() {
            *input = &input[first.len()..];
            self.held.doubled = true;
            return Some(self.content(first));
        }
        if self.held.doubled && self.mode == Mode::Body && !input.is_empty() {
            return self.release_pending();
        }
        let (rules, end) = self.table().index.follow(self.held.rules, place, input.as_bytes());
        *input = &input[end - place..];
        self.held.rules = rules;
        self.held.len = (first.len() + end) as u8;
        let next = input.as_bytes().first();
        match self.stage(rules, end, self.held.doubled, next) {
            Some(stage) => self.held.stage = stage,
            None => return self.release_pending(),
        }
        None
    }

    /// What is withheld is content.
    pub(crate) fn release_pending(&mut self) -> Option<Token<'static>> {
        if self.held.stage == Stage::Empty {
            return None;
        }
        let text = self.pending_text();
        self.held = Pending::EMPTY;
        self.line = Line::Middle;
        Some(self.content(text))
    }

    /// Enters what a delimiter opens.
    pub(crate) fn enter(&mut self, rule: &Rule) {
        self.before = self.mode;
        self.mode = rule.opens.unwrap_or(self.outer);
        if self.mode == Mode::Body {
            self.outer = self.before;
        }
        self.body = Body::START;
        self.line = if rule.ends == Ends::Word { Line::After } else { Line::Middle };
    }

    /// The end of the input settles a whole word that is withheld.
    pub(crate) fn settle_word(&mut self) {
        let Pending { rules, len, doubled, .. } = self.held;
        let table = self.table();
        let whole = table.index.whole(rules, usize::from(len) - table.first.len());
        if whole != 0 && table.rule(whole).ends == Ends::Word {
            self.held.stage = Stage::settled(Ends::Word, doubled);
        }
    }

    fn pending_rule(&self) -> &'static Rule {
        self.table().rule(self.held.rules)
    }

    fn pending_text(&self) -> &'static str {
        let whole =
            if self.held.stage == Stage::Ticks { FENCE } else { self.pending_rule().literal };
        &whole[..usize::from(self.held.len)]
    }

    /// Text of the mode the lexer is in. What is withheld holds neither quotes nor brackets, so it
    /// changes nothing in a body that is followed.
    fn content(&mut self, text: &'static str) -> Token<'static> {
        if self.mode != Mode::Body {
            return Token::Text(text);
        }
        self.body.begin_plain();
        self.body.token(text)
    }
}
