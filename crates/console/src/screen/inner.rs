//! The events of agents and workflows that calls run, as a screen shows them.

use silcrow_event::Event;
use silcrow_term::fit::shortened;

use super::Screen;
use super::changes::changed_lines;
use crate::instance::instance;

impl Screen {
    /// Shows an event of an agent or workflow that a call runs, on one line with its path.
    pub(super) fn inner(&mut self, path: &str, event: &Event) {
        self.close();
        let whose = match instance(event) {
            Some(id) => format!("  {} {} ", shortened(path, 80), shortened(id, 60)),
            None => format!("  {} ", shortened(path, 80)),
        };
        match event {
            Event::Think(think) => {
                self.aside(&format!("{whose}· {}\n", shortened(&think.content, 200)));
            }
            Event::Respond(respond) => {
                self.aside(&format!("{whose}: {}\n", shortened(&respond.content, 200)));
            }
            Event::Call(call) => {
                let (name, args) = (shortened(call.name(), 60), shortened(call.args(), 200));
                self.aside(&format!("{whose}→ {name} {args}\n"));
            }
            Event::Result(outcome) => {
                self.aside(&whose);
                self.result("", outcome, "");
            }
            Event::Changes(changes) => self.aside(&changed_lines(changes, self.diff)),
            _ => {}
        }
    }
}
