//! The bodies of calls: P-8, P-9, P-12, P-17.

use silcrow_event::{Call, mend_json};

use super::*;

/// The way in which a body ended, and its end.
pub(super) enum Body {
    /// After its last bracket.
    Closed(usize),
    /// At a delimiter outside of its strings, or it was never followed.
    Malformed(usize),
    /// At the end of the input, or at a delimiter inside a string.
    Truncated(usize),
}

impl<'a> Turn<'a> {
    /// Reads the body after `§call:`, and those that follow it without a delimiter.
    pub(super) fn call(&mut self, at: usize) -> Option<Found<'a>> {
        let (mut at, fenced) = self.open_fence(at);
        loop {
            let body = self.body(at);
            self.close(at, &body);
            match body {
                Body::Closed(end) => {
                    self.anchor = Some(end);
                    match self.another(end) {
                        Some(next) => at = next,
                        None => return self.tail(end, fenced),
                    }
                    self.report(DiagnosticKind::Repaired, at);
                }
                Body::Malformed(end) | Body::Truncated(end) => {
                    return self.next_delimiter(end, Section::Calls);
                }
            }
        }
    }

    /// Returns the position of another object after the end of one (P-12).
    pub(super) fn another(&self, end: usize) -> Option<usize> {
        let is_separator = |c: char| is_white(c) || matches!(c, ',' | ';' | ']' | '}' | ')');
        let rest = self.wire[end..].trim_start_matches(is_separator);
        rest.starts_with('{').then_some(self.wire.len() - rest.len())
    }

    /// Reads the bodies after `<execute>`.
    pub(super) fn list(&mut self, at: usize) -> Option<Found<'a>> {
        let (at, fenced) = self.open_fence(at);
        let end =
            self.next_delimiter(at, Section::Calls).map_or(self.wire.len(), |(_, start)| start);
        match self.wire[at..end].chars().next() {
            None => self.next_delimiter(at, Section::Calls),
            // A single object is a list without brackets.
            Some('[' | '{') => self.items(at, fenced),
            Some(_) => {
                let body = self.body(at);
                self.close(at, &body);
                self.next_delimiter(end, Section::Calls)
            }
        }
    }

    /// Reads the body at `at` (P-8).
    pub(super) fn body(&self, at: usize) -> Body {
        if self.wire[at..].starts_with(['{', '[']) {
            return self.follow(at);
        }
        match self.next_delimiter(at, Section::Calls) {
            Some((_, end)) => Body::Malformed(end),
            None if at < self.wire.len() => Body::Malformed(self.wire.len()),
            // The body has not begun.
            None => Body::Truncated(at),
        }
    }

    /// Follows strings, escapes and nesting to the end of the value at `at`.
    pub(super) fn follow(&self, at: usize) -> Body {
        let (mut depth, mut string, mut escape) = (0, false, false);
        for (offset, c) in self.wire[at..].char_indices() {
            let here = at + offset;
            if self.run(here, Section::Calls).is_some_and(|(run, _)| run == 1) {
                if !string {
                    return Body::Malformed(here);
                }
                if self.wire[..here].ends_with('\n') {
                    return Body::Truncated(here);
                }
            }
            match c {
                _ if escape => escape = false,
                '\\' if string => escape = true,
                '"' => string = !string,
                '{' | '[' if !string => depth += 1,
                '}' | ']' if !string => depth -= 1,
                _ => {}
            }
            if depth == 0 && !string {
                return Body::Closed(here + c.len_utf8());
            }
        }
        Body::Truncated(self.wire.len())
    }

    /// Returns the outcome of a body (P-9).
    pub(super) fn close(&mut self, at: usize, body: &Body) {
        self.id += 1;
        let id = format!("a{}", self.id);
        match *body {
            Body::Truncated(_) => {
                self.report(DiagnosticKind::TruncatedCall, at);
                self.units.push(Unit::Bad { id, truncated: true });
            }
            Body::Malformed(end) | Body::Closed(end) => {
                self.pending += 1;
                let text = &self.wire[at..end];
                let repaired = repaired(text);
                let read = match Call::parse(&id, &*repaired) {
                    Ok(call) if matches!(body, Body::Closed(_)) => Some((call, repaired != text)),
                    Ok(_) => None,
                    Err(_) => mend_json(text)
                        .and_then(|mended| Some((Call::parse(&id, mended.json).ok()?, true))),
                };
                match read {
                    Some((call, is_mended)) => {
                        if is_mended {
                            self.report(DiagnosticKind::Repaired, at);
                        }
                        self.units.push(Unit::Event(Event::Call(call)));
                    }
                    None => {
                        self.say(TextKind::Malformed, at, text);
                        self.report(DiagnosticKind::MalformedCall, at);
                        self.units.push(Unit::Bad { id, truncated: false });
                    }
                }
            }
        }
    }

    /// Reads the text between a complete body and the next delimiter (P-12).
    pub(super) fn tail(&mut self, at: usize, fenced: bool) -> Option<Found<'a>> {
        if fenced && let Some(found) = self.after_closing_fence(at) {
            return Some(found);
        }
        // The body is over: the rest is text.
        let section = match self.form {
            Form::Sigil | Form::Inline => Section::Forged,
            Form::Phase | Form::Action => Section::Calls,
        };
        if fenced && self.is_closing_fence(at, section) {
            return self.next_delimiter(at, section);
        }
        self.aside(at, section, DiagnosticKind::StrayText)
    }

    /// Returns the delimiter on the line that closes the fence around a body (P-34).
    fn after_closing_fence(&self, at: usize) -> Option<Found<'a>> {
        let run = self.skip_white(at);
        let (_, length) = text::fence_run(&self.wire[run..])?;
        let rest = self.wire[run + length..].trim_start_matches(is_blank);
        let stop = self.wire.len() - rest.len();
        let is_line = self.wire[at..run].contains('\n') && self.counts(stop, Section::Respond);
        let (copies, delimiter) = self.run_anywhere(stop, Section::Forged).filter(|_| is_line)?;
        (self.form == Form::Sigil && copies == 1).then_some((delimiter, stop))
    }

    /// Returns the position of a body, and whether it is in a code fence, whose first line is
    /// dropped (P-8).
    pub(super) fn open_fence(&self, at: usize) -> (usize, bool) {
        let at = self.skip_white(at);
        if !self.wire[at..].starts_with("```") && !self.wire[at..].starts_with("~~~") {
            return (at, false);
        }
        let line = self.wire[at..].find(['\n', '{', '[']).map_or(self.wire.len(), |end| at + end);
        let delimiter = self.next_delimiter(at, Section::Calls).map_or(line, |(_, start)| start);
        (self.skip_white(line.min(delimiter)), true)
    }

    /// Returns whether only the end of a fence is between `at` and the next delimiter.
    fn is_closing_fence(&self, at: usize, section: Section) -> bool {
        let end = self.next_delimiter(at, section).map_or(self.wire.len(), |(_, start)| start);
        let text = self.wire[at..end].trim_matches(is_white);
        text::fence_run(text).is_some_and(|(_, length)| length == text.len())
    }
}

/// Escapes raw control characters in strings, and a backslash before one, which escapes nothing.
pub(super) fn repaired(body: &str) -> String {
    let (mut string, mut escape) = (false, false);
    let mut out = String::new();
    for c in body.chars() {
        if escape && c < ' ' {
            out.push('\\');
        }
        match c {
            '\n' if string => out.push_str("\\n"),
            '\r' if string => out.push_str("\\r"),
            '\t' if string => out.push_str("\\t"),
            c if string && c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
        match c {
            _ if escape => escape = false,
            '\\' if string => escape = true,
            '"' => string = !string,
            _ => {}
        }
    }
    out
}
