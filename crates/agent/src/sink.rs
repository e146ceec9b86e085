use silcrow_event::{Entry, Event};
use silcrow_exec::Budget;

use crate::agent::RunEvent;
use crate::error::Error;
use crate::log::Log;

/// Where a run's output goes: what is to be stored to the log and then to whoever watches, the rest
/// to them at once.
pub(crate) struct OutputSink<'a> {
    pub(crate) log: Log<'a>,
    budget: Budget,
    show: &'a mut Show<'a>,
}

/// Whoever watches.
pub(crate) type Show<'a> = dyn FnMut(RunEvent<'_>) + Send + 'a;

impl<'a> OutputSink<'a> {
    pub(crate) fn new(log: Log<'a>, budget: Budget, show: &'a mut Show<'a>) -> Self {
        Self { log, budget, show }
    }

    pub(crate) fn show(&mut self, output: RunEvent<'_>) {
        (self.show)(output);
    }

    /// Gives out an event of a turn that is not stored.
    pub(crate) fn pass(&mut self, turn: u32, event: Event) {
        self.budget.add_events(1);
        let entry = self.log.pass(turn, event);
        self.pass_entry(&entry);
    }

    /// Gives out an entry of another log.
    pub(crate) fn pass_entry(&mut self, entry: &Entry) {
        (self.show)(RunEvent::Event(entry));
    }

    /// Stores and shows events of a turn in order; those that are not stored are shown at their
    /// place.
    pub(crate) async fn emit(&mut self, turn: u32, events: Vec<Event>) -> Result<(), Error> {
        let mut batch = Vec::new();
        for event in events {
            if event.is_stored() {
                batch.push(event);
                continue;
            }
            self.store(turn, std::mem::take(&mut batch)).await?;
            // The run has one end, and it comes when the run is over.
            if event != Event::End {
                self.pass(turn, event);
            }
        }
        self.store(turn, batch).await
    }

    /// Stores events of a turn, all or none, and shows them.
    pub(crate) async fn store(&mut self, turn: u32, events: Vec<Event>) -> Result<(), Error> {
        if !events.is_empty() {
            self.budget.add_events(events.len() as u64);
            for entry in self.log.append(turn, events).await? {
                (self.show)(RunEvent::Event(entry));
            }
        }
        Ok(())
    }
}
