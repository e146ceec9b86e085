//! Server-sent events: a decoder without I/O.
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
//! The decoder follows the WHATWG standard, however the bytes are cut, in time linear in their
//! number. It adds limits for lines and events. It returns an incomplete event at the end of the
//! input instead of dropping it, and ignores the field `retry`, because it does not reconnect.

use std::borrow::Cow;
use std::fmt;
use std::mem;

use memchr::memchr2;

/// The longest line, in bytes without its end.
pub const MAX_LINE: usize = 1 << 20;

/// The longest data of one event, in bytes.
pub const MAX_EVENT: usize = 4 << 20;

/// The maximum number of bytes that are kept of lines that are not fields.
pub const MAX_STRAY: usize = 64 << 10;

/// Turns the bytes of an event stream into events.
///
/// It emits neither comments (`: ping`) nor events without data, so neither resets a limit on the
/// time between events.
///
/// ```
/// use silcrow_provider::sse::SseDecoder;
///
/// let mut decoder = SseDecoder::new();
/// let mut events = 0;
/// // Some servers write an error into the stream as it is.
/// decoder.push(b": ping\n\n{\"error\":\"overloaded\"}\n", &mut |_| events += 1)?;
/// assert_eq!((events, decoder.stray().trim()), (0, r#"{"error":"overloaded"}"#));
/// # Ok::<_, silcrow_provider::sse::SseTooLong>(())
/// ```
#[derive(Debug, Default)]
pub struct SseDecoder {
    /// The start of a line whose end has not arrived.
    line: Vec<u8>,
    /// Whether a line has begun, so that a byte order mark is text.
    begun: bool,
    /// Whether the last byte was a carriage return, so that a line feed belongs to the same line
    /// end.
    after_return: bool,
    /// The data of the open event; each of its lines ends with a line feed.
    data: String,
    event: String,
    id: String,
    stray: Vec<u8>,
    broken: Option<SseTooLong>,
}

/// An event that a blank line has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SseEvent<'a> {
    /// The type, which is `message` by default.
    pub event: &'a str,
    /// The data lines, joined by line feeds.
    pub data: &'a str,
    /// The last id in the stream, or an empty string before the first one.
    pub id: &'a str,
}

/// An incomplete event at the end of the input, which may be cut anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingEvent {
    /// The type, which is `message` by default.
    pub event: String,
    /// The data so far.
    pub data: String,
}

/// The error of a stream that would need more memory than one stream may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a stream has lines and events and nothing else")]
pub enum SseTooLong {
    /// A line exceeds [`MAX_LINE`].
    Line,
    /// The data of an event exceeds [`MAX_EVENT`].
    Event,
}

impl SseDecoder {
    /// Creates a decoder at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and passes completed events to `sink`.
    ///
    /// # Errors
    ///
    /// Returns an error if a line or an event is too long. After an error the decoder emits nothing
    /// more and repeats the error; events that it emitted before are complete.
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

    /// Returns the lines that are not fields, joined by line feeds: some servers write an error as
    /// bare JSON into a stream. No more than [`MAX_STRAY`] bytes are kept.
    pub fn stray(&self) -> String {
        let mut stray = self.stray.clone();
        if !is_field(&self.line) {
            stray.extend_from_slice(&self.line);
        }
        text(&stray).into_owned()
    }

    /// Ends the stream and returns an event that no blank line has ended. The standard drops such
    /// an event; a caller may use it if it looks complete.
    ///
    /// # Errors
    ///
    /// Returns an error if a line or an event was too long.
    pub fn finish(mut self) -> Result<Option<PendingEvent>, SseTooLong> {
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
        Ok(Some(PendingEvent { event, data: self.data }))
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

    /// Returns the line without the byte order mark that a stream may begin with.
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

/// Returns whether the line is a field of the standard, or a comment.
fn is_field(line: &[u8]) -> bool {
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
    matches!(name, b"" | b"data" | b"event" | b"id" | b"retry")
}

/// Decodes a line. Lines end at ASCII bytes, so no character is split between two of them.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    // This check is several times faster for valid UTF-8, which is nearly always the case.
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

const MESSAGE: &str = "message";
