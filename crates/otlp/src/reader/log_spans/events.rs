//! The meaning of each event of a log for runs, requests and calls.

use silcrow_event::{
    ApprovalState, Call, CallResult, ConversationOrigin, Entry, ErrorEvent, ErrorOrigin, Event,
    Metric, Timestamp, TraceContext, TraceId,
};

use super::{LogSpans, Reading, add_message};
use crate::options::TraceOptions;
use crate::reader::called_place::{KnownCall, is_workflow};
use crate::reader::contents::MessageText;
use crate::reader::open_run::{ANSWERED, CANCELLED, OpenRun, WAITING};
use crate::reader::pending_request::{PendingRequest, STOPPED, before, cut_short};
use crate::reader::unanswered_call::UnansweredCall;

impl LogSpans {
    pub(super) fn event(&mut self, entry: &Entry, reading: &mut Reading<'_>) {
        let Reading { time, turn, options, .. } = *reading;
        match &entry.event {
            Event::User { content, steer } => {
                if !steer {
                    self.prompted(entry, &content.text(), time);
                }
                self.read(options, || MessageText::new("user").text(&content.text()));
            }
            Event::Think(think) => {
                if let Some(request) = self.written(reading) {
                    request.write(options, |message| message.reasoning(&think.content));
                }
            }
            Event::Respond(respond) => {
                if let Some(request) = self.written(reading) {
                    request.write(options, |message| message.text(&respond.content));
                    if respond.last {
                        request.finish = Some(STOPPED);
                    }
                }
                if respond.last {
                    self.with_run(|run| {
                        run.ended(ANSWERED, time);
                        run.output = options.has_contents.then(|| respond.content.clone());
                    });
                }
            }
            Event::Call(call) => self.called(call, entry, reading),
            Event::Result(result) => self.result(result, reading),
            Event::Batch(batch) => {
                for result in batch.unfold() {
                    self.result(&result, reading);
                }
            }
            Event::Approval(approval)
                if approval.state == ApprovalState::Allowed && !approval.is_at_wall() =>
            {
                if let Some(call) = self.open_call(turn, &approval.id) {
                    call.allowed(time);
                }
            }
            Event::Notice { .. } => self.with_run(|run| run.continues(time)),
            Event::Metric(metric) => self.measured(metric, reading),
            Event::Error(error) if error.at.is_none() => self.failed(error, turn, time),
            Event::Failed(error) => self.failed(error, turn, time),
            Event::Cancelled { .. } => self.with_run(|run| run.ended(CANCELLED, time)),
            Event::Execute => self.finished(turn, STOPPED),
            Event::Parked(_) => self.with_run(|run| run.ended(WAITING, time)),
            Event::End => self.with_run(|run| run.works(time)),
            _ => {}
        }
    }

    fn with_run(&mut self, take: impl FnOnce(&mut OpenRun)) {
        if let Some(run) = &mut self.run {
            take(run);
        }
    }

    /// Takes a message to the model, which the next request has.
    fn read(&mut self, options: &TraceOptions, message: impl FnOnce() -> MessageText) {
        if options.has_contents {
            add_message(&mut self.input, &message().object());
        }
    }

    fn prompted(&mut self, entry: &Entry, text: &str, time: Timestamp) {
        let Some(run) = &mut self.run else { return };
        run.works(time);
        if run.trace.is_none() && self.place.is_none() {
            let trace = TraceId::of_prompt(&self.conversation, entry);
            (run.trace, self.trace, self.last_run) = (Some(trace), Some(trace), None);
            if let (Some((origin, _)), true) = (&self.origin, run.is_copied) {
                let trace = TraceId::of_prompt(origin, entry);
                run.links.push(TraceContext::of_run(trace, origin, &run.id));
            }
        }
        run.input.get_or_insert_with(|| text.to_owned());
    }

    /// Takes a part of an answer, and returns its request. A workflow makes none.
    fn written(&mut self, reading: &mut Reading<'_>) -> Option<&mut PendingRequest> {
        self.with_run(|run| run.continues(reading.time));
        if self.is_workflow() {
            return None;
        }
        let is_open = |request: &PendingRequest| request.turn == reading.turn && !request.is_over();
        if !self.request.as_ref().is_some_and(is_open) {
            // A run that continues has read its last answer to the end.
            if let Some(earlier) = &mut self.request
                && earlier.turn < reading.turn
            {
                earlier.read_on();
            }
            self.end_request(reading);
            let start = self.ready.unwrap_or(reading.time);
            let name = match self.answered.insert(reading.turn) {
                true => "answer".to_owned(),
                false => self.name_beside(),
            };
            self.request = Some(self.new_request(&name, (start, reading.time), reading));
        }
        let request = self.request.as_mut()?;
        request.has_answer = true;
        request.end = request.end.max(reading.time);
        Some(request)
    }

    fn name_beside(&mut self) -> String {
        self.beside += 1;
        format!("beside {}", self.beside)
    }

    fn new_request(
        &mut self,
        name: &str,
        (start, end): (Timestamp, Timestamp),
        reading: &Reading<'_>,
    ) -> PendingRequest {
        let (trace, parent) = self.here(reading);
        let turn = reading.turn;
        PendingRequest {
            turn,
            start,
            end,
            context: TraceContext::of_request(trace, &self.conversation, turn, name),
            parent,
            usage: None,
            has_answer: false,
            finish: None,
            error: None,
            input: self.input_of_request(reading.options),
            output: MessageText::new("assistant"),
        }
    }

    /// Returns the messages of the next request, and begins to collect messages for the one after
    /// it.
    fn input_of_request(&mut self, options: &TraceOptions) -> String {
        let new = std::mem::take(&mut self.input);
        if !options.has_whole_input {
            return new;
        }
        add_message(&mut self.history, &new);
        self.history.clone()
    }

    fn called(&mut self, call: &Call, entry: &Entry, reading: &mut Reading<'_>) {
        self.recognize(call);
        let options = reading.options;
        if let Some(request) = self.written(reading) {
            request.write(options, |it| it.call(call.id(), call.name(), call.args()));
        }
        let key = (reading.turn, call.id().to_owned());
        let earlier = self.known.get(&key);
        // A run that continues emits its last turn again.
        if earlier.is_some_and(|known| known.seq.is_some() && known.seq == entry.seq) {
            return;
        }
        // Logs without turns repeat the ids of calls.
        let id = match earlier {
            Some(_) => format!("{} {}", call.id(), self.known.len()),
            None => call.id().to_owned(),
        };
        let (trace, run) = self.here(reading);
        let parent = self.blocks.parent_of(call.id()).or(run);
        let context = TraceContext::of_call(trace, &self.conversation, reading.turn, &id);
        let is_workflow = call.action().and_then(|action| is_workflow(action.kind));
        self.known.insert(key, KnownCall { context, seq: entry.seq, is_workflow });
        let mut open = UnansweredCall::new(call, reading.turn, context, reading.time, options);
        (open.parent, open.is_own) = (parent, self.place.is_none());
        self.calls.push(open);
    }

    /// Decides by its first call whether a log is a workflow's, if the call that runs it does not
    /// show it: a workflow begins with its arguments, and its calls are actions.
    fn recognize(&mut self, call: &Call) {
        let Some(place) = &mut self.place else { return };
        if place.is_workflow.is_none() {
            let input = self.run.as_ref().and_then(|run| run.input.as_deref());
            let has_args = input.is_some_and(|text| text.trim_start().starts_with('{'));
            let is_first = self.request.is_none() && self.known.is_empty();
            place.is_workflow = Some(has_args && is_first && call.action().is_some());
        }
    }

    fn result(&mut self, result: &CallResult, reading: &mut Reading<'_>) {
        self.with_run(|run| run.continues(reading.time));
        let is_it = |call: &UnansweredCall| {
            call.turn == reading.turn && result.id.as_ref().is_none_or(|id| call.id == *id)
        };
        // A result without an id belongs to the first call without one.
        let at = match result.id {
            Some(_) => self.calls.iter().rposition(is_it),
            None => self.calls.iter().position(is_it),
        };
        let id = result.id.as_deref().unwrap_or_default();
        self.read(reading.options, || {
            MessageText::new("tool").response(id, &result.content.text())
        });
        if let Some(at) = at {
            let call = self.calls.remove(at);
            self.end_call(call, Some(result), reading);
        }
    }

    /// Ends a call, of which a run may have been read only in part.
    pub(super) fn end_call(
        &mut self,
        mut call: UnansweredCall,
        result: Option<&CallResult>,
        reading: &mut Reading<'_>,
    ) {
        if call.parent.is_none() {
            call.parent = self.here(reading).1;
        }
        let span = call.into_span(result, reading.time, reading.options);
        reading.push(span.in_conversation(&self.conversation));
    }

    /// Takes the usage of a request: the answer's, or another request's, such as for a summary, or
    /// one that failed before its answer.
    fn measured(&mut self, metric: &Metric, reading: &mut Reading<'_>) {
        let (time, usage) = (reading.time, &metric.step);
        self.with_run(|run| {
            run.works(time);
            run.usage += *usage;
        });
        self.has_window |= metric.window.is_some();
        let is_of_answer = metric.window.is_some() || !self.has_window;
        if let Some(request) = &mut self.request
            && is_of_answer
            && request.turn == reading.turn
            && !request.is_over()
        {
            return request.measure(usage);
        }
        let name = self.name_beside();
        let times = (before(time, usage.duration), time);
        let mut beside = self.new_request(&name, times, reading);
        beside.measure(usage);
        if self.request.as_ref().is_some_and(|request| !request.is_over()) {
            let span = beside.into_span(self.place.is_none(), reading.options);
            reading.push(span.in_conversation(&self.conversation));
        } else {
            self.end_request(reading);
            self.request = Some(beside);
        }
    }

    /// Takes why the answer of a turn ended.
    fn finished(&mut self, turn: u32, reason: &'static str) {
        if let Some(request) = self.request.as_mut().filter(|request| request.turn == turn) {
            request.finish = Some(reason);
        }
    }

    fn failed(&mut self, error: &ErrorEvent, turn: u32, time: Timestamp) {
        self.with_run(|run| run.failed(error, time));
        if let Some(reason) = cut_short(&error.code) {
            self.finished(turn, reason);
        }
        if let Some(request) = &mut self.request
            && (error.origin, request.turn) == (ErrorOrigin::Provider, turn)
        {
            request.error = Some((error.code.clone(), error.content.clone()));
        }
    }
}

impl PendingRequest {
    fn write(&mut self, options: &TraceOptions, part: impl FnOnce(MessageText) -> MessageText) {
        if options.has_contents {
            let output = std::mem::replace(&mut self.output, MessageText::new("assistant"));
            self.output = part(output);
        }
    }
}

/// Returns whether a person may store an event while a run is at work, without their own run.
pub(super) fn is_of_person(event: &Event) -> bool {
    match event {
        Event::Approval(approval) => {
            !matches!(approval.state, ApprovalState::Asked) && !approval.is_at_wall()
        }
        Event::User { steer, .. } => *steer,
        event => event.is_beside_runs(),
    }
}

/// Returns the conversation whose events a fork has copies of, and the position of the last of them.
pub(super) fn copied_from(entry: &Entry) -> Option<(String, u64)> {
    match entry.origin.as_ref()? {
        ConversationOrigin::Fork(point) => Some((point.conversation.clone(), point.seq)),
        ConversationOrigin::Replay(_) => None,
    }
}
