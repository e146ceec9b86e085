//! The limits of a server, as data with defaults.

use std::time::Duration;

/// The limits of a server and the names by which it may be reached.
///
/// ```
/// let mut options = silcrow_server::Options::default();
/// options.runs = 16;
/// assert_eq!(options.body, 32 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The number of runs that may be at work at once; 256 by default.
    pub runs: usize,
    /// The number of runs that one user may have at work at once; 64 by default.
    pub runs_of_user: usize,
    /// The number of prompts that may wait until one of too many runs has ended; 64 by default. Further
    /// ones are refused.
    pub queued_runs: usize,
    /// The time for which such a prompt waits before it is refused; 10 seconds by default.
    pub queue_time: Duration,
    /// The greatest size of the body of a request, in bytes; 32 MiB by default, because clients send
    /// pictures in base64, and each time the whole history.
    pub body: usize,
    /// The greatest size of the head of a request, in bytes; 16 KiB by default.
    pub head: usize,
    /// The number of connections that are open at once; 2,048 by default.
    pub connections: usize,
    /// The number of events that a reader may be behind before it is cut; 256 by default.
    pub behind: usize,
    /// The size of the messages of a run that are kept for readers which connect again, in bytes;
    /// 1 MiB by default.
    pub ring: usize,
    /// The time in which the body of a request has to arrive; 30 seconds by default.
    pub body_time: Duration,
    /// The time in which a client has to take something of what waits to be sent, before its
    /// connection is cut; 30 seconds by default.
    pub unread_time: Duration,
    /// The time between two signs of life in a stream without events; 15 seconds by default.
    pub keep_alive: Duration,
    /// The time in which runs may end by themselves when the server stops; 10 seconds by default.
    pub patience: Duration,
    /// The time in which another server of a shared store has to continue a run whose server is gone,
    /// before the streams of the run fail; 60 seconds by default.
    pub takeover: Duration,
    /// The names of hosts by which the server may be reached, besides those of the loopback: a name
    /// without a port, such as `agent.example`.
    pub hosts: Vec<String>,
    /// The origins of other pages that may use the server, such as `https://app.example`; none by
    /// default.
    pub origins: Vec<String>,
    /// Whether what the programs in front of the server say to the agent, such as the system messages
    /// of a chat, counts as the person's own instructions; not by default. Then they have the rank of
    /// the instructions of a project.
    pub trusts_callers: bool,
    /// Whether browsers reach the server by TLS only, which a proxy in front of it has; not by default.
    /// Then the cookie of a page is never sent without TLS. Without this the cookie is kept to TLS, too,
    /// if the origin of the page or the header `X-Forwarded-Proto` says `https`.
    pub behind_tls: bool,
    /// Whether the page for browsers is served at `/`; it is by default. Its addresses are relative
    /// to `/`, so a router that is nested at another path needs no page.
    pub page: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            runs: 256,
            runs_of_user: 64,
            queued_runs: 64,
            queue_time: Duration::from_secs(10),
            body: 32 << 20,
            head: 16 << 10,
            connections: 2_048,
            behind: 256,
            ring: 1 << 20,
            body_time: Duration::from_secs(30),
            unread_time: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
            patience: Duration::from_secs(10),
            takeover: Duration::from_secs(60),
            hosts: Vec::new(),
            origins: Vec::new(),
            trusts_callers: false,
            behind_tls: false,
            page: true,
        }
    }
}

/// The limits of what is kept of a run for its readers.
#[derive(Clone, Copy)]
pub(crate) struct LiveLimits {
    pub(crate) behind: usize,
    pub(crate) ring: usize,
}

impl Options {
    pub(crate) fn live(&self) -> LiveLimits {
        LiveLimits { behind: self.behind.max(1), ring: self.ring }
    }
}
