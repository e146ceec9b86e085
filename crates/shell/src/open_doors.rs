//! The open doors of one command, and who is asked for more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use silcrow_egress::{NetworkPass, PortForward};
use silcrow_event::Grants;
use silcrow_tool::CallContext;

use crate::wall_notices::MetWalls;

/// The doors that are open for a command. They close when this is dropped.
#[derive(Debug)]
pub(crate) struct OpenDoors {
    wall: CallAtWall,
    network: Option<NetworkDoor>,
}

/// The open part of the network for a command.
#[derive(Debug)]
struct NetworkDoor {
    /// The command itself.
    words: String,
    pass: NetworkPass,
    _forwards: Vec<Arc<PortForward>>,
}

impl OpenDoors {
    /// Returns the doors of a command that has none, or needs none.
    pub(crate) fn none() -> Self {
        Self { wall: CallAtWall::default(), network: None }
    }

    pub(crate) fn new(
        words: &str,
        wall: CallAtWall,
        pass: NetworkPass,
        forwards: Vec<Arc<PortForward>>,
    ) -> Self {
        let network = NetworkDoor { words: words.to_owned(), pass, _forwards: forwards };
        Self { wall, network: Some(network) }
    }

    /// Ends the call, while its command runs on in the background: its doors stay open, and nobody
    /// is asked for further ones.
    pub(crate) fn end_call(&self) {
        self.wall.end();
    }

    /// Closes the doors, cuts the connections through them, and returns the walls that were met.
    pub(crate) fn close(self) -> MetWalls {
        self.wall.end();
        let Some(NetworkDoor { words, pass, .. }) = self.network else {
            return MetWalls::default();
        };
        MetWalls { refusals: pass.refusals(), words: Some(words) }
    }
}

/// The call that can ask for further doors, until it has ended. Its clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallAtWall(Arc<Mutex<Option<CallContext>>>);

impl CallAtWall {
    pub(crate) fn new(context: &CallContext) -> Self {
        Self(Arc::new(Mutex::new(Some(context.clone()))))
    }

    /// Asks for a door.
    pub(crate) async fn ask_for(&self, wanted: Grants) -> Result<(), String> {
        // The lock is not held during a question.
        let context = self.lock().clone();
        match context {
            Some(context) => context.ask_for(wanted).await,
            None => Err(ENDED.to_owned()),
        }
    }

    fn end(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<CallContext>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const ENDED: &str = "the call that started the command has ended, so nobody is asked any more";
