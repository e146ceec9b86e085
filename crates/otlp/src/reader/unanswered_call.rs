//! A call without a result.

use silcrow_event::{
    Call, CallResult, ResultOrigin, ResultStatus, SpanId, Timestamp, TraceContext,
};

use crate::names;
use crate::options::TraceOptions;
use crate::span::TraceSpan;

/// A call without a result.
#[derive(Debug)]
pub(super) struct UnansweredCall {
    pub(super) turn: u32,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) context: TraceContext,
    /// The run that wrote it, if its beginning was read.
    pub(super) parent: Option<SpanId>,
    /// Whether the run's own agent makes it.
    pub(super) is_own: bool,
    start: Timestamp,
    attempts: u32,
    is_recorded: bool,
    args: Option<String>,
}

impl UnansweredCall {
    pub(super) fn new(
        call: &Call,
        turn: u32,
        context: TraceContext,
        start: Timestamp,
        options: &TraceOptions,
    ) -> Self {
        Self {
            turn,
            id: call.id().to_owned(),
            name: call.name().to_owned(),
            context,
            parent: None,
            is_own: true,
            start,
            attempts: 0,
            is_recorded: false,
            args: options.has_contents.then(|| call.args().to_owned()),
        }
    }

    /// Takes the start of an attempt. The span begins with the first one.
    pub(super) fn started(&mut self, attempt: u32, args: &str, time: Option<Timestamp>) {
        if self.attempts == 0 {
            self.start = time.unwrap_or(self.start);
        }
        self.attempts = attempt;
        if let Some(kept) = &mut self.args {
            args.clone_into(kept);
        }
    }

    /// Takes the time of an approval, before which the call did not run.
    pub(super) fn allowed(&mut self, time: Timestamp) {
        if self.attempts == 0 {
            self.start = time;
        }
    }

    pub(super) fn recorded(&mut self, time: Option<Timestamp>) {
        self.is_recorded = true;
        self.start = time.unwrap_or(self.start);
    }

    /// Returns the span of the call. A call without a result was lost with its process.
    pub(super) fn into_span(
        self,
        result: Option<&CallResult>,
        end: Timestamp,
        options: &TraceOptions,
    ) -> TraceSpan {
        let operation = names::EXECUTE_TOOL;
        let mut span = TraceSpan::new(self.context, self.parent, operation, Some(&self.name));
        span.set_times(self.start, end);
        let description = options.tools.get(&self.name).filter(|_| self.is_own);
        span.set_attribute(names::TOOL_NAME, self.name);
        span.set_optional(names::TOOL_DESCRIPTION, description.map(String::as_str));
        span.set_attribute(names::TOOL_TYPE, "function");
        span.set_attribute(names::TOOL_CALL_ID, self.id);
        span.set_attribute(names::TURN, u64::from(self.turn));
        if self.attempts > 1 {
            span.set_attribute(names::ATTEMPTS, u64::from(self.attempts));
        }
        if self.is_recorded {
            span.set_attribute(names::RECORDED, true);
        }
        span.set_optional(names::TOOL_ARGUMENTS, self.args);
        let Some(result) = result else {
            span.fail("unfinished", None);
            return span;
        };
        let content = || result.content.text().into_owned();
        if options.has_contents {
            span.set_attribute(names::TOOL_RESULT, content());
        }
        if result.status() == ResultStatus::Failure {
            let kind = match result.origin() {
                ResultOrigin::Tool => "tool",
                ResultOrigin::Framework => "framework",
            };
            span.fail(kind, options.has_contents.then(content));
        }
        span
    }
}
