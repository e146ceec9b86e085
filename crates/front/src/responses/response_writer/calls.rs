//! The calls of a response, and the questions about them.

use silcrow_event::{CallResult, OpenQuestion, ResultStatus};

use crate::client_tools::ClientCallId;
use crate::error_text::error_text;
use crate::json_object::JsonObject;
use crate::question_text::linked_question;
use crate::responses::response_head::CallItems;
use crate::responses::response_item::{COMPLETED, FAILED, INCOMPLETE, ItemContent, ResponseItem};
use crate::responses::stream_message::StreamMessage;
use crate::transcript::TranscriptChange;

use super::ResponseWriter;

/// A call that has no result.
#[derive(Debug)]
pub(super) struct SentCall {
    id: String,
    name: String,
    args: String,
    /// Whether the client has the tool, and runs the call.
    is_of_client: bool,
    /// The index of its item, once it has one.
    index: Option<usize>,
}

impl ResponseWriter {
    /// Takes a change of an earlier response.
    pub(in crate::responses) fn skip(&mut self, change: TranscriptChange<'_>) {
        match change {
            // A call whose turn is over stays with its response.
            TranscriptChange::TurnBegan(_) => self.calls.clear(),
            TranscriptChange::CallWritten { call, name, args, .. } => {
                self.note_call(call, name, args);
            }
            // It is with the client, which has it from its response.
            TranscriptChange::ClientCall { call, .. }
            | TranscriptChange::CallEnded { call, .. } => {
                self.calls.retain(|sent| sent.id != call);
            }
            _ => {}
        }
    }

    /// Writes the calls of an earlier response that have no result.
    pub(super) fn send_calls(&mut self, out: &mut String) {
        for at in 0..self.calls.len() {
            self.send_call(at, out);
        }
    }

    pub(super) fn begin_call(&mut self, call: &str, name: &str, args: &str, out: &mut String) {
        let at = self.note_call(call, name, args);
        self.send_call(at, out);
    }

    pub(super) fn reject_call(&mut self, call: &str, text: &str, out: &mut String) {
        let args = JsonObject::new().text("text", text).finish();
        self.begin_call(call, MALFORMED, &args, out);
    }

    pub(super) fn end_call(&mut self, call: &str, result: &CallResult, out: &mut String) {
        let Some(at) = self.calls.iter().position(|sent| sent.id == call) else { return };
        let sent = self.calls.remove(at);
        let Some(index) = sent.index else { return };
        let call = &*self.call_id(&sent);
        match &mut self.items[index].content {
            ItemContent::McpCall { result: to, .. } => {
                *to = Some(result.clone());
                let (status, event) = match result.status() {
                    ResultStatus::Success => (COMPLETED, "response.mcp_call.completed"),
                    ResultStatus::Failure => (FAILED, "response.mcp_call.failed"),
                };
                self.write(StreamMessage::about(event, index, &self.items[index]), out);
                self.finish_item(index, status, out);
            }
            _ if result.status() == ResultStatus::Failure => {
                self.output(call, &error_text(result), COMPLETED, out);
            }
            _ => self.output(call, &result.content.text(), COMPLETED, out),
        }
    }

    /// Completes the calls that have no result.
    pub(super) fn leave_calls(&mut self, out: &mut String) {
        for call in std::mem::take(&mut self.calls) {
            if call.is_of_client {
                continue;
            }
            match (self.head.call_items, call.index) {
                (CallItems::Mcp, Some(index)) => self.finish_item(index, INCOMPLETE, out),
                (CallItems::FunctionPairs, Some(_)) => {
                    self.output(&call.id, NO_RESULT, INCOMPLETE, out);
                }
                (_, None) => {}
            }
        }
    }

    /// Asks a person whether a call may run.
    pub(super) fn question(&mut self, id: &str, question: &OpenQuestion, out: &mut String) {
        if self.items.iter().any(|item| item.id == id) {
            return;
        }
        match self.head.call_items {
            CallItems::Mcp => {
                let (name, args) = (question.tool.clone(), question.args.clone());
                let content = ItemContent::ApprovalRequest { name, args };
                let index = self.add_item(ResponseItem::new(id, content), out);
                self.finish_item(index, COMPLETED, out);
            }
            CallItems::FunctionPairs => {
                let link = self.links.link(id);
                self.whole_text(id, &linked_question(id, question, link.as_deref()), out);
            }
        }
    }

    /// Keeps a call until it has its result, and returns its place.
    fn note_call(&mut self, id: &str, name: &str, args: &str) -> usize {
        let is_of_client = self.client_tools.has(name);
        let (id, name, args) = (id.to_owned(), name.to_owned(), args.to_owned());
        self.calls.push(SentCall { id, name, args, is_of_client, index: None });
        self.calls.len() - 1
    }

    /// Writes a call, which has no result yet.
    fn send_call(&mut self, at: usize, out: &mut String) {
        let call = &self.calls[at];
        let (name, args) = (call.name.clone(), call.args.clone());
        let items = if call.is_of_client { CallItems::FunctionPairs } else { self.head.call_items };
        let (content, delta, done) = match items {
            CallItems::Mcp => (
                ItemContent::McpCall { name: name.clone(), args: args.clone(), result: None },
                "response.mcp_call_arguments.delta",
                "response.mcp_call_arguments.done",
            ),
            CallItems::FunctionPairs => (
                ItemContent::FunctionCall { name: name.clone(), args: args.clone() },
                "response.function_call_arguments.delta",
                "response.function_call_arguments.done",
            ),
        };
        let id = self.call_id(call);
        let index = self.add_item(ResponseItem::new(&id, content), out);
        self.calls[at].index = Some(index);
        let about = |event| StreamMessage::about(event, index, &self.items[index]);
        let (delta, done) =
            (about(delta).text("delta", &args), about(done).text("arguments", &args));
        match items {
            CallItems::Mcp => {
                let progress = about("response.mcp_call.in_progress");
                [progress, delta, done].into_iter().for_each(|message| self.write(message, out));
            }
            CallItems::FunctionPairs => {
                self.write(delta, out);
                self.write(done.text("name", &name), out);
                self.finish_item(index, COMPLETED, out);
            }
        }
    }

    /// Returns the id of a call for the client.
    fn call_id(&self, call: &SentCall) -> String {
        match call.is_of_client {
            true => ClientCallId { call: &call.id, conversation: &self.conversation }.to_string(),
            false => call.id.clone(),
        }
    }

    /// Writes the output of a function call.
    fn output(&mut self, call: &str, text: &str, status: &'static str, out: &mut String) {
        let content = ItemContent::FunctionOutput { call: call.to_owned(), text: text.to_owned() };
        let item = ResponseItem { id: format!("{call}-output"), status, content };
        let index = self.add_item(item, out);
        self.finish_item(index, status, out);
    }
}

/// The name that stands for text which should have been a call.
const MALFORMED: &str = "malformed_call";

/// The output of a call that the run leaves without one. Clients would run it themselves.
const NO_RESULT: &str = "The run ended before this call had a result.";
