//! The lines of an export, read with a bound on their length.

use std::borrow::Cow;
use std::io::{BufRead, Read as _};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};

/// The length of the longest line of an export in bytes: 128 MiB for a value of 64 MiB in
/// hexadecimal digits, and 64 KiB for its names.
pub const MAX_LINE: u64 = (128 << 20) + (64 << 10);

/// The members that a line may have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportLine<'a> {
    #[serde(borrow)]
    pub(super) silcrow: Option<ExportText<'a>>,
    #[serde(borrow)]
    pub(super) conversation: Option<ExportText<'a>>,
    #[serde(borrow)]
    pub(super) event: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) space: Option<ExportText<'a>>,
    #[serde(borrow)]
    pub(super) key: Option<ExportText<'a>>,
    #[serde(borrow)]
    pub(super) text: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) hex: Option<&'a RawValue>,
}

/// A string, borrowed from the line if it has no escapes.
#[derive(Deserialize)]
pub(super) struct ExportText<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// The lines of an export. One of them is in memory at a time.
pub(super) struct ExportLines<'a> {
    from: &'a mut (dyn BufRead + Send),
    bytes: Vec<u8>,
    /// The number of the current line, from 1.
    pub(super) number: u64,
}

impl<'a> ExportLines<'a> {
    pub(super) fn new(from: &'a mut (dyn BufRead + Send)) -> Self {
        Self { from, bytes: Vec::new(), number: 0 }
    }

    /// Reads the next line, or returns `None` at the end. A line that is too long is not read
    /// beyond the limit.
    pub(super) fn next(&mut self) -> Result<Option<ExportLine<'_>>, Error> {
        self.number += 1;
        // The first line of a file that is not an export may never end.
        let limit = if self.number == 1 { MAX_FIRST } else { MAX_LINE };
        self.bytes.clear();
        // A long line does not keep its memory for the rest of the import.
        self.bytes.shrink_to(ROOM);
        let mut from = (&mut *self.from).take(limit);
        let read = from.read_until(b'\n', &mut self.bytes).map_err(|error| {
            Error::new(ErrorKind::Io, "the import could not be read").with_source(error)
        })?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 == limit && self.bytes.last() != Some(&b'\n') {
            return Err(wrong(self.number, &format!("it is longer than {limit} bytes")));
        }
        let text = str::from_utf8(&self.bytes);
        let text = text.map_err(|_| wrong(self.number, "it is not UTF-8 text"))?;
        let line = serde_json::from_str(text);
        line.map(Some).map_err(|error| wrong(self.number, &error.to_string()))
    }
}

/// Returns the error for a line that no export contains.
pub(super) fn wrong(number: u64, why: &str) -> Error {
    // The reason may repeat text of the line.
    let why: String = why.chars().take(MAX_REASON).collect();
    let message = format!(
        "line {number} does not belong to an export: {why}; everything before it was imported, and nothing \
         after it"
    );
    Error::new(ErrorKind::Format, message)
}

/// Returns the characters of a JSON string.
pub(super) fn text(json: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str(json.get()).ok().map(|ExportText(text)| text)
}

/// Returns the bytes that a JSON string of hexadecimal digits encodes.
pub(super) fn unhex(json: &RawValue) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let hex = text(json)?;
    let pairs = hex.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => u8::try_from(digit(high)? << 4 | digit(low)?).ok(),
        _ => None,
    });
    pairs.collect()
}

/// The maximum length of the first line, in bytes.
const MAX_FIRST: u64 = 1 << 10;

/// The memory that the buffer of lines keeps, in bytes.
const ROOM: usize = 1 << 20;

/// The maximum length of a reason, in characters.
const MAX_REASON: usize = 300;
