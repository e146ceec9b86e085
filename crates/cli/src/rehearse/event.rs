//! What happens in a rehearsal, as the outputs show it.
//!
//! The module knows what a run emits and when the text of a rehearsal is over, and not how events
//! are printed.

use std::time::Duration;

use silcrow_event::{CallTransition, ErrorEvent, Event, RunEventRef, TextFragment, TextKind};
use tokio::time::Instant;

/// An event of a rehearsal with its virtual time, counted from the start.
pub(crate) struct TimedEvent {
    pub(crate) at: Duration,
    /// The number of the answer that it belongs to.
    pub(crate) turn: u32,
    pub(crate) event: RehearsalEvent,
}

/// Something that happens in a rehearsal.
pub(crate) enum RehearsalEvent {
    /// The run emits a complete event.
    Emitted(Event),
    /// The state of a call changes.
    Call(CallTransition<'static>),
    /// A piece of the answer is shown.
    Answered(String),
    /// The last answer is over; only calls in the background may still run.
    Done,
}

/// Collects the events of a run.
pub(crate) struct Recorder {
    start: Instant,
    /// The number of answers in the script. What a run does with a further one is not rehearsed.
    answers: u32,
    events: Vec<TimedEvent>,
    /// The time at which the last answer was over, and how many events were before that.
    done: (Duration, usize),
}

impl Recorder {
    /// Creates a recorder whose time begins now.
    pub(crate) fn new(answers: usize) -> Self {
        Self {
            start: Instant::now(),
            answers: u32::try_from(answers).unwrap_or(u32::MAX),
            events: Vec::new(),
            done: (Duration::ZERO, 0),
        }
    }

    /// Takes what a run emits.
    pub(crate) fn push(&mut self, event: RunEventRef<'_>) {
        let (turn, event) = match event {
            RunEventRef::Text(TextFragment { kind: TextKind::Respond { .. }, text, .. }, place) => {
                (place.turn, RehearsalEvent::Answered(text.to_owned()))
            }
            RunEventRef::Call(transition, place) => {
                (place.turn, RehearsalEvent::Call(transition.clone().into_owned()))
            }
            RunEventRef::Entry(entry) => (entry.turn, RehearsalEvent::Emitted(entry.event.clone())),
            _ => return,
        };
        let (turn, at) = (turn.unwrap_or_default(), self.start.elapsed());
        if turn > self.answers {
            return;
        }
        match event {
            // A step of the run is over.
            RehearsalEvent::Emitted(Event::Metric(_)) => self.done = (at, self.events.len()),
            RehearsalEvent::Emitted(event) if !is_of_text(&event) => {}
            event => self.events.push(TimedEvent { at, turn, event }),
        }
    }

    /// Returns the events in order.
    pub(crate) fn finish(self) -> Vec<TimedEvent> {
        let Self { answers, mut events, done: (at, done), .. } = self;
        let after = events.split_off(done);
        events.push(TimedEvent { at, turn: answers, event: RehearsalEvent::Done });
        events.extend(after.into_iter().filter(|event| is_of_end(&event.event)));
        events
    }
}

/// Returns whether an event comes from the text or from its calls, and not from the run around it.
const fn is_of_text(event: &Event) -> bool {
    matches!(
        event,
        Event::Think(_)
            | Event::Call(_)
            | Event::Execute
            | Event::Result(_)
            | Event::Respond(_)
            | Event::Error(_)
            | Event::End
    )
}

/// Returns whether an event may follow the last answer: those of calls in the background, and the
/// end of the run or its error. That an answer which says nothing is asked for again is left out.
const fn is_of_end(event: &RehearsalEvent) -> bool {
    matches!(
        event,
        RehearsalEvent::Call(_)
            | RehearsalEvent::Emitted(
                Event::Result(_) | Event::End | Event::Error(ErrorEvent { at: None, .. })
            )
    )
}
