//! The limits of an endpoint, as data with defaults.

use std::time::Duration;

/// The limits of an [`McpEndpoint`](crate::McpEndpoint).
///
/// ```
/// let options = silcrow_mcp_server::Options::default();
/// assert_eq!(options.sessions, 256);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The time after which a call becomes a task, for clients that support tasks; 5 seconds by
    /// default.
    pub task_after: Duration,
    /// The number of sessions over HTTP that are open at once, which only clients of revisions
    /// before 2026-07-28 have; 256 by default.
    pub sessions: usize,
    /// The number of sessions of one user; 64 by default.
    pub sessions_of_user: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { task_after: Duration::from_secs(5), sessions: 256, sessions_of_user: 64 }
    }
}
