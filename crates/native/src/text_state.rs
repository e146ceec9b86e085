//! The part of the parser that reads thoughts and answers, and finds the marks in them.
//!
//! Text that may become a mark is kept. Everything else is emitted at once, as a slice of the
//! chunk.

use silcrow_event::{DiagnosticKind, TextKind};

use crate::call_sink::Emit;
use crate::family_data::MarkPlace;
use crate::marks::{FormMark, FoundMark, MarkRole};
use crate::native_parser::{NativeParser, ParserMode, length};
use crate::quote_tracker::QuoteTracker;

impl NativeParser {
    /// Reads text up to the next mark, and returns the length that was read.
    pub(crate) fn read_text(&mut self, text: &str, emit: &mut Emit<'_>) -> usize {
        if !self.held.is_empty() {
            let used = text.chars().next().map_or(0, char::len_utf8);
            self.held.push_str(&text[..used]);
            self.at += length(&text[..used]);
            self.settle(false, emit);
            return used;
        }
        let (mut from, mut next) = (0, 0);
        while let Some(at) = self.table.candidate(text, next) {
            next = at + 1;
            let found = self.table.find(&text[at..], |_| true);
            if !found.may_go_on && found.whole.is_none() {
                continue;
            }
            // The marks that count depend on the text before.
            self.give(&text[from..at], emit);
            self.at += length(&text[from..at]);
            from = at;
            let found = self.find(&text[at..]);
            if found.may_go_on {
                self.held.push_str(&text[at..]);
                self.at += length(&text[at..]);
                return text.len();
            }
            if let Some(mark) = found.whole {
                let end = at + self.table.marks[mark].text.len();
                self.at += length(&text[at..end]);
                self.take_mark(mark, emit);
                return end;
            }
        }
        self.give(&text[from..], emit);
        self.at += length(&text[from..]);
        text.len()
    }

    /// Decides the meaning of the pending text, if it is certain or if no text follows.
    pub(crate) fn settle(&mut self, is_end: bool, emit: &mut Emit<'_>) {
        while !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            let found = self.find(&held);
            if found.may_go_on && !is_end {
                self.held = held;
                return;
            }
            if let Some(mark) = found.whole {
                let left = &held[self.table.marks[mark].text.len()..];
                self.at -= length(left);
                self.take_mark(mark, emit);
                self.feed(left, emit);
                if self.held.is_empty() {
                    self.held = held;
                    self.held.clear();
                }
                return;
            }
            // The next place at which a mark may begin.
            let first = held.chars().next().map_or(0, char::len_utf8);
            let next = self.table.candidate(&held, first).unwrap_or(held.len());
            self.give(&held[..next], emit);
            self.held = held;
            self.held.drain(..next);
        }
    }

    fn find(&self, text: &str) -> FoundMark {
        let is_quoted = self.quotes.is_quoted();
        self.table.find(text, |mark| self.counts(mark, is_quoted))
    }

    /// Returns whether a mark counts at this place.
    pub(crate) fn counts(&self, mark: &FormMark, is_quoted: bool) -> bool {
        let is_prose = mark.text.starts_with(|c: char| c.is_alphabetic());
        let family = self.families[mark.family];
        match mark.role {
            MarkRole::Think if self.is_thought => self.is_blank,
            MarkRole::Think => !is_quoted && (!is_prose || self.is_blank),
            MarkRole::ThinkEnd => self.is_thought || !(is_quoted || is_prose),
            MarkRole::Answer if mark.text.starts_with('>') => self.quotes.is_line_start(),
            MarkRole::Answer => self.is_thought || !is_quoted,
            MarkRole::AnswerEnd | MarkRole::Start => true,
            MarkRole::Dropped | MarkRole::Stop => !is_quoted || family.messages.is_some(),
            // An answer of a message may show the marks of calls.
            MarkRole::Closer(_) if family.messages.is_some() => self.follows_call,
            MarkRole::Closer(_) => !self.is_thought && !is_quoted,
            MarkRole::Call(..) if is_quoted => false,
            MarkRole::Call(..) if self.is_thought && !family.calls_end_thought => false,
            MarkRole::Call(_, place) => match place {
                MarkPlace::Anywhere => true,
                MarkPlace::Start => self.is_blank && !self.follows_call && !self.is_thought,
                MarkPlace::Line => self.quotes.is_line_start() && !self.is_thought,
                MarkPlace::Behind => self.follows_call,
            },
        }
    }

    /// Carries out a mark that was read.
    fn take_mark(&mut self, number: usize, emit: &mut Emit<'_>) {
        let mark = self.table.marks[number];
        let at = u64::try_from(self.at - length(mark.text)).unwrap_or(0);
        if !matches!(mark.role, MarkRole::Call(..)) {
            self.prompt = 0;
        }
        match mark.role {
            MarkRole::Think if self.is_thought => {}
            MarkRole::Think => {
                self.begin_section(true, 1, emit);
            }
            MarkRole::ThinkEnd if self.is_thought => self.begin_section(false, 2, emit),
            MarkRole::Answer => self.begin_section(false, 1, emit),
            MarkRole::ThinkEnd => {
                self.sink.diagnostic(DiagnosticKind::StrayText, mark.text, at, emit);
            }
            MarkRole::Closer(is_outer) if self.refused > 0 && !self.follows_call => {
                self.refused -= u32::from(is_outer);
                self.give(mark.text, emit);
            }
            MarkRole::Closer(_) => {
                if !self.follows_call {
                    self.sink.diagnostic(DiagnosticKind::StrayText, mark.text, at, emit);
                }
            }
            MarkRole::AnswerEnd => self.quotes = QuoteTracker::START,
            MarkRole::Dropped => {
                if self.families[mark.family].messages.is_some() {
                    self.begin_section(false, 0, emit);
                }
            }
            MarkRole::Stop => self.mode = ParserMode::Stopped,
            MarkRole::Start => self.begin_header(mark.text, mark.family, emit),
            MarkRole::Call(..) => self.begin_body(mark.text, at, emit),
        }
    }

    /// Begins a thought or an answer.
    pub(crate) fn begin_section(&mut self, is_thought: bool, line_breaks: u8, emit: &mut Emit<'_>) {
        self.sink.close(emit);
        self.is_thought = is_thought;
        self.is_blank = true;
        self.is_hidden = false;
        self.follows_call = false;
        self.line_breaks = line_breaks;
        self.quotes = QuoteTracker::START;
    }

    /// Emits text, without line breaks that belong to the mark before it.
    pub(crate) fn give(&mut self, text: &str, emit: &mut Emit<'_>) {
        let mut text = text;
        if self.prompt > 0 {
            let skipped = self.prompt.min(text.len());
            self.prompt -= skipped;
            text = &text[skipped..];
        }
        if text.is_empty() || self.is_hidden {
            return;
        }
        while self.line_breaks > 0 {
            if let Some(rest) = text.strip_prefix('\n') {
                self.line_breaks -= 1;
                text = rest;
            } else if let Some(rest) = text.strip_prefix('\r') {
                text = rest;
            } else {
                if text.is_empty() {
                    return;
                }
                self.line_breaks = 0;
            }
        }
        if self.follows_call {
            // Blanks between calls are not an answer.
            text = text.trim_start();
        }
        if !text.trim_start().is_empty() {
            self.is_blank = false;
            self.follows_call = false;
        }
        self.quotes.push(text);
        let kind = if self.is_thought { TextKind::Think } else { TextKind::Respond { last: true } };
        self.sink.text(kind, text, emit);
    }
}
