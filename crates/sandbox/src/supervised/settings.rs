//! The messages between the program and its helpers: settings one way, reports the other.
//!
//! Each message is one line of JSON on a socket, which is the helper's standard input. The end of
//! that stream is a message, too: the process that reads it ends everything that it started.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::level::SandboxLayers;
use crate::limits::ResourceLimits;
use crate::supervised::socket_access::SocketAccess;

/// The command that a helper runs, and its confinement. All paths are absolute.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HelperSettings {
    /// The program and its arguments; `None` for a helper that only tries out its own confinement.
    pub(crate) command: Option<Vec<String>>,
    pub(crate) folder: PathBuf,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) readable: Vec<PathBuf>,
    /// The links by which people name the readable and writable paths.
    pub(crate) links: Vec<PathBuf>,
    /// The local sockets of other programs among the readable and writable paths.
    pub(crate) outside_sockets: Vec<PathBuf>,
    /// The folder of files that the command reads and cannot write.
    pub(crate) given: PathBuf,
    pub(crate) hidden: Vec<PathBuf>,
    /// Whether the command changes nothing, also no modes and times.
    pub(crate) is_read_only: bool,
    /// The sockets that the command can make.
    pub(crate) sockets: SocketAccess,
    /// The ports of this machine that the command can connect to, if the system can restrict ports.
    pub(crate) local_ports: Vec<u16>,
    /// The ports of this machine that the command can listen at, if the system can restrict ports.
    pub(crate) served_ports: Vec<u16>,
    pub(crate) protected: Vec<PathBuf>,
    /// The names that are protected at any depth beneath the watched folders.
    pub(crate) protected_names: Vec<String>,
    pub(crate) watched: Vec<PathBuf>,
    /// The existing protected paths, which have to be guarded.
    pub(crate) guarded: Vec<GuardedPath>,
    /// The folders that must not be moved, because something in them is guarded.
    pub(crate) kept_in_place: Vec<PathBuf>,
    /// The protected paths that are put back after the command, because nothing guards them meanwhile.
    pub(crate) put_back: Vec<PathBuf>,
    /// The folders that the command reads and that were searched for files with secret names.
    pub(crate) looked_through: Vec<PathBuf>,
    /// The repository that the root lies in.
    pub(crate) repository: Option<RepositorySettings>,
    /// The time between two looks while the command runs; `None` to look only after it.
    pub(crate) look_every_ms: Option<u64>,
    pub(crate) layers: SandboxLayers,
    pub(crate) limits: ResourceLimits,
    /// The time between TERM and KILL.
    pub(crate) grace_ms: u64,
    /// The processes that the command must not signal.
    pub(crate) guardians: Vec<i32>,
}

/// A path that the kernel is to guard, with the device and the inode that were found there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GuardedPath {
    pub(crate) path: PathBuf,
    pub(crate) identity: (u64, u64),
}

/// The repository that the root lies in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RepositorySettings {
    /// The folder whose files it has.
    pub(crate) top: PathBuf,
    /// The folder of data of this working tree alone.
    pub(crate) own: PathBuf,
    /// The folder of the data that linked working trees share.
    pub(crate) common: PathBuf,
    /// Whether the command may change its data.
    pub(crate) is_granted: bool,
}

impl HelperSettings {
    /// Returns the repository whose data the command may change.
    pub(crate) fn granted_repository(&self) -> Option<&RepositorySettings> {
        self.repository.as_ref().filter(|repository| repository.is_granted)
    }
}

/// A report of a helper at its end, or while the command runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HelperReport {
    /// Whether the command still runs. Then the report has only paths.
    pub(crate) is_running: bool,
    /// The error that kept the command from running. With it, the other fields are empty.
    pub(crate) failure: Option<String>,
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    /// The new names of files that the command put in the place of protected paths.
    pub(crate) set_aside: Vec<PathBuf>,
    /// The paths with protected names that the command changed.
    pub(crate) changed: Vec<PathBuf>,
    /// The paths that the command changed and that are as before again.
    pub(crate) restored: Vec<PathBuf>,
    /// Whether the search for protected names left out some folders.
    pub(crate) is_cut: bool,
    /// The number of processes that could not be ended.
    pub(crate) survivors: usize,
    /// The number of processes that the command left running, which were ended with it.
    pub(crate) left: usize,
    /// The name of one of them.
    pub(crate) left_name: Option<String>,
}

impl HelperReport {
    pub(crate) fn failed(failure: impl Into<String>) -> Self {
        Self { failure: Some(failure.into()), ..Self::default() }
    }
}

/// Writes a message.
pub(crate) fn write(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Reads the only message of a stream; `None` if the stream ends before it.
pub(crate) fn read<T: DeserializeOwned>(from: impl Read) -> io::Result<Option<T>> {
    read_next(&mut BufReader::new(from))
}

/// Reads the next message; `None` if the stream ends before it.
pub(crate) fn read_next<T: DeserializeOwned>(from: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.take(LONGEST).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') { Ok(Some(serde_json::from_slice(&line)?)) } else { Ok(None) }
}

/// The length of the longest message. An argument of a program has at most 128 KiB.
const LONGEST: u64 = 16 << 20;
