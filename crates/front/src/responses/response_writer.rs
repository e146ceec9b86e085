//! The state of a response, and the messages about its changes.

mod calls;
mod text;

use silcrow_event::{Entry, Usage};

use crate::client_tool_names::ClientToolNames;
use crate::encoder::RunEnd;
use crate::openai::{OpenAiError, OpenAiErrorKind};
use crate::question_links::QuestionLinks;
use crate::sse::write_data;
use crate::transcript::{CalledAgent, TranscriptChange};

use super::response_head::{ResponseHead, ResponseState};
use super::response_item::{COMPLETED, FAILED, IN_PROGRESS, ResponseItem};
use super::sequence_numbers::SequenceNumbers;
use super::stream_message::StreamMessage;
use calls::SentCall;
use text::StreamedText;

/// A response while it is written.
#[derive(Debug)]
pub(super) struct ResponseWriter {
    head: ResponseHead,
    conversation: String,
    client_tools: ClientToolNames,
    pub(super) links: QuestionLinks,
    numbers: SequenceNumbers,
    items: Vec<ResponseItem>,
    text: Option<StreamedText>,
    /// The calls that have no result, in the order in which they were written.
    calls: Vec<SentCall>,
    usage: Option<Usage>,
    /// The time of the last stored event, in seconds since 1970.
    time: Option<i64>,
    end: Option<RunEnd>,
}

impl ResponseWriter {
    pub(super) fn new(conversation: &str, head: ResponseHead) -> Self {
        Self {
            head,
            conversation: conversation.to_owned(),
            client_tools: ClientToolNames::default(),
            links: QuestionLinks::default(),
            numbers: SequenceNumbers::default(),
            items: Vec::new(),
            text: None,
            calls: Vec::new(),
            usage: None,
            time: None,
            end: None,
        }
    }

    pub(super) fn set_client_tools(&mut self, tools: ClientToolNames) {
        self.client_tools = tools;
    }

    pub(super) fn leave_out(&mut self, number: u64) {
        self.numbers = SequenceNumbers::starting_after(number);
    }

    /// Returns a writer of the same response that leaves out the bytes that this one has written.
    pub(super) fn again(&self) -> Self {
        let mut writer = Self::new(&self.conversation, self.head.clone());
        writer.set_client_tools(self.client_tools.clone());
        match self.numbers.written() {
            Some(number) => Self { numbers: SequenceNumbers::starting_after(number), ..writer },
            None => writer,
        }
    }

    pub(super) fn pass_time(&mut self, entry: &Entry) {
        if let (true, Some(time)) = (entry.event.is_stored(), entry.timestamp) {
            self.time = Some(time.as_nanos().div_euclid(1_000_000_000));
        }
    }

    pub(super) fn begin(&mut self, out: &mut String) {
        for kind in ["response.created", "response.in_progress"] {
            let message = StreamMessage::new(kind).raw("response", self.response());
            self.write(message, out);
        }
        self.send_calls(out);
    }

    pub(super) fn change(
        &mut self,
        agent: Option<&CalledAgent>,
        change: TranscriptChange<'_>,
        out: &mut String,
    ) {
        match change {
            TranscriptChange::Question { id, question, .. } => self.question(id, question, out),
            _ if agent.is_some() => {}
            TranscriptChange::TextBegan { text, kind } => self.begin_text(text, kind),
            TranscriptChange::TextGrew { piece, .. } => self.grow_text(piece, out),
            TranscriptChange::TextEnded { .. } => self.end_text(out),
            TranscriptChange::CallWritten { call, name, args, .. } => {
                self.begin_call(call, name, args, out);
            }
            TranscriptChange::CallRejected { call, text } => self.reject_call(call, text, out),
            TranscriptChange::CallEnded { call, result } => self.end_call(call, result, out),
            TranscriptChange::Measured(metric) => {
                self.usage = Some(*metric.all.as_deref().unwrap_or(&metric.total));
            }
            _ => {}
        }
    }

    /// Notes how the run ends, before open items end.
    pub(super) fn close(&mut self, end: &RunEnd) {
        self.end = Some(end.clone());
    }

    /// Writes the end of the response.
    pub(super) fn finish(&mut self, out: &mut String) {
        self.leave_calls(out);
        let kind = match self.end {
            None | Some(RunEnd::Answered | RunEnd::Waiting) => "response.completed",
            Some(RunEnd::Stopped) => "response.incomplete",
            Some(RunEnd::Failed { .. }) => "response.failed",
        };
        let number = self.numbers.last();
        StreamMessage::new(kind).raw("response", self.response()).write(number, out);
        write_data(out, "[DONE]");
    }

    pub(super) fn refusal(&self) -> Option<OpenAiError> {
        let Some(RunEnd::Failed { code, message }) = &self.end else { return None };
        let error = OpenAiError::of_run(code, message);
        (error.kind() == OpenAiErrorKind::Invalid).then_some(error)
    }

    pub(super) fn response(&self) -> String {
        let items: Vec<_> = self.items.iter().map(ResponseItem::to_json).collect();
        let (status, error) = match &self.end {
            None => (IN_PROGRESS, None),
            Some(RunEnd::Answered | RunEnd::Waiting) => (COMPLETED, None),
            Some(RunEnd::Stopped) => ("cancelled", None),
            Some(RunEnd::Failed { code, message }) => (FAILED, Some((&**code, &**message))),
        };
        self.head.to_json(&ResponseState {
            status,
            completed_at: self.time.filter(|_| status == COMPLETED),
            error,
            output: items.join(","),
            usage: self.usage.as_ref(),
        })
    }

    /// Writes a message that the log determines.
    fn write(&mut self, message: StreamMessage, out: &mut String) {
        if let Some(number) = self.numbers.firm() {
            message.write(number, out);
        }
    }

    /// Adds an item, and writes that it begins.
    fn add_item(&mut self, item: ResponseItem, out: &mut String) -> usize {
        let (index, json) = (self.items.len(), item.to_first_json());
        self.items.push(item);
        self.write(StreamMessage::with_item("response.output_item.added", index, json), out);
        index
    }

    /// Writes that an item is complete.
    fn finish_item(&mut self, index: usize, status: &'static str, out: &mut String) {
        self.items[index].status = status;
        let json = self.items[index].to_json();
        self.write(StreamMessage::with_item("response.output_item.done", index, json), out);
    }
}
