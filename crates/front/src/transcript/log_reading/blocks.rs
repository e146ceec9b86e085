//! The control blocks of a log: when each begins and ends in the transcript.

use silcrow_event::{BlockChange, Entry, Event};

use super::LogReading;
use crate::transcript::ChangeReceiver;
use crate::transcript::change::TranscriptChange;

impl LogReading {
    /// Takes an event before anything else does: blocks begin.
    pub(super) fn begin_blocks(&mut self, entry: &Entry, to: &mut ChangeReceiver<'_>) {
        if matches!(entry.event, Event::Block(_) | Event::Call(_)) {
            self.begin_turn(entry.turn, to);
            let agent = self.agent.as_ref();
            self.blocks.before(&entry.event, &mut |change| to(agent, transcript_change(change)));
        }
    }

    /// Takes the event once everything else has taken it: blocks end.
    pub(super) fn end_blocks(&mut self, entry: &Entry, to: &mut ChangeReceiver<'_>) {
        if entry.turn == Some(self.turn) && !self.blocks.is_empty() {
            let agent = self.agent.as_ref();
            self.blocks.after(&entry.event, &mut |change| to(agent, transcript_change(change)));
        }
    }

    /// Ends the blocks of a turn that is over.
    pub(super) fn finish_blocks(&mut self, to: &mut ChangeReceiver<'_>) {
        let agent = self.agent.as_ref();
        self.blocks.finish(&mut |change| to(agent, transcript_change(change)));
    }
}

fn transcript_change(change: BlockChange<'_>) -> TranscriptChange<'_> {
    match change {
        BlockChange::Began { row: block, kind, parent } => {
            TranscriptChange::BlockBegan { block, kind, parent }
        }
        BlockChange::Ended { row: block, result } => TranscriptChange::BlockEnded { block, result },
    }
}
