//! A command that runs, and its output.
//!
//! A command is stopped when its [`RunningCommand`] is dropped. Reading its output can be
//! interrupted and continued.

use std::sync::Arc;
use std::thread;

use silcrow_sandbox::{
    ConfinedCommand, ConfinedProcess, Error, ProcessGuard, ProcessOutcome, Sandbox,
};
use silcrow_tool::{CallContext, ToolError};
use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStderr, ChildStdout};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use crate::early_changes::EarlyChanges;
use crate::open_doors::OpenDoors;
use crate::output::{CommandOutput, OutputChannel};
use crate::pipe_failures::PipeNote;
use crate::wall_notices::MetWalls;

/// A command that runs.
#[derive(Debug)]
pub(crate) struct RunningCommand {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    guard: ProcessGuard,
    end: oneshot::Receiver<Result<ProcessOutcome, Error>>,
    early: EarlyChanges,
    pipes: Option<PipeNote>,
    doors: OpenDoors,
}

/// The end of a command.
#[derive(Clone, Debug)]
pub(crate) struct EndedCommand {
    pub(crate) outcome: ProcessOutcome,
    /// The statuses of programs that failed in its pipes and were not the last there.
    pub(crate) pipe_failures: Vec<u8>,
    pub(crate) walls: MetWalls,
}

impl RunningCommand {
    /// Starts a command line.
    pub(crate) async fn start(
        sandbox: &Arc<Sandbox>,
        command: ConfinedCommand,
        text: &str,
    ) -> Result<Self, ToolError> {
        let (command, pipes) = PipeNote::with(command, text, sandbox);
        let sandbox = Arc::clone(sandbox);
        // The sandbox may look through many folders before the command.
        let process = spawn_blocking(move || sandbox.spawn(&command)).await;
        let process = process.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        let ConfinedProcess { stdout, stderr, guard, end } = process;
        let (sender, receiver) = oneshot::channel();
        // The thread lasts as long as the command. Unlike a blocking task of tokio it does not keep
        // the program from ending.
        let waiter = thread::Builder::new().name("shell-wait".to_owned());
        let early = EarlyChanges::default();
        let noted = early.clone();
        let wait = move || {
            // A receiver that is gone waits no longer.
            drop(sender.send(end.wait_noting(|changes| noted.add(changes))));
        };
        waiter.spawn(wait).map_err(|error| failed(&error))?;
        let stdout = ChildStdout::from_std(stdout).map_err(|error| failed(&error))?;
        let stderr = ChildStderr::from_std(stderr).map_err(|error| failed(&error))?;
        let (stdout, stderr, end) = (Some(stdout), Some(stderr), receiver);
        Ok(Self { stdout, stderr, guard, end, early, pipes, doors: OpenDoors::none() })
    }

    /// Keeps the doors of the command open until it has ended.
    pub(crate) fn with_doors(self, doors: OpenDoors) -> Self {
        Self { doors, ..self }
    }

    /// Returns the next bytes of either stream; `None` when both have ended, and all processes of
    /// the command with them.
    pub(crate) async fn next(&mut self) -> Option<(OutputChannel, Vec<u8>)> {
        let (mut out, mut err) = ([0; PIECE], [0; PIECE]);
        while self.stdout.is_some() || self.stderr.is_some() {
            let (channel, read) = tokio::select! {
                read = read(&mut self.stdout, &mut out) => (OutputChannel::Stdout, read),
                read = read(&mut self.stderr, &mut err) => (OutputChannel::Stderr, read),
            };
            let bytes = match channel {
                OutputChannel::Stdout => &out[..read],
                OutputChannel::Stderr => &err[..read],
            };
            if !bytes.is_empty() {
                return Some((channel, bytes.to_vec()));
            }
            match channel {
                OutputChannel::Stdout => self.stdout = None,
                OutputChannel::Stderr => self.stderr = None,
            }
        }
        None
    }

    /// Collects the output until it ends, and reports it as progress.
    pub(crate) async fn collect(&mut self, output: &mut CommandOutput, context: &CallContext) {
        while let Some((channel, bytes)) = self.next().await {
            let text = output.push(channel, &bytes);
            if !text.is_empty() {
                context.progress(channel.name(), text).await;
            }
        }
    }

    /// Returns the command's changes to protected paths while it runs.
    pub(crate) fn early_changes(&self) -> EarlyChanges {
        self.early.clone()
    }

    /// Ends the call, while the command runs on: its doors stay open, and nobody is asked any more.
    pub(crate) fn end_call(&self) {
        self.doors.end_call();
    }

    /// Stops the command.
    pub(crate) fn stop(&self) {
        self.guard.stop();
    }

    /// Waits until all processes of the command have ended.
    pub(crate) async fn end(self) -> Result<EndedCommand, ToolError> {
        let Self { guard, end, early, pipes, doors, .. } = self;
        let outcome = end.await.map_err(|error| failed(&error))?;
        drop(guard);
        let walls = doors.close();
        let mut outcome = outcome.map_err(|error| failed(&error))?;
        early.add_to(&mut outcome);
        let pipe_failures = pipes.as_ref().map(PipeNote::read).unwrap_or_default();
        Ok(EndedCommand { outcome, pipe_failures, walls })
    }
}

/// Reads from a stream that may have ended. A failure is an end.
async fn read<R: tokio::io::AsyncRead + Unpin>(from: &mut Option<R>, into: &mut [u8]) -> usize {
    match from {
        Some(stream) => stream.read(into).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}

fn failed(error: &(dyn std::error::Error + 'static)) -> ToolError {
    ToolError::new(format!("the command did not run: {}", silcrow_event::error_chain(error)))
}

/// The length of the pieces that are read.
const PIECE: usize = 16 * 1024;
