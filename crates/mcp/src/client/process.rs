//! The program of a server, in a separate process group.
//!
//! ```text
//! runs ─► its input is closed ─► TERM ─► KILL
//!   └──── it ends by itself ────────────► KILL for what it left behind
//! ```
//!
//! The group is killed when this process dies, too, however it dies.

use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use silcrow_tool::ProcessGroup;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::client::log::{LONGEST, ServerLog};
use crate::client::program::found_program;
use crate::client::start_folder::StartFolder;
use crate::config::ServerCommand;
use crate::environment::passed_on;

/// A program that runs, and all that it started. Dropping it ends them.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    stop: watch::Sender<bool>,
    /// How the program ended; `None` while it runs.
    ended: watch::Receiver<Option<String>>,
}

impl ServerProcess {
    /// Starts a program, and returns both ends of its pipes. Its standard error goes to the log.
    /// Without a declared folder it runs in an empty one, which is removed when it has ended.
    pub(crate) fn start(
        server: &ServerCommand,
        log: &ServerLog,
        running: Arc<watch::Sender<usize>>,
    ) -> io::Result<(Self, ChildStdout, ChildStdin)> {
        let (name, args) = server.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(found_program(server)?);
        // On Windows, a program cannot have a name other than its file.
        #[cfg(unix)]
        command.arg0(name);
        #[cfg(not(unix))]
        let _ = name;
        command.args(args).env_clear().envs(passed_on());
        command.envs(server.variables.iter().map(|(name, value)| (name, value)));
        let empty = server.empty_folders.as_deref().filter(|_| server.folder.is_none());
        let empty = empty.map(StartFolder::make).transpose()?;
        let folder = server.folder.as_deref().or_else(|| empty.as_ref().map(StartFolder::path));
        if let Some(folder) = folder {
            // A program that looks at this variable would find the folder of this process.
            command.current_dir(folder).env("PWD", folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // In a process group of its own it does not receive the terminal's Ctrl-C.
        ProcessGroup::separate(command.as_std_mut());
        let mut child = command.kill_on_drop(true).spawn()?;
        let group = ProcessGroup::led_by(child.id().unwrap_or_default()).with_watcher()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        tokio::spawn(keep_lines(errors, log.clone()));
        let (stop, stopped) = watch::channel(false);
        let (ending, ended) = watch::channel(None);
        let running = RunningProgram::new(running, empty);
        tokio::spawn(watch_over(child, group, stopped, ending, running));
        Ok((Self { stop, ended }, output, input))
    }

    /// Ends the program, and waits until it has ended. Its input is closed by now.
    pub(crate) async fn stop(&self) {
        let _ = self.stop.send(true);
        let mut ended = self.ended.clone();
        // The sender is gone if the runtime shuts down, and then the group is killed.
        let _ = ended.wait_for(Option::is_some).await;
    }

    /// Waits a moment for the end of a program that closed its output, and returns how it ended.
    pub(crate) async fn end(&self) -> Option<String> {
        let mut ended = self.ended.clone();
        let waited = timeout(MOMENT, ended.wait_for(Option::is_some)).await;
        waited.ok()?.ok()?.clone()
    }
}

/// Waits for the end of a program, and ends it if that is wanted.
async fn watch_over(
    mut child: Child,
    group: ProcessGroup,
    mut stop: watch::Receiver<bool>,
    ending: watch::Sender<Option<String>>,
    running: RunningProgram,
) {
    let ended_itself = tokio::select! {
        ended = child.wait() => Some(ended),
        () = stopped(&mut stop) => None,
    };
    if ended_itself.is_none() && timeout(MOMENT, child.wait()).await.is_err() {
        group.terminate();
        let _ = timeout(GRACE, child.wait()).await;
    }
    // Processes that remain in the group are killed.
    drop(group);
    let ended = match ended_itself {
        Some(ended) => ended,
        None => child.wait().await,
    };
    ending.send_replace(Some(described(ended)));
    drop(running);
}

/// Counts a program as one that has not ended, until it is dropped, and keeps its folder.
struct RunningProgram {
    running: Arc<watch::Sender<usize>>,
    folder: Option<StartFolder>,
}

impl RunningProgram {
    fn new(running: Arc<watch::Sender<usize>>, folder: Option<StartFolder>) -> Self {
        running.send_modify(|running| *running += 1);
        Self { running, folder }
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        drop(self.folder.take());
        self.running.send_modify(|running| *running -= 1);
    }
}

/// Waits until the program is to end.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // It fails if the connection was dropped, which means the same.
    let _ = stop.wait_for(|stop| *stop).await;
}

fn described(ended: io::Result<std::process::ExitStatus>) -> String {
    match ended {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    }
}

/// Reads lines into the log until there are no more. Only the beginning of a line is kept.
async fn keep_lines(errors: impl AsyncRead + Unpin, log: ServerLog) {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut errors).take(LONGEST as u64);
        match limited.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => log.push(line.strip_suffix(b"\n").unwrap_or(&line)),
        }
    }
}

/// The time that a program has to notice that its input was closed.
const MOMENT: Duration = Duration::from_millis(500);

/// The time between TERM and KILL.
const GRACE: Duration = Duration::from_secs(2);
