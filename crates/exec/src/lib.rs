//! The `Tool` trait and the runner: parallel, with timeouts, approvals and cancellation.
