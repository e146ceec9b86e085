use crate::body::Body;
use crate::lexer::{Lexer, Line, Token, is_word};
use crate::table::{Mode, Rule};

/// What is withheld, or settled and not yet given out: the first `len` bytes of a rule's literal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) rule: u8,
    pub(crate) len: u8,
    pub(crate) stage: Stage,
    /// Another first character stands before it.
    pub(crate) doubled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing is held.
    Empty,
    /// What may become a marker.
    Prefix,
    /// A whole marker.
    Marker,
    /// A whole marker, and the end of the body before it is given out.
    Closed,
    /// The last first character of a doubled marker, and what else of the literal is held.
    Escape,
    /// As `Escape`, with that character given out.
    Tail,
}

impl Held {
    pub(crate) const EMPTY: Self = Self { rule: 0, len: 0, stage: Stage::Empty, doubled: false };
}

impl Lexer {
    pub(crate) fn is_holding(&self) -> bool {
        self.held.stage != Stage::Empty || self.body.is_holding()
    }

    /// Gives out what is settled, and compares what is withheld with the input.
    #[cold]
    pub(crate) fn resume<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        if self.body.is_holding() {
            return self.resume_body(input);
        }
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
            Stage::Marker | Stage::Closed => Some(self.open()),
            Stage::Escape => {
                let more = usize::from(self.held.len) > first.len();
                self.held.stage = if more { Stage::Tail } else { Stage::Empty };
                self.line = Line::Middle;
                Some(Token::Escape(first))
            }
            Stage::Tail => {
                let tail = &self.held_text()[first.len()..];
                self.held = Held::EMPTY;
                Some(Token::Text(tail))
            }
        }
    }

    /// Compares the input with what is withheld: gives out what is disproved, settles what is
    /// whole, else withholds more.
    fn resume_prefix(&mut self, input: &mut &str) -> Option<Token<'static>> {
        let first = self.table().first;
        while let Some(&next) = input.as_bytes().first() {
            if self.held_is_whole() {
                // A whole word waited for the character behind it (P-11).
                if is_word(next) {
                    return self.release_held();
                }
                self.settle();
                return None;
            }
            let len = usize::from(self.held.len);
            if len == first.len() && input.starts_with(first) {
                *input = &input[first.len()..];
                self.held.doubled = true;
                return Some(self.content(first));
            }
            if self.held.doubled && self.mode == Mode::Body {
                return self.release_held();
            }
            let Some(rule) = self.candidate(next) else { return self.release_held() };
            *input = &input[1..];
            self.held.rule = rule;
            self.held.len += 1;
            if self.held_is_whole() && !self.held_rule().whole_word {
                self.settle();
                return None;
            }
        }
        None
    }

    /// The rule that counts here, agrees with what is withheld, and goes on with `next`.
    fn candidate(&self, next: u8) -> Option<u8> {
        let held = self.held_text().as_bytes();
        let agrees = |rule: &Rule| {
            let literal = rule.literal.as_bytes();
            rule.counts_in(self.mode)
                && literal.starts_with(held)
                && literal.get(held.len()) == Some(&next)
        };
        self.table().rules.iter().position(agrees).map(|index| index as u8)
    }

    /// What is withheld is a whole marker, or a doubled one.
    pub(crate) fn settle(&mut self) {
        self.held.stage = if self.held.doubled { Stage::Escape } else { Stage::Marker };
    }

    /// What is withheld is content.
    pub(crate) fn release_held(&mut self) -> Option<Token<'static>> {
        if self.held.stage == Stage::Empty {
            return None;
        }
        let text = self.held_text();
        self.held = Held::EMPTY;
        self.line = Line::Middle;
        Some(self.content(text))
    }

    /// Gives out a whole marker and enters what it opens.
    fn open(&mut self) -> Token<'static> {
        let rule = self.held_rule();
        self.held = Held::EMPTY;
        self.before = self.mode;
        self.mode = rule.opens;
        self.body = Body::START;
        self.line = if rule.whole_word { Line::After } else { Line::Middle };
        Token::Marker(rule.marker, rule.literal)
    }

    pub(crate) fn held_is_whole(&self) -> bool {
        usize::from(self.held.len) == self.held_rule().literal.len()
    }

    fn held_rule(&self) -> &'static Rule {
        &self.table().rules[usize::from(self.held.rule)]
    }

    fn held_text(&self) -> &'static str {
        &self.held_rule().literal[..usize::from(self.held.len)]
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
