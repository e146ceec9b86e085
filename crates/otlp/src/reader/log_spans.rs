//! The runs, requests and calls of one log.
//!
//! A log does not record when a request begins: a request begins when everything before its answer
//! is stored, and ends with its answer. Its token usage is reported in a run and is not stored.

mod blocks;
mod events;

use std::collections::{BTreeSet, HashMap};

use silcrow_event::{Entry, Event, SpanId, Timestamp, TraceContext, TraceId, Usage};

use super::called_place::{self, CalledPlace, KnownCall};
use super::open_run::{OpenRun, RunSubject, WAITING};
use super::pending_request::{PendingRequest, asked_once};
use super::unanswered_call::UnansweredCall;
use crate::options::TraceOptions;
use crate::span::TraceSpan;
use blocks::TurnBlocks;
use events::{copied_from, is_of_person};

/// The state of reading one log.
#[derive(Debug)]
pub(super) struct LogSpans {
    conversation: String,
    /// The place of a called agent or workflow.
    place: Option<CalledPlace>,
    /// The trace of the last prompt.
    trace: Option<TraceId>,
    /// The last run with this trace.
    last_run: Option<TraceContext>,
    /// The conversation whose events this one has copies of, and the last of them.
    origin: Option<(String, u64)>,
    /// The time of the last entry.
    time: Option<Timestamp>,
    /// The time after which the next request began.
    ready: Option<Timestamp>,
    run: Option<OpenRun>,
    request: Option<PendingRequest>,
    /// The turns whose answers were read.
    answered: BTreeSet<u32>,
    /// The number of requests beside the first answers of turns.
    beside: u32,
    /// Whether metrics of answers name the model's window.
    has_window: bool,
    calls: Vec<UnansweredCall>,
    known: HashMap<(u32, String), KnownCall>,
    blocks: TurnBlocks,
    /// The messages since the last request, where contents are written.
    input: String,
    /// All messages before them, where requests have their whole input.
    history: String,
    /// The events before the run, until they are read for their messages.
    earlier: Vec<Entry>,
}

/// The state that all spans of a reader share.
struct Reading<'a> {
    time: Timestamp,
    turn: u32,
    options: &'a TraceOptions,
    since: Option<Timestamp>,
    spans: &'a mut Vec<TraceSpan>,
}

impl LogSpans {
    pub(super) fn new(conversation: String, place: Option<CalledPlace>) -> Self {
        Self {
            conversation,
            trace: place.as_ref().and_then(|place| Some(place.parent?.trace)),
            place,
            last_run: None,
            origin: None,
            time: None,
            ready: None,
            run: None,
            request: None,
            answered: BTreeSet::new(),
            beside: 0,
            has_window: false,
            calls: Vec::new(),
            known: HashMap::new(),
            blocks: TurnBlocks::default(),
            input: String::new(),
            history: String::new(),
            earlier: Vec::new(),
        }
    }

    pub(super) fn continue_trace(&mut self, trace: Option<TraceId>) {
        self.trace = trace;
    }

    /// Keeps the events before the run that is read, for the messages of its requests.
    pub(super) fn keep_earlier(&mut self, log: &[Entry]) {
        self.earlier = log.to_vec();
    }

    /// Reads the messages of the events that were before the run. One that continues an earlier run
    /// has the last turn of that again, from its first event on.
    fn read_earlier(&mut self, first: &Entry, options: &TraceOptions) {
        let earlier = std::mem::take(&mut self.earlier);
        let is_before = |entry: &&Entry| first.seq.is_none() || entry.seq < first.seq;
        let (mut before, mut exported) = (Self::new(self.conversation.clone(), None), Vec::new());
        for entry in earlier.iter().filter(is_before) {
            before.entry(entry, options, None, &mut exported);
        }
        before.finish(options, None, &mut exported);
        self.history = before.history;
        add_message(&mut self.history, &before.input);
    }

    pub(super) fn is_of(&self, conversation: &str) -> bool {
        self.conversation == conversation
    }

    /// Returns the agent path, which is empty for the run's own agent.
    pub(super) fn path(&self) -> &str {
        self.place.as_ref().map_or("", |place| &place.path)
    }

    /// Returns the call that runs a conversation.
    pub(super) fn call_of(&self, conversation: &str) -> Option<KnownCall> {
        self.known.get(&called_place::call_of(conversation, &self.conversation)?).copied()
    }

    /// Returns the last open call with a name.
    pub(super) fn open_call_named(&self, name: &str) -> Option<KnownCall> {
        let call = self.calls.iter().rev().find(|call| call.name == name)?;
        self.known.values().find(|known| known.context == call.context).copied()
    }

    /// Returns the span of a request that a call made.
    pub(super) fn asked_once(
        &self,
        tool: &str,
        usage: &Usage,
        time: Timestamp,
    ) -> Option<TraceSpan> {
        let call = self.open_call_named(tool).map(|call| call.context);
        let span = asked_once(call.or_else(|| self.run_context())?, usage, time);
        Some(span.in_conversation(&self.conversation))
    }

    /// Returns the span of the run.
    pub(super) fn run_context(&self) -> Option<TraceContext> {
        let run = self.run.as_ref()?;
        Some(TraceContext::of_run(run.trace?, &self.conversation, &run.id))
    }

    pub(super) fn entry(
        &mut self,
        entry: &Entry,
        options: &TraceOptions,
        since: Option<Timestamp>,
        spans: &mut Vec<TraceSpan>,
    ) {
        if !self.earlier.is_empty() {
            self.read_earlier(entry, options);
        }
        let time = entry.timestamp.or(self.time).unwrap_or_default();
        let turn = entry.turn.unwrap_or_default();
        let mut reading = Reading { time, turn, options, since, spans };
        if let Some(copied) = copied_from(entry) {
            self.origin = Some(copied);
        }
        self.open_run(entry, &mut reading);
        self.begin_blocks(&entry.event, &mut reading);
        self.event(entry, &mut reading);
        self.end_blocks(&entry.event, &mut reading);
        self.time = Some(time);
        // A request does not wait for a person's messages beside it.
        if !is_of_person(&entry.event) {
            self.ready = self.time;
        }
    }

    pub(super) fn started(
        &mut self,
        turn: u32,
        id: &str,
        attempt: u32,
        args: &str,
        time: Option<Timestamp>,
    ) {
        if let Some(call) = self.open_call(turn, id) {
            call.started(attempt, args, time);
        }
    }

    pub(super) fn recorded(&mut self, turn: u32, id: &str, time: Option<Timestamp>) {
        if let Some(call) = self.open_call(turn, id) {
            call.recorded(time);
        }
    }

    /// Ends everything that is open.
    pub(super) fn finish(
        &mut self,
        options: &TraceOptions,
        since: Option<Timestamp>,
        spans: &mut Vec<TraceSpan>,
    ) {
        let (time, turn) = (self.time.unwrap_or_default(), 0);
        let is_waiting = self.run.as_ref().is_some_and(|run| run.outcome == Some(WAITING));
        let mut reading = Reading { time, turn, options, since, spans };
        if !is_waiting {
            for call in std::mem::take(&mut self.calls) {
                self.end_call(call, None, &mut reading);
            }
            self.finish_blocks(&mut reading);
        }
        self.end_run(&mut reading);
    }

    /// Begins the run that an entry opens. An entry that a person stores during a run has its own
    /// opening, and begins no run.
    fn open_run(&mut self, entry: &Entry, reading: &mut Reading<'_>) {
        let is_at_work = self.run.as_ref().is_some_and(|run| !run.is_over);
        let id = match &entry.opening {
            Some(opening) => {
                let is_new = self.run.as_ref().is_none_or(|run| run.id != opening.run);
                let is_beside = is_of_person(&entry.event) && is_at_work;
                (is_new && !is_beside).then(|| opening.run.clone())
            }
            // Older logs have no openings.
            None => {
                let is_prompt = matches!(entry.event, Event::User { steer: false, .. });
                let is_known = reading.since.is_some_and(|since| reading.time < since);
                let begins = self.run.is_none() && !is_known;
                let follows = is_prompt && self.run.is_some() && !is_at_work;
                (begins || follows).then(|| format!("turn {}", reading.turn))
            }
        };
        let Some(id) = id else { return };
        self.end_run(reading);
        let mut run = OpenRun::new(id, reading.time);
        run.is_copied = match (&self.origin, entry.seq) {
            (Some((_, last)), Some(seq)) => seq <= *last,
            _ => false,
        };
        let caller = entry.opening.as_ref().and_then(|opening| opening.caller);
        if let (Some(caller), false, None) = (caller, run.is_copied, &self.place) {
            let TraceContext { trace, span } = caller.context;
            (run.trace, run.caller, self.trace) = (Some(trace), Some(span), Some(trace));
        }
        self.run = Some(run);
    }

    /// Ends the run with its last request.
    fn end_run(&mut self, reading: &mut Reading<'_>) {
        self.end_request(reading);
        let Some(mut run) = self.run.take().filter(|run| run.has_work) else { return };
        let trace = run.trace.or(self.trace).unwrap_or_else(|| self.nameless(reading));
        let context = TraceContext::of_run(trace, &self.conversation, &run.id);
        let earlier = self.last_run.replace(context).filter(|earlier| earlier.trace == trace);
        run.links.extend(earlier);
        let subject = RunSubject {
            conversation: &self.conversation,
            name: self.place.as_ref().map_or(&reading.options.agent, |place| &place.name),
            path: self.path(),
            is_workflow: self.is_workflow(),
            parent: run.caller.or_else(|| Some(self.place.as_ref()?.parent?.span)),
            is_own: self.place.is_none(),
        };
        reading.push(run.into_span(context, &subject, reading.options));
    }

    fn end_request(&mut self, reading: &mut Reading<'_>) {
        if let Some(request) = self.request.take() {
            if reading.options.has_whole_input && !request.output.is_empty() {
                add_message(&mut self.history, &request.output.clone().object());
            }
            let span = request.into_span(self.place.is_none(), reading.options);
            reading.push(span.in_conversation(&self.conversation));
        }
    }

    /// Returns the trace of the current activity, and the span of the run in it, if that is known.
    fn here(&mut self, reading: &Reading<'_>) -> (TraceId, Option<SpanId>) {
        let known = self.run.as_ref().and_then(|run| run.trace).or(self.trace);
        let trace = known.unwrap_or_else(|| self.nameless(reading));
        self.trace = Some(trace);
        let run = self.run.as_mut().map(|run| {
            run.trace = Some(trace);
            TraceContext::of_run(trace, &self.conversation, &run.id).span
        });
        (trace, run)
    }

    /// Returns the trace of a log without a prompt.
    fn nameless(&self, reading: &Reading<'_>) -> TraceId {
        let turn = Some(reading.turn);
        let first = Entry { turn, timestamp: Some(reading.time), ..Entry::from(Event::End) };
        TraceId::of_prompt(&self.conversation, &first)
    }

    /// Returns whether the log is a workflow's, judged by its call or its beginning.
    fn is_workflow(&self) -> bool {
        self.place.as_ref().is_some_and(|place| place.is_workflow == Some(true))
    }

    fn open_call(&mut self, turn: u32, id: &str) -> Option<&mut UnansweredCall> {
        self.calls.iter_mut().rev().find(|call| call.turn == turn && call.id == id)
    }
}

/// Adds a message to the elements of an array.
fn add_message(messages: &mut String, message: &str) {
    if !messages.is_empty() && !message.is_empty() {
        messages.push(',');
    }
    messages.push_str(message);
}

impl Reading<'_> {
    /// Adds a span, unless it is exported already.
    fn push(&mut self, span: TraceSpan) {
        if self.since.is_none_or(|since| span.end >= since) {
            self.spans.push(span);
        }
    }
}
