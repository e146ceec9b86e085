//! The wall around a running call: the call's request for a further door, on its way to the
//! approver.
//!
//! ```text
//! asked ─► decided by permissions ─► open or refused
//!   │            └─ they ask ─► announced ─► asked ─► answered ─► open or refused
//!   └─ the call ends, or its tool gives up ─► withdrawn
//! ```
//!
//! This module has both ends of the channel from a call to its runner. `approval_queue` asks.

use std::sync::Arc;

use silcrow_event::Grants;
use silcrow_plan::ReadyCall;
use silcrow_tool::{CancellationToken, PermissionRequest, Preview, Scope, ToolPolicy};
use tokio::sync::{mpsc, oneshot};

use crate::requests::permission_request;
use crate::stop_on_drop::StopOnDrop;

/// The call that waits at the wall, as the question about it shows it.
#[derive(Debug)]
pub(crate) struct WallCaller {
    pub(crate) ready: ReadyCall,
    /// The name of the tool in rules.
    pub(crate) rule_name: String,
    pub(crate) policy: ToolPolicy,
    pub(crate) preview: Preview,
    pub(crate) scope: Scope,
    pub(crate) time_limit: std::time::Duration,
}

impl WallCaller {
    /// Returns the call as permissions decide about it.
    pub(crate) fn request(&self) -> PermissionRequest<'_> {
        permission_request(&self.ready, &self.rule_name, self.policy, &self.preview, &self.scope)
    }
}

/// The request of a running call, on its way to the runner.
#[derive(Debug)]
pub(crate) struct WallRequest {
    /// The number of the attempt that asks.
    pub(crate) attempt: u64,
    pub(crate) caller: Arc<WallCaller>,
    pub(crate) wanted: Grants,
    /// Cancelled once the tool has given up.
    pub(crate) gone: CancellationToken,
    /// The receiver of the answer: nothing, or the reason of a denial.
    pub(crate) reply: oneshot::Sender<WallAnswer>,
}

/// The answer at the wall: the doors are open, or why they are not.
pub(crate) type WallAnswer = Result<(), String>;

/// The way from a call to the runner that may ask for it.
#[derive(Clone, Debug)]
pub(crate) struct WallLine {
    pub(crate) attempt: u64,
    pub(crate) caller: Arc<WallCaller>,
    pub(crate) requests: mpsc::Sender<WallRequest>,
}

impl WallLine {
    /// Asks, and waits for the answer. Dropping the future withdraws the question.
    pub(crate) async fn ask(&self, wanted: Grants) -> WallAnswer {
        let (reply, answer) = oneshot::channel();
        let gone = CancellationToken::new();
        let _gone = StopOnDrop(gone.clone());
        let (attempt, caller) = (self.attempt, Arc::clone(&self.caller));
        let request = WallRequest { attempt, caller, wanted, gone, reply };
        if self.requests.send(request).await.is_err() {
            return Err(OVER.to_owned());
        }
        answer.await.unwrap_or_else(|_| Err(OVER.to_owned()))
    }
}

/// The number of requests that may wait for the runner.
pub(crate) const REQUESTS: usize = 64;

/// The words about a call that is not there any more.
pub(crate) const OVER: &str = "the call is over, so nobody is asked for it any more";
