//! The lines of a client, each of which is a message.
//!
//! A line is kept in memory, so its length is limited. A longer one is read to its end and dropped,
//! and the lines after it count.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Reads lines.
pub(crate) struct ClientLines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    is_too_long: bool,
}

/// A line of a client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ClientLine {
    /// The line without its end. Invalid UTF-8 is replaced.
    Text(String),
    /// The line had more than [`MAX_LINE`] bytes.
    TooLong,
}

impl<R: AsyncRead + Unpin> ClientLines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), is_too_long: false }
    }

    /// Returns the next line; `None` at the end of the input. Cancel-safe.
    pub(crate) async fn next(&mut self) -> io::Result<Option<ClientLine>> {
        loop {
            let bytes = self.input.fill_buf().await?;
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let is_over = bytes.is_empty();
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            self.is_too_long |= self.line.len() + piece.len() > MAX_LINE;
            if !self.is_too_long {
                self.line.extend_from_slice(piece);
            }
            let used = piece.len() + usize::from(end.is_some());
            self.input.consume(used);
            if is_over && self.line.is_empty() && !self.is_too_long {
                return Ok(None);
            }
            if is_over || end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> ClientLine {
        let line = std::mem::take(&mut self.line);
        match std::mem::take(&mut self.is_too_long) {
            true => ClientLine::TooLong,
            false => ClientLine::Text(String::from_utf8_lossy(&line).into_owned()),
        }
    }
}

/// The most bytes of a message.
pub(crate) const MAX_LINE: usize = 16 << 20;
