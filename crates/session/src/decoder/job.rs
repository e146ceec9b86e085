//! A process of this program that decodes one file.

use std::io::{self, Read as _};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use silcrow_event::error_chain;
use silcrow_sandbox::{ConfinedCommand, ConfinedProcess, ResourceLimits, Sandbox, SandboxOptions};

use super::decode_folder::DecodeFolder;

/// The job of a process.
pub(super) struct DecodeJob<'a> {
    /// The arguments before the name of the file.
    pub(super) words: [&'a str; 3],
    pub(super) file: &'a [u8],
    /// The maximum number of bytes of memory.
    pub(super) memory: u64,
    pub(super) is_sandbox_off: bool,
}

/// The reason why a process has no output, in words that follow "it" or "the picture".
pub(super) enum JobFailure {
    /// This machine confines nothing.
    NoSandbox(String),
    Failed(String),
}

impl DecodeJob<'_> {
    /// Runs it, and returns its output.
    pub(super) fn run(self) -> Result<Vec<u8>, JobFailure> {
        let no_place =
            |error: io::Error| JobFailure::Failed(format!("it cannot be read here: {error}"));
        let folder = DecodeFolder::make(self.file).map_err(no_place)?;
        let program = std::env::current_exe().map_err(no_place)?;
        let limits = ResourceLimits { memory: self.memory, ..ResourceLimits::default() };
        let options =
            SandboxOptions::new(folder.path()).with_readable(&program).with_limits(limits);
        let no_sandbox = |error: silcrow_sandbox::Error| JobFailure::NoSandbox(error_chain(&error));
        let sandbox = match self.is_sandbox_off {
            true => Sandbox::unconfined(options),
            false => Sandbox::new(options),
        };
        let sandbox = sandbox.map_err(no_sandbox)?;
        if !self.is_sandbox_off && !sandbox.can_enforce_read_only() {
            let why = "this system does not confine commands well enough";
            return Err(JobFailure::NoSandbox(why.to_owned()));
        }
        let words = [program.to_string_lossy().into_owned()].into_iter();
        let words = words.chain(self.words.map(str::to_owned));
        let words = words.chain([folder.file().to_string_lossy().into_owned()]);
        let command = ConfinedCommand::new(words).with_grace(Duration::ZERO);
        let command = if self.is_sandbox_off { command } else { command.read_only() };
        output(sandbox.spawn(&command).map_err(no_sandbox)?)
    }
}

/// Returns the output of a process once it has ended, and stops it when its time is over.
fn output(process: ConfinedProcess) -> Result<Vec<u8>, JobFailure> {
    let ConfinedProcess { stdout, stderr, guard, end } = process;
    // A decoder's panic message is not shown.
    drop(stderr);
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut output = Vec::new();
        let read = stdout.take(MOST_OUTPUT).read_to_end(&mut output);
        // The receiver may have left.
        let _ = send.send(read.map(|_| output));
    });
    let output = receive.recv_timeout(MOST_TIME);
    drop(guard);
    let ended = end.wait();
    let failed = |why: String| JobFailure::Failed(why);
    let slow = format!("it takes more than {} seconds to read", MOST_TIME.as_secs());
    let output = output.map_err(|_| failed(slow))?;
    let output = output.map_err(|error| failed(format!("its reader failed: {error}")))?;
    if output.is_empty() {
        ended.map_err(|error| failed(format!("its reader failed: {}", error_chain(&error))))?;
    }
    Ok(output)
}

/// The maximum length of the process's output, in bytes.
const MOST_OUTPUT: u64 = 8 << 20;

/// The time that a file may take.
const MOST_TIME: Duration = Duration::from_secs(20);
