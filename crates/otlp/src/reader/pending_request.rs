//! A request to a model that is not over, or that may still turn out to have failed.

use std::time::Duration;

use silcrow_event::{SpanId, Timestamp, TraceContext, Usage};

use super::contents::{MessageText, instructions};
use super::open_run::push_usage;
use crate::names;
use crate::options::TraceOptions;
use crate::span::{SpanKind, TraceSpan};

/// A request to a model.
#[derive(Debug)]
pub(super) struct PendingRequest {
    pub(super) turn: u32,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    pub(super) context: TraceContext,
    pub(super) parent: Option<SpanId>,
    /// Its token usage, once that was reported.
    pub(super) usage: Option<Usage>,
    /// Whether its answer is in the log, as opposed to a summary or a failure.
    pub(super) has_answer: bool,
    /// Why the answer ended, if the log shows it.
    pub(super) finish: Option<&'static str>,
    /// The code of an error, with its words.
    pub(super) error: Option<(String, String)>,
    pub(super) input: String,
    pub(super) output: MessageText,
}

impl PendingRequest {
    /// Returns whether its answer has come to an end. It may still turn out to have failed.
    pub(super) const fn is_over(&self) -> bool {
        self.usage.is_some()
    }

    /// Takes the usage of the request. Its answer may have lasted longer than its events show.
    pub(super) fn measure(&mut self, usage: &Usage) {
        self.usage = Some(*usage);
        self.end = self.end.max(self.start.saturating_add(usage.duration));
    }

    /// Takes that the run continues after the answer.
    pub(super) fn read_on(&mut self) {
        if self.has_answer && self.error.is_none() {
            self.finish.get_or_insert(STOPPED);
        }
    }

    pub(super) fn into_span(self, is_own: bool, options: &TraceOptions) -> TraceSpan {
        let facts = options.request.as_ref().filter(|_| is_own);
        let model = facts.map(|facts| &*facts.model);
        let mut span = TraceSpan::new(self.context, self.parent, names::CHAT, model);
        span.kind = SpanKind::Client;
        span.set_times(self.start, self.end);
        if let Some(facts) = facts {
            facts.describe(&mut span);
        }
        span.set_optional(names::FINISH_REASONS, self.finish.map(|reason| vec![reason]));
        span.set_attribute(names::TURN, u64::from(self.turn));
        if let Some(usage) = &self.usage {
            push_usage(usage, &mut span);
            let first = usage.time_to_first_delta;
            span.set_optional(
                names::TIME_TO_FIRST_CHUNK,
                (!first.is_zero()).then_some(first.as_secs_f64()),
            );
        }
        if options.has_contents {
            let system = options.system.as_deref().filter(|_| is_own);
            span.set_optional(names::SYSTEM_INSTRUCTIONS, system.map(instructions));
            span.set_attribute(names::INPUT_MESSAGES, format!("[{}]", self.input));
            span.set_attribute(names::OUTPUT_MESSAGES, self.output.finish());
        }
        if let Some((code, words)) = self.error {
            span.fail(&code, options.has_contents.then_some(words));
        }
        span
    }
}

/// Returns why an answer was cut short, if the code of an error shows it.
pub(super) fn cut_short(code: &str) -> Option<&'static str> {
    match code {
        "length" => Some("length"),
        "filter" => Some("content_filter"),
        _ => None,
    }
}

/// The reason for a complete answer.
pub(super) const STOPPED: &str = "stop";

/// Returns the span of a request that a call made.
pub(super) fn asked_once(parent: TraceContext, usage: &Usage, end: Timestamp) -> TraceSpan {
    let name = end.as_nanos().to_string();
    let caller = parent.span.to_string();
    let context = TraceContext::of_request(parent.trace, &caller, 0, &name);
    let mut span = TraceSpan::new(context, Some(parent.span), names::CHAT, None);
    span.kind = SpanKind::Client;
    span.set_times(before(end, usage.duration), end);
    push_usage(usage, &mut span);
    span
}

/// Returns the time that is this long before another one.
pub(super) fn before(time: Timestamp, duration: Duration) -> Timestamp {
    let nanos = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    Timestamp::from_nanos(time.as_nanos().saturating_sub(nanos))
}
