//! The standard output of a server, without the lines that are not messages.
//!
//! Some programs print greetings or warnings instead of messages. A message is a line that begins
//! with a bracket; other lines go to the log.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::client::log::{LONGEST, ServerLog};

/// A reader that passes on the lines that may be messages.
pub(crate) struct MessageLines<R> {
    inner: R,
    log: ServerLog,
    line: LineState,
    /// The beginning of a line that is not a message.
    noise: Vec<u8>,
}

/// The state of the line that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineState {
    Begins,
    Message,
    Noise,
}

impl<R> MessageLines<R> {
    pub(crate) const fn new(inner: R, log: ServerLog) -> Self {
        Self { inner, log, line: LineState::Begins, noise: Vec::new() }
    }

    /// Returns the bytes that belong to messages.
    fn sift(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut kept = Vec::with_capacity(bytes.len());
        for byte in bytes {
            if self.line == LineState::Begins && !byte.is_ascii_whitespace() {
                let is_message = matches!(byte, b'{' | b'[');
                self.line = if is_message { LineState::Message } else { LineState::Noise };
            }
            match self.line {
                LineState::Noise if *byte == b'\n' => {
                    self.log.push(&std::mem::take(&mut self.noise))
                }
                LineState::Noise if self.noise.len() < LONGEST => self.noise.push(*byte),
                LineState::Noise => {}
                LineState::Begins | LineState::Message => kept.push(*byte),
            }
            if *byte == b'\n' {
                self.line = LineState::Begins;
            }
        }
        kept
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MessageLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut bytes = [0; 8192];
            let room = out.remaining().min(bytes.len());
            let mut read = ReadBuf::new(&mut bytes[..room]);
            ready!(Pin::new(&mut self.inner).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            let kept = self.sift(read.filled());
            // Passing on nothing would mean the end.
            if !kept.is_empty() {
                out.put_slice(&kept);
                return Poll::Ready(Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn non_message_lines_go_to_log() {
        let log = ServerLog::default();
        let text = b"hello\n{\"a\":1}\n  [2]\nwarning: x\r\n{}\nrest";
        for size in 1..text.len() {
            let mut written = Vec::new();
            let mut reader = MessageLines::new(&text[..], log.clone());
            let mut buffer = vec![0; size];
            loop {
                match reader.read(&mut buffer).await.unwrap() {
                    0 => break,
                    read => written.extend_from_slice(&buffer[..read]),
                }
            }
            assert_eq!(written, b"{\"a\":1}\n  [2]\n{}\n");
            assert_eq!(log.last().as_deref(), Some("warning: x"));
        }
    }
}
