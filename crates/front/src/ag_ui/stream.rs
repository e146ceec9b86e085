//! The changes of a transcript as events of AG-UI.
//!
//! A client rejects the whole run if anything is open at its end, so this module tracks open parts.

mod agents;

use std::collections::HashMap;

use silcrow_event::{ApprovalState, Usage};

use super::activity::{CallActivity, changes};
use super::event_writer::{EventWriter, event};
use super::interrupt::OpenInterrupts;
use super::shown_messages::ShownMessages;
use super::tool_call::{malformed_args, result_content, result_id, result_metadata, shown_name};
use crate::encoder::RunEnd;
use crate::json_object::JsonObject;
use crate::piece_frame::PieceFrame;
use crate::transcript::{CalledAgent, SectionKind, TranscriptChange};
use agents::AgentSegments;

/// The open parts of a run's stream, and the facts for its end.
#[derive(Debug, Default)]
pub(super) struct AgUiStream {
    agents: AgentSegments,
    /// The texts that the model writes, of which each agent has at most one.
    texts: Vec<UnfinishedText>,
    /// The calls that the model writes, by their ids.
    written: Vec<UnfinishedCall>,
    /// The output of running calls.
    activities: HashMap<String, CallActivity>,
    interrupts: OpenInterrupts,
    pub(super) shown: ShownMessages,
    /// The steps that have begun in this stream.
    steps: Vec<String>,
    /// The calls of the client's tools that have no result, each with whether the client has sent it.
    client_calls: Vec<ClientCall>,
    usage: Option<Usage>,
    /// The end of the run, once it is known.
    end: Option<RunEnd>,
}

#[derive(Debug)]
struct ClientCall {
    id: String,
    /// Whether the result has come from the client.
    is_answered: bool,
}

#[derive(Debug)]
struct UnfinishedText {
    id: String,
    kind: SectionKind,
    frame: PieceFrame,
}

#[derive(Debug)]
struct UnfinishedCall {
    id: String,
    has_args: bool,
}

impl AgUiStream {
    /// Takes a change that the client already has.
    pub(super) fn skip(&mut self, agent: Option<&CalledAgent>, change: &TranscriptChange<'_>) {
        self.interrupts.apply(agent, change);
        self.note_client_call(change);
        if let TranscriptChange::CallEnded { call, .. } = change {
            self.client_calls.retain(|one| one.id != *call);
        }
    }

    /// Takes a change, and writes its events.
    pub(super) fn change(
        &mut self,
        agent: Option<&CalledAgent>,
        change: &TranscriptChange<'_>,
        to: &mut EventWriter<'_>,
    ) {
        self.interrupts.apply(agent, change);
        self.note_client_call(change);
        match agent {
            Some(agent) if *change == TranscriptChange::AgentEnded => {
                return self.agents.finish(agent, self.end.as_ref(), &self.interrupts, to);
            }
            Some(agent) => self.agents.start(agent, to),
            None => {}
        }
        if !matches!(change, TranscriptChange::CallEnded { .. }) {
            self.shown.take(agent, change);
        }
        match *change {
            TranscriptChange::AnswerDropped(_) => {
                let all = event("MESSAGES_SNAPSHOT").raw("messages", self.shown.to_json());
                to.write(None, all);
            }
            TranscriptChange::TextBegan { text, kind } => self.begin_text(agent, text, kind, to),
            TranscriptChange::TextGrew { text, piece } => {
                if let Some(open) = self.texts.iter().find(|one| one.id == text) {
                    to.write_piece(agent, &open.frame, piece);
                }
            }
            TranscriptChange::TextEnded { text } => self.end_text(agent, text, to),
            TranscriptChange::BlockBegan { block, kind, parent } => {
                let step = step_name(agent, block);
                let mut about = JsonObject::new().text("id", block).text("block", kind);
                if let Some(parent) = parent {
                    about = about.text("parent", parent);
                }
                let about = JsonObject::new().raw("silcrow", about.finish()).finish();
                let begun = event("STEP_STARTED").text("stepName", &step);
                to.write(agent, begun.raw("metadata", about));
                self.steps.push(step);
            }
            TranscriptChange::BlockEnded { block, result } => {
                let step = step_name(agent, block);
                let Some(at) = self.steps.iter().position(|one| *one == step) else { return };
                let mut ended = event("STEP_FINISHED").text("stepName", &self.steps.remove(at));
                if let Some(result) = result {
                    ended = ended.raw("metadata", result_metadata(result));
                }
                to.write(agent, ended);
            }
            TranscriptChange::CallBegan { call, name } => {
                let name = shown_name(name);
                let begun = event("TOOL_CALL_START").text("toolCallId", call);
                to.write(agent, begun.text("toolCallName", name));
                self.written.push(UnfinishedCall { id: call.to_owned(), has_args: false });
            }
            TranscriptChange::ArgsGrew { call, piece } => self.grow_args(agent, call, piece, to),
            TranscriptChange::CallWritten { call, block, .. } => {
                self.end_call(agent, call, block, to);
            }
            TranscriptChange::CallRejected { call, text } => {
                if self.written.iter().any(|one| one.id == call && !one.has_args) {
                    let args = malformed_args(text);
                    self.grow_args(agent, call, &args, to);
                }
                self.end_call(agent, call, None, to);
            }
            TranscriptChange::CallPrinted { call, channel, piece } => {
                let activity = self.activities.entry(call.to_owned()).or_default();
                activity.write(agent, call, channel, piece, to);
            }
            TranscriptChange::CallChanged { call, files } => changes(agent, call, files, to),
            TranscriptChange::CallEnded { call, result } => {
                self.end_call(agent, call, None, to);
                self.activities.remove(call);
                let own = self.client_calls.iter().position(|one| one.id == call);
                if own.is_some_and(|at| self.client_calls.remove(at).is_answered) {
                    // The client has a message with its result.
                    return;
                }
                self.shown.take(agent, change);
                let content = result_content(result);
                let ended = result_event(call, &content);
                to.write(agent, ended.raw("metadata", result_metadata(result)));
            }
            TranscriptChange::TurnEnded(_) => self.drop_calls(to),
            TranscriptChange::Measured(metric) if agent.is_none() => {
                self.usage = Some(metric.all.as_deref().copied().unwrap_or(metric.total));
            }
            TranscriptChange::Stopped(reason) => self.agents.stop(agent, reason),
            _ => {}
        }
    }

    /// Takes the end of the run, before open parts end.
    pub(super) fn expect_end(&mut self, end: RunEnd) {
        self.end = Some(end);
    }

    /// Returns the tokens that the run used, if they are known.
    pub(super) fn usage(&self) -> Option<String> {
        let usage = self.usage?;
        let counts = [
            ("inputTokens", usage.input),
            ("outputTokens", usage.output),
            ("totalTokens", usage.tokens()),
            ("reasoningTokens", usage.reasoning),
            ("cachedInputTokens", usage.cached),
        ];
        let object = counts.into_iter().fold(JsonObject::new(), |to, (key, n)| to.raw(key, n));
        Some(object.finish())
    }

    /// Returns the interrupts with which the run ends as a JSON array, or `None` without any.
    pub(super) fn interrupts(&self) -> Option<String> {
        self.interrupts.to_json()
    }

    /// Returns the ids of the calls of the client's tools that have no result as a JSON array, or
    /// `None` without any.
    pub(super) fn pending_calls(&self) -> Option<String> {
        let open = self.client_calls.iter().filter(|one| !one.is_answered);
        let open: Vec<_> = open.map(|one| &*one.id).collect();
        (!open.is_empty()).then(|| serde_json::json!(open).to_string())
    }

    fn note_client_call(&mut self, change: &TranscriptChange<'_>) {
        match *change {
            TranscriptChange::ClientCall { call, .. }
                if self.client_calls.iter().all(|one| one.id != call) =>
            {
                self.client_calls.push(ClientCall { id: call.to_owned(), is_answered: false });
            }
            TranscriptChange::CallAsked { call, state: ApprovalState::Allowed, .. } => {
                let own = self.client_calls.iter_mut().filter(|one| one.id == call);
                own.for_each(|one| one.is_answered = true);
            }
            _ => {}
        }
    }

    fn begin_text(
        &mut self,
        agent: Option<&CalledAgent>,
        text: &str,
        kind: SectionKind,
        to: &mut EventWriter<'_>,
    ) {
        let grown = event(content_event(kind)).text("messageId", text).until("delta");
        let frame = PieceFrame::new(format!("data: {grown}"));
        self.texts.push(UnfinishedText { id: text.to_owned(), kind, frame });
        let begun = |kind| event(kind).text("messageId", text);
        let (start, role) = match kind {
            SectionKind::Answer => ("TEXT_MESSAGE_START", "assistant"),
            SectionKind::Thought => {
                to.write(agent, begun("REASONING_START"));
                ("REASONING_MESSAGE_START", "reasoning")
            }
        };
        to.write(agent, begun(start).text("role", role));
    }

    fn end_text(&mut self, agent: Option<&CalledAgent>, text: &str, to: &mut EventWriter<'_>) {
        let ended = |kind| event(kind).text("messageId", text);
        let open = self.texts.iter().position(|one| one.id == text);
        match open.map(|at| self.texts.remove(at).kind) {
            Some(SectionKind::Answer) => to.write(agent, ended("TEXT_MESSAGE_END")),
            Some(SectionKind::Thought) => {
                to.write(agent, ended("REASONING_MESSAGE_END"));
                to.write(agent, ended("REASONING_END"));
            }
            None => {}
        }
    }

    fn grow_args(
        &mut self,
        agent: Option<&CalledAgent>,
        call: &str,
        piece: &str,
        to: &mut EventWriter<'_>,
    ) {
        if let Some(written) = self.written.iter_mut().find(|one| one.id == call) {
            written.has_args = true;
            to.write(agent, event("TOOL_CALL_ARGS").text("toolCallId", call).text("delta", piece));
        }
    }

    /// Ends a call, with the control block that it is in.
    fn end_call(
        &mut self,
        agent: Option<&CalledAgent>,
        call: &str,
        block: Option<&str>,
        to: &mut EventWriter<'_>,
    ) {
        if let Some(at) = self.written.iter().position(|one| one.id == call) {
            self.written.remove(at);
            let mut ended = event("TOOL_CALL_END").text("toolCallId", call);
            if let Some(block) = block {
                let about = JsonObject::new().text("block", block).finish();
                ended = ended.raw("metadata", JsonObject::new().raw("silcrow", about).finish());
            }
            to.write(agent, ended);
        }
    }

    /// Ends the calls that the model has begun and never completed. They get a result, because a
    /// client takes a call without one for a call that it has to run itself.
    pub(super) fn drop_calls(&mut self, to: &mut EventWriter<'_>) {
        for call in std::mem::take(&mut self.written) {
            to.write(None, event("TOOL_CALL_END").text("toolCallId", &call.id));
            to.write(None, result_event(&call.id, INCOMPLETE));
            self.shown.end_call(&call.id, INCOMPLETE);
        }
    }
}

/// The result of a call that was begun only.
const INCOMPLETE: &str = "The model did not complete this call.";

/// Returns the name of the step that a control block is. Steps of agents begin with the agent's id, because
/// the names of a run are unique while they are open.
fn step_name(agent: Option<&CalledAgent>, block: &str) -> String {
    match agent {
        Some(agent) => format!("{}:{block}", agent.id),
        None => block.to_owned(),
    }
}

const fn content_event(kind: SectionKind) -> &'static str {
    match kind {
        SectionKind::Answer => "TEXT_MESSAGE_CONTENT",
        SectionKind::Thought => "REASONING_MESSAGE_CONTENT",
    }
}

fn result_event(call: &str, content: &str) -> JsonObject {
    let result = event("TOOL_CALL_RESULT").text("messageId", &result_id(call));
    result.text("toolCallId", call).text("content", content).text("role", "tool")
}
