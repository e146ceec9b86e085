//! OpenAI's Chat Completions: a run as one answer in pieces.
//!
//! Clients of this API take an agent for a model. So its calls are lines among its thoughts, in
//! `reasoning_content`, and not `tool_calls`, which clients run themselves: these are the calls of the
//! client's own tools. A question is a part of the answer.

mod call_line;
mod chunk_frame;
mod completion_head;
mod completion_writer;
mod request;

use silcrow_event::{Entry, OpenQuestion, RunEventRef};

use crate::client_tool_names::ClientToolNames;
use crate::encoder::{RunEncoder, RunEnd};
use crate::openai::OpenAiError;
use crate::question_links::QuestionLinks;
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
/// encoder.encode(RunEventRef::Entry(&entry), &mut out);
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
        let writer = CompletionWriter::new(reader.conversation(), head);
        Self { reader, writer }
    }

    /// Says which tools the client has. Their calls are `tool_calls`, and a run that waits for their
    /// results ends with this reason. The ids of the calls name the conversation
    /// ([`ClientCallId`](crate::ClientCallId)), because many clients keep nothing else.
    #[must_use]
    pub fn with_client_tools(mut self, tools: ClientToolNames) -> Self {
        self.writer.set_client_tools(tools.clone());
        self.reader = self.reader.with_client_tools(tools);
        self
    }

    /// Sets the addresses at which questions can be opened.
    #[must_use]
    pub fn with_question_links(mut self, links: QuestionLinks) -> Self {
        self.writer.links = links;
        self
    }

    /// Writes a question for whose answer the run still waits, in an answer that has no other events.
    pub fn ask(&mut self, id: &str, question: &OpenQuestion, out: &mut String) {
        self.writer.ask(id, question, out);
    }

    /// Returns the completion so far as one JSON object. It is the answer to a request without a
    /// stream.
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

    fn encode(&mut self, event: RunEventRef<'_>, out: &mut String) {
        let Self { reader, writer } = self;
        reader.push(event, &mut |agent, change| writer.change(agent, change, out));
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
