//! The limits of a command's resources.

use serde::{Deserialize, Serialize};

/// The limits of a command's resources. Time is the caller's affair.
///
/// Memory and file size are limits of each process, because only control groups, which few systems
/// delegate to users, could limit a whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct ResourceLimits {
    /// The number of processes and threads that the command may add. The kernel does not apply it to
    /// root.
    pub processes: u64,
    /// The private writable memory of each process, in bytes. Address space that is only reserved
    /// does not count, so that node and Go run.
    pub memory: u64,
    /// The length of each file that the command writes, in bytes.
    pub file_size: u64,
    /// The number of descriptors of each process.
    pub descriptors: u64,
}

impl Default for ResourceLimits {
    /// Returns 512 processes, 2 GiB of memory, files of 2 GiB, and 1,024 descriptors.
    fn default() -> Self {
        Self { processes: 512, memory: 2 << 30, file_size: 2 << 30, descriptors: 1024 }
    }
}
