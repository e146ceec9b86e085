//! Server-sent events: bytes in, events out, without I/O.
//!
//! ```
//! use silcrow_provider::sse::SseDecoder;
//!
//! let mut decoder = SseDecoder::new();
//! let mut seen = Vec::new();
//! for read in [&b"data: {\"n\""[..], b": 1}\r", b"\n\r\n: ping\n\ndata: "] {
//!     decoder.push(read, &mut |event| seen.push(event.data.to_owned()))?;
//! }
//! assert_eq!(seen, ["{\"n\": 1}"]);
//! assert_eq!(decoder.finish()?.unwrap().data, "");
//! # Ok::<_, silcrow_provider::sse::SseTooLong>(())
//! ```
//!
//! Events come out as the WHATWG text says, at every cut of the bytes, in time linear in their
//! number. What is added to that text: lines and events have a longest length, and what the input
//! ends inside of is given back instead of dropped. What is left out: the field `retry`, for
//! nothing here reconnects by itself.

use std::borrow::Cow;
use std::fmt;
use std::mem;

use memchr::memchr2;

/// The longest line, in bytes without its end.
pub const MAX_LINE: usize = 1 << 20;

/// The longest data of one event, in bytes.
pub const MAX_EVENT: usize = 4 << 20;

/// The most bytes kept of lines that are no fields.
pub const MAX_STRAY: usize = 64 << 10;

/// Turns the bytes of an event stream into events.
///
/// Comments (`: ping`) and events without data are not given out, so a limit on the time between
/// events is not moved by either.
#[derive(Debug, Default)]
pub struct SseDecoder {
    /// The start of a line whose end has not come.
    line: Vec<u8>,
    /// A line was seen, so a byte order mark is a mark no longer.
    begun: bool,
    /// The last byte was a carriage return, so a line feed that follows ends no second line.
    after_return: bool,
    /// The open event's data; each of its lines ends with a line feed.
    data: String,
    event: String,
    id: String,
    stray: Vec<u8>,
    broken: Option<SseTooLong>,
}

/// An event that a blank line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The event's type, `message` unless named.
    pub event: &'a str,
    /// Its data lines, joined by line feeds.
    pub data: &'a str,
    /// The last id in the stream, empty before the first.
    pub id: &'a str,
}

/// An event that the input ended inside of: it may be cut anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The event's type, `message` unless named.
    pub event: String,
    /// What came of its data.
    pub data: String,
}

/// A stream that would need more memory than one stream may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a stream has lines and events and nothing else")]
pub enum SseTooLong {
    /// A line passed [`MAX_LINE`].
    Line,
    /// An event's data passed [`MAX_EVENT`].
    Event,
}

impl SseDecoder {
    /// A decoder at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in the next bytes and hands the events they complete to `sink`.
    ///
    /// After an error the decoder gives out nothing more and repeats it. Events handed out before
    /// are whole.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        sink: &mut dyn FnMut(SseEvent<'_>),
    ) -> Result<(), SseTooLong> {
        self.broken.map_or(Ok(()), Err)?;
        if self.after_return && !bytes.is_empty() {
            self.after_return = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr2(b'\r', b'\n', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = match bytes[end] {
                b'\r' => {
                    self.after_return = rest.is_empty();
                    rest.strip_prefix(b"\n").unwrap_or(rest)
                }
                _ => rest,
            };
            self.end_line(line, sink)?;
        }
        self.keep(bytes)
    }

    /// The lines that are no fields, joined by line feeds: some servers write an error as bare
    /// JSON into a stream. No more than [`MAX_STRAY`] bytes are kept.
    pub fn stray(&self) -> String {
        let mut stray = self.stray.clone();
        if !is_field(&self.line) {
            stray.extend_from_slice(&self.line);
        }
        text(&stray).into_owned()
    }

    /// Ends the stream. An event that no blank line ended comes back as pending: the WHATWG text
    /// drops it, a caller may take it if it is whole by its own measure.
    pub fn finish(mut self) -> Result<Option<Pending>, SseTooLong> {
        self.broken.map_or(Ok(()), Err)?;
        let line = mem::take(&mut self.line);
        let line = self.unmarked(&line);
        if !line.is_empty() {
            self.field(line)?;
        }
        if self.data.pop().is_none() {
            return Ok(None);
        }
        let event = if self.event.is_empty() { MESSAGE.to_owned() } else { self.event };
        Ok(Some(Pending { event, data: self.data }))
    }

    fn end_line(
        &mut self,
        end: &[u8],
        sink: &mut dyn FnMut(SseEvent<'_>),
    ) -> Result<(), SseTooLong> {
        if self.line.is_empty() && end.len() <= MAX_LINE {
            return self.whole_line(end, sink);
        }
        self.keep(end)?;
        let mut line = mem::take(&mut self.line);
        self.whole_line(&line, sink)?;
        line.clear();
        self.line = line;
        Ok(())
    }

    fn whole_line(
        &mut self,
        line: &[u8],
        sink: &mut dyn FnMut(SseEvent<'_>),
    ) -> Result<(), SseTooLong> {
        let line = self.unmarked(line);
        if !line.is_empty() {
            return self.field(line);
        }
        if self.data.pop().is_some() {
            let event = if self.event.is_empty() { MESSAGE } else { &self.event };
            sink(SseEvent { event, data: &self.data, id: &self.id });
        }
        self.data.clear();
        self.event.clear();
        Ok(())
    }

    /// The line without the byte order mark that a stream may begin with.
    fn unmarked<'a>(&mut self, line: &'a [u8]) -> &'a [u8] {
        if mem::replace(&mut self.begun, true) {
            return line;
        }
        line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
    }

    fn field(&mut self, line: &[u8]) -> Result<(), SseTooLong> {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = || text(value.strip_prefix(b" ").unwrap_or(value));
        match name {
            b"data" => {
                let value = value();
                if self.data.len() + value.len() > MAX_EVENT {
                    return self.fail(SseTooLong::Event);
                }
                self.data.push_str(&value);
                self.data.push('\n');
            }
            b"event" => self.event = value().into_owned(),
            b"id" if !line.contains(&0) => self.id = value().into_owned(),
            _ if !is_field(line) && self.stray.len() + line.len() < MAX_STRAY => {
                self.stray.extend_from_slice(line);
                self.stray.push(b'\n');
            }
            _ => {}
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), SseTooLong> {
        if self.line.len() + bytes.len() > MAX_LINE {
            return self.fail(SseTooLong::Line);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn fail(&mut self, why: SseTooLong) -> Result<(), SseTooLong> {
        self.broken = Some(why);
        Err(why)
    }
}

impl fmt::Display for SseTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line => write!(f, "a line of the event stream is longer than {MAX_LINE} bytes"),
            Self::Event => write!(f, "an event of the stream is longer than {MAX_EVENT} bytes"),
        }
    }
}

impl std::error::Error for SseTooLong {}

/// Whether the line is a field that the WHATWG text names, or a comment.
fn is_field(line: &[u8]) -> bool {
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
    matches!(name, b"" | b"data" | b"event" | b"id" | b"retry")
}

/// A line ends at an ASCII byte, so no character is split by reading each line for itself.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    // Several times quicker where nothing is wrong, which is nearly always.
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

const MESSAGE: &str = "message";
