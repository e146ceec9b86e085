//! The limits of a server, as data with defaults.

use std::time::Duration;

/// The limits of a server and the host names under which it may be reached.
///
/// ```
/// let mut options = silcrow_server::Options::default();
/// options.runs = 16;
/// assert_eq!(options.body, 32 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The maximum number of runs at work at once; 256 by default.
    pub runs: usize,
    /// The maximum number of runs of one user at work at once; 64 by default.
    pub runs_of_user: usize,
    /// The maximum number of prompts that wait for another run to end; 64 by default. Further ones
    /// are refused.
    pub queued_runs: usize,
    /// The time for which such a prompt waits before it is refused; 10 seconds by default.
    pub queue_time: Duration,
    /// The maximum size of the body of a request, in bytes; 32 MiB by default, because clients send
    /// pictures in base64, and each time the whole history.
    pub body: usize,
    /// The maximum size of the head of a request, in bytes; 16 KiB by default.
    pub head: usize,
    /// The number of connections that are open at once; 2,048 by default.
    pub connections: usize,
    /// The number of events that a reader may be behind before it is cut off; 256 by default.
    pub behind: usize,
    /// The size of the messages of a run that are kept for readers which connect again, in bytes;
    /// 1 MiB by default.
    pub ring: usize,
    /// The time limit for receiving the body of a request; 30 seconds by default.
    pub body_time: Duration,
    /// The time within which a client has to read some of the data waiting for it, before its
    /// connection is cut; 30 seconds by default.
    pub unread_time: Duration,
    /// The time between keep-alive messages in a stream without events; 15 seconds by default.
    pub keep_alive: Duration,
    /// The time that runs have to end when the server stops; 10 seconds by default.
    pub patience: Duration,
    /// The time in which another server of a shared store has to continue a run whose server is
    /// gone, before the run's streams fail; 60 seconds by default.
    pub takeover: Duration,
    /// The place in which the agents of the server work, such as the identity of their folder: runs
    /// that were [offered](silcrow_store::SharedRuns::offer) for it are continued here. Empty by
    /// default.
    pub place: String,
    /// The host names under which the server may be reached, besides loopback names: names without
    /// a port, such as `agent.example`.
    pub hosts: Vec<String>,
    /// The origins of other pages that may use the server, such as `https://app.example`; none by
    /// default.
    pub origins: Vec<String>,
    /// Whether texts for the agent from programs in front of the server, such as the system
    /// messages of a chat, count as the person's own instructions; not by default. Then they have
    /// the rank of the instructions of a project.
    pub trusts_callers: bool,
    /// Whether browsers reach the server only by TLS, through a proxy; not by default. If so, the
    /// page's cookie is never sent without TLS. Otherwise the cookie is still restricted to TLS if
    /// the page's origin or the header `X-Forwarded-Proto` says `https`.
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
            place: String::new(),
            hosts: Vec::new(),
            origins: Vec::new(),
            trusts_callers: false,
            behind_tls: false,
            page: true,
        }
    }
}

/// The limits of the messages that a run keeps for its readers.
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
