//! The modes: which calls run without a question.

use std::fmt;
use std::str::FromStr;

use silcrow_tool::closest_names;

/// The set of calls that run without a question, from the narrowest to the widest.
///
/// ```
/// use silcrow_policy::PermissionMode;
///
/// let mode: PermissionMode = "ask".parse()?;
/// assert!(mode < PermissionMode::Workspace);
/// assert_eq!(mode.narrowed_by(PermissionMode::Full), PermissionMode::Ask);
/// # Ok::<(), silcrow_policy::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "callers decide on each mode")]
pub enum PermissionMode {
    /// As [`ReadOnly`](Self::ReadOnly), while the agent makes a plan. Once a person accepts it, another
    /// mode follows.
    Plan,
    /// No call runs that changes something or sends something out.
    ReadOnly,
    /// Everything that changes something or sends something out is asked about.
    Ask,
    /// Changes of files in the root run, and so do commands that are confined to it, have no
    /// network, and need no door. All other calls are asked about.
    Workspace,
    /// Every call runs unless a rule denies it or asks about it, whatever its risk, and gets the
    /// doors that it needs. A command that wants to leave its sandbox is asked about; a
    /// [`SharedPolicy`](crate::SharedPolicy) may remember the first yes until the mode changes.
    Full,
}

impl PermissionMode {
    /// All modes, from the narrowest to the widest.
    pub const ALL: [Self; 5] = [Self::Plan, Self::ReadOnly, Self::Ask, Self::Workspace, Self::Full];

    /// Returns the name of the mode, as flags and files write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::ReadOnly => "read-only",
            Self::Ask => "ask",
            Self::Workspace => "workspace",
            Self::Full => "full",
        }
    }

    /// Returns the meaning of the mode, as a clause for a person.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Plan => "nothing changes until you accept a plan",
            Self::ReadOnly => "nothing runs that changes something or sends something out",
            Self::Ask => "you are asked about everything that changes something or sends it out",
            Self::Workspace => {
                "changes of files in the root run, and so do commands in the sandbox; \
                 you are asked about the rest"
            }
            Self::Full => "everything runs that no rule denies or asks about, whatever its risk",
        }
    }

    /// Returns whether nothing runs that changes something or sends something out.
    ///
    /// ```
    /// use silcrow_policy::PermissionMode;
    ///
    /// assert!(PermissionMode::Plan.reads_only() && !PermissionMode::Ask.reads_only());
    /// ```
    pub const fn reads_only(self) -> bool {
        matches!(self, Self::Plan | Self::ReadOnly)
    }

    /// Returns the narrower one of two modes.
    #[must_use]
    pub fn narrowed_by(self, other: Self) -> Self {
        self.min(other)
    }
}

impl fmt::Display for PermissionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for PermissionMode {
    type Err = crate::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let message = match closest_names(name, names).first() {
                Some(near) => format!("unknown mode `{name}`; did you mean `{near}`?"),
                None => format!("unknown mode `{name}`; use {}", names.join(", ")),
            };
            crate::Error::new(crate::ErrorKind::Invalid, message)
        })
    }
}

/// The part of the system that is out of reach for commands of the tool `shell`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "callers say which of them holds")]
pub enum Confinement {
    /// No confinement: a command can do everything that the user can do. Every command is asked
    /// about.
    #[default]
    None,
    /// Files are confined, but a command can use the network.
    FilesOnly,
    /// Files are confined. The network is closed, and opens only as a whole.
    FilesAndWholeNetwork,
    /// Files are confined. The network is closed, and opens host by host.
    FilesAndNetwork,
}
