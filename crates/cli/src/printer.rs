use std::io::{self, Write as _};

use silcrow_agent::Output;
use silcrow_event::{Entry, Event};

/// A run as a program follows it: one JSON object a line on standard output.
pub(crate) struct Printer {
    /// Text is printed in fragments, and its complete events are not.
    pub(crate) tokens: bool,
    /// The run's error was printed.
    pub(crate) failed: bool,
}

impl Printer {
    pub(crate) fn show(&mut self, output: Output<'_>) {
        match output {
            Output::Text(text, place) if self.tokens => line(&text.to_json(&place)),
            Output::Event(entry) => self.entry(entry),
            _ => {}
        }
    }

    pub(crate) fn entry(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Think(_) | Event::Respond(_) if self.tokens => return,
            Event::Error(fault) if fault.at.is_none() => self.failed = true,
            _ => {}
        }
        line(&entry.to_json());
    }
}

/// A reader that has gone is no reason to stop the run: what it does is stored.
fn line(json: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{json}").and_then(|()| out.flush());
}
