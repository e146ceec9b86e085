//! The process of a hook: its start and its output.

use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_tool::ProcessGroup;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use crate::hook::Hook;

/// Runs the command of a hook. The future is dropped when its time is over, and then ends the process.
///
/// ```
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_hooks::{Hook, HookCall, HookEvent, HookOutput, HookProcess, HookVerdict, Hooks};
///
/// /// Runs nothing, and says no.
/// struct Never;
///
/// impl HookProcess for Never {
///     fn run<'a>(&'a self, _: &'a Hook, _: &'a str) -> BoxFuture<'a, Result<HookOutput, String>> {
///         let stderr = "not today".to_owned();
///         ready(Ok(HookOutput { status: Some(2), stderr, ..HookOutput::default() })).boxed()
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let hook = Hook::new(HookEvent::PreToolUse, "make check");
/// let hooks = Hooks::new([hook], ".").with_process(Never);
/// let outcome = hooks.run(&HookCall::before_tool("c1", "shell", "{}")).await;
/// assert!(matches!(outcome.verdict, HookVerdict::Block(why) if why.ends_with("not today")));
/// # });
/// ```
pub trait HookProcess: Send + Sync {
    /// Runs a command that reads a text at its standard input.
    ///
    /// # Errors
    ///
    /// Returns why the command cannot run.
    fn run<'a>(
        &'a self,
        hook: &'a Hook,
        input: &'a str,
    ) -> BoxFuture<'a, Result<HookOutput, String>>;
}

/// The output of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a process has two outputs and a status")]
pub struct HookOutput {
    /// The exit status; `None` if a signal ended the process.
    pub status: Option<i32>,
    /// Its standard output, at most 64 KiB.
    pub stdout: String,
    /// Its standard error, at most 64 KiB.
    pub stderr: String,
}

/// Runs hooks in the shell of the person, with their rights and without a sandbox.
///
/// ```
/// use silcrow_hooks::PersonProcess;
///
/// let process = PersonProcess::new("/work").without_variables(["OPENAI_API_KEY"]);
/// # let _ = process;
/// ```
#[derive(Clone)]
pub struct PersonProcess {
    folder: PathBuf,
    /// The variables of the environment that hooks do not have.
    without: Vec<String>,
}

impl PersonProcess {
    /// Creates a process that runs hooks in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), without: Vec::new() }
    }

    /// Removes variables from the hooks' environment, such as those with keys.
    #[must_use]
    pub fn without_variables<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        Self { without: names.into_iter().map(Into::into).collect(), ..self }
    }

    async fn start(&self, command: &str, input: &str) -> Result<HookOutput, String> {
        let failed = |error: std::io::Error| format!("it cannot run: {error}");
        let mut process = std::process::Command::new("sh");
        process.arg("-c").arg(command).current_dir(&self.folder);
        process.env("SILCROW_PROJECT_DIR", &self.folder).env("CLAUDE_PROJECT_DIR", &self.folder);
        for name in &self.without {
            process.env_remove(name);
        }
        ProcessGroup::separate(&mut process);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Command::from(process).kill_on_drop(true).spawn().map_err(failed)?;
        // Processes that the command has started end with it.
        let _group = child.id().map(ProcessGroup::led_by);
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // A hook need not read its input.
                let _ = stdin.write_all(input.as_bytes()).await;
            }
        };
        let ((), stdout, stderr, status) =
            tokio::join!(write, beginning(stdout), beginning(stderr), child.wait());
        Ok(HookOutput { status: status.map_err(failed)?.code(), stdout, stderr })
    }
}

impl HookProcess for PersonProcess {
    fn run<'a>(
        &'a self,
        hook: &'a Hook,
        input: &'a str,
    ) -> BoxFuture<'a, Result<HookOutput, String>> {
        self.start(&hook.command, input).boxed()
    }
}

impl fmt::Debug for PersonProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PersonProcess").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Reads the beginning of an output. The rest is thrown away, so that the process does not wait for a reader.
async fn beginning(output: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut output) = output else { return String::new() };
    let mut kept = Vec::new();
    let mut piece = [0; 8 << 10];
    while let Ok(read @ 1..) = output.read(&mut piece).await {
        let room = MOST_BYTES.saturating_sub(kept.len());
        kept.extend_from_slice(&piece[..read.min(room)]);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// The number of bytes that are kept of an output.
const MOST_BYTES: usize = 64 << 10;
