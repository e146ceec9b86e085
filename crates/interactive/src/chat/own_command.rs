//! Commands that the person runs from a chat: `!git status`.
//!
//! They are the person's own: their shell and their rights, no sandbox and no question. They have
//! the terminal until they end, so an editor works, and Ctrl-C reaches them; if it cannot be
//! shared, only the keys that stop them work. The agent reads their output with the next prompt, as
//! data, except for a command after two marks: `!!make`.

use std::io::{self, BufRead as _, BufReader, PipeReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use silcrow_console::attend::{control, lock};
use silcrow_console::live::{KeyCode, TypedInput};
use silcrow_console::{can_share_terminal, share_terminal};
use silcrow_event::PersonCommand;
use silcrow_session::prompt::{AttachedSource, Attachment};
use silcrow_settings::known_secrets;
use silcrow_shell::terminal_text;
use silcrow_term::{Line, Style};
use silcrow_tool::{HeadTail, ProcessGroup};
use tokio::sync::mpsc;

use super::{ChatSession, SessionStep, quiet};
use crate::error::Error;

impl ChatSession {
    /// Runs a command of the person, and keeps its output for the next prompt.
    pub(super) async fn run_own(&mut self, command: &str) -> Result<SessionStep, Error> {
        let (command, is_told) = match command.strip_prefix('!') {
            Some(command) => (command.trim(), false),
            None => (command.trim(), true),
        };
        if command.is_empty() {
            return Err(Error::given("write the command after the !, as in !git status"));
        }
        if self.owns_terminal && can_share_terminal() {
            return self.run_at_terminal(command, is_told).await;
        }
        let failed = |error: io::Error| Error::failed(format!("cannot run {command}: {error}"));
        let (output, mut child) = started(command, self.args.root()).map_err(failed)?;
        let mut group = Some(ProcessGroup::led_by(child.id()));
        let (sender, mut lines) = mpsc::channel(WAITING_LINES);
        let reading = tokio::task::spawn_blocking(move || read_lines(output, &sender));
        let mut kept = HeadTail::new(MOST_BYTES);
        self.quiet = None;
        let mut keyboard = (self.keys)().map_err(failed)?;
        loop {
            tokio::select! {
                line = lines.recv() => {
                    let Some(line) = line else { break };
                    kept.push(&line);
                    let mut screen = lock(&self.screen);
                    screen.show_lines(&Line::lines(&line, Style::PLAIN));
                    screen.draw();
                }
                typed = keyboard.next(), if group.is_some() => {
                    let is_stop = match typed {
                        Ok(TypedInput::Key(key)) => key.code == KeyCode::Esc || control(key) == Some('c'),
                        Ok(TypedInput::Paste(_) | TypedInput::Resized) => false,
                        Err(_) => true,
                    };
                    if is_stop {
                        group = None;
                    }
                }
            }
        }
        keyboard.close().await;
        self.quiet = quiet(self.owns_terminal)?;
        let status = tokio::task::spawn_blocking(move || child.wait());
        let status = status.await.map_err(io::Error::other).flatten().map_err(failed)?;
        drop(group);
        drop(reading.await);
        self.keep_own(command, kept, status, is_told).await
    }

    /// Runs a command that has the terminal until it ends.
    async fn run_at_terminal(
        &mut self,
        command: &str,
        is_told: bool,
    ) -> Result<SessionStep, Error> {
        let failed = |error: io::Error| Error::failed(format!("cannot run {command}: {error}"));
        let (own, cancel) = (shell_command(command, self.args.root()), self.cancel.clone());
        self.quiet = None;
        let shared = tokio::task::spawn_blocking(move || {
            let mut output = HeadTail::new(MOST_RAW_BYTES);
            let mut keep = |bytes: &[u8]| output.push(&String::from_utf8_lossy(bytes));
            share_terminal(&own, &cancel, &mut keep).map(|status| (status, output))
        });
        let shared = shared.await.map_err(io::Error::other).flatten();
        self.quiet = quiet(self.owns_terminal)?;
        let (status, output) = shared.map_err(failed)?;
        let (head, truncated) = output.finish();
        let mut kept = HeadTail::new(MOST_BYTES);
        kept.push(&terminal_text(&head));
        let tail = truncated.and_then(|cut| cut.tail).unwrap_or_default();
        kept.push(&terminal_text(&tail));
        self.keep_own(command, kept, status, is_told).await
    }

    /// Shows how a command ended, and keeps its output.
    async fn keep_own(
        &mut self,
        command: &str,
        kept: HeadTail,
        status: ExitStatus,
        is_told: bool,
    ) -> Result<SessionStep, Error> {
        let ended = ended(status);
        if !status.success() {
            self.say(&ended);
        }
        let (text, truncated) = kept.finish();
        let mut text = known_secrets().mask(&text).into_owned();
        if let Some(truncated) = truncated {
            text += &format!("\n[{} bytes left out]\n", truncated.omitted_bytes.unwrap_or(0));
            text += &known_secrets().mask(truncated.tail.as_deref().unwrap_or_default());
        }
        if is_told {
            self.tell_own(command, text, &ended, status).await?;
        }
        Ok(SessionStep::Continue)
    }

    /// Keeps the output of a command for the model: as an event, or for the first prompt of a
    /// conversation that has not begun.
    async fn tell_own(
        &mut self,
        command: &str,
        text: String,
        ended: &str,
        status: ExitStatus,
    ) -> Result<(), Error> {
        self.finish_reading().await?;
        if self.session.store().head(&self.conversation).await? > 0 {
            let ran = PersonCommand::new(command, text).with_status(status.code().map(i64::from));
            return Ok(self.session.store_command(&self.conversation, ran).await?);
        }
        let text = format!("{}\n[{ended}]", text.trim_end());
        let name = command.to_owned();
        self.own.push(Attachment { name, what: AttachedSource::OwnCommand, text, medium: None });
        let surplus = self.own.len().saturating_sub(MOST_COMMANDS);
        self.own.drain(..surplus);
        Ok(())
    }
}

/// Returns the command of a line that begins with `!`.
pub(super) fn typed(line: &str) -> Option<&str> {
    line.strip_prefix('!').filter(|command| !command.contains('\n'))
}

/// Starts a command in the shell of the person, with both outputs as one.
fn started(command: &str, root: &std::path::Path) -> io::Result<(PipeReader, Child)> {
    let (output, written) = io::pipe()?;
    let mut process = shell_command(command, root);
    process.stdin(Stdio::null()).stdout(written.try_clone()?).stderr(written);
    ProcessGroup::separate(&mut process);
    let child = process.spawn()?;
    Ok((output, child))
}

/// Returns a command in the shell of the person.
fn shell_command(command: &str, root: &std::path::Path) -> Command {
    let shell = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
    let mut process = Command::new(shell.unwrap_or_else(|| "sh".into()));
    process.arg("-c").arg(command).current_dir(root);
    process
}

/// Passes on each line until the command and its processes write no more.
fn read_lines(output: PipeReader, to: &mpsc::Sender<String>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match output.read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => return,
        }
        if to.blocking_send(String::from_utf8_lossy(&line).into_owned()).is_err() {
            return;
        }
    }
}

fn ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => format!("ended by {status}"),
    }
}

/// The number of lines that may wait for the screen.
const WAITING_LINES: usize = 64;

/// The number of bytes that the agent reads of one command.
const MOST_BYTES: usize = 30_000;

/// The number of bytes that are kept of a command's output to the terminal, with its escape
/// sequences.
const MOST_RAW_BYTES: usize = 1 << 20;

/// The number of commands whose output goes with a prompt.
const MOST_COMMANDS: usize = 8;
