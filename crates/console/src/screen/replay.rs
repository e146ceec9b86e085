//! A replay on a screen: the recorded prompts, and marks for recorded results.

use std::collections::HashSet;

use silcrow_event::{CallResult, Content};
use silcrow_term::fit::shortened;

use super::Screen;
use crate::plural::count;

/// The replay that a screen shows.
#[derive(Default)]
pub(super) struct ShownReplay {
    /// The calls that get a recorded result, until it is shown.
    recorded: HashSet<String>,
    /// The number of recorded results.
    used: u64,
    /// The number of other results.
    others: u64,
}

impl Screen {
    /// Shows a replay from here on.
    pub fn begin_replay(&mut self) {
        self.replay = Some(ShownReplay::default());
    }

    /// Shows how much came from the log, and how the two conversations are compared.
    pub fn end_replay(&mut self, ids: &str) {
        let Some(ShownReplay { used, others, .. }) = self.replay.take() else { return };
        let used = count(used, "result");
        self.show_line(&format!(
            "replay: {used} from the log, {others} not; compare with silcrow log diff {ids}"
        ));
    }

    /// Notes that a call gets a recorded result.
    pub(super) fn recorded(&mut self, id: &str) {
        if let Some(replay) = &mut self.replay {
            replay.recorded.insert(id.to_owned());
        }
    }

    /// Returns the remark about a result, in a replay.
    pub(super) fn source(&mut self, outcome: &CallResult) -> &'static str {
        let Some(replay) = &mut self.replay else { return "" };
        match outcome.id.as_ref().is_some_and(|id| replay.recorded.remove(id)) {
            true => {
                replay.used += 1;
                " (from the log)"
            }
            false => {
                replay.others += 1;
                ""
            }
        }
    }

    /// Shows a recorded prompt that is run again.
    pub(super) fn prompt(&mut self, content: &Content) {
        if self.replay.is_some() {
            // Each prompt is a separate run, whose usage is shown at its end.
            self.steps = 0;
            self.aside(&format!("> {}\n", shortened(&content.text(), 200)));
        }
    }
}
