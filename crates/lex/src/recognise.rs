//! Recognises delimiters within one chunk.
//!
//! This module compares bytes with the rules that count in the current state. It changes no state.

use core::ops::ControlFlow;

use crate::dialect::Dialect;
use crate::index::RuleSet;
use crate::lexer::Lexer;
use crate::line::LinePosition;
use crate::machine::State;
use crate::pending::{Pending, PendingStage};
use crate::table::Boundary;

/// A delimiter, a doubled one, or text that may become one.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    /// The position of the literal: the last of a run of first characters.
    pub(crate) at: usize,
    /// The pending text once the text before it is emitted.
    pub(crate) pending: Pending,
}

/// The candidate at a position, or the position at which the search continues.
pub(crate) type Probe = ControlFlow<Candidate, usize>;

impl Lexer {
    /// Returns the first candidate in `bytes`.
    pub(crate) fn search(&self, bytes: &[u8]) -> Option<Candidate> {
        let near = self.dialect.find_first(bytes)?;
        self.search_from(bytes, near)
    }

    /// Returns the first candidate in `bytes`; `near` is the first position of one.
    pub(crate) fn search_from(&self, bytes: &[u8], near: usize) -> Option<Candidate> {
        let mut from = near;
        loop {
            match self.probe(bytes, from) {
                Probe::Break(candidate) => return Some(candidate),
                Probe::Continue(next) => from = next + self.dialect.find_first(&bytes[next..])?,
            }
        }
    }

    /// Probes the run of first characters at `run`.
    // A false start takes a few dozen instructions in here, and a call would add half as many.
    #[inline(always)]
    pub(crate) fn probe(&self, bytes: &[u8], run: usize) -> Probe {
        let mut last = &bytes[run..];
        let Some(mut rest) = self.dialect.strip_first(last) else {
            return Probe::Continue(run + 1);
        };
        while let Some(more) = self.dialect.strip_first(rest) {
            last = rest;
            rest = more;
        }
        let at = bytes.len() - last.len();
        let next = bytes.len() - rest.len();
        let position = self.line.after(&bytes[..run]);
        let (counting, after_tick) = self.counting(position);
        if counting == 0 {
            return Probe::Continue(next);
        }
        let doubled = at > run;
        // A body has no escapes: a doubled delimiter is plain text (P-3).
        if doubled && self.state.is_body() && !rest.is_empty() {
            return Probe::Continue(next);
        }
        let (rules, offset) = self.table().index.follow(counting, 0, rest);
        let Some(stage) = self.stage(rules, offset, doubled, after_tick, rest.get(offset)) else {
            return Probe::Continue(next);
        };
        // Text after the last first character of a doubled delimiter need not be pending.
        let end = if stage == PendingStage::Escape { next } else { next + offset };
        let pending = Pending { rules, len: (end - at) as u8, stage, doubled, after_tick };
        Probe::Break(Candidate { at, pending })
    }

    /// Returns the rules that count at a position, and whether a backtick precedes it (P-39).
    #[inline(always)]
    fn counting(&self, position: LinePosition) -> (RuleSet, bool) {
        let index = &self.table().index;
        if position == LinePosition::Middle {
            return (index.counting(self.state, false, self.inline), false);
        }
        let at_line_start = position.starts_line(self.state == State::Text);
        let counting = index.counting(self.state, at_line_start, self.inline);
        let after_tick = self.state.is_text()
            && (position.follows_code_tick()
                || position == LinePosition::Quoted && self.dialect != Dialect::Sigil);
        (if after_tick { counting & index.closing } else { counting }, after_tick)
    }

    /// Returns the stage of bytes that agree with `rules` up to an offset and no further; `next` is
    /// the byte there. Returns `None` if the bytes are content.
    #[inline(always)]
    pub(crate) fn stage(
        &self,
        rules: RuleSet,
        offset: usize,
        doubled: bool,
        after_tick: bool,
        next: Option<&u8>,
    ) -> Option<PendingStage> {
        let whole = self.table().index.whole(rules, offset);
        if whole == 0 {
            return next.is_none().then_some(PendingStage::Prefix);
        }
        let rule = self.table().rule(whole);
        match next {
            None if after_tick || rule.boundary != Boundary::None => Some(PendingStage::Prefix),
            // It is between backticks.
            Some(b'`') if after_tick => None,
            Some(&next) if !rule.ends_before(next) => None,
            _ => Some(PendingStage::settled(rule.boundary, doubled)),
        }
    }

    /// Returns whether position `at` of this chunk is at a line's start, or counts as one.
    pub(crate) fn at_line_start(&self, bytes: &[u8], at: usize) -> bool {
        self.line.after(&bytes[..at]).starts_line(self.state == State::Text)
    }
}
