//! The destination of a run's output: events that are stored go to the log and then to the outlet,
//! all others directly to the outlet.

use std::mem::take;

use silcrow_event::{CallTransition, Entry, Event, RunEventRef};
use silcrow_exec::Budget;

use crate::error::Error;
use crate::given_answer::{GivenAnswer, store_answers};
use crate::log::Log;
use crate::observer::EventWatch;
use crate::outlet::Outlet;

/// The log and the outlet of a run.
pub(crate) struct OutputSink<'a> {
    pub(crate) log: Log<'a>,
    budget: Budget,
    outlet: &'a mut dyn Outlet,
    watch: Option<EventWatch>,
}

/// The items that a turn emits in order with its events.
pub(crate) enum SinkOutput<'a> {
    /// An event, which is stored if events of its type are.
    Event(Event),
    /// A change in the state of a call, which is only shown.
    Call(CallTransition<'a>),
}

impl<'a> OutputSink<'a> {
    pub(crate) fn new(
        log: Log<'a>,
        budget: Budget,
        outlet: &'a mut dyn Outlet,
        watch: Option<EventWatch>,
    ) -> Self {
        Self { log, budget, outlet, watch }
    }

    /// Returns whether the receiver of the events has not taken all of them.
    pub(crate) fn is_behind(&self) -> bool {
        self.outlet.is_behind()
    }

    /// Waits until the receiver has taken all events. Cancel-safe.
    pub(crate) async fn flush(&mut self) {
        self.outlet.flush().await;
    }

    pub(crate) fn show(&mut self, event: RunEventRef<'_>) {
        deliver(&mut self.watch, self.outlet, event);
    }

    /// Emits a change in the state of a call of a turn.
    pub(crate) fn show_call(&mut self, turn: u32, transition: &CallTransition<'_>) {
        self.show(RunEventRef::Call(transition, self.log.place(turn)));
    }

    /// Emits an event of a turn that is not stored.
    pub(crate) fn pass(&mut self, turn: u32, event: Event) {
        self.budget.add_events(1);
        let entry = self.log.pass(turn, event);
        self.pass_entry(&entry);
    }

    /// Emits an entry of another log.
    pub(crate) fn pass_entry(&mut self, entry: &Entry) {
        self.show(RunEventRef::Entry(entry));
    }

    /// Stores and emits outputs of a turn in order. Items that are not stored are only emitted,
    /// except the end, which the run emits when it is over.
    pub(crate) async fn emit(
        &mut self,
        turn: u32,
        outputs: Vec<SinkOutput<'_>>,
    ) -> Result<(), Error> {
        let (mut events, mut transitions) = (Vec::new(), Vec::new());
        for output in outputs {
            let event = match output {
                SinkOutput::Event(event) => event,
                SinkOutput::Call(transition) => {
                    transitions.push((events.len(), transition));
                    continue;
                }
            };
            if event.is_stored() {
                events.push(event);
                continue;
            }
            let (events, transitions) = (take(&mut events), take(&mut transitions));
            self.store_with(turn, events, transitions).await?;
            if event != Event::End {
                self.pass(turn, event);
            }
        }
        self.store_with(turn, events, transitions).await
    }

    /// Stores all events of a turn or none, and then emits them.
    pub(crate) async fn store(&mut self, turn: u32, events: Vec<Event>) -> Result<(), Error> {
        self.store_with(turn, events, Vec::new()).await
    }

    /// Stores a notice about a turn and emits it, unless an earlier run that read the turn has.
    pub(crate) async fn store_notice(&mut self, turn: u32, notice: Event) -> Result<(), Error> {
        let is_it = |entry: &Entry| entry.turn == Some(turn) && entry.event == notice;
        if self.log.entries().iter().any(is_it) {
            return Ok(());
        }
        self.store(turn, vec![notice]).await
    }

    /// Stores all events of these turns or none, and then emits them.
    pub(crate) async fn store_turns(&mut self, events: Vec<(u32, Event)>) -> Result<(), Error> {
        self.budget.add_events(events.len() as u64);
        let entries = self.log.append_turns(events).await?;
        for entry in entries {
            deliver(&mut self.watch, self.outlet, RunEventRef::Entry(entry));
        }
        Ok(())
    }

    /// Takes and emits entries that a person has stored meanwhile.
    pub(crate) async fn refresh(&mut self) -> Result<(), Error> {
        let head = self.log.entries().len();
        self.log.refresh().await?;
        for entry in &self.log.entries()[head..] {
            deliver(&mut self.watch, self.outlet, RunEventRef::Entry(entry));
        }
        Ok(())
    }

    /// Stores answers to questions, and then emits the run's own.
    pub(crate) async fn store_answers(&mut self, given: &[GivenAnswer]) -> Result<(), Error> {
        let head = self.log.entries().len();
        store_answers(&mut self.log, given, None).await?;
        for entry in &self.log.entries()[head..] {
            deliver(&mut self.watch, self.outlet, RunEventRef::Entry(entry));
        }
        Ok(())
    }

    /// Stores all events of a turn or none, and then emits them. A transition is emitted after as
    /// many of the events as its number says.
    async fn store_with(
        &mut self,
        turn: u32,
        events: Vec<Event>,
        transitions: Vec<(usize, CallTransition<'_>)>,
    ) -> Result<(), Error> {
        let (head, count) = (self.log.entries().len(), events.len());
        if !events.is_empty() {
            self.budget.add_events(events.len() as u64);
            self.log.append(turn, events).await?;
        }
        let place = self.log.place(turn);
        let mut transitions = transitions.iter().peekable();
        // Entries that a person stored meanwhile come first.
        let (adopted, own) =
            self.log.entries()[head..].split_at(self.log.entries().len() - head - count);
        for entry in adopted {
            deliver(&mut self.watch, self.outlet, RunEventRef::Entry(entry));
        }
        for (index, entry) in own.iter().enumerate() {
            while let Some((_, transition)) = transitions.next_if(|(after, _)| *after == index) {
                deliver(&mut self.watch, self.outlet, RunEventRef::Call(transition, place));
            }
            deliver(&mut self.watch, self.outlet, RunEventRef::Entry(entry));
        }
        for (_, transition) in transitions {
            deliver(&mut self.watch, self.outlet, RunEventRef::Call(transition, place));
        }
        Ok(())
    }
}

/// Passes an event to the watch of the run, and to the outlet.
fn deliver(watch: &mut Option<EventWatch>, outlet: &mut dyn Outlet, event: RunEventRef<'_>) {
    if let RunEventRef::Entry(entry) = event
        && entry.event.has_opaque()
    {
        // Only the model reads it.
        let event = entry.event.clone().without_opaque();
        let shown = Entry { event, ..entry.clone() };
        return deliver(watch, outlet, RunEventRef::Entry(&shown));
    }
    if let Some(watch) = watch {
        watch(event);
    }
    outlet.emit(event);
}
