//! The limits of a request.

use std::time::Duration;

/// The limits of a request and its answer. The tools use the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct FetchLimits {
    /// The time limit for resolving a name, and again for connecting: 5 seconds.
    pub connect: Duration,
    /// The time limit from the connection to the end of the answer's headers: 10 seconds.
    pub headers: Duration,
    /// The time limit between two pieces of the body: 10 seconds.
    pub idle: Duration,
    /// The time limit of everything, with all redirects: 30 seconds.
    pub whole: Duration,
    /// The size of the largest headers, in bytes: 64 KiB.
    pub header_bytes: usize,
    /// The number of bytes of a body that are received: 5 MiB.
    pub raw_bytes: usize,
    /// The number of bytes of a body that are kept after decompression: 10 MiB.
    pub decoded_bytes: usize,
    /// The number of redirects that are followed: 5.
    pub redirects: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            headers: Duration::from_secs(10),
            idle: Duration::from_secs(10),
            whole: Duration::from_secs(30),
            header_bytes: 64 << 10,
            raw_bytes: 5 << 20,
            decoded_bytes: 10 << 20,
            redirects: 5,
        }
    }
}
