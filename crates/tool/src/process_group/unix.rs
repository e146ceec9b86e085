//! Groups of processes on Unix.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgid, kill_process_group, waitid};

/// A group, and the process that watches it.
#[derive(Debug)]
pub(super) struct SystemGroup {
    leader: Option<Pid>,
    /// The process that waits for the end of this one.
    watcher: Option<Child>,
}

/// Makes the process that a command starts the leader of its own group.
pub(super) fn separate(command: &mut Command) {
    command.process_group(0);
}

impl SystemGroup {
    pub(super) fn led_by(id: u32) -> Self {
        Self { leader: own_leader(id), watcher: None }
    }

    pub(super) fn with_watcher(mut self) -> io::Result<Self> {
        let Some(leader) = self.target() else { return Ok(self) };
        // The watcher reads a pipe whose other end only this process has: it ends with this process.
        let script = format!("read -r _; kill -s KILL -- -{}", leader.as_raw_nonzero());
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]).stdin(Stdio::piped());
        // In a process group of its own it does not receive the terminal's Ctrl-C.
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        self.watcher = Some(command.spawn()?);
        Ok(self)
    }

    pub(super) fn terminate(&self) {
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

impl Drop for SystemGroup {
    fn drop(&mut self) {
        if let Some(leader) = self.target() {
            // It fails if no process is left in the group.
            let _ = kill_process_group(leader, Signal::KILL);
        }
        if let Some(mut watcher) = self.watcher.take() {
            // It may have ended, if another process killed it.
            let _ = watcher.kill();
            let _ = watcher.wait();
        }
    }
}

/// Returns the id of a child that leads its own group.
fn own_leader(id: u32) -> Option<Pid> {
    let leader = Pid::from_raw(i32::try_from(id).ok()?)?;
    // The system answers about children only, and without `NOHANG` it would wait for one.
    let asked = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(leader), asked).ok()?;
    let group = getpgid(Some(leader)).ok()?;
    (group == leader).then_some(leader)
}
