//! OpenAI's Chat Completions: a run as one answer in pieces.
//!
//! Clients of this API take an agent for a model. So its calls are lines among its thoughts, in
//! `reasoning_content`, and never `tool_calls`, which clients would run themselves. A question is a
//! part of the answer.

mod call_line;
mod chunk_frame;
mod completion_head;
mod completion_writer;
mod request;

use silcrow_event::{Entry, RunEventRef};

use crate::encoder::{RunEncoder, RunEnd};
use crate::openai::OpenAiError;
use crate::transcript::TranscriptReader;

pub use completion_head::CompletionHead;
use completion_writer::CompletionWriter;
pub use request::CompletionRequest;

/// Encodes a run as a completion of the Chat Completions API.
///
/// ```
/// use silcrow_event::{Entry, Event, RunEventRef};
/// use silcrow_front::{ChatCompletionsEncoder, CompletionHead, RunEncoder, RunEnd};
///
/// let head = CompletionHead::new("chatcmpl-1", "silcrow", 1_763_712_345);
/// let mut encoder = ChatCompletionsEncoder::new("sums", head);
/// let mut out = String::new();
/// encoder.begin(&mut out);
/// let entry = Entry { turn: Some(1), seq: Some(2), ..Entry::from(Event::respond("Four.")) };
/// encoder.push(RunEventRef::Entry(&entry), &mut out);
/// encoder.end(&RunEnd::Answered, &mut out);
/// assert!(out.contains(r#""delta":{"content":"Four."}"#));
/// assert!(out.ends_with("data: [DONE]\n\n"));
/// assert!(encoder.completion()?.contains(r#""content":"Four.""#));
/// # Ok::<(), silcrow_front::OpenAiError>(())
/// ```
#[derive(Debug)]
pub struct ChatCompletionsEncoder {
    reader: TranscriptReader,
    writer: CompletionWriter,
}

impl ChatCompletionsEncoder {
    /// Creates an encoder for the beginning of a conversation.
    pub fn new(conversation: impl Into<String>, head: CompletionHead) -> Self {
        let reader = TranscriptReader::new(conversation);
        Self { reader, writer: CompletionWriter::new(head) }
    }

    /// Returns the completion as one JSON object, as far as it has been pushed. It is the answer to
    /// a request without a stream.
    ///
    /// # Errors
    ///
    /// A run that has failed has no completion.
    pub fn completion(&self) -> Result<String, OpenAiError> {
        self.writer.completion()
    }
}

impl RunEncoder for ChatCompletionsEncoder {
    fn skip(&mut self, entry: &Entry) {
        self.reader.skip(entry);
    }

    fn begin(&mut self, out: &mut String) {
        self.writer.begin(out);
    }

    fn push(&mut self, event: RunEventRef<'_>, out: &mut String) {
        let writer = &mut self.writer;
        self.reader.push(event, &mut |agent, change| writer.change(agent, change, out));
    }

    fn cut(&mut self, out: &mut String) -> bool {
        let writer = &mut self.writer;
        self.reader.cut(&mut |agent, change| writer.change(agent, change, out));
        false
    }

    fn end(&mut self, end: &RunEnd, out: &mut String) {
        let writer = &mut self.writer;
        self.reader.end(&mut |agent, change| writer.change(agent, change, out));
        writer.end(end, out);
    }
}
