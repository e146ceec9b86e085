//! OpenAI's Responses: a run as one response, with an item for each text and each call.
//!
//! Texts of the model are messages, its thoughts are reasoning items with a summary, and questions
//! are requests for approval. The events of called agents and workflows are left out, except for
//! their questions.
//!
//! Events for clients are numbered by [positions](ResponsesEncoder#numbers), so a client that lost
//! its connection can continue from the log.

mod request;
mod response_head;
mod response_item;
mod response_writer;
mod sequence_numbers;
mod stream_message;

use silcrow_event::{Entry, RunEventRef};

use crate::client_tool_names::ClientToolNames;
use crate::encoder::{RunEncoder, RunEnd};
use crate::openai::OpenAiError;
use crate::question_links::QuestionLinks;
use crate::transcript::TranscriptReader;

pub use request::{ApprovalAnswer, ResponseInput, ResponseRequest};
pub use response_head::{CallItems, ResponseHead};
use response_writer::ResponseWriter;

/// Encodes a run as a response of the Responses API.
///
/// ```
/// use silcrow_event::{Entry, Event, RunEventRef};
/// use silcrow_front::{ResponseHead, ResponsesEncoder, RunEncoder, RunEnd};
///
/// let head = ResponseHead::new("resp_1", "silcrow", 1_763_712_345);
/// let mut encoder = ResponsesEncoder::new("sums", head);
/// let mut out = String::new();
/// encoder.begin(&mut out);
/// let entry = Entry { turn: Some(1), seq: Some(2), ..Entry::from(Event::respond("Four.")) };
/// encoder.encode(RunEventRef::Entry(&entry), &mut out);
/// encoder.end(&RunEnd::Answered, &mut out);
/// assert!(out.starts_with("event: response.created\ndata: {\"type\":\"response.created\""));
/// assert!(encoder.response().contains(r#""text":"Four.""#));
/// ```
///
/// # Numbers
///
/// `sequence_number` grows with every event. It is a position: 100,000 for each earlier event that
/// the log determines, and one for each byte of the text that is being written. So it is the same
/// whether a text comes in one piece or in many, and
/// [`with_starting_after`](Self::with_starting_after) leaves out exactly the part that a client has
/// read, even in the middle of a text whose pieces are no longer there. The numbers have gaps.
///
/// This holds for the entries of the run and of the agents that its calls run, in the order of the
/// log, and for calls in the form [`CallItems::Mcp`]: the output of a function call is a separate
/// item, whose place among the items depends on the time when it came. Only a text of which the log
/// has nothing, because the run ended before it, is not sent again; the last event is sent in any
/// case.
///
/// A text of more than 99,996 bytes comes up to there in pieces, and then the rest at once.
#[derive(Debug)]
pub struct ResponsesEncoder {
    reader: TranscriptReader,
    writer: ResponseWriter,
}

impl ResponsesEncoder {
    /// Creates an encoder for the beginning of a conversation.
    pub fn new(conversation: impl Into<String>, head: ResponseHead) -> Self {
        let reader = TranscriptReader::new(conversation);
        let writer = ResponseWriter::new(reader.conversation(), head);
        Self { reader, writer }
    }

    /// Says which tools the client has. Their calls are `function_call` items without an output, whose
    /// ids name the conversation ([`ClientCallId`](crate::ClientCallId)).
    #[must_use]
    pub fn with_client_tools(mut self, tools: ClientToolNames) -> Self {
        self.writer.set_client_tools(tools.clone());
        self.reader = self.reader.with_client_tools(tools);
        self
    }

    /// Sets the addresses at which questions can be opened that are asked as text.
    #[must_use]
    pub fn with_question_links(mut self, links: QuestionLinks) -> Self {
        self.writer.links = links;
        self
    }

    /// Leaves out the events that a client has read, up to this `sequence_number`. The events of
    /// the run are pushed from its first one on.
    #[must_use]
    pub fn with_starting_after(mut self, number: u64) -> Self {
        self.writer.leave_out(number);
        self
    }

    /// Returns the error of a run that failed because a vendor refused its request, for a client that
    /// waits for the whole answer.
    pub fn refusal(&self) -> Option<OpenAiError> {
        self.writer.refusal()
    }

    /// Returns the response so far as one JSON object. It is the answer to a request without a
    /// stream.
    pub fn response(&self) -> String {
        self.writer.response()
    }
}

impl RunEncoder for ResponsesEncoder {
    fn skip(&mut self, entry: &Entry) {
        let writer = &mut self.writer;
        self.reader.push(RunEventRef::Entry(entry), &mut |_, change| writer.skip(change));
    }

    fn begin(&mut self, out: &mut String) {
        self.writer.begin(out);
    }

    fn encode(&mut self, event: RunEventRef<'_>, out: &mut String) {
        let writer = &mut self.writer;
        if let RunEventRef::Entry(entry) = event {
            writer.pass_time(entry);
        }
        self.reader.push(event, &mut |agent, change| writer.change(agent, change, out));
    }

    fn cut(&mut self, _out: &mut String) -> bool {
        *self = Self { reader: self.reader.anew(), writer: self.writer.again() };
        true
    }

    fn end(&mut self, end: &RunEnd, out: &mut String) {
        let writer = &mut self.writer;
        writer.close(end);
        self.reader.end(&mut |agent, change| writer.change(agent, change, out));
        writer.finish(out);
    }
}
