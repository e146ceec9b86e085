//! Says whether a place in a text is quoted: in a code fence, in inline code, after a quotation
//! mark or in a quoted line. A call that is quoted is text.
//!
//! This module recognizes Markdown's fences and code spans, without the marks.
//!
//! ```text
//! where            quoted until
//! fence            a line with a fence of the same kind that is at least as long
//! code span        as many backticks as opened it, or the end of the line
//! quoted line      the end of the line, which begins with `>`
//! quotation        the end of the line; one that begins with `<` or `[`, because what is between the
//!                  quotation marks has quotation marks, too
//! ```

/// The state at the end of the text so far.
#[derive(Clone, Debug)]
pub(crate) struct QuoteTracker {
    /// The number of blanks at the start of the line, or `None` after other text.
    indent: Option<u8>,
    /// The character and the length of the run of backticks or tildes that the text ends with.
    run: (char, u32),
    run_begins_line: bool,
    fence: Option<(char, u32)>,
    /// Whether the line may close the fence.
    may_close: bool,
    span: Option<u32>,
    is_quoted_line: bool,
    /// Whether the line has a quotation that begins with `<` or `[`.
    has_quotation: bool,
    /// The last two characters.
    last: [char; 2],
}

impl QuoteTracker {
    /// The state at the start of a text.
    pub(crate) const START: Self = Self {
        indent: Some(0),
        run: (' ', 0),
        run_begins_line: false,
        fence: None,
        may_close: false,
        span: None,
        is_quoted_line: false,
        has_quotation: false,
        last: ['\n', '\n'],
    };

    /// Takes a piece of the text.
    pub(crate) fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            // In the middle of a line, few characters matter.
            let is_plain = self.indent.is_none() && !self.has_quotation;
            if is_plain && self.run.1 == 0 && !self.may_close {
                let next = plain(&text[at..]);
                if next > 0 {
                    self.passed(&text[at..at + next]);
                    at += next;
                    continue;
                }
            }
            let Some(character) = text[at..].chars().next() else { return };
            self.step(character);
            at += character.len_utf8();
        }
    }

    /// Returns whether the next text is quoted.
    pub(crate) fn is_quoted(&self) -> bool {
        let mut end = self.clone();
        end.settle();
        let is_shown = end.fence.is_some() || end.span.is_some() || end.is_quoted_line;
        is_shown || self.has_quotation || self.follows_quotation()
    }

    /// Returns whether the next text begins a line.
    pub(crate) fn is_line_start(&self) -> bool {
        self.indent.is_some()
    }

    /// Returns whether the last character opens a quotation.
    fn follows_quotation(&self) -> bool {
        let [before, last] = self.last;
        matches!(last, '"' | '\'' | '`' | '“' | '‘' | '«' | '‹' | '「' | '『')
            && (before.is_whitespace() || "([{<=:—–-".contains(before))
    }

    fn passed(&mut self, text: &str) {
        let mut back = text.chars().rev();
        if let Some(last) = back.next() {
            self.last = [back.next().unwrap_or(self.last[1]), last];
        }
    }

    fn step(&mut self, character: char) {
        if character == '\n' {
            self.has_quotation = false;
        } else if matches!(character, '<' | '[') && self.follows_quotation() {
            self.has_quotation = true;
        }
        let is_tick = character == '`' || (character == '~' && self.can_begin_fence());
        if self.run.1 > 0 && self.run.0 == character {
            self.run.1 += 1;
        } else if is_tick {
            self.settle();
            self.run_begins_line = self.indent.is_some();
            self.run = (character, 1);
            self.indent = None;
        } else {
            self.settle();
            self.other(character);
        }
        self.last = [self.last[1], character];
    }

    fn can_begin_fence(&self) -> bool {
        self.indent.is_some() && !self.is_quoted_line
    }

    fn other(&mut self, character: char) {
        match (character, self.indent) {
            ('\n', _) => {
                if std::mem::take(&mut self.may_close) {
                    self.fence = None;
                }
                (self.indent, self.span, self.is_quoted_line) = (Some(0), None, false);
            }
            (' ', Some(indent)) if indent < 3 => self.indent = Some(indent + 1),
            ('>', Some(_)) if self.fence.is_none() => {
                (self.indent, self.is_quoted_line) = (None, true);
            }
            (' ' | '\t' | '\r', None) => {}
            _ => (self.indent, self.may_close) = (None, false),
        }
    }

    /// Decides the meaning of a finished run of backticks or tildes.
    fn settle(&mut self) {
        let (character, length) = std::mem::replace(&mut self.run, (' ', 0));
        if length == 0 {
            return;
        }
        let begins_line = std::mem::take(&mut self.run_begins_line);
        match self.fence {
            Some((open, least)) => {
                self.may_close = begins_line && open == character && length >= least;
            }
            None if begins_line && length >= 3 => self.fence = Some((character, length)),
            None if character != '`' => {}
            None if self.span == Some(length) => self.span = None,
            None => {
                self.span.get_or_insert(length);
            }
        }
    }
}

/// Returns the length of the text in front of the next character that matters in the middle of a line, or
/// of a part of that text. It looks at no more than a window, because the searches do not stop at the same
/// place.
fn plain(text: &str) -> usize {
    let window = &text.as_bytes()[..text.floor_char_boundary(WINDOW)];
    let end = memchr::memchr3(b'\n', b'`', b'<', window).unwrap_or(window.len());
    memchr::memchr(b'[', &window[..end]).unwrap_or(end)
}

const WINDOW: usize = 256;
