//! The destination of a run's output: events that are stored go to the log and then to the outlet,
//! all others directly to the outlet.

use silcrow_event::{Entry, Event, RunEventRef};
use silcrow_exec::Budget;

use crate::error::Error;
use crate::log::Log;
use crate::outlet::Outlet;

/// The log and the outlet of a run.
pub(crate) struct OutputSink<'a> {
    pub(crate) log: Log<'a>,
    budget: Budget,
    outlet: &'a mut dyn Outlet,
}

impl<'a> OutputSink<'a> {
    pub(crate) fn new(log: Log<'a>, budget: Budget, outlet: &'a mut dyn Outlet) -> Self {
        Self { log, budget, outlet }
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
        self.outlet.emit(event);
    }

    /// Emits an event of a turn that is not stored.
    pub(crate) fn pass(&mut self, turn: u32, event: Event) {
        self.budget.add_events(1);
        let entry = self.log.pass(turn, event);
        self.pass_entry(&entry);
    }

    /// Emits an entry of another log.
    pub(crate) fn pass_entry(&mut self, entry: &Entry) {
        self.outlet.emit(RunEventRef::Entry(entry));
    }

    /// Stores and emits events of a turn in order. An event that is not stored is only emitted,
    /// except the end, which the run emits when it is over.
    pub(crate) async fn emit(&mut self, turn: u32, events: Vec<Event>) -> Result<(), Error> {
        let mut batch = Vec::new();
        for event in events {
            if event.is_stored() {
                batch.push(event);
                continue;
            }
            self.store(turn, std::mem::take(&mut batch)).await?;
            if event != Event::End {
                self.pass(turn, event);
            }
        }
        self.store(turn, batch).await
    }

    /// Stores all events of a turn or none, and then emits them.
    pub(crate) async fn store(&mut self, turn: u32, events: Vec<Event>) -> Result<(), Error> {
        if !events.is_empty() {
            self.budget.add_events(events.len() as u64);
            for entry in self.log.append(turn, events).await? {
                self.outlet.emit(RunEventRef::Entry(entry));
            }
        }
        Ok(())
    }
}
