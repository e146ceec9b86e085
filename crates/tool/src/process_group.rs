//! A guard that kills exactly one group of processes.
//!
//! A group is killed when its guard is dropped. A guard with a watcher also has a small process that
//! kills the group if this process dies without dropping anything.

#[cfg(unix)]
#[path = "process_group/unix.rs"]
mod system;
#[cfg(not(unix))]
#[path = "process_group/windows.rs"]
mod system;

use std::io;
use std::process::Command;

#[cfg(not(unix))]
use self::system::ProcessTree as SystemGroup;
#[cfg(unix)]
use self::system::SystemGroup;

/// A guard that kills a whole process group when it is dropped: the process that a tool started,
/// and everything that process started. So a call that is cancelled or times out leaves no
/// processes behind (P-27).
///
/// ```
/// use std::process::Command;
///
/// use silcrow_tool::ProcessGroup;
///
/// # fn main() -> std::io::Result<()> {
/// let mut command = Command::new("sh");
/// ProcessGroup::separate(command.args(["-c", "sleep 1000 & sleep 1000"]));
/// let mut child = command.spawn()?;
/// let group = ProcessGroup::led_by(child.id());
/// drop(group);
/// assert!(!child.wait()?.success());
/// # Ok(())
/// # }
/// ```
///
/// Make the process the leader of its own group with [`separate`](Self::separate), and declare the
/// guard after the process, so that it is dropped first. Drop it as soon as the leader has ended:
/// the number of an empty group may be reused for another.
///
/// A process that leaves the group, as a daemon does, is not reached. If this process is itself
/// killed, nothing is dropped; [`with_watcher`](Self::with_watcher) kills the group then, too.
///
/// On Windows a program of the system ends the leader and its descendants. If this process dies,
/// they keep running, and they are never asked to end.
#[derive(Debug)]
#[must_use = "it kills the group when it is dropped"]
pub struct ProcessGroup(SystemGroup);

impl ProcessGroup {
    /// Makes the process that a command starts the leader of a new group, so that it does not get
    /// the terminal's Ctrl-C either.
    pub fn separate(command: &mut Command) {
        system::separate(command);
    }

    /// Creates the guard of the group whose leader has this id.
    ///
    /// The guard kills only if the id belongs to a child of this process that still runs or was not
    /// reaped, and that leads its own group.
    pub fn led_by(id: u32) -> Self {
        Self(SystemGroup::led_by(id))
    }

    /// Starts a process that kills the group when this process dies, however it dies. It ends with
    /// the guard.
    ///
    /// ```
    /// use std::process::Command;
    ///
    /// use silcrow_tool::ProcessGroup;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let mut command = Command::new("sleep");
    /// ProcessGroup::separate(command.arg("1000"));
    /// let mut child = command.spawn()?;
    /// let group = ProcessGroup::led_by(child.id()).with_watcher()?;
    /// drop(group);
    /// assert!(!child.wait()?.success());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the error of starting `/bin/sh`. Then the group is killed, because nothing watches
    /// it.
    pub fn with_watcher(self) -> io::Result<Self> {
        self.0.with_watcher().map(Self)
    }

    /// Asks all processes of the group to end, by the signal TERM. They may ignore it, and one that is
    /// stopped does not receive it; dropping the guard kills them.
    pub fn terminate(&self) {
        self.0.terminate();
    }
}
