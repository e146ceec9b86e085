//! The socket between the program and the supervisor of a command.
//!
//! The supervisor, a helper process, runs until the last process of the command is gone. The program
//! and the supervisor hold the two ends of a socket. When the program's end is shut, by a
//! [`ProcessGuard`](crate::ProcessGuard) or because the program died, the supervisor ends the command. If
//! there are files to watch, the watcher is between the two, and passes on both.

use std::io::{self, BufReader};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::thread;

use crate::error::{Error, ErrorKind};
use crate::process::{ProcessOutcome, ProtectedChanges};
use crate::supervised::late_sockets::LateSockets;
use crate::supervised::secret_files::SecretFiles;
use crate::supervised::settings::{self, HelperReport, HelperSettings};
use crate::system;

/// The program's end of the socket, which stops the command when it is shut.
#[derive(Debug)]
pub(crate) struct SupervisedGuard(UnixStream);

impl SupervisedGuard {
    pub(super) const fn new(control: UnixStream) -> Self {
        Self(control)
    }

    /// Sends the settings to the supervisor, after the namespaces that the command enters.
    pub(super) fn send(
        &self,
        settings: &HelperSettings,
        namespaces: &[BorrowedFd<'_>],
    ) -> Result<(), Error> {
        let passed = system::send_namespaces(&self.0, namespaces);
        match passed.and_then(|()| settings::write(&self.0, settings)) {
            // A helper that has ended makes no report, and that is the error of `wait`.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let words = "the settings cannot be sent to the helper of the sandbox";
                Err(Error::new(ErrorKind::Io, words).with_source(error))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn stop(&self) {
        // It fails if the supervisor has ended, and then the command has, too.
        let _ = self.0.shutdown(Shutdown::Write);
    }
}

/// The reports of the supervisor.
#[derive(Debug)]
pub(crate) struct SupervisedEnd {
    reports: UnixStream,
    supervisor: Option<Child>,
    secrets: SecretFiles,
    sockets: LateSockets,
}

impl SupervisedEnd {
    pub(super) fn new(reports: UnixStream, supervisor: Child) -> Self {
        Self {
            reports,
            supervisor: Some(supervisor),
            secrets: SecretFiles::default(),
            sockets: LateSockets::default(),
        }
    }

    /// Waits for the last report, and passes on the earlier ones.
    pub(crate) fn wait(
        mut self,
        note: &mut dyn FnMut(ProtectedChanges),
    ) -> Result<ProcessOutcome, Error> {
        let mut reports = BufReader::new(&self.reports);
        let report = loop {
            match settings::read_next::<HelperReport>(&mut reports) {
                Ok(Some(HelperReport {
                    is_running: true, set_aside, changed, restored, ..
                })) => {
                    note(ProtectedChanges { set_aside, changed, restored });
                }
                // It ended without reading its input.
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
    pub(super) fn with_hidden(mut self, secrets: SecretFiles) -> Self {
        self.secrets = secrets;
        self
    }

    /// Sets the detector of sockets that appear while the command runs.
    pub(super) fn with_late_sockets(mut self, sockets: LateSockets) -> Self {
        self.sockets = sockets;
        self
    }

    /// Sets the time limit of `wait`, for a helper that may be another program.
    pub(super) fn with_timeout(self, timeout: std::time::Duration) -> Self {
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
            // No other process reaps it.
            let _ = supervisor.wait();
        }
    }
}

impl Drop for SupervisedEnd {
    /// Reaps the supervisor in its own thread, because it may take as long as the command.
    fn drop(&mut self) {
        if let Some(mut supervisor) = self.supervisor.take() {
            let reaper = thread::Builder::new().name("sandbox-reaper".to_owned());
            // Without a thread the supervisor stays a zombie until this program ends.
            let _ = reaper.spawn(move || supervisor.wait());
        }
    }
}
