//! The reading of events as spans.
//!
//! This module tracks which log an entry is from and which call runs an agent. The submodules track
//! the runs, requests and calls of one log.

mod called_place;
mod contents;
mod log_spans;
mod open_run;
mod pending_request;
mod unanswered_call;

use silcrow_event::{CallTransition, Entry, Event, LogPosition, RunEventRef, Timestamp, TraceId};

use crate::options::TraceOptions;
use crate::span::TraceSpan;
use called_place::CalledPlace;
use log_spans::LogSpans;

/// Turns the events of a run, or stored logs, into spans.
///
/// It takes the entries of a conversation and of the conversations of its calls, which have an
/// agent path. An agent's entries come after the call that runs it. A span is returned when it is
/// over, and the last ones after [`finish`](Self::finish).
///
/// ```
/// use silcrow_event::{Entry, Event, RunEventRef};
/// use silcrow_otlp::{TraceOptions, TraceReader};
///
/// let mut reader = TraceReader::new("c1", TraceOptions::default());
/// reader.push(RunEventRef::Entry(&Entry { turn: Some(1), ..Event::user("2 + 2?").into() }));
/// reader.push(RunEventRef::Entry(&Entry { turn: Some(1), ..Event::respond("4").into() }));
/// reader.finish();
/// let names: Vec<_> = reader.take_spans().iter().map(|span| span.name.to_string()).collect();
/// assert_eq!(names, ["chat", "invoke_agent silcrow"]);
/// ```
#[derive(Debug)]
pub struct TraceReader {
    options: TraceOptions,
    own: LogSpans,
    /// The logs of agents and workflows that calls run.
    called: Vec<LogSpans>,
    /// The time before which everything was exported already.
    since: Option<Timestamp>,
    spans: Vec<TraceSpan>,
}

impl TraceReader {
    /// Creates a reader for the beginning of a conversation, or of a run of it.
    pub fn new(conversation: impl Into<String>, options: TraceOptions) -> Self {
        Self {
            options,
            own: LogSpans::new(conversation.into(), None),
            called: Vec::new(),
            since: None,
            spans: Vec::new(),
        }
    }

    /// Continues a trace of which everything before a time is exported already.
    #[must_use]
    pub fn with_trace(mut self, trace: Option<TraceId>, since: Timestamp) -> Self {
        self.own.continue_trace(trace);
        Self { since: Some(since), ..self }
    }

    /// Takes the events before a run, for the messages of its requests, if those have their
    /// [whole input](TraceOptions::has_whole_input).
    #[must_use]
    pub fn with_log(mut self, log: &[Entry]) -> Self {
        if self.options.has_contents && self.options.has_whole_input {
            self.own.keep_earlier(log);
        }
        self
    }

    /// Takes the next event.
    pub fn push(&mut self, event: RunEventRef<'_>) {
        match event {
            RunEventRef::Entry(entry) => self.entry(entry),
            RunEventRef::Call(transition, place) => self.transition(transition, &place),
            _ => {}
        }
    }

    /// Ends everything that is still open. Calls that wait for a person's answer have no span yet.
    pub fn finish(&mut self) {
        for log in self.called.iter_mut().rev().chain([&mut self.own]) {
            log.finish(&self.options, self.since, &mut self.spans);
        }
    }

    /// Returns the spans that are over, and forgets them.
    pub fn take_spans(&mut self) -> Vec<TraceSpan> {
        std::mem::take(&mut self.spans)
    }

    fn entry(&mut self, entry: &Entry) {
        let Some(path) = entry.agent_path.as_deref() else {
            return self.own.entry(entry, &self.options, self.since, &mut self.spans);
        };
        match (&entry.opening, &entry.event) {
            (Some(opening), _) => {
                let at = self.find_called(&opening.conversation, path);
                self.called[at].entry(entry, &self.options, self.since, &mut self.spans);
            }
            // A model that is asked only once has no conversation.
            (None, Event::Metric(metric)) => {
                let (outer, name) = path.rsplit_once('/').unwrap_or(("", path));
                let mut logs = self.called.iter().rev();
                let log = logs.find(|log| log.path() == outer).unwrap_or(&self.own);
                let time = entry.timestamp.unwrap_or_default();
                self.spans.extend(log.asked_once(name, &metric.step, time));
            }
            _ => {}
        }
    }

    fn transition(&mut self, transition: &CallTransition<'_>, place: &LogPosition) {
        let turn = place.turn.unwrap_or_default();
        match transition {
            CallTransition::Started { id, attempt, args } => {
                self.own.started(turn, id, *attempt, args, place.timestamp);
            }
            CallTransition::Recorded { id } => self.own.recorded(turn, id, place.timestamp),
            _ => {}
        }
    }

    /// Returns the position of the log of a called agent.
    fn find_called(&mut self, conversation: &str, path: &str) -> usize {
        if let Some(at) = self.called.iter().position(|log| log.is_of(conversation)) {
            return at;
        }
        let logs = || self.called.iter().rev().chain([&self.own]);
        let name = path.rsplit('/').next().unwrap_or_default();
        let outer = path.rsplit_once('/').map_or("", |(outer, _)| outer);
        let call = logs().find_map(|log| log.call_of(conversation));
        let call = call.or_else(|| {
            let mut logs = logs().filter(|log| log.path() == outer);
            logs.find_map(|log| log.open_call_named(name))
        });
        let place = CalledPlace {
            path: path.to_owned(),
            name: name.to_owned(),
            is_workflow: call.and_then(|call| call.is_workflow),
            parent: call.map(|call| call.context).or_else(|| self.own.run_context()),
        };
        self.called.push(LogSpans::new(conversation.to_owned(), Some(place)));
        self.called.len() - 1
    }
}
