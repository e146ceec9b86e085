//! Turns that wait, and whose text gives other calls now than when its calls were stored.
//!
//! The text of a turn that waits is read again by the version that continues the run. If that one
//! finds other calls in it, the results in the log are not about the calls that it would start. So
//! such a turn does not go on: its open calls end as if a new prompt had followed, and the model is
//! asked again.

use silcrow_event::Event;

use crate::drive::AgentRun;
use crate::error::Error;
use crate::questions::ParkedTurn;
use crate::turn_replay::TurnReplay;

impl AgentRun<'_> {
    /// Removes the turns whose text does not give the calls and blocks that the log has. Returns their
    /// numbers.
    pub(super) async fn remove_changed(
        &mut self,
        parked: &mut Vec<ParkedTurn>,
    ) -> Result<Vec<u32>, Error> {
        let mut changed = Vec::new();
        for waiting in &*parked {
            let turn = self.read_turn(waiting, TurnReplay::Quiet).await?;
            if turn.outbox.stored.has_others_than(&[]) {
                changed.push(waiting.turn);
            }
        }
        parked.retain(|waiting| !changed.contains(&waiting.turn));
        Ok(changed)
    }

    /// Stores for the model why turns did not go on.
    pub(super) async fn notice_changed(&mut self, changed: &[u32]) -> Result<(), Error> {
        for turn in changed {
            let notice = Event::Notice { content: CHANGED.to_owned() };
            self.sink.store_notice(*turn, notice).await?;
        }
        Ok(())
    }
}

const CHANGED: &str = "The turn above waited, and was continued by a version that finds other calls in its text. So it \
                       did not go on: the results say which of its calls ran. Write again what is still to be done.";
