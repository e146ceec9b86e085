//! The UI message stream of the Vercel AI SDK, which `useChat` and its like read.
//!
//! ```text
//! events of a run ─► TranscriptReader ─► UiAnswer ─► UiPart ─┬─► bytes of the stream
//!                                                           └─► stored messages
//! ```
//!
//! A chat is a conversation, and a message of the assistant is everything that follows a prompt: a
//! run, and the runs that continue it after an approval. Calls of agents that calls run are not
//! parts of a message, except those that a person is asked about.

mod answer;
mod call;
mod data;
mod message_id;
mod messages;
mod part;
mod request;

use silcrow_event::{Entry, RunEventRef};

use crate::client_tool_names::ClientToolNames;
use crate::encoder::{RunEncoder, RunEnd};
use crate::sse::write_data;
use crate::transcript::TranscriptReader;
use answer::UiAnswer;
pub use message_id::AiSdkMessageId;
pub use messages::ai_sdk_messages;
use part::UiPart;
pub use request::{AiSdkAction, AiSdkApproval, AiSdkRequest, AiSdkRequestError, AiSdkUserMessage};

/// The major version of the client's package `ai`.
///
/// A client ends a stream with an error at the first part of an unknown type, so it gets only parts
/// of its version.
///
/// ```
/// use silcrow_front::AiSdkTarget;
///
/// // A client ends its stream at a part that its version does not know.
/// assert!(AiSdkTarget::V5 < AiSdkTarget::default());
/// assert_eq!(AiSdkTarget::parse("7"), Some(AiSdkTarget::V7));
/// assert_eq!(AiSdkTarget::parse("6.1"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "a new version has other parts and needs its own code")]
pub enum AiSdkTarget {
    /// Version 5, which has no approvals.
    V5,
    /// Version 6.
    #[default]
    V6,
    /// Version 7.
    V7,
}

impl AiSdkTarget {
    /// Returns a reader of transcripts. Since version 7 a client can take texts back.
    fn reader(self, conversation: impl Into<String>) -> TranscriptReader {
        let reader = TranscriptReader::new(conversation);
        if self >= Self::V7 { reader.with_dropped_turns() } else { reader }
    }

    /// Returns the target for a major version, such as `6`.
    pub fn parse(version: &str) -> Option<Self> {
        match version {
            "5" => Some(Self::V5),
            "6" => Some(Self::V6),
            "7" => Some(Self::V7),
            _ => None,
        }
    }
}

/// The headers of a response with a UI message stream.
pub const AI_SDK_HEADERS: [(&str, &str); 4] = [
    ("content-type", "text/event-stream"),
    ("cache-control", "no-cache"),
    ("x-vercel-ai-ui-message-stream", "v1"),
    // nginx would hold parts back.
    ("x-accel-buffering", "no"),
];

/// Encodes runs as UI message streams.
///
/// The stream begins with the id of the message, which the position of the prompt in the log
/// determines ([`AiSdkMessageId`]). So a run that continues after an approval continues the same
/// message: skip all stored events, and push the later ones. To replay a run, skip the events
/// before its prompt.
///
/// ```
/// use silcrow_event::{Entry, Event, RunEventRef};
/// use silcrow_front::{AiSdkEncoder, AiSdkTarget, RunEncoder, RunEnd};
///
/// let mut encoder = AiSdkEncoder::new(AiSdkTarget::V6, "sums");
/// let mut out = String::new();
/// encoder.begin(&mut out);
/// let events = [Event::user("2 + 2?"), Event::respond("Four.")];
/// for (event, seq) in events.into_iter().zip(1..) {
///     let entry = Entry { seq: Some(seq), turn: Some(1), ..Entry::from(event) };
///     encoder.encode(RunEventRef::Entry(&entry), &mut out);
/// }
/// encoder.end(&RunEnd::Answered, &mut out);
/// let parts: Vec<_> = out.split_terminator("\n\n").collect();
/// assert_eq!(parts[..4], [
///     r#"data: {"type":"start","messageId":"a1"}"#,
///     r#"data: {"type":"start-step"}"#,
///     r#"data: {"type":"text-start","id":"t1-1"}"#,
///     r#"data: {"type":"text-delta","id":"t1-1","delta":"Four."}"#,
/// ]);
/// assert_eq!(parts.last(), Some(&"data: [DONE]"));
/// ```
#[derive(Debug)]
pub struct AiSdkEncoder {
    target: AiSdkTarget,
    reader: TranscriptReader,
    answer: UiAnswer,
}

impl AiSdkEncoder {
    /// Creates an encoder for the beginning of a conversation.
    pub fn new(target: AiSdkTarget, conversation: impl Into<String>) -> Self {
        let answer = UiAnswer::new(target, ClientToolNames::default());
        Self { target, reader: target.reader(conversation), answer }
    }

    /// Says which tools the client has. Their parts are not `dynamic`, so that the client runs them,
    /// and a run that waits for their results leaves them without an output.
    #[must_use]
    pub fn with_client_tools(mut self, tools: ClientToolNames) -> Self {
        self.answer = UiAnswer::new(self.target, tools.clone());
        self.reader = self.reader.with_client_tools(tools);
        self
    }
}

impl RunEncoder for AiSdkEncoder {
    fn skip(&mut self, entry: &Entry) {
        let Self { reader, answer, .. } = self;
        answer.advance(entry);
        reader.push(RunEventRef::Entry(entry), &mut |agent, change| {
            answer.change(agent, &change, &mut |_| ());
        });
    }

    fn begin(&mut self, _out: &mut String) {
        self.answer.begin();
    }

    fn encode(&mut self, event: RunEventRef<'_>, out: &mut String) {
        let Self { target, reader, answer } = self;
        if let RunEventRef::Entry(entry) = event {
            answer.advance(entry);
        }
        reader.push(event, &mut |agent, change| {
            answer.change(agent, &change, &mut |part| write(*target, part, out));
        });
    }

    fn cut(&mut self, out: &mut String) -> bool {
        let Self { target, reader, answer } = self;
        reader.cut(&mut |agent, change| {
            answer.change(agent, &change, &mut |part| write(*target, part, out));
        });
        answer.cut_calls(&mut |part| write(*target, part, out));
        false
    }

    fn end(&mut self, end: &RunEnd, out: &mut String) {
        let Self { target, reader, answer } = self;
        answer.start(&mut |part| write(*target, part, out));
        answer.close_calls(end, &mut |part| write(*target, part, out));
        reader.end(&mut |agent, change| {
            answer.change(agent, &change, &mut |part| write(*target, part, out));
        });
        answer.end(end, &mut |part| write(*target, part, out));
        write_data(out, "[DONE]");
    }
}

fn write(target: AiSdkTarget, part: UiPart<'_>, out: &mut String) {
    if part.is_sent_to(target) {
        out.push_str("data: ");
        part.write(out);
        out.push_str("\n\n");
    }
}
