//! A guard that kills a group of processes, and can reach no other.
//!
//! A group is killed when its guard is dropped. A guard with a watcher also has a small process that
//! kills the group if this process dies without dropping anything.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgid, kill_process_group, waitid};

/// A guard that kills a whole group of processes when it is dropped: the process that a tool
/// started, and all that this process started. So a call that is cancelled or takes too long leaves
/// no process behind (P-27).
///
/// ```
/// use std::os::unix::process::CommandExt as _;
/// use std::process::Command;
///
/// use silcrow_tool::ProcessGroup;
///
/// # fn main() -> std::io::Result<()> {
/// let mut child = Command::new("sh").args(["-c", "sleep 1000 & sleep 1000"]).process_group(0).spawn()?;
/// let group = ProcessGroup::led_by(child.id());
/// drop(group);
/// assert!(!child.wait()?.success());
/// # Ok(())
/// # }
/// ```
///
/// Make the process the leader of a group of its own with `process_group(0)`, which tokio's
/// `Command` has too, and declare the guard after the process, so that it is dropped first.
/// Drop it as soon as the leader has ended: the number of a group that has no process left may be
/// given to another.
///
/// A process that leaves the group, as a daemon does, is not reached. If this process is itself
/// killed, nothing is dropped; [`with_watcher`](Self::with_watcher) kills the group then, too.
#[derive(Debug)]
#[must_use = "it kills the group when it is dropped"]
pub struct ProcessGroup {
    leader: Option<Pid>,
    /// The process that waits for the end of this one.
    watcher: Option<Child>,
}

impl ProcessGroup {
    /// Creates the guard of the group whose leader has this id.
    ///
    /// The guard kills nothing unless the id is that of a child of this process, one that still
    /// runs or was not reaped, and the child leads a group of its own.
    pub fn led_by(id: u32) -> Self {
        Self { leader: own_leader(id), watcher: None }
    }

    /// Starts a process that kills the group when this process dies, however it dies. It ends with
    /// the guard.
    ///
    /// ```
    /// use std::os::unix::process::CommandExt as _;
    /// use std::process::Command;
    ///
    /// use silcrow_tool::ProcessGroup;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let mut child = Command::new("sleep").arg("1000").process_group(0).spawn()?;
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
    pub fn with_watcher(mut self) -> io::Result<Self> {
        let Some(leader) = self.target() else { return Ok(self) };
        // The watcher reads a pipe whose other end only this process has: it ends with this process.
        let script = format!("read -r _; kill -s KILL -- -{}", leader.as_raw_nonzero());
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]).stdin(Stdio::piped());
        // In a group of its own it does not receive the terminal's Ctrl-C.
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        self.watcher = Some(command.spawn()?);
        Ok(self)
    }

    /// Asks all processes of the group to end, by the signal TERM. They may ignore it, and one that is
    /// stopped does not receive it; dropping the guard kills them.
    pub fn terminate(&self) {
        if let Some(leader) = self.target() {
            // It fails if no process is left in the group.
            let _ = kill_process_group(leader, Signal::TERM);
        }
    }

    /// Returns the leader of a group that may be killed. To the system, group 1 is every process
    /// that there is.
    fn target(&self) -> Option<Pid> {
        self.leader.filter(|leader| *leader != Pid::INIT)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(leader) = self.target() {
            // It fails if no process is left in the group.
            let _ = kill_process_group(leader, Signal::KILL);
        }
        if let Some(mut watcher) = self.watcher.take() {
            // It may have ended, if somebody else killed it.
            let _ = watcher.kill();
            let _ = watcher.wait();
        }
    }
}

/// Returns the id as that of a child which leads a group of its own.
fn own_leader(id: u32) -> Option<Pid> {
    let leader = Pid::from_raw(i32::try_from(id).ok()?)?;
    // The system answers about children only, and without `NOHANG` it would wait for one.
    let asked = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(leader), asked).ok()?;
    let group = getpgid(Some(leader)).ok()?;
    (group == leader).then_some(leader)
}
