//! The events of a simulation, and their form as JSON.
//!
//! The module handles the events of a run, and decides when the text of a simulation is over.

use std::collections::BTreeSet;
use std::mem::take;
use std::time::Duration;

use silcrow_event::{
    CallTransition, Entry, ErrorEvent, Event, Json, RunEventRef, TextFragment, TextKind,
};
use tokio::time::Instant;

use crate::inner_calls::{InnerCalls, InnerNote, ended};

/// An event of a simulation with its time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TimedEvent {
    /// The virtual time since the start, in whole milliseconds.
    pub at: Duration,
    /// The number of the answer that the event belongs to, from 1.
    pub turn: u32,
    /// The path of the workflow that runs the call, such as `workflow`; `None` for a call of the text.
    pub agent_path: Option<String>,
    /// The event.
    pub event: SimulationEvent,
}

/// Something that happens in a simulation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SimulationEvent {
    /// The run emits a complete event.
    Emitted(Event),
    /// The state of a call changes.
    Call(CallTransition<'static>),
    /// A piece of the answer is shown.
    Answered(String),
    /// The last answer is over; only calls in the background may still run.
    Done,
}

impl TimedEvent {
    /// Returns the event as one line of JSON, or `None` for one that only a picture shows.
    ///
    /// The virtual time is the last member, `at`, in milliseconds. `type` is `start`, `finish` or `bind`
    /// for the state of a call, `text` for a piece of the answer, `done` for the end of the last answer,
    /// and otherwise the type of the event as the log has it.
    ///
    /// ```
    /// use silcrow_parser::Dialect;
    /// use silcrow_simulation::Simulation;
    ///
    /// let events = Simulation::new("§respond: Hello.\n§end", Dialect::Sigil).run()?;
    /// let lines: Vec<_> = events.iter().filter_map(|event| event.to_json()).collect();
    /// assert!(lines[0].starts_with(r#"{"type":"text","kind":"respond","content":"#));
    /// assert!(lines.contains(&r#"{"type":"respond","content":"Hello.","at":0}"#.to_owned()));
    /// assert!(lines.contains(&r#"{"type":"done","at":0}"#.to_owned()));
    /// # Ok::<_, silcrow_simulation::Error>(())
    /// ```
    pub fn to_json(&self) -> Option<String> {
        let mut line = match &self.event {
            // The virtual time takes the place of the offset.
            SimulationEvent::Emitted(Event::Error(error)) => {
                Event::Error(ErrorEvent { at: None, ..error.clone() }).to_json()
            }
            SimulationEvent::Emitted(event) => event.to_json(),
            SimulationEvent::Call(transition) => transition_json(transition)?,
            SimulationEvent::Answered(text) => {
                format!(r#"{{"type":"text","kind":"respond","content":{}}}"#, string(text))
            }
            SimulationEvent::Done => r#"{"type":"done"}"#.to_owned(),
        };
        line.pop();
        if let Some(path) = &self.agent_path {
            line += &format!(",\"agent_path\":{}", string(path));
        }
        // Tokio's timers end at whole milliseconds.
        Some(format!("{line},\"at\":{}}}", self.at.as_millis()))
    }
}

/// Returns a change in the state of a call as a JSON object, unless only a picture shows it.
fn transition_json(transition: &CallTransition<'_>) -> Option<String> {
    Some(match transition {
        CallTransition::Ready { id, attempt, args } => format!(
            r#"{{"type":"start","id":{},"attempt":{attempt},"args":{}}}"#,
            string(id),
            one_line(args),
        ),
        CallTransition::Ended { id, end, reason } => format!(
            r#"{{"type":"finish","id":{},"status":"{}","reason":{}}}"#,
            string(id),
            end.as_str(),
            reason.as_ref().map_or_else(|| "null".to_owned(), |reason| string(reason)),
        ),
        CallTransition::Bound { name, value } => {
            format!(r#"{{"type":"bind","name":{},"value":{value}}}"#, string(name))
        }
        _ => return None,
    })
}

fn string(text: &str) -> String {
    Json::string(text).to_string()
}

/// Returns the model's JSON without line breaks between its tokens.
fn one_line(json: &str) -> String {
    Json::parse(json).map_or_else(|| "{}".to_owned(), |json| json.to_string())
}

/// Collects the events of a run.
pub(crate) struct Recorder {
    start: Instant,
    /// The number of the answer that is played.
    turn: u32,
    /// The events of calls that another call runs.
    inner: InnerCalls,
    /// Notes about such calls from before their own events arrived.
    noted: Vec<InnerNote>,
    /// The calls whose events have arrived, each with its path.
    known: BTreeSet<(String, String)>,
    /// The number of answers in the script. The behaviour of a run after further answers is not
    /// simulated.
    answers: u32,
    events: Vec<TimedEvent>,
    /// The time at which the last answer was over, and the number of events before that.
    done: (Duration, usize),
}

impl Recorder {
    /// Creates a recorder whose time begins now.
    pub(crate) fn new(answers: usize, inner: InnerCalls) -> Self {
        Self {
            start: Instant::now(),
            turn: 0,
            inner,
            noted: Vec::new(),
            known: BTreeSet::new(),
            answers: u32::try_from(answers).unwrap_or(u32::MAX),
            events: Vec::new(),
            done: (Duration::ZERO, 0),
        }
    }

    /// Takes an event of a run.
    pub(crate) fn record(&mut self, event: RunEventRef<'_>) {
        self.take_inner();
        if let RunEventRef::Entry(Entry { event, agent_path: Some(path), .. }) = event {
            return self.push_inner(path, event);
        }
        let (turn, event) = match event {
            RunEventRef::Text(TextFragment { kind: TextKind::Respond { .. }, text, .. }, place) => {
                (place.turn, SimulationEvent::Answered(text.to_owned()))
            }
            RunEventRef::Call(transition, place) => {
                (place.turn, SimulationEvent::Call(transition.clone().into_owned()))
            }
            RunEventRef::Entry(entry) => {
                (entry.turn, SimulationEvent::Emitted(entry.event.clone()))
            }
            _ => return,
        };
        let (turn, at) = (turn.unwrap_or_default(), self.start.elapsed());
        self.turn = turn.max(self.turn);
        if turn > self.answers {
            return;
        }
        match event {
            // A step of the run is over.
            SimulationEvent::Emitted(Event::Metric(_)) => self.done = (at, self.events.len()),
            SimulationEvent::Emitted(event) if !is_of_text(&event) => {}
            event => self.add(at, turn, None, event),
        }
    }

    /// Takes an event of something that a call runs.
    fn push_inner(&mut self, path: &str, event: &Event) {
        let (at, turn) = (self.start.elapsed(), self.turn);
        match event {
            Event::Call(call) => {
                self.known.insert((path.to_owned(), call.id().to_owned()));
                self.add(at, turn, Some(path.to_owned()), SimulationEvent::Emitted(event.clone()));
            }
            Event::Result(result) => {
                // A block has a result, too, and never runs.
                let place = (path.to_owned(), result.id.clone().unwrap_or_default());
                let is_call = self.known.contains(&place);
                let ended = ended(result).filter(|_| is_call).map(SimulationEvent::Call);
                for event in [ended, Some(SimulationEvent::Emitted(event.clone()))] {
                    event
                        .into_iter()
                        .for_each(|event| self.add(at, turn, Some(path.to_owned()), event));
                }
            }
            _ => {}
        }
    }

    /// Takes the notes about calls that another call runs. A note about a call waits for its event,
    /// which is on its way when the call starts.
    fn take_inner(&mut self) {
        self.noted.extend(self.inner.take());
        let known = &self.known;
        let is_known =
            |note: &InnerNote| known.contains(&(note.agent_path.clone(), note.id.clone()));
        let noted = take(&mut self.noted).into_iter();
        let (arrived, waiting): (Vec<_>, Vec<_>) = noted.partition(is_known);
        self.noted = waiting;
        for note in arrived {
            let at = note.since(self.start);
            let event = SimulationEvent::Call(note.transition);
            self.add(at, self.turn, Some(note.agent_path), event);
        }
    }

    fn add(&mut self, at: Duration, turn: u32, agent_path: Option<String>, event: SimulationEvent) {
        if turn <= self.answers {
            self.events.push(TimedEvent { at, turn, agent_path, event });
        }
    }

    /// Returns the events in order.
    pub(crate) fn finish(mut self) -> Vec<TimedEvent> {
        self.take_inner();
        let Self { answers, mut events, done: (at, done), .. } = self;
        let after = events.split_off(done);
        let done = TimedEvent { at, turn: answers, agent_path: None, event: SimulationEvent::Done };
        events.push(done);
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
            | Event::Block(_)
            | Event::Execute
            | Event::Result(_)
            | Event::Respond(_)
            | Event::Error(_)
            | Event::End
    )
}

/// Returns whether an event may follow the last answer: events of calls in the background, and the
/// end of the run or its error. The repeated request after an empty answer is left out.
const fn is_of_end(event: &SimulationEvent) -> bool {
    matches!(
        event,
        SimulationEvent::Call(_)
            | SimulationEvent::Emitted(
                Event::Result(_) | Event::End | Event::Error(ErrorEvent { at: None, .. })
            )
    )
}
