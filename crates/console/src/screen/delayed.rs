//! Events that wait for the end of a line of the answer.
//!
//! If the answer and everything else share a terminal, a line about an event would break the line
//! of the answer that is being written. So it waits until that line ends, or something ends the
//! answer.

use silcrow_event::{Entry, Event};

use super::Screen;

impl Screen {
    /// Returns whether an event waits, because it is about something beside the answer.
    pub(super) fn is_delayed(&self, entry: &Entry) -> bool {
        let ends_answer = match &entry.event {
            Event::Think(_) | Event::Respond(_) | Event::End | Event::Metric(_) => true,
            Event::Interrupt { .. } | Event::Cancelled { .. } | Event::Notice { .. } => true,
            Event::Error(fault) => fault.at.is_none(),
            _ => false,
        };
        let is_beside = !ends_answer || entry.agent_path.is_some();
        is_beside && self.open.is_some() && self.answer.is_within_line()
    }

    /// Writes a piece of the answer, and the events that wait after the first line that it ends.
    pub(super) fn write_answer(&mut self, text: &str) {
        let rest = match self.delayed.is_empty() {
            true => None,
            false => self.answer.push_line(text),
        };
        let Some(rest) = rest else { return self.answer.push(text) };
        self.show_delayed();
        self.answer.push(&rest);
    }

    /// Shows the events that wait, between two lines of the answer.
    pub(super) fn show_delayed(&mut self) {
        let open = self.open.take();
        for entry in std::mem::take(&mut self.delayed) {
            self.event(&entry);
        }
        self.open = open;
    }
}
