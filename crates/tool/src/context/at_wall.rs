//! Requests of a running call, whose waiting time is not counted.

use std::time::Duration;

use silcrow_event::Grants;

use super::CallContext;
use crate::call_access::CallAccess;

impl CallContext {
    /// Asks for further doors while the call runs, such as a host that it is about to connect to,
    /// and waits for the answer. If nobody can be asked, the answer comes at once. The doors are
    /// open for this call only, and are not among its [`grants`](Self::grants); a later question
    /// about the same doors has the same answer while the call runs.
    ///
    /// [`Permissions`](crate::Permissions) decide first
    /// ([`decide_at_wall`](crate::Permissions::decide_at_wall)), and then the approver does. The
    /// waiting time of the question counts neither for the limits of the call nor for
    /// [`has_run_for`](Self::has_run_for). Dropping the future withdraws the question, and so does
    /// the end of the call.
    ///
    /// # Errors
    ///
    /// Returns the reason of a denial, which the model reads.
    pub async fn ask_for(&self, grants: Grants) -> Result<(), String> {
        let missing = self.grants.missing(&grants);
        if missing.is_empty() {
            return Ok(());
        }
        if self.access == CallAccess::ReadOnly {
            return Err(format!("this call may only read, and {missing} does not open for it"));
        }
        let Some(host) = &self.host else {
            return Err(format!("nobody can be asked for {missing}"));
        };
        let _stopped = self.clock.stop();
        host.ask_for(missing).await
    }

    /// Waits until the call has run for `limit` from now on, excluding the waits of questions that
    /// it [asks](Self::ask_for). Cancel-safe, but a new wait starts at zero.
    pub async fn has_run_for(&self, limit: Duration) {
        self.clock.elapsed(limit).await;
    }
}
