//! Commands that print a secret, such as a key that lives for an hour.
//!
//! The person names these commands in their environment or settings. A command runs without a
//! shell, unless its words start one, and its output is masked wherever secrets are.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use silcrow_sanitize::{Secrets, sanitize_line};
use silcrow_tool::ProcessGroup;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader, copy, sink};
use tokio::process::Command;
use tokio::time::timeout;

use silcrow_environment::{add_secrets, printed_secrets};

/// A command that prints a secret on its first line.
///
/// It runs without a shell, in a process group that ends with it, for at most 10 s. Its output
/// joins [`printed_secrets`], and is kept for other values with the same words.
///
/// ```
/// use silcrow_models::SecretCommand;
///
/// let words = ["echo", "sk-canary-0123"].map(str::to_owned).to_vec();
/// let command = SecretCommand::new(words, "OPENAI_API_KEY_COMMAND");
/// assert_eq!(command.text(), Ok("sk-canary-0123".to_owned()));
/// ```
#[derive(Clone, Debug)]
pub struct SecretCommand {
    /// The program and its arguments.
    words: Vec<String>,
    /// The declaration's place, for messages and in place of the secret.
    source: String,
    /// The secrets that its messages may not show.
    secrets: Secrets,
}

impl SecretCommand {
    /// Creates a command of a program and its arguments. The source is the place of its
    /// declaration, for messages.
    pub fn new(words: Vec<String>, source: impl Into<String>) -> Self {
        Self { words, source: source.into(), secrets: printed_secrets().clone() }
    }

    /// Sets the secrets that are masked in the error output of a command.
    #[must_use]
    pub fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    /// Returns the program and its arguments.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns the secret, which this process has read before or reads now. Blocks until the command
    /// has ended, for 10 s at most.
    ///
    /// # Errors
    ///
    /// Returns a sentence that names the command and its source if it cannot be started, fails, prints
    /// nothing, or does not end.
    pub fn text(&self) -> Result<String, String> {
        let known =
            PRINTED.lock().unwrap_or_else(PoisonError::into_inner).get(&self.words).cloned();
        match known {
            Some(known) => Ok(known),
            None => self.read_again(),
        }
    }

    /// Runs the command again, because the secret is not accepted any more. Blocks as
    /// [`text`](Self::text) does.
    ///
    /// # Errors
    ///
    /// Returns a sentence as [`text`](Self::text) does.
    pub fn read_again(&self) -> Result<String, String> {
        let wrong = |why: String| {
            let program = self.words.first().map_or("", String::as_str);
            format!("the command `{}` ({}) {why}", sanitize_line(program), self.source)
        };
        let printed = std::thread::scope(|scope| {
            // The caller may be in a runtime, where blocking on another one is not allowed.
            let reader = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let runtime = runtime.map_err(|error| format!("cannot be started: {error}"))?;
                let printed = async { timeout(LIMIT, self.first_line()).await };
                let printed = runtime.block_on(printed);
                let silent = |_| format!("did not end in {} s", LIMIT.as_secs());
                printed.map_err(silent).and_then(|printed| printed)
            });
            reader.join().unwrap_or_else(|_| Err("cannot be started".to_owned()))
        });
        let printed = printed.map_err(wrong)?;
        add_secrets([(&*printed, &*self.source)].into_iter());
        let mut all = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(self.words.clone(), printed.clone());
        Ok(printed)
    }

    /// Returns the first line that a command prints. The error is the end of a sentence about it.
    async fn first_line(&self) -> Result<String, String> {
        let (program, args) = self.words.split_first().ok_or("has no words")?;
        if program.contains('/') && !program.starts_with('/') {
            return Err("is named from the current folder; name it with its whole path".to_owned());
        }
        let mut command = Command::new(program);
        command.args(args).kill_on_drop(true).env("PATH", path_elsewhere());
        ProcessGroup::separate(command.as_std_mut());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
        // Processes that it leaves behind end with it.
        let _group = ProcessGroup::led_by(child.id().unwrap_or_default());
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let line = tokio::spawn(read_line(output));
        let errors = tokio::spawn(read_some(errors));
        let status = child.wait().await.map_err(|error| format!("is lost: {error}"))?;
        if !status.success() {
            // A process that it left may hold the pipe.
            let said = timeout(MOMENT, errors).await.ok().and_then(Result::ok).unwrap_or_default();
            let said = said.trim().to_owned();
            let said = self.secrets.redact(&said, "[secret]");
            let said = said.lines().last().map(|line| format!(": {}", sanitize_line(line)));
            return Err(format!("ended with {status}{}", said.unwrap_or_default()));
        }
        let line = timeout(MOMENT, line).await.ok().and_then(Result::ok).unwrap_or_default();
        match line.trim() {
            "" => Err("printed nothing on its first line".to_owned()),
            line => Ok(line.to_owned()),
        }
    }
}

impl PartialEq for SecretCommand {
    /// Compares the declarations.
    fn eq(&self, other: &Self) -> bool {
        (&self.words, &self.source) == (&other.words, &other.source)
    }
}

impl Eq for SecretCommand {}

/// The last output of each command, by its words.
static PRINTED: LazyLock<Mutex<HashMap<Vec<String>, String>>> = LazyLock::new(Mutex::default);

/// Returns the folders of `PATH` that are absolute and not in the current folder, where a model may
/// have written a program.
fn path_elsewhere() -> OsString {
    let here = env::current_dir().and_then(|here| here.canonicalize());
    let is_here = |entry: &Path| {
        let real = entry.canonicalize();
        here.as_ref().is_ok_and(|here| real.is_ok_and(|real| real.starts_with(here)))
    };
    let path = env::var_os("PATH").unwrap_or_default();
    let entries = env::split_paths(&path).filter(|entry| entry.is_absolute() && !is_here(entry));
    // It fails only for an entry with a colon, and none has one.
    env::join_paths(entries).unwrap_or_default()
}

async fn read_line(output: Option<impl AsyncRead + Send + Unpin + 'static>) -> String {
    let Some(output) = output else { return String::new() };
    let (mut line, mut output) = (Vec::new(), BufReader::new(output));
    let _ = (&mut output).take(LONGEST).read_until(b'\n', &mut line).await;
    // The rest is read, so that the command can write it.
    tokio::spawn(async move { copy(&mut output, &mut sink()).await });
    String::from_utf8_lossy(&line).into_owned()
}

async fn read_some(errors: Option<impl AsyncRead + Unpin>) -> String {
    let Some(errors) = errors else { return String::new() };
    let mut text = Vec::new();
    let _ = errors.take(LONGEST).read_to_end(&mut text).await;
    String::from_utf8_lossy(&text).into_owned()
}

/// The longest time that a command may take.
const LIMIT: Duration = Duration::from_secs(10);

/// The time for reading the pipes of a command that has ended.
const MOMENT: Duration = Duration::from_millis(500);

/// The number of bytes that are read of a command's output.
const LONGEST: u64 = 64 << 10;
