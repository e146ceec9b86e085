//! The states within an item of a call's body: brackets and strings (P-8).
//!
//! This module finds the end of an item.

use crate::dialect::Dialect;
use crate::lexer::Lexer;
use crate::line::LinePosition;
use crate::machine::{State, Trigger};
use crate::pending::PendingStage;
use crate::recognise::Probe;
use crate::string::{find_near_stop, find_stop};
use crate::token::Token;

impl Lexer {
    /// Returns text that begins in a string without line breaks. Most of a body is such text.
    #[inline]
    pub(crate) fn string<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        match find_stop(input.as_bytes(), &mut self.body.escaped) {
            Some(stop) => self.item_from(input, stop),
            None => {
                self.line = LinePosition::Middle;
                Some(Token::Body(core::mem::take(input)))
            }
        }
    }

    /// Returns text of an item up to its end, or up to a delimiter that counts.
    #[inline]
    pub(crate) fn item<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        self.item_from(input, 0)
    }

    /// Continues an item; everything before `from` is text of a string.
    // If it were inlined, `Lexer::next` would have to save every register.
    #[inline(never)]
    fn item_from<'a>(&mut self, input: &mut &'a str, from: usize) -> Option<Token<'a>> {
        let end = self.follow(input.as_bytes(), from);
        self.emit_body(input, end)
    }

    /// Follows strings and brackets to the item's end, or to a delimiter that counts.
    #[inline]
    fn follow(&mut self, bytes: &[u8], from: usize) -> Probe {
        let mut at = from;
        loop {
            if self.state != State::Brackets {
                at = self.follow_string(bytes, at)?;
                if self.state != State::Brackets {
                    return Probe::Continue(at);
                }
                if self.body.depth == 0 {
                    break;
                }
            }
            at = self.follow_brackets(bytes, at)?;
            if self.state == State::Brackets {
                if self.body.depth == 0 {
                    break;
                }
                return Probe::Continue(at);
            }
        }
        self.pending.stage = PendingStage::Complete;
        Probe::Continue(at)
    }

    /// Follows a string to its end.
    fn follow_string(&mut self, bytes: &[u8], from: usize) -> Probe {
        let mut at = from;
        loop {
            // A delimiter counts only at a line's start after a raw line break.
            if self.state == State::TornString
                && self.at_line_start(bytes, at)
                && self.dialect.strip_first(&bytes[at..]).is_some()
            {
                at = self.probe(bytes, at)?;
            }
            let Some(stop) = find_near_stop(&bytes[at..], &mut self.body.escaped) else {
                return Probe::Continue(bytes.len());
            };
            at += stop + 1;
            if bytes[at - 1] == b'"' {
                self.state = State::String.after(Trigger::Quote);
                return Probe::Continue(at);
            }
            self.state = State::String.after(Trigger::LineBreak);
        }
    }

    /// Follows brackets to the next string, or to the last bracket.
    fn follow_brackets(&mut self, bytes: &[u8], from: usize) -> Probe {
        let mut at = from;
        while let Some(skipped) = bytes[at..].iter().position(|&byte| STOPS[usize::from(byte)]) {
            at += skipped + 1;
            match bytes[at - 1] {
                b'"' => {
                    self.state = State::Brackets.after(Trigger::Quote);
                    return Probe::Continue(at);
                }
                b'{' | b'[' => self.body.depth = self.body.depth.saturating_add(1),
                b'}' | b']' => {
                    self.body.depth = self.body.depth.saturating_sub(1);
                    if self.body.depth == 0 {
                        return Probe::Continue(at);
                    }
                }
                _ => at = self.probe(bytes, at - 1)?,
            }
        }
        Probe::Continue(bytes.len())
    }
}

/// The bytes at which brackets are followed: quotes, brackets, and the first byte of a delimiter in
/// any dialect.
static STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let bytes = b"\"{}[]";
    let mut at = 0;
    while at < bytes.len() {
        stops[bytes[at] as usize] = true;
        at += 1;
    }
    at = 0;
    while at < Dialect::ALL.len() {
        stops[Dialect::ALL[at].first_byte() as usize] = true;
        at += 1;
    }
    stops
};
