//! A running command, as the program that started it sees it.
//!
//! This module has the operations on a running command, and its outcome. The module of the system
//! stops and awaits its processes.

use std::path::PathBuf;
use std::process::{ChildStderr, ChildStdout};

use crate::error::Error;
use crate::system::{TreeEnd, TreeGuard};

/// A command that runs. Its fields are independent, so that output, stopping and waiting can be in
/// different hands.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "the caller takes it apart")]
pub struct ConfinedProcess {
    /// The standard output of the command. It ends when the whole tree has ended.
    pub stdout: ChildStdout,
    /// The standard error of the command.
    pub stderr: ChildStderr,
    /// The guard that stops the command when it is dropped.
    pub guard: ProcessGuard,
    /// The end of the command, which can be awaited.
    pub end: ProcessEnd,
}

/// A guard that stops a command when it is dropped: all processes that the command started get
/// TERM, and after a grace period of 2 seconds KILL, on Linux including those that left their group
/// or session. On Windows they are ended at once.
#[derive(Debug)]
#[must_use = "it stops the command when it is dropped"]
pub struct ProcessGuard(TreeGuard);

impl ProcessGuard {
    pub(crate) const fn new(tree: TreeGuard) -> Self {
        Self(tree)
    }

    /// Stops the command. [`ProcessEnd::wait`] returns when its last process has ended.
    pub fn stop(&self) {
        self.0.stop();
    }
}

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The end of a command, to wait for.
#[derive(Debug)]
pub struct ProcessEnd(TreeEnd);

impl ProcessEnd {
    pub(crate) const fn new(tree: TreeEnd) -> Self {
        Self(tree)
    }

    /// Waits until the command and everything that it started has ended. It blocks the thread.
    ///
    /// # Errors
    ///
    /// Returns an error if the command could not be confined or started, or if the supervisor was
    /// killed.
    pub fn wait(self) -> Result<ProcessOutcome, Error> {
        let mut all = ProtectedChanges::default();
        let outcome = self.wait_noting(|early| {
            all.set_aside.extend(early.set_aside);
            all.changed.extend(early.changed);
            all.restored.extend(early.restored);
        })?;
        all.set_aside.extend(outcome.set_aside);
        all.changed.extend(outcome.changed);
        all.restored.extend(outcome.restored);
        let ProtectedChanges { set_aside, changed, restored } = all;
        Ok(ProcessOutcome { set_aside, changed, restored, ..outcome })
    }

    /// Waits like [`wait`](Self::wait), and calls `note` with changes that were found while the
    /// command runs, if it is to be [looked at](crate::ConfinedCommand::with_look_every) then. The
    /// outcome has the rest.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`wait`](Self::wait).
    pub fn wait_noting(
        self,
        mut note: impl FnMut(ProtectedChanges),
    ) -> Result<ProcessOutcome, Error> {
        self.0.wait(&mut note)
    }
}

/// The outcome of a command, all of whose processes have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessOutcome {
    /// The exit status, unless a signal ended the command.
    pub code: Option<i32>,
    /// The number of the signal that ended the command.
    pub signal: Option<i32>,
    /// The new names of files that the command put in the place of protected paths that did not
    /// exist.
    pub set_aside: Vec<PathBuf>,
    /// The paths with [protected names](crate::SandboxOptions::with_protected_name) that were
    /// changed while the command ran, because no layer of the kernel could guard them.
    pub changed: Vec<PathBuf>,
    /// The protected paths that were changed while the command ran, and that have been put back.
    /// The command's version of them is in [`set_aside`](Self::set_aside).
    pub restored: Vec<PathBuf>,
    /// Whether the search for protected names left out some folders, because they cannot be read.
    pub is_partly_checked: bool,
    /// The files with [secret names](crate::SandboxOptions::with_secret_names) that the command did not
    /// see.
    pub hidden: Vec<PathBuf>,
    /// Whether the search for secret names left out some folders, or found too many to hide.
    pub is_partly_hidden: bool,
    /// The local sockets that other programs made while the command ran, in folders that it saw, and
    /// that it could have connected to ([`SandboxLevel::reaches_new_sockets`]).
    ///
    /// [`SandboxLevel::reaches_new_sockets`]: crate::SandboxLevel::reaches_new_sockets
    pub new_sockets: Vec<PathBuf>,
    /// The number of processes that could not be ended, because the kernel did not let them go
    /// within 5 seconds.
    pub survivors: usize,
    /// The number of processes that still ran when the command itself had ended, and were ended
    /// with it. Processes that end within a third of a second are not counted.
    pub left_running: usize,
    /// The name of one of these processes, such as `sleep`, as the kernel has it: the processes
    /// choose it themselves, so sanitize it.
    pub left_name: Option<String>,
}

/// The changes that a command makes to protected paths while it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProtectedChanges {
    /// The new names of files that it made, as in [`ProcessOutcome::set_aside`].
    pub set_aside: Vec<PathBuf>,
    /// The paths that it changed, as in [`ProcessOutcome::changed`].
    pub changed: Vec<PathBuf>,
    /// The paths that it changed and that have been put back, as in [`ProcessOutcome::restored`].
    pub restored: Vec<PathBuf>,
}
