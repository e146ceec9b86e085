//! The hooks of a project, in the sandbox of the session and without a network.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_hooks::{Hook, HookOutput, HookProcess};
use silcrow_sandbox::{ConfinedCommand, ConfinedProcess, Sandbox};
use tokio::task::spawn_blocking;

/// Runs hooks in a sandbox.
pub(super) struct ConfinedHooks {
    sandbox: Arc<Sandbox>,
    root: PathBuf,
}

impl ConfinedHooks {
    pub(super) fn new(sandbox: Arc<Sandbox>, root: &Path) -> Self {
        Self { sandbox, root: root.to_owned() }
    }

    async fn start(&self, command: &str, input: &str) -> Result<HookOutput, String> {
        if input.len() > MOST_BYTES {
            return Err(format!("its input has {} bytes, and {MOST_BYTES} at most", input.len()));
        }
        // The sandbox gives a command no input.
        let script = format!("printf '%s' \"${INPUT}\" | {{ unset {INPUT}\n{command}\n}}");
        let folder = self.root.to_string_lossy();
        let command = ConfinedCommand::shell(script)
            .with_folder(&self.root)
            .with_variable(INPUT, input)
            .with_variable("SILCROW_PROJECT_DIR", &*folder)
            .with_variable("CLAUDE_PROJECT_DIR", &*folder);
        let sandbox = Arc::clone(&self.sandbox);
        // It may look through many folders before the command.
        let process = spawn_blocking(move || sandbox.spawn(&command)).await;
        let process = process.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        let ConfinedProcess { stdout, stderr, guard, end } = process;
        // Once this is dropped, the processes end.
        let _guard = guard;
        let stdout = spawn_blocking(move || beginning(stdout));
        let stderr = spawn_blocking(move || beginning(stderr));
        let ended = spawn_blocking(move || end.wait());
        let (stdout, stderr) = (stdout.await, stderr.await);
        let ended = ended.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        let text = |read: Result<io::Result<String>, _>| read.ok().and_then(Result::ok);
        let stdout = text(stdout).unwrap_or_default();
        Ok(HookOutput { status: ended.code, stdout, stderr: text(stderr).unwrap_or_default() })
    }
}

impl HookProcess for ConfinedHooks {
    fn run<'a>(
        &'a self,
        hook: &'a Hook,
        input: &'a str,
    ) -> BoxFuture<'a, Result<HookOutput, String>> {
        self.start(&hook.command, input).boxed()
    }
}

impl fmt::Debug for ConfinedHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfinedHooks").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Reads an output, and keeps its beginning.
fn beginning(mut output: impl Read) -> io::Result<String> {
    let mut kept = Vec::new();
    let mut piece = [0; 8 << 10];
    loop {
        let read = output.read(&mut piece)?;
        if read == 0 {
            return Ok(String::from_utf8_lossy(&kept).into_owned());
        }
        let room = MOST_BYTES.saturating_sub(kept.len());
        kept.extend_from_slice(&piece[..read.min(room)]);
    }
}

fn failed(error: &dyn std::error::Error) -> String {
    format!("it cannot run: {error}")
}

/// The variable that has the input.
const INPUT: &str = "SILCROW_HOOK_INPUT";

/// The number of bytes of an input, and of an output that is kept.
const MOST_BYTES: usize = 64 << 10;
