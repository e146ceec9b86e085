//! Whether a driver has anything to wait for, which a loop asks after each piece of a text.

use super::CallDriver;

impl CallDriver {
    /// Returns whether there may be something to wait for. Without a call there is not, and asking this
    /// costs less than a [`next`](Self::next) that waits in vain.
    pub fn has_work(&self) -> bool {
        self.plan.is_running()
            || !(self.runner.is_unused() && self.pauses.is_empty() && self.limits.is_empty())
            || self.rollback.runner.is_some()
            || self.rollback.until.is_some()
    }
}
