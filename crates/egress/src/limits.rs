//! The limits of a proxy.

use std::time::Duration;

/// The limits of a proxy in time and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it is plain data")]
pub struct ProxyLimits {
    /// The time that a client has for the head of each request.
    pub head: Duration,
    /// The time to resolve a name, and to connect to one address.
    pub connect: Duration,
    /// The time that a connection waits while a person is asked.
    pub question: Duration,
    /// The number of connections of clients at the same time. Others wait to be accepted.
    pub connections: usize,
    /// The number of connections of one pass at the same time. Others are rejected.
    pub connections_of_pass: usize,
    /// The number of hosts that one pass asks about. Further ones are rejected unasked.
    pub questions_of_pass: usize,
    /// The size of a head, in bytes.
    pub head_bytes: usize,
    /// The number of headers in a head.
    pub headers: usize,
}

impl Default for ProxyLimits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            connect: Duration::from_secs(10),
            question: Duration::from_secs(900),
            connections: 192,
            connections_of_pass: 96,
            questions_of_pass: 32,
            head_bytes: 64 << 10,
            headers: 128,
        }
    }
}
