//! Code fences in the text of an answer (P-34).
//!
//! A fence has its open run, if there is one, and the state of the current line. It ignores
//! delimiters.
//!
//! ```text
//! from      character                                       to
//! Indent    space, up to three                              Indent
//! Indent    first character, outside of a fence             Run
//! Run       backtick or tilde                               Escape
//! Escape    the same, for the third time                    Middle: an escaped fence
//! Indent    backtick or tilde                               Ticks
//! Ticks     the same, for the third time outside a fence    Opening
//! Opening   another, after backticks or after tildes        Info, or Middle
//! Info      backtick                                        Middle: not a fence
//! Ticks     blank, if the run closes the fence              Closing
//! Ticks     first character, if the run closes the fence    Doubled
//! Closing   first character                                 Doubled
//! any       line break                                      Indent
//! any       another                                         Middle
//! ```

use memchr::{memchr, memchr2};
use silcrow_lex::Options;

/// Returns whether a code fence is still open at the end of an answer, so that no delimiter after
/// the opening of the fence counted (P-34).
///
/// ```
/// use silcrow_parser::{Dialect, leaves_fence_open};
///
/// let open = "§respond: Use this:\n```\n§end";
/// assert!(leaves_fence_open(open, Dialect::Sigil), "the end delimiter is a part of the code");
/// assert!(!leaves_fence_open("§respond: Use this:\n```\nls\n```\n§end", Dialect::Sigil));
/// ```
pub fn leaves_fence_open(text: &str, options: impl Into<Options>) -> bool {
    let mut fence = Fence::new(options.into().dialect.first_char());
    fence.push(text, &mut |_| {});
    fence.is_unclosed()
}

/// An incremental search for Markdown code fences in an answer (P-34).
///
/// Outside of a fence, a line that begins with a run of first characters and three backticks or
/// tildes is an escaped fence, and one of the first characters is dropped. So the last of them is
/// pending, together with the backticks after it, until this is certain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence {
    /// The dialect's first character.
    first: &'static str,
    line: FenceLine,
    /// The open fence's character and length.
    open: Option<(u8, usize)>,
}

/// The line so far.
#[derive(Clone, Copy, Debug)]
enum FenceLine {
    /// A number of spaces, at most 3.
    Indent(u8),
    /// Indent and a run of first characters. The last of them is pending.
    Run,
    /// A run, and then fewer than 3 backticks or tildes, which are pending, too.
    Escape(u8, usize),
    /// Indent and a number of backticks or tildes.
    Ticks(u8, usize),
    /// The run that opened the fence.
    Opening,
    /// The info string of a backtick fence; another backtick in it means that it is not a fence.
    Info,
    /// A run that closes the fence, and blanks.
    Closing,
    /// A run that closes the fence, and then first characters: a delimiter after them is escaped if
    /// it would count without them (P-3).
    Doubled,
    /// The rest of a line, which cannot open or close a fence.
    Middle,
}

impl Fence {
    /// Creates the state at the start of a section's content.
    pub(crate) const fn new(first: &'static str) -> Self {
        Self { first, line: FenceLine::Indent(0), open: None }
    }

    /// Returns whether a delimiter at this position counts: no fence is open, or the delimiter
    /// closes it.
    pub(crate) fn delimiter_counts(&self) -> bool {
        match (self.open, self.line) {
            (None, _) | (Some(_), FenceLine::Closing | FenceLine::Doubled) => true,
            (Some(open), FenceLine::Ticks(tick, len)) => closes(open, tick, len),
            (Some(_), _) => false,
        }
    }

    /// Returns whether a fence would be open if the input ended here.
    pub(crate) fn is_unclosed(&self) -> bool {
        matches!(self.line, FenceLine::Doubled) || !self.delimiter_counts()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns whether this is the start of a line in an open fence, after indent.
    pub(crate) fn at_line_start(&self) -> bool {
        self.open.is_some() && matches!(self.line, FenceLine::Indent(_))
    }

    /// Returns whether this is the middle of a line, where only a line break changes the state.
    #[inline]
    pub(crate) fn is_in_line(&self) -> bool {
        matches!(self.line, FenceLine::Middle)
    }

    /// Follows `text`, and emits its content and pending text that turns out to be content.
    pub(crate) fn push(&mut self, text: &str, emit: &mut dyn FnMut(&str)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        // `text[emitted..at]` is content that is not emitted yet.
        let mut emitted = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.line {
                FenceLine::Middle => at = self.skip_lines(bytes, at),
                FenceLine::Info => at = self.skip_info(bytes, at),
                FenceLine::Run | FenceLine::Escape(..) => {
                    if self.extend_pending(byte, &bytes[at..]) {
                        at += if is_tick(byte) { 1 } else { self.first.len() };
                        emitted = at;
                        if matches!(self.line, FenceLine::Run) {
                            // One more first character: the one before it is content.
                            emit(self.first);
                        }
                        if let FenceLine::Escape(tick, 3) = self.line {
                            emit(ticks(tick, 3));
                            self.line = FenceLine::Middle;
                        }
                    } else {
                        self.release(emit);
                    }
                }
                FenceLine::Indent(_) if self.open.is_none() && self.is_first(&bytes[at..]) => {
                    if emitted < at {
                        emit(&text[emitted..at]);
                    }
                    at += self.first.len();
                    emitted = at;
                    self.line = FenceLine::Run;
                }
                FenceLine::Ticks(..) | FenceLine::Closing | FenceLine::Doubled
                    if self.open.is_some()
                        && self.delimiter_counts()
                        && self.is_first(&bytes[at..]) =>
                {
                    at += self.first.len();
                    self.line = FenceLine::Doubled;
                }
                _ => {
                    self.step(byte);
                    at += 1;
                }
            }
        }
        if emitted < text.len() {
            emit(&text[emitted..]);
        }
    }

    /// Emits the pending text as content, before a delimiter that counts or at the end of the
    /// input.
    pub(crate) fn release(&mut self, emit: &mut dyn FnMut(&str)) {
        let tail = match self.line {
            FenceLine::Run => "",
            FenceLine::Escape(tick, len) => ticks(tick, len),
            _ => return,
        };
        emit(self.first);
        if !tail.is_empty() {
            emit(tail);
        }
        self.line = FenceLine::Middle;
    }

    /// Ends a fence that a delimiter closes, and skips text up to the middle of a line, where no
    /// fence counts. Release pending text before.
    pub(crate) fn pass_comment(&mut self) {
        if self.delimiter_counts() {
            self.open = None;
        }
        self.line = FenceLine::Middle;
    }

    /// Skips to the next line that may open, close or escape a fence.
    fn skip_lines(&mut self, bytes: &[u8], at: usize) -> usize {
        let first = self.first.as_bytes()[0];
        let mut at = at;
        while let Some(block) = bytes[at..].first_chunk()
            && !has_line_of_interest(block, first)
        {
            at += BLOCK;
        }
        while let Some(newline) = memchr(b'\n', &bytes[at..]) {
            at += newline + 1;
            if bytes[at..].first_chunk().is_none_or(|line| is_of_interest(line, first)) {
                self.line = FenceLine::Indent(0);
                return at;
            }
        }
        bytes.len()
    }

    /// Skips the info string of a backtick fence.
    fn skip_info(&mut self, bytes: &[u8], at: usize) -> usize {
        let Some(stop) = memchr2(b'\n', b'`', &bytes[at..]) else { return bytes.len() };
        if bytes[at + stop] == b'\n' {
            self.line = FenceLine::Indent(0);
        } else {
            self.open = None;
            self.line = FenceLine::Middle;
        }
        at + stop + 1
    }

    /// Returns whether `rest` begins with the dialect's first character.
    fn is_first(&self, rest: &[u8]) -> bool {
        let first = self.first.as_bytes();
        rest.first() == first.first() && rest.starts_with(first)
    }

    /// Returns whether the next character is pending as well.
    fn extend_pending(&mut self, byte: u8, rest: &[u8]) -> bool {
        self.line = match self.line {
            FenceLine::Run if self.is_first(rest) => FenceLine::Run,
            FenceLine::Run if is_tick(byte) => FenceLine::Escape(byte, 1),
            FenceLine::Escape(tick, len) if byte == tick => FenceLine::Escape(tick, len + 1),
            _ => return false,
        };
        true
    }

    /// Takes one character at a line's beginning, or after a fence's run.
    fn step(&mut self, byte: u8) {
        let closing = match (self.open, self.line) {
            (Some(open), FenceLine::Ticks(tick, len)) => closes(open, tick, len),
            (Some(_), FenceLine::Closing) => true,
            _ => false,
        };
        self.line = match (self.line, byte) {
            (_, b'\n') => {
                if closing {
                    self.open = None;
                }
                FenceLine::Indent(0)
            }
            (FenceLine::Indent(spaces @ ..3), b' ') => FenceLine::Indent(spaces + 1),
            (FenceLine::Indent(_), tick) if is_tick(tick) => match self.open {
                Some((other, _)) if other != tick => FenceLine::Middle,
                _ => FenceLine::Ticks(tick, 1),
            },
            (FenceLine::Ticks(tick, len), _) if byte == tick => match self.open {
                None if len == 2 => {
                    self.open = Some((tick, 3));
                    FenceLine::Opening
                }
                _ => FenceLine::Ticks(tick, len + 1),
            },
            (FenceLine::Opening, _) => match &mut self.open {
                Some((tick, len)) if byte == *tick => {
                    *len += 1;
                    FenceLine::Opening
                }
                Some((b'`', _)) => FenceLine::Info,
                _ => FenceLine::Middle,
            },
            (_, b' ' | b'\t' | b'\r') if closing => FenceLine::Closing,
            _ => FenceLine::Middle,
        };
    }
}

/// Returns whether a block contains a line break before a line of interest. No branch depends on
/// the bytes, so the compiler vectorises this.
#[inline]
fn has_line_of_interest(block: &[u8; BLOCK + BEGINNING], first: u8) -> bool {
    let begins = |at: usize| {
        let line = [block[at + 1], block[at + 2], block[at + 3], block[at + 4]];
        (block[at] == b'\n') & is_of_interest(&line, first)
    };
    (0..BLOCK).fold(false, |any, at| any | begins(at))
}

/// Returns whether a line with this beginning may open, close or escape a fence. It cannot if its
/// first and fourth bytes are spaces: the indent is too deep, or the run is too short.
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
