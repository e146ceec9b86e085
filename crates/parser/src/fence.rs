use memchr::{memchr, memchr2};

use crate::options::Options;

/// Whether a code fence is still open where this answer ends, so that no delimiter behind its opening
/// counted (P-34).
pub fn leaves_fence_open(text: &str, options: impl Into<Options>) -> bool {
    let mut fence = Fence::new(options.into().dialect.first());
    fence.push(text, &mut |_| {});
    fence.stays_open()
}

/// Follows Markdown code fences through the text of an answer (P-34).
///
/// Outside an open fence, a line that begins with a run of first characters and three backticks or
/// tildes is an escaped fence: the last first character is dropped. It is withheld until that is
/// certain, with the backticks behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence {
    /// The dialect's first character.
    first: &'static str,
    line: Line,
    /// The open fence's character and length.
    open: Option<(u8, usize)>,
}

/// What stands in the line so far.
#[derive(Clone, Copy, Debug)]
enum Line {
    /// That many spaces, at most 3.
    Indent(u8),
    /// Indent and a run of first characters, the last of which is withheld.
    Run,
    /// As `Run`, and fewer than 3 backticks or tildes, withheld too.
    Escape(u8, usize),
    /// Indent and that many backticks or tildes.
    Ticks(u8, usize),
    /// The run that opened the fence.
    Opening,
    /// Behind the run that opened a backtick fence: another backtick undoes it.
    Info,
    /// Behind a run that closes the fence: only blanks.
    Closing,
    /// As `Closing`, and then first characters: a delimiter behind them is escaped where one in their
    /// place would count (P-3).
    Doubled,
    /// Nothing more to see.
    Middle,
}

impl Fence {
    /// At the start of a section's content.
    pub(crate) const fn new(first: &'static str) -> Self {
        Self { first, line: Line::Indent(0), open: None }
    }

    /// Whether a delimiter that comes now counts: no fence is open, or the delimiter closes it.
    pub(crate) fn delimiter_counts(&self) -> bool {
        match (self.open, self.line) {
            (None, _) | (Some(_), Line::Closing | Line::Doubled) => true,
            (Some(open), Line::Ticks(tick, len)) => closes(open, tick, len),
            (Some(_), _) => false,
        }
    }

    /// Whether the end of the input finds a fence open.
    pub(crate) fn stays_open(&self) -> bool {
        matches!(self.line, Line::Doubled) || !self.delimiter_counts()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether `text` is content that changes nothing.
    #[inline]
    pub(crate) fn passes(&self, text: &str) -> bool {
        matches!(self.line, Line::Middle) && !text.as_bytes().contains(&b'\n')
    }

    /// Follows `text`, and gives out what of it is content, and what was withheld and is.
    pub(crate) fn push(&mut self, text: &str, give: &mut dyn FnMut(&str)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        // `text[given..at]` is content that is not given out yet.
        let mut given = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.line {
                Line::Middle => at = self.pass_lines(bytes, at),
                Line::Info => at = self.pass_info(bytes, at),
                Line::Run | Line::Escape(..) => {
                    if self.withhold(byte, &bytes[at..]) {
                        at += if is_tick(byte) { 1 } else { self.first.len() };
                        given = at;
                        if matches!(self.line, Line::Run) {
                            // Another copy: the one before it is content.
                            give(self.first);
                        }
                        if let Line::Escape(tick, 3) = self.line {
                            give(ticks(tick, 3));
                            self.line = Line::Middle;
                        }
                    } else {
                        self.release(give);
                    }
                }
                Line::Indent(_) if self.open.is_none() && self.is_first(&bytes[at..]) => {
                    if given < at {
                        give(&text[given..at]);
                    }
                    at += self.first.len();
                    given = at;
                    self.line = Line::Run;
                }
                Line::Ticks(..) | Line::Closing | Line::Doubled
                    if self.open.is_some()
                        && self.delimiter_counts()
                        && self.is_first(&bytes[at..]) =>
                {
                    at += self.first.len();
                    self.line = Line::Doubled;
                }
                _ => {
                    self.step(byte);
                    at += 1;
                }
            }
        }
        if given < text.len() {
            give(&text[given..]);
        }
    }

    /// A delimiter that counts, or the end of the input: what is withheld is content.
    pub(crate) fn release(&mut self, give: &mut dyn FnMut(&str)) {
        let tail = match self.line {
            Line::Run => "",
            Line::Escape(tick, len) => ticks(tick, len),
            _ => return,
        };
        give(self.first);
        if !tail.is_empty() {
            give(tail);
        }
        self.line = Line::Middle;
    }

    /// From within a line to where the next one begins that may be of interest, or to the end.
    fn pass_lines(&mut self, bytes: &[u8], at: usize) -> usize {
        let first = self.first.as_bytes()[0];
        let mut at = at;
        while let Some(block) = bytes[at..].first_chunk()
            && !holds_line(block, first)
        {
            at += BLOCK;
        }
        while let Some(newline) = memchr(b'\n', &bytes[at..]) {
            at += newline + 1;
            if bytes[at..].first_chunk().is_none_or(|line| is_of_interest(line, first)) {
                self.line = Line::Indent(0);
                return at;
            }
        }
        bytes.len()
    }

    /// From behind the run that opened a backtick fence to what ends or undoes its line.
    fn pass_info(&mut self, bytes: &[u8], at: usize) -> usize {
        let Some(stop) = memchr2(b'\n', b'`', &bytes[at..]) else { return bytes.len() };
        if bytes[at + stop] == b'\n' {
            self.line = Line::Indent(0);
        } else {
            self.open = None;
            self.line = Line::Middle;
        }
        at + stop + 1
    }

    /// Whether `rest` begins with the dialect's first character.
    fn is_first(&self, rest: &[u8]) -> bool {
        let first = self.first.as_bytes();
        rest.first() == first.first() && rest.starts_with(first)
    }

    /// Whether the next character belongs to what is withheld; if so, takes it in.
    fn withhold(&mut self, byte: u8, rest: &[u8]) -> bool {
        self.line = match self.line {
            Line::Run if self.is_first(rest) => Line::Run,
            Line::Run if is_tick(byte) => Line::Escape(byte, 1),
            Line::Escape(tick, len) if byte == tick => Line::Escape(tick, len + 1),
            _ => return false,
        };
        true
    }

    /// One character of a line's beginning, or behind a fence's run.
    fn step(&mut self, byte: u8) {
        let closing = match (self.open, self.line) {
            (Some(open), Line::Ticks(tick, len)) => closes(open, tick, len),
            (Some(_), Line::Closing) => true,
            _ => false,
        };
        self.line = match (self.line, byte) {
            (_, b'\n') => {
                if closing {
                    self.open = None;
                }
                Line::Indent(0)
            }
            (Line::Indent(spaces @ ..3), b' ') => Line::Indent(spaces + 1),
            (Line::Indent(_), tick) if is_tick(tick) => match self.open {
                Some((other, _)) if other != tick => Line::Middle,
                _ => Line::Ticks(tick, 1),
            },
            (Line::Ticks(tick, len), _) if byte == tick => match self.open {
                None if len == 2 => {
                    self.open = Some((tick, 3));
                    Line::Opening
                }
                _ => Line::Ticks(tick, len + 1),
            },
            (Line::Opening, _) => match &mut self.open {
                Some((tick, len)) if byte == *tick => {
                    *len += 1;
                    Line::Opening
                }
                Some((b'`', _)) => Line::Info,
                _ => Line::Middle,
            },
            (_, b' ' | b'\t' | b'\r') if closing => Line::Closing,
            _ => Line::Middle,
        };
    }
}

/// Whether a line in a block of text is of interest, seen from the line break before it. No branch
/// depends on the bytes, so this becomes a handful of vector instructions.
#[inline]
fn holds_line(block: &[u8; BLOCK + BEGINNING], first: u8) -> bool {
    let begins = |at: usize| {
        let line = [block[at + 1], block[at + 2], block[at + 3], block[at + 4]];
        (block[at] == b'\n') & is_of_interest(&line, first)
    };
    (0..BLOCK).fold(false, |any, at| any | begins(at))
}

/// Whether the line that begins with these bytes may open, close or escape a fence. With a space as
/// its first and its fourth byte it cannot: where a fence may begin, no run is long enough.
#[inline]
fn is_of_interest(line: &[u8; BEGINNING], first: u8) -> bool {
    let [a, .., d] = *line;
    (a == b'`') | (a == b'~') | (a == first) | ((a == b' ') & (d != b' '))
}

const BLOCK: usize = 32;
const BEGINNING: usize = 4;

fn closes(open: (u8, usize), tick: u8, len: usize) -> bool {
    open.0 == tick && len >= open.1
}

fn is_tick(byte: u8) -> bool {
    byte == b'`' || byte == b'~'
}

fn ticks(tick: u8, len: usize) -> &'static str {
    if tick == b'`' { &"```"[..len] } else { &"~~~"[..len] }
}
