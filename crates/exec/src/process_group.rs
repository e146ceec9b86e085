//! A guard that kills a group of processes, and can reach no other.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgid, kill_process_group, waitid};

/// A guard that kills a whole group of processes when it is dropped: the process that a tool
/// started, and all that this process started. So a call that is cancelled or takes too long leaves
/// no process behind (P-27).
///
/// ```
/// use std::os::unix::process::CommandExt as _;
/// use std::process::Command;
///
/// use silcrow_exec::ProcessGroup;
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
/// A process that leaves the group, as a daemon does, is not reached.
#[derive(Debug)]
#[must_use = "it kills the group when it is dropped"]
pub struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// Creates the guard of the group whose leader has this id.
    ///
    /// The guard kills nothing unless the id is that of a child of this process, one that still
    /// runs or was not reaped, and the child leads a group of its own.
    pub fn led_by(id: u32) -> Self {
        Self(own_leader(id))
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // To the system, group 1 is every process that there is.
        if let Some(leader) = self.0.filter(|leader| *leader != Pid::INIT) {
            // It fails if no process is left in the group.
            let _ = kill_process_group(leader, Signal::KILL);
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
