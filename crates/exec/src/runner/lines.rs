//! The channels from running attempts to their runner.
//!
//! Most answers make no call, and a channel has room for many from the beginning, so the channels are made
//! for the first attempt.

use tokio::sync::mpsc;

use crate::update::CallUpdate;
use crate::wall::{REQUESTS, WallRequest};

/// The two channels from attempts to their runner.
pub(super) struct AttemptLines {
    /// The updates of running attempts, with the numbers of these.
    pub(super) receiver: mpsc::Receiver<(u64, Box<CallUpdate>)>,
    pub(super) sender: mpsc::Sender<(u64, Box<CallUpdate>)>,
    /// The requests of running calls.
    pub(super) wall: mpsc::Receiver<WallRequest>,
    pub(super) wall_sender: mpsc::Sender<WallRequest>,
}

impl Default for AttemptLines {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(UPDATES);
        let (wall_sender, wall) = mpsc::channel(REQUESTS);
        Self { receiver, sender, wall, wall_sender }
    }
}

impl AttemptLines {
    /// Takes an update that is there already.
    pub(super) fn try_recv(&mut self) -> Option<(u64, Box<CallUpdate>)> {
        self.receiver.try_recv().ok()
    }
}

/// The number of updates that may wait for their receiver.
const UPDATES: usize = 256;
