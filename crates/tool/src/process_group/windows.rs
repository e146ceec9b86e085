//! Trees of processes on Windows, which a program of the system ends.

use std::env;
use std::io;
use std::os::windows::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The first process of a tree. It is not watched when this process dies.
#[derive(Debug)]
pub(super) struct ProcessTree {
    leader: u32,
}

/// Keeps the Ctrl-C of the console from the process that a command starts.
pub(super) fn separate(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

impl ProcessTree {
    pub(super) const fn led_by(id: u32) -> Self {
        Self { leader: id }
    }

    #[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
    pub(super) const fn with_watcher(self) -> io::Result<Self> {
        Ok(self)
    }

    /// Does nothing: a program without a window cannot be asked to end.
    #[expect(clippy::unused_self, reason = "other systems need it")]
    pub(super) const fn terminate(&self) {}
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        if self.leader == 0 {
            return;
        }
        let system = env::var_os("SystemRoot").unwrap_or_else(|| r"C:\Windows".into());
        let mut command = Command::new(Path::new(&system).join(r"System32\taskkill.exe"));
        command.args(["/T", "/F", "/PID"]).arg(self.leader.to_string());
        // It fails if the process has ended.
        let _ = command.stdin(Stdio::null()).output();
    }
}

const CREATE_NEW_PROCESS_GROUP: u32 = 0x0200;
