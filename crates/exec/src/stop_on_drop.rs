//! A guard that cancels a token, however its owner ends.

use silcrow_tool::CancellationToken;

/// Cancels a token when it is dropped.
pub(crate) struct StopOnDrop(pub(crate) CancellationToken);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
