//! The calls of a response, and the questions about them.

use silcrow_event::{CallResult, OpenQuestion, ResultStatus};

use crate::json_object::JsonObject;
use crate::openai::question_text;
use crate::responses::response_head::CallItems;
use crate::responses::response_item::{COMPLETED, FAILED, INCOMPLETE, ItemContent, ResponseItem};
use crate::responses::stream_message::StreamMessage;

use super::ResponseWriter;

/// A call that has no result.
#[derive(Debug)]
pub(super) struct SentCall {
    name: String,
    args: String,
    /// The index of its item, unless an earlier response has it.
    index: Option<usize>,
}

impl SentCall {
    /// Returns a call of an earlier response.
    pub(super) fn earlier(name: &str, args: &str) -> Self {
        Self { name: name.to_owned(), args: args.to_owned(), index: None }
    }
}

impl ResponseWriter {
    pub(super) fn begin_call(&mut self, call: &str, name: &str, args: &str, out: &mut String) {
        let sent = self.send_call(call, SentCall::earlier(name, args), out);
        self.calls.insert(call.to_owned(), sent);
    }

    pub(super) fn reject_call(&mut self, call: &str, text: &str, out: &mut String) {
        let args = JsonObject::new().text("text", text).finish();
        self.begin_call(call, MALFORMED, &args, out);
    }

    pub(super) fn end_call(&mut self, call: &str, result: &CallResult, out: &mut String) {
        let Some(mut sent) = self.calls.remove(call) else { return };
        if sent.index.is_none() {
            sent = self.send_call(call, sent, out);
        }
        let Some(index) = sent.index else { return };
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
            _ => self.output(call, &result.content.text(), COMPLETED, out),
        }
    }

    /// Completes the calls that have no result, in the order in which they were written.
    pub(super) fn leave_calls(&mut self, out: &mut String) {
        let mut open: Vec<_> =
            self.calls.drain().filter_map(|(id, call)| Some((call.index?, id))).collect();
        open.sort_unstable();
        for (index, call) in open {
            match self.head.call_items {
                CallItems::Mcp => self.finish_item(index, INCOMPLETE, out),
                CallItems::FunctionPairs => self.output(&call, NO_RESULT, INCOMPLETE, out),
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
                self.whole_text(id, &question_text(id, question), out);
            }
        }
    }

    /// Writes a call, which has no result yet.
    fn send_call(&mut self, id: &str, call: SentCall, out: &mut String) -> SentCall {
        let (name, args) = (call.name.clone(), call.args.clone());
        let (content, delta, done) = match self.head.call_items {
            CallItems::Mcp => (
                ItemContent::McpCall { name, args, result: None },
                "response.mcp_call_arguments.delta",
                "response.mcp_call_arguments.done",
            ),
            CallItems::FunctionPairs => (
                ItemContent::FunctionCall { name, args },
                "response.function_call_arguments.delta",
                "response.function_call_arguments.done",
            ),
        };
        let index = self.add_item(ResponseItem::new(id, content), out);
        let item = &self.items[index];
        let delta = StreamMessage::about(delta, index, item).text("delta", &call.args);
        let done = StreamMessage::about(done, index, item).text("arguments", &call.args);
        match self.head.call_items {
            CallItems::Mcp => {
                let progress = "response.mcp_call.in_progress";
                self.write(StreamMessage::about(progress, index, &self.items[index]), out);
                self.write(delta, out);
                self.write(done, out);
            }
            CallItems::FunctionPairs => {
                self.write(delta, out);
                self.write(done.text("name", &call.name), out);
                self.finish_item(index, COMPLETED, out);
            }
        }
        SentCall { index: Some(index), ..call }
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
