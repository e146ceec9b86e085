use rustix::process::{Pid, Signal, kill_process_group};

/// Kills a whole group of processes when it is dropped: the process that a tool started and all
/// that this one started, so that a call which is cancelled or takes too long leaves none of them
/// behind (P-27).
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
/// `Command` has too, and declare the guard behind the process, so that it is dropped before it.
/// Drop it as soon as the leader has ended: the number of a group that has no process left may be
/// given to another.
///
/// A process that leaves the group, as a daemon does, is not reached.
#[derive(Debug)]
#[must_use = "it kills the group when it is dropped"]
pub struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// The group whose leader has this id.
    pub const fn led_by(id: u32) -> Self {
        // 0 and 1 would be the own group and all processes there are.
        Self(if id > 1 && id <= i32::MAX as u32 { Pid::from_raw(id as i32) } else { None })
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // It fails if there is none left.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}
