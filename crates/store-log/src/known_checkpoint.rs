//! A process's knowledge about the checkpoint of its log.

/// The checkpoint that was read or written last, and that fits the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownCheckpoint {
    /// The segment of its position. Those before it are synced.
    pub(crate) segment: u32,
    /// The length of the log up to its position, in bytes.
    pub(crate) log: u64,
    /// Its own length, in bytes; 0 if it could not be written.
    pub(crate) size: u64,
}
