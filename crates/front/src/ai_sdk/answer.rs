//! A message of the assistant, from its prompt to the end of its run.
//!
//! It turns the changes of a transcript into parts.

use std::collections::BTreeMap;

use silcrow_event::{ApprovalState, CallResult, Entry, Json, OpenQuestion, ResultStatus};

use super::call::UiCall;
use super::data::{self, UiAgent};
use super::part::UiPart;
use super::{AiSdkMessageId, AiSdkTarget};
use crate::client_tool_names::ClientToolNames;
use crate::encoder::RunEnd;
use crate::error_text::error_text;
use crate::transcript::{CalledAgent, SectionKind, TranscriptChange};

/// The state of a message at the client.
#[derive(Debug)]
pub(super) struct UiAnswer {
    target: AiSdkTarget,
    /// The tools that the client has.
    client_tools: ClientToolNames,
    /// The position of the prompt.
    prompt: Option<u64>,
    has_begun: bool,
    is_in_step: bool,
    /// The kind of the open text.
    kind: SectionKind,
    /// The calls without results, by their ids.
    calls: BTreeMap<String, UiCall>,
    agents: BTreeMap<String, UiAgent>,
    /// The position of the last stored event.
    seq: u64,
    /// The reason for which the run was stopped.
    stopped: Option<String>,
}

/// Takes parts.
pub(super) type PartReceiver<'a> = dyn FnMut(UiPart<'_>) + 'a;

impl UiAnswer {
    pub(super) fn new(target: AiSdkTarget, client_tools: ClientToolNames) -> Self {
        Self {
            target,
            client_tools,
            prompt: None,
            has_begun: false,
            is_in_step: false,
            kind: SectionKind::Answer,
            calls: BTreeMap::new(),
            agents: BTreeMap::new(),
            seq: 0,
            stopped: None,
        }
    }

    /// Takes the position of an entry.
    pub(super) fn advance(&mut self, entry: &Entry) {
        if entry.agent_path.is_none() && entry.event.is_stored() {
            self.seq = self.seq.max(entry.seq.unwrap_or_default());
        }
    }

    /// Begins a stream. Its first part follows with the first change: a prompt begins another
    /// message, and anything else continues the last one.
    pub(super) const fn begin(&mut self) {
        (self.has_begun, self.is_in_step) = (false, false);
    }

    /// Writes the first part of the stream, unless it is written.
    pub(super) fn start(&mut self, to: &mut PartReceiver<'_>) {
        if !std::mem::replace(&mut self.has_begun, true) {
            to(UiPart::Start { message: self.prompt.map(AiSdkMessageId::Answer) });
        }
    }

    /// Passes on the parts for a change of the transcript.
    pub(super) fn change(
        &mut self,
        agent: Option<&CalledAgent>,
        change: &TranscriptChange<'_>,
        to: &mut PartReceiver<'_>,
    ) {
        if let (None, TranscriptChange::Message { steer: false, seq, .. }) = (agent, change) {
            let new = Self::new(self.target, self.client_tools.clone());
            *self = Self { prompt: *seq, seq: self.seq, ..new };
        }
        // A turn that an earlier stream has begun ends before the prompt of the next message.
        if !matches!(change, TranscriptChange::TurnEnded(_)) {
            self.start(to);
        }
        match change {
            TranscriptChange::Question { call, id, question } => {
                self.ask(agent, call, id, question, to);
            }
            TranscriptChange::ClientCall { call, .. } => {
                if let Some(shown) = self.calls.get_mut(*call) {
                    shown.is_of_client = true;
                }
            }
            TranscriptChange::CallAsked { call, state, reason } => {
                self.asked(call, *state, *reason, to);
            }
            TranscriptChange::CallPrinted { call, piece, .. } => {
                let Some(shown) = self.calls.get_mut(*call) else { return };
                if let Some(text) = shown.printed.push(piece) {
                    let (output, is_preliminary, is_dynamic) = (Json::string(text), true, true);
                    to(UiPart::Output { call, output, is_preliminary, is_dynamic });
                }
            }
            TranscriptChange::CallChanged { call, files } => to(data::changes(call, files)),
            TranscriptChange::CallEnded { call, result } => {
                if let Some(shown) = self.calls.remove(*call) {
                    self.result(call, &shown, result, to);
                }
            }
            _ => match agent {
                Some(agent) => self.agent_change(agent, change, to),
                None => self.own_change(change, to),
            },
        }
    }

    /// Returns whether the run waits for an answer about a call, or for its result.
    pub(super) fn is_waiting(&self) -> bool {
        self.calls.values().any(|call| call.is_asked() || call.is_of_client)
    }

    /// Gives an output to the calls that will have none, or have none yet.
    pub(super) fn close_calls(&mut self, end: &RunEnd, to: &mut PartReceiver<'_>) {
        let error = match end {
            RunEnd::Waiting => return self.delay_calls(to),
            RunEnd::Answered => "The run ended before this call had a result.",
            RunEnd::Stopped => "The run was stopped before this call had a result.",
            RunEnd::Failed { .. } => "The run failed before this call had a result.",
        };
        self.cut_calls(to);
        for (call, shown) in std::mem::take(&mut self.calls) {
            let is_dynamic = !self.client_tools.has(&shown.tool);
            to(UiPart::OutputError { call: &call, error, is_dynamic });
        }
    }

    /// Ends the stream.
    pub(super) fn end(&self, end: &RunEnd, to: &mut PartReceiver<'_>) {
        to(data::position(self.seq));
        match end {
            RunEnd::Answered => to(UiPart::Finish { reason: "stop" }),
            RunEnd::Waiting => to(UiPart::Finish { reason: "tool-calls" }),
            RunEnd::Stopped => {
                let reason = self.stopped.as_deref().unwrap_or("The run was stopped.");
                to(UiPart::Abort { reason });
            }
            RunEnd::Failed { message, .. } => to(UiPart::Error { text: message }),
        }
    }

    fn own_change(&mut self, change: &TranscriptChange<'_>, to: &mut PartReceiver<'_>) {
        match change {
            TranscriptChange::Message { content, steer: true, seq: Some(seq) } => {
                let message = AiSdkMessageId::Prompt(*seq);
                let text = &content.text();
                to(match self.target {
                    AiSdkTarget::V7 => UiPart::Steering { message, text },
                    _ => data::steering(message, text),
                });
            }
            TranscriptChange::TurnBegan(_) => {
                self.is_in_step = true;
                to(UiPart::StepStart);
            }
            TranscriptChange::TurnDropped(_) => to(UiPart::StepReset),
            TranscriptChange::TurnEnded(_) => {
                self.cut_calls(to);
                if std::mem::take(&mut self.is_in_step) {
                    to(UiPart::StepFinish);
                }
            }
            TranscriptChange::TextBegan { text, kind } => {
                self.kind = *kind;
                to(UiPart::TextStart { text, kind: *kind });
            }
            TranscriptChange::TextGrew { text, piece } => {
                to(UiPart::TextDelta { text, kind: self.kind, piece });
            }
            TranscriptChange::TextEnded { text } => to(UiPart::TextEnd { text, kind: self.kind }),
            TranscriptChange::CallBegan { call, name: tool } => {
                let shown = UiCall { tool: (*tool).to_owned(), ..UiCall::default() };
                self.calls.insert((*call).to_owned(), shown);
                if !tool.is_empty() {
                    let is_dynamic = !self.client_tools.has(tool);
                    to(UiPart::InputStart { call, tool, is_dynamic });
                }
            }
            TranscriptChange::ArgsGrew { call, piece } => to(UiPart::InputDelta { call, piece }),
            TranscriptChange::CallWritten { call, name: tool, args, .. } => {
                self.set_written(call);
                let (input, is_dynamic) = (json(args), !self.client_tools.has(tool));
                to(UiPart::InputAvailable { call, tool, title: None, input, is_dynamic });
            }
            TranscriptChange::CallRejected { call, text } => {
                self.set_written(call);
                let tool = self.calls.get(*call).map_or("", |shown| &shown.tool);
                let tool = if tool.is_empty() { MALFORMED } else { tool };
                let (error, is_dynamic) =
                    ("This text is not a call.", !self.client_tools.has(tool));
                to(UiPart::InputError { call, tool, input: Json::string(text), error, is_dynamic });
            }
            TranscriptChange::Measured(metric) => to(data::usage(metric)),
            TranscriptChange::Noticed(text) => to(data::remark("notice", text)),
            TranscriptChange::Summarized(summary) => to(data::remark("summary", &summary.content)),
            TranscriptChange::Titled(title) => to(data::remark("title", title)),
            TranscriptChange::Failed(error) => to(data::error(error)),
            TranscriptChange::Stopped(reason) => self.stopped = Some((*reason).to_owned()),
            _ => {}
        }
    }

    fn agent_change(
        &mut self,
        agent: &CalledAgent,
        change: &TranscriptChange<'_>,
        to: &mut PartReceiver<'_>,
    ) {
        let shown = self.agents.entry(agent.id.clone()).or_default();
        match change {
            TranscriptChange::AgentBegan => to(shown.part(agent, "running")),
            TranscriptChange::CallWritten { name, .. } => {
                shown.count_call(name);
                to(shown.part(agent, "running"));
            }
            TranscriptChange::AgentEnded => to(shown.part(agent, "ended")),
            _ => {}
        }
    }

    fn ask(
        &mut self,
        agent: Option<&CalledAgent>,
        call: &str,
        id: &str,
        question: &OpenQuestion,
        to: &mut PartReceiver<'_>,
    ) {
        let tool = &*question.tool;
        if !self.calls.contains_key(call) {
            let title = agent.map(|agent| format!("{}: {tool}", agent.name));
            let (title, input) = (title.as_deref(), json(&question.args));
            to(UiPart::InputAvailable { call, tool, title, input, is_dynamic: true });
        }
        let shown = self.calls.entry(call.to_owned()).or_default();
        (shown.is_written, shown.question, shown.is_approved) = (true, Some(id.to_owned()), None);
        to(data::question(id, call, question));
        if self.target >= AiSdkTarget::V6 {
            let reason = question.risk.as_deref().or(question.why.as_deref());
            to(UiPart::ApprovalRequest { id, call, reason });
        }
    }

    fn asked(
        &mut self,
        call: &str,
        state: ApprovalState,
        reason: Option<&str>,
        to: &mut PartReceiver<'_>,
    ) {
        let Some(shown) = self.calls.get_mut(call) else { return };
        let Some(id) = shown.question.as_deref() else { return };
        let is_approved = match state {
            ApprovalState::Asked => return,
            ApprovalState::Allowed => true,
            ApprovalState::Denied => false,
        };
        shown.is_approved = Some(is_approved);
        to(data::answer(id, call, state, reason));
        if self.target >= AiSdkTarget::V6 {
            to(UiPart::ApprovalResponse { id, call, is_approved, reason });
        }
    }

    fn result(&self, call: &str, shown: &UiCall, result: &CallResult, to: &mut PartReceiver<'_>) {
        let is_dynamic = !self.client_tools.has(&shown.tool);
        if result.status() == ResultStatus::Success {
            let output = result.value().map(|value| value.into_owned());
            let output = output.unwrap_or_else(|| Json::string(&result.content.text()));
            to(UiPart::Output { call, output, is_preliminary: false, is_dynamic });
        } else if self.target >= AiSdkTarget::V6 && shown.is_approved == Some(false) {
            to(UiPart::OutputDenied { call });
        } else {
            to(UiPart::OutputError { call, error: &error_text(result), is_dynamic });
        }
    }

    fn set_written(&mut self, call: &str) {
        self.calls.entry(call.to_owned()).or_default().is_written = true;
    }

    /// Gives calls that wait for other calls an output, which the true one replaces. A client sends
    /// the answers of the person by itself once every other call of the step has an output.
    fn delay_calls(&self, to: &mut PartReceiver<'_>) {
        if self.target < AiSdkTarget::V6 {
            return;
        }
        let is_delayed =
            |shown: &UiCall| shown.is_written && !shown.is_asked() && !shown.is_of_client;
        for (call, _) in self.calls.iter().filter(|(_, shown)| is_delayed(shown)) {
            let output = Json::string("This call waits until a person has answered.");
            to(UiPart::Output { call, output, is_preliminary: false, is_dynamic: true });
        }
    }

    /// Ends the input of calls that were cut off.
    pub(super) fn cut_calls(&mut self, to: &mut PartReceiver<'_>) {
        let client_tools = &self.client_tools;
        self.calls.retain(|call, shown| {
            if !shown.is_written && !shown.tool.is_empty() {
                let (tool, input) = (&*shown.tool, Json::string(""));
                let error = "The call was cut off while it was written.";
                let is_dynamic = !client_tools.has(tool);
                to(UiPart::InputError { call, tool, input, error, is_dynamic });
            }
            shown.is_written
        });
    }
}

/// Returns arguments as JSON on one line.
fn json(args: &str) -> Json {
    Json::parse(args).unwrap_or_else(|| Json::string(args))
}

/// The name of the tool of a text that should have been a call.
const MALFORMED: &str = "malformed_call";
