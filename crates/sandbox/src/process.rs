//! A running command, as the program that started it sees it.
//!
//! The supervisor, a helper process, runs until the last process of the command is gone. The program
//! and the supervisor hold the two ends of a socket. When the program's end is shut, by
//! [`ProcessGuard`] or because the program died, the supervisor ends the command. If there are files to
//! watch, the watcher is between the two, and passes on both.

use std::io::{self, BufReader};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout};
use std::thread;

use crate::error::{Error, ErrorKind};
use crate::helper;
use crate::late_sockets::LateSockets;
use crate::secret_files::SecretFiles;
use crate::settings::{self, HelperReport, HelperSettings};

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

/// A guard that stops a command when it is dropped: all processes that the command started get TERM,
/// and after a grace of 2 seconds KILL, also those that left their group or session.
#[derive(Debug)]
#[must_use = "it stops the command when it is dropped"]
pub struct ProcessGuard(UnixStream);

impl ProcessGuard {
    pub(crate) const fn new(control: UnixStream) -> Self {
        Self(control)
    }

    /// Sends the settings to the supervisor, after the namespaces that the command enters.
    pub(crate) fn send(
        &self,
        settings: &HelperSettings,
        namespaces: &[BorrowedFd<'_>],
    ) -> Result<(), Error> {
        let passed = helper::send_namespaces(&self.0, namespaces);
        match passed.and_then(|()| settings::write(&self.0, settings)) {
            // A helper that has ended makes no report, and that is the error of `wait`.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let words = "the settings cannot be sent to the helper of the sandbox";
                Err(Error::new(ErrorKind::Io, words).with_source(error))
            }
            _ => Ok(()),
        }
    }

    /// Stops the command. [`ProcessEnd::wait`] returns when its last process has ended.
    pub fn stop(&self) {
        // It fails if the supervisor has ended, and then the command has, too.
        let _ = self.0.shutdown(Shutdown::Write);
    }
}

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The end of a command, to wait for.
#[derive(Debug)]
pub struct ProcessEnd {
    reports: UnixStream,
    supervisor: Option<Child>,
    secrets: SecretFiles,
    sockets: LateSockets,
}

/// The outcome of a command, all of whose processes have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessOutcome {
    /// The exit status, unless a signal ended the command.
    pub code: Option<i32>,
    /// The number of the signal that ended the command.
    pub signal: Option<i32>,
    /// The new names of what the command put in the place of protected paths that did not exist.
    pub set_aside: Vec<PathBuf>,
    /// The paths with [protected names](crate::SandboxOptions::with_protected_name) that were
    /// changed while the command ran, because no layer of the kernel could guard them.
    pub changed: Vec<PathBuf>,
    /// The protected paths that were changed while the command ran, and that have been put back. What
    /// was in their place is in [`set_aside`](Self::set_aside).
    pub restored: Vec<PathBuf>,
    /// Whether protected names were not looked for in all folders, because
    /// they cannot be read.
    pub is_partly_checked: bool,
    /// The files with [secret names](crate::SandboxOptions::with_secret_names) that the command did not
    /// see.
    pub hidden: Vec<PathBuf>,
    /// Whether secret names were not looked for in all folders, or are too many to hide.
    pub is_partly_hidden: bool,
    /// The local sockets that other programs made while the command ran, in folders that it saw, and
    /// that it could have connected to ([`SandboxLevel::reaches_new_sockets`]).
    ///
    /// [`SandboxLevel::reaches_new_sockets`]: crate::SandboxLevel::reaches_new_sockets
    pub new_sockets: Vec<PathBuf>,
    /// The number of processes that could not be ended, because the kernel did not let them go
    /// within 5 seconds.
    pub survivors: usize,
    /// The number of processes that still ran when the command itself had ended, and were ended with
    /// it. Those that end by themselves within a third of a second are not counted.
    pub left_running: usize,
    /// The name of one of these processes, such as `sleep`, as the kernel has it: the processes choose
    /// it themselves, so it is to be sanitized.
    pub left_name: Option<String>,
}

/// The changes that a command makes to protected paths while it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProtectedChanges {
    /// The new names of what it made, as in [`ProcessOutcome::set_aside`].
    pub set_aside: Vec<PathBuf>,
    /// The paths that it changed, as in [`ProcessOutcome::changed`].
    pub changed: Vec<PathBuf>,
    /// The paths that it changed and that have been put back, as in [`ProcessOutcome::restored`].
    pub restored: Vec<PathBuf>,
}

impl ProcessEnd {
    pub(crate) fn new(reports: UnixStream, supervisor: Child) -> Self {
        Self {
            reports,
            supervisor: Some(supervisor),
            secrets: SecretFiles::default(),
            sockets: LateSockets::default(),
        }
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

    /// Waits like [`wait`](Self::wait), and calls `note` with what was found while the command runs, if
    /// it is to be [looked at](crate::ConfinedCommand::with_look_every) then. The outcome has the rest.
    ///
    /// # Errors
    ///
    /// The errors are those of [`wait`](Self::wait).
    pub fn wait_noting(
        mut self,
        mut note: impl FnMut(ProtectedChanges),
    ) -> Result<ProcessOutcome, Error> {
        let mut reports = BufReader::new(&self.reports);
        let report = loop {
            match settings::read_next::<HelperReport>(&mut reports) {
                Ok(Some(HelperReport {
                    is_running: true, set_aside, changed, restored, ..
                })) => {
                    note(ProtectedChanges { set_aside, changed, restored });
                }
                // It ended without reading what it was sent.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => break Ok(None),
                report => break report,
            }
        };
        if matches!(&report, Err(error) if error.kind() == io::ErrorKind::WouldBlock) {
            self.kill();
        }
        self.reap();
        let report = report.map_err(|error| {
            Error::new(ErrorKind::Io, "the helper of the sandbox does not answer")
                .with_source(error)
        })?;
        let report = report.ok_or_else(|| {
            let words = "the helper of the sandbox ended without a report; the `main` of the program \
                has to call `silcrow_sandbox::run_helper_if_asked` first";
            Error::new(ErrorKind::Unavailable, words)
        })?;
        if let Some(failure) = report.failure {
            return Err(Error::new(ErrorKind::Unavailable, failure));
        }
        let HelperReport { code, signal, set_aside, changed, restored, is_cut, survivors, .. } =
            report;
        let (left_running, left_name) = (report.left, report.left_name);
        let is_partly_checked = is_cut;
        let SecretFiles { paths: hidden, is_cut: is_partly_hidden } =
            std::mem::take(&mut self.secrets);
        Ok(ProcessOutcome {
            code,
            signal,
            set_aside,
            changed,
            restored,
            is_partly_checked,
            hidden,
            is_partly_hidden,
            new_sockets: self.sockets.appeared(),
            survivors,
            left_running,
            left_name,
        })
    }

    /// Sets the files that the command does not see.
    pub(crate) fn with_hidden(mut self, secrets: SecretFiles) -> Self {
        self.secrets = secrets;
        self
    }

    /// Sets what tells the sockets that appeared while the command ran.
    pub(crate) fn with_late_sockets(mut self, sockets: LateSockets) -> Self {
        self.sockets = sockets;
        self
    }

    /// Sets how long `wait` waits, for a helper that may be another program.
    pub(crate) fn with_timeout(self, timeout: std::time::Duration) -> Self {
        // It fails only for a timeout of 0.
        let _ = self.reports.set_read_timeout(Some(timeout));
        self
    }

    fn kill(&mut self) {
        if let Some(supervisor) = &mut self.supervisor {
            let _ = supervisor.kill();
        }
    }

    fn reap(&mut self) {
        if let Some(mut supervisor) = self.supervisor.take() {
            // Nobody else reaps it.
            let _ = supervisor.wait();
        }
    }
}

impl Drop for ProcessEnd {
    /// Reaps the supervisor in a thread of its own, because it may take as long as the command.
    fn drop(&mut self) {
        if let Some(mut supervisor) = self.supervisor.take() {
            let reaper = thread::Builder::new().name("sandbox-reaper".to_owned());
            // Without a thread the supervisor stays a zombie until this program ends.
            let _ = reaper.spawn(move || supervisor.wait());
        }
    }
}
