//! The state of a completion, and the chunks about its changes.

use silcrow_event::{OpenQuestion, ResultStatus, Usage};

use crate::client_tool_names::ClientToolNames;
use crate::client_tools::ClientCallId;
use crate::encoder::RunEnd;
use crate::held_space::HeldSpace;
use crate::json_object::JsonObject;
use crate::openai::OpenAiError;
use crate::question_links::QuestionLinks;
use crate::question_text::chat_question;
use crate::sse::write_data;
use crate::transcript::{CalledAgent, SectionKind, TranscriptChange};

use super::call_line::{call_line, failure_line};
use super::chunk_frame::ChunkFrame;
use super::completion_head::{CompletionHead, STOP, TOOL_CALLS};

/// A completion while it is written.
#[derive(Debug)]
pub(super) struct CompletionWriter {
    frame: ChunkFrame,
    head: CompletionHead,
    conversation: String,
    client_tools: ClientToolNames,
    pub(super) links: QuestionLinks,
    /// The calls of the client's tools that wait for results, as JSON without their indices.
    tool_calls: Vec<ClientToolCall>,
    answer: Blocks,
    reasoning: Blocks,
    /// The text that is being written.
    text: Option<(SectionKind, HeldSpace)>,
    /// Lines about calls that wait for the end of a thought.
    lines: Vec<String>,
    usage: Option<Usage>,
    failure: Option<OpenAiError>,
}

/// A call that the client runs.
#[derive(Debug)]
struct ClientToolCall {
    id: String,
    name: String,
    args: String,
}

impl ClientToolCall {
    fn to_json(&self) -> String {
        self.begun(JsonObject::new())
    }

    fn begun(&self, object: JsonObject) -> String {
        let function = JsonObject::new().text("name", &self.name).text("arguments", &self.args);
        let call = object.text("id", &self.id).text("type", "function");
        call.raw("function", function.finish()).finish()
    }
}

/// Text of blocks that have an empty line between them.
#[derive(Debug, Default)]
struct Blocks {
    text: String,
    /// Whether the next piece begins a block.
    is_between: bool,
}

impl CompletionWriter {
    pub(super) fn new(conversation: &str, head: CompletionHead) -> Self {
        Self {
            frame: ChunkFrame::new(&head),
            head,
            conversation: conversation.to_owned(),
            client_tools: ClientToolNames::default(),
            links: QuestionLinks::default(),
            tool_calls: Vec::new(),
            answer: Blocks::default(),
            reasoning: Blocks::default(),
            text: None,
            lines: Vec::new(),
            usage: None,
            failure: None,
        }
    }

    pub(super) fn set_client_tools(&mut self, tools: ClientToolNames) {
        self.client_tools = tools;
    }

    pub(super) fn begin(&self, out: &mut String) {
        let delta = JsonObject::new().text("role", "assistant").text("content", "");
        write_data(out, &self.head.chunk(delta.finish(), None));
    }

    pub(super) fn change(
        &mut self,
        agent: Option<&CalledAgent>,
        change: TranscriptChange<'_>,
        out: &mut String,
    ) {
        match change {
            TranscriptChange::Question { id, question, .. } => self.ask(id, question, out),
            TranscriptChange::ClientCall { call, question, .. } => {
                self.call_client(call, &question.tool, &question.args, out);
            }
            TranscriptChange::CallWritten { name, .. }
                if agent.is_none() && self.client_tools.has(name) => {}
            TranscriptChange::CallWritten { name, args, .. } => {
                self.line(agent, &call_line(name, args), out);
            }
            TranscriptChange::CallEnded { result, .. }
                if result.status() == ResultStatus::Failure =>
            {
                self.line(agent, &failure_line(result), out);
            }
            _ if agent.is_some() => {}
            TranscriptChange::TextBegan { kind, .. } => {
                self.text = Some((kind, HeldSpace::default()));
                self.blocks(kind).is_between = true;
            }
            TranscriptChange::TextGrew { piece, .. } => {
                let Some((kind, mut space)) = self.text.take() else { return };
                if let Some(pieces) = space.push(piece) {
                    self.write(kind, pieces, out);
                }
                self.text = Some((kind, space));
            }
            TranscriptChange::TextEnded { .. } => {
                self.text = None;
                for line in std::mem::take(&mut self.lines) {
                    self.write_line(&line, out);
                }
            }
            TranscriptChange::Measured(metric) => {
                self.usage = Some(*metric.all.as_deref().unwrap_or(&metric.total));
            }
            _ => {}
        }
    }

    pub(super) fn end(&mut self, end: &RunEnd, out: &mut String) {
        if let RunEnd::Failed { code, message } = end {
            let error = OpenAiError::of_run(code, message);
            write_data(out, &error.to_json());
            self.failure = Some(error);
        } else {
            write_data(out, &self.head.chunk("{}".to_owned(), Some(self.reason())));
            if let (true, Some(usage)) = (self.head.include_usage, &self.usage) {
                write_data(out, &self.head.usage_chunk(usage));
            }
        }
        write_data(out, "[DONE]");
    }

    pub(super) fn completion(&self) -> Result<String, OpenAiError> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        let mut message = JsonObject::new()
            .text("role", "assistant")
            .text("content", &self.answer.text)
            .raw("refusal", "null");
        if !self.reasoning.text.is_empty() {
            message = message.text("reasoning_content", &self.reasoning.text);
        }
        if !self.tool_calls.is_empty() {
            let calls: Vec<_> = self.tool_calls.iter().map(ClientToolCall::to_json).collect();
            message = message.raw("tool_calls", format_args!("[{}]", calls.join(",")));
        }
        Ok(self.head.completion(message.finish(), self.reason(), self.usage.as_ref()))
    }

    /// Writes a question as a paragraph of the answer.
    pub(super) fn ask(&mut self, id: &str, question: &OpenQuestion, out: &mut String) {
        let text = chat_question(id, question, self.links.link(id).as_deref());
        self.answer.is_between = true;
        self.write(SectionKind::Answer, ["", &text], out);
        self.answer.is_between = true;
    }

    /// Hands a call of one of the client's tools to the client.
    fn call_client(&mut self, call: &str, name: &str, args: &str, out: &mut String) {
        let conversation = &*self.conversation;
        let id = ClientCallId { call, conversation }.to_string();
        if self.tool_calls.iter().any(|known| known.id == id) {
            return;
        }
        let call = ClientToolCall { id, name: name.to_owned(), args: args.to_owned() };
        let indexed = call.begun(JsonObject::new().raw("index", self.tool_calls.len()));
        let delta = JsonObject::new().raw("tool_calls", format_args!("[{indexed}]"));
        write_data(out, &self.head.chunk(delta.finish(), None));
        self.tool_calls.push(call);
    }

    /// Returns the reason for the end of a completion that has not failed.
    const fn reason(&self) -> &'static str {
        if self.tool_calls.is_empty() { STOP } else { TOOL_CALLS }
    }

    /// Adds a line about a call, once no thought is being written.
    fn line(&mut self, agent: Option<&CalledAgent>, line: &str, out: &mut String) {
        let line = match agent {
            Some(agent) => format!("{}: {line}", agent.name),
            None => line.to_owned(),
        };
        match self.text {
            Some((SectionKind::Thought, _)) => self.lines.push(line),
            _ => self.write_line(&line, out),
        }
    }

    fn write_line(&mut self, line: &str, out: &mut String) {
        self.reasoning.is_between = true;
        self.write(SectionKind::Thought, ["", line], out);
    }

    /// Writes a piece of the answer or of the reasoning, with the white space before it.
    fn write(&mut self, kind: SectionKind, [space, piece]: [&str; 2], out: &mut String) {
        if piece.is_empty() {
            return;
        }
        let (blocks, key) = match kind {
            SectionKind::Thought => (&mut self.reasoning, "reasoning_content"),
            SectionKind::Answer => (&mut self.answer, "content"),
        };
        let begin = blocks.text.len();
        if std::mem::take(&mut blocks.is_between) && begin > 0 {
            blocks.text.push_str("\n\n");
        }
        blocks.text.push_str(space);
        blocks.text.push_str(piece);
        self.frame.write(key, &blocks.text[begin..], out);
    }

    const fn blocks(&mut self, kind: SectionKind) -> &mut Blocks {
        match kind {
            SectionKind::Thought => &mut self.reasoning,
            SectionKind::Answer => &mut self.answer,
        }
    }
}
