//! Runs whose server is gone in the middle.

use silcrow_event::{Event, RunEvent};
use silcrow_front::{RunEncoder, RunEnd};

use crate::run_writer::RunWriter;
use crate::scenario::Scenario;

/// Returns everything that an encoder writes if the server of a run is gone after `Seventeen`, and the
/// next one says `Eighteen seals.` instead.
pub(crate) fn encode_said_again(encoder: &mut dyn RunEncoder) -> String {
    let mut run = RunWriter::begin("How many?", Some(100));
    run.answer_piece("Seventeen");
    let at = run.events.len();
    run.store(Event::respond("Eighteen seals."));
    let (name, known, end) = ("again", Vec::new(), RunEnd::Answered);
    Scenario { name, known, events: run.events, end }.encode_cut(encoder, at)
}

impl Scenario {
    /// Returns everything that an encoder writes if the server of the run is gone after so many
    /// events, and the rest comes from the log.
    pub(crate) fn encode_cut(&self, encoder: &mut dyn RunEncoder, at: usize) -> String {
        let mut out = String::new();
        self.known.iter().for_each(|entry| encoder.skip(entry));
        encoder.begin(&mut out);
        self.events[..at].iter().for_each(|event| encoder.encode(event.as_ref(), &mut out));
        let rest = match encoder.cut(&mut out) {
            false => &self.events[at..],
            true => {
                self.known.iter().for_each(|entry| encoder.skip(entry));
                encoder.begin(&mut out);
                &self.events[..]
            }
        };
        let entries = rest.iter().filter(|event| matches!(event, RunEvent::Entry(_)));
        entries.for_each(|event| encoder.encode(event.as_ref(), &mut out));
        encoder.end(&self.end, &mut out);
        out
    }
}
