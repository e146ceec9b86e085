//! A run that is not over.

use silcrow_event::{ErrorEvent, SpanId, Timestamp, TraceContext, TraceId, Usage};

use super::contents::MessageText;
use crate::names;
use crate::options::TraceOptions;
use crate::span::TraceSpan;

/// A run that is not over.
#[derive(Debug)]
pub(super) struct OpenRun {
    pub(super) id: String,
    start: Timestamp,
    end: Timestamp,
    /// The trace, once it is certain.
    pub(super) trace: Option<TraceId>,
    /// Whether an agent or a workflow was at work, as opposed to a person who stored something.
    pub(super) has_work: bool,
    /// Whether nothing more is expected of it.
    pub(super) is_over: bool,
    pub(super) outcome: Option<&'static str>,
    pub(super) error: Option<(String, String)>,
    pub(super) usage: Usage,
    /// Whether it is a copy of a run of another conversation.
    pub(super) is_copied: bool,
    /// The span of the program that began it.
    pub(super) caller: Option<SpanId>,
    pub(super) links: Vec<TraceContext>,
    pub(super) input: Option<String>,
    pub(super) output: Option<String>,
}

/// The kind of a run.
pub(super) struct RunSubject<'a> {
    pub(super) conversation: &'a str,
    pub(super) name: &'a str,
    /// The names of the agents and workflows above the run's own agent.
    pub(super) path: &'a str,
    pub(super) is_workflow: bool,
    pub(super) parent: Option<SpanId>,
    /// Whether it is the run's own agent.
    pub(super) is_own: bool,
}

impl OpenRun {
    pub(super) fn new(id: impl Into<String>, start: Timestamp) -> Self {
        Self {
            id: id.into(),
            start,
            end: start,
            trace: None,
            has_work: false,
            is_over: false,
            outcome: None,
            error: None,
            usage: Usage::default(),
            is_copied: false,
            caller: None,
            links: Vec::new(),
            input: None,
            output: None,
        }
    }

    /// Takes a sign of work.
    pub(super) fn works(&mut self, time: Timestamp) {
        self.has_work = true;
        self.end = self.end.max(time);
    }

    /// Takes a sign that the run continues.
    pub(super) fn continues(&mut self, time: Timestamp) {
        self.works(time);
        self.is_over = false;
        self.outcome = None;
    }

    pub(super) fn ended(&mut self, outcome: &'static str, time: Timestamp) {
        self.works(time);
        self.is_over = true;
        self.outcome = Some(outcome);
    }

    pub(super) fn failed(&mut self, error: &ErrorEvent, time: Timestamp) {
        self.ended(FAILED, time);
        self.error = Some((error.code.clone(), error.content.clone()));
    }

    pub(super) fn into_span(
        self,
        context: TraceContext,
        subject: &RunSubject<'_>,
        options: &TraceOptions,
    ) -> TraceSpan {
        let (operation, attribute) = match subject.is_workflow {
            true => (names::INVOKE_WORKFLOW, names::WORKFLOW_NAME),
            false => (names::INVOKE_AGENT, names::AGENT_NAME),
        };
        let mut span = TraceSpan::new(context, subject.parent, operation, Some(subject.name));
        span.set_times(self.start, self.end);
        span.set_attribute(attribute, subject.name);
        if !subject.is_workflow {
            let own = &options.agent;
            let id = if subject.is_own { own.clone() } else { format!("{own}/{}", subject.path) };
            span.set_attribute(names::AGENT_ID, id);
        }
        span.set_attribute(names::CONVERSATION, subject.conversation);
        if subject.is_own {
            span.set_optional(names::AGENT_VERSION, options.agent_version.as_deref());
        }
        push_usage(&self.usage, &mut span);
        span.set_optional(names::OUTCOME, self.outcome);
        span.links = self.links;
        if options.has_contents {
            let input = self.input.as_deref().map(|text| MessageText::new("user").text(text));
            let output =
                self.output.as_deref().map(|text| MessageText::new("assistant").text(text));
            span.set_optional(names::INPUT_MESSAGES, input.map(MessageText::finish));
            span.set_optional(names::OUTPUT_MESSAGES, output.map(MessageText::finish));
        }
        match (self.error, self.outcome) {
            (Some((code, words)), _) => span.fail(&code, options.has_contents.then_some(words)),
            (None, Some(CANCELLED)) => span.fail(CANCELLED, None),
            _ => {}
        }
        span
    }
}

/// Adds the tokens that requests used, if they are known.
pub(super) fn push_usage(usage: &Usage, span: &mut TraceSpan) {
    if usage.tokens() == 0 {
        return;
    }
    span.set_attribute(names::USAGE_INPUT, usage.input);
    span.set_attribute(names::USAGE_OUTPUT, usage.output);
    for (name, count) in
        [(names::USAGE_CACHED, usage.cached), (names::USAGE_REASONING, usage.reasoning)]
    {
        if count > 0 {
            span.set_attribute(name, count);
        }
    }
    if usage.estimated {
        span.set_attribute(names::ESTIMATED, true);
    }
}

pub(super) const ANSWERED: &str = "answered";
pub(super) const CANCELLED: &str = "cancelled";
pub(super) const WAITING: &str = "waiting";
const FAILED: &str = "failed";
