//! Runs whose server is gone in the middle.

use silcrow_event::RunEvent;
use silcrow_front::RunEncoder;

use crate::scenario::Scenario;

impl Scenario {
    /// Returns everything that an encoder writes if the server of the run is gone after so many
    /// events, and the rest comes from the log.
    pub(crate) fn encode_cut(&self, encoder: &mut dyn RunEncoder, at: usize) -> String {
        let mut out = String::new();
        self.known.iter().for_each(|entry| encoder.skip(entry));
        encoder.begin(&mut out);
        self.events[..at].iter().for_each(|event| encoder.push(event.as_ref(), &mut out));
        let rest = match encoder.cut(&mut out) {
            false => &self.events[at..],
            true => {
                self.known.iter().for_each(|entry| encoder.skip(entry));
                encoder.begin(&mut out);
                &self.events[..]
            }
        };
        let entries = rest.iter().filter(|event| matches!(event, RunEvent::Entry(_)));
        entries.for_each(|event| encoder.push(event.as_ref(), &mut out));
        encoder.end(&self.end, &mut out);
        out
    }
}
