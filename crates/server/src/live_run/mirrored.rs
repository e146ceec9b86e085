//! A run that another server has, as it is kept here.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use silcrow_event::RunEventRef;
use silcrow_front::NativeEncoder;

use super::{ContinuedRun, LiveRun, PublishedOutput};
use crate::journal::UserJournal;
use crate::options::LiveLimits;
use crate::position::MessagePosition;
use crate::source::RunPlace;

/// A server's description of a run before it streams it to another one.
#[derive(Deserialize, Serialize)]
pub(crate) struct MirrorHead {
    run: String,
    began_after: u64,
    repeated_turn: Option<u32>,
    continues: bool,
    waiting_agents: Vec<String>,
    floor: MessagePosition,
}

impl LiveRun {
    /// Creates the mirror of a run that another server has.
    pub(crate) fn mirror(
        head: MirrorHead,
        place: RunPlace,
        limits: LiveLimits,
        journal: Arc<UserJournal>,
    ) -> Self {
        let MirrorHead { repeated_turn, waiting_agents, .. } = head;
        let continued = head.continues.then_some(ContinuedRun { repeated_turn, waiting_agents });
        let run = Self::new(head.run, place, head.floor, continued, limits, journal);
        Self { began_after: head.began_after, is_mirror: true, ..run }
    }

    /// Returns the data for another server before the messages that follow a floor.
    pub(crate) fn head(&self, floor: MessagePosition) -> MirrorHead {
        MirrorHead {
            run: self.id.clone(),
            began_after: self.began_after,
            repeated_turn: self.continued.as_ref().and_then(|continued| continued.repeated_turn),
            continues: self.continues(),
            waiting_agents: self.waiting_agents().to_vec(),
            floor,
        }
    }

    /// Takes the next event of a run that another server has, which has this position there.
    pub(crate) fn publish_at(&self, event: RunEventRef<'_>, (seq, n): MessagePosition) {
        let mut state = self.lock();
        // So the encoder gives the message the same position.
        state.encoder = match n {
            0 => NativeEncoder::after(seq.saturating_sub(1), 0),
            n => NativeEncoder::after(seq, n - 1),
        };
        let is_native = state.encoder.count(event);
        if !is_native {
            state.encoder = NativeEncoder::after(seq, n);
        }
        self.deliver(&mut state, is_native, PublishedOutput::Event(event));
    }

    /// Ends the reading of a run whose server is gone.
    pub(crate) fn break_off(&self) {
        let mut state = self.lock();
        state.is_broken = !state.is_over;
        state.readers.clear();
    }

    /// Returns whether nothing follows, because the server of the run is gone.
    pub(crate) fn is_broken(&self) -> bool {
        self.lock().is_broken
    }
}
