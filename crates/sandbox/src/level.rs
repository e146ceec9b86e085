//! The confinement of a command: the layers of the kernel, and their sum in words.
//!
//! This module describes each layer. Other modules apply them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::system;

/// The degree of a sandbox's confinement, for people and for rules.
///
/// ```
/// use silcrow_sandbox::SandboxLevel;
///
/// assert_eq!(SandboxLevel::FilesAndNetwork.to_string(), "files and network");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SandboxLevel {
    /// Nothing is confined. A command can do everything that the user can do.
    None,
    /// Files are confined, but a command can use the network.
    FilesOnly,
    /// File contents are confined, and there is no network. Modes, owners and times of other files
    /// can still be changed, and before Linux 6.12 other processes can be signalled.
    ContentsAndNetwork,
    /// Files are confined, there is no network, and other processes are out of reach.
    FilesAndNetwork,
}

impl SandboxLevel {
    /// Returns the words that [`Display`](fmt::Display) writes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::FilesOnly => "files only",
            Self::ContentsAndNetwork => "file contents and network",
            Self::FilesAndNetwork => "files and network",
        }
    }

    /// Returns a notice for the person about a sandbox of this level on this system, as the rest of
    /// a line that names the level, or `None` if no notice is needed.
    pub const fn system_notice(self) -> Option<&'static str> {
        match self {
            Self::None if cfg!(windows) => Some("silcrow confines no commands on Windows"),
            Self::FilesAndNetwork if cfg!(target_os = "macos") => {
                Some("by Seatbelt, which nobody has tried on a machine yet")
            }
            _ => None,
        }
    }

    /// Returns whether a command has no network.
    pub const fn closes_network(self) -> bool {
        matches!(self, Self::ContentsAndNetwork | Self::FilesAndNetwork)
    }

    /// Returns whether a command at this level can connect to a local socket that another program
    /// makes while it runs, in a folder that it sees. It asks the kernel of this machine: Landlock
    /// holds such sockets from Linux 7.1 on, and Seatbelt holds all. Sockets that existed before
    /// the command are never reached at a level that [closes the network](Self::closes_network).
    ///
    /// ```
    /// use silcrow_sandbox::SandboxLevel;
    ///
    /// // Without namespaces a command has no local sockets to connect with.
    /// assert!(!SandboxLevel::ContentsAndNetwork.reaches_new_sockets());
    /// assert!(SandboxLevel::FilesOnly.reaches_new_sockets());
    /// ```
    pub fn reaches_new_sockets(self) -> bool {
        system::reaches_new_sockets(self)
    }
}

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The layers of the kernel that confine a command. A layer that is named is applied, or the command
/// does not run.
///
/// ```
/// use silcrow_sandbox::{SandboxLayers, SandboxLevel};
///
/// // Namespaces alone leave local sockets open, so without seccomp the network does not count.
/// let layers = SandboxLayers { seccomp: false, ..SandboxLayers::ALL };
/// # #[cfg(target_os = "linux")]
/// assert_eq!(layers.level(), SandboxLevel::FilesOnly);
/// assert_eq!(SandboxLayers::NONE.level(), SandboxLevel::None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "callers name all layers that they leave out")]
pub struct SandboxLayers {
    /// Whether Landlock confines files.
    pub landlock: bool,
    /// Whether a seccomp filter denies the network, and system calls that reach other processes or
    /// change the system.
    pub seccomp: bool,
    /// Whether namespaces hide other processes and the network, make the rest of the file system
    /// read-only, and end the whole tree of processes at once.
    pub namespaces: bool,
    /// Whether Seatbelt, the sandbox of macOS, confines files, the network and access to other
    /// processes. The layers before are Linux's.
    pub seatbelt: bool,
}

impl SandboxLayers {
    /// All layers that this system has.
    pub const ALL: Self = Self {
        landlock: cfg!(target_os = "linux"),
        seccomp: cfg!(target_os = "linux"),
        namespaces: cfg!(target_os = "linux"),
        seatbelt: cfg!(target_os = "macos"),
    };
    /// No layer.
    pub const NONE: Self =
        Self { landlock: false, seccomp: false, namespaces: false, seatbelt: false };

    /// Returns the combined confinement of these layers. Files count only with Landlock, and the
    /// network counts only with seccomp, because namespaces alone leave local sockets open. Modes
    /// of files and other processes need namespaces besides.
    pub const fn level(self) -> SandboxLevel {
        if self.seatbelt {
            return SandboxLevel::FilesAndNetwork;
        }
        match (self.landlock, self.seccomp, self.namespaces) {
            (true, true, true) => SandboxLevel::FilesAndNetwork,
            (true, true, false) => SandboxLevel::ContentsAndNetwork,
            (true, false, _) => SandboxLevel::FilesOnly,
            (false, _, _) => SandboxLevel::None,
        }
    }

    /// Returns the layers that are in both.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            landlock: self.landlock && other.landlock,
            seccomp: self.seccomp && other.seccomp,
            namespaces: self.namespaces && other.namespaces,
            seatbelt: self.seatbelt && other.seatbelt,
        }
    }

    /// Returns whether these layers keep a command from changing anything and from the network. On Linux
    /// Landlock has to confine files for that, and the seccomp filter has to deny sockets, since
    /// namespaces alone leave local ones open.
    pub(crate) const fn hold_read_only(self) -> bool {
        self.seatbelt || self.landlock && self.seccomp
    }

    /// Returns whether a protected path also prevents creating, removing or renaming its
    /// neighbours, because the kernel guards whole folders only.
    pub const fn guard_whole_folders(self) -> bool {
        self.landlock && !self.namespaces
    }
}

impl fmt::Display for SandboxLayers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (self.landlock, "Landlock"),
            (self.seccomp, "seccomp"),
            (self.namespaces, "namespaces"),
            (self.seatbelt, "Seatbelt"),
        ];
        let mut is_first = true;
        for (_, name) in names.into_iter().filter(|(is_on, _)| *is_on) {
            write!(f, "{}{name}", if is_first { "" } else { ", " })?;
            is_first = false;
        }
        if is_first { f.write_str("no layer") } else { Ok(()) }
    }
}
