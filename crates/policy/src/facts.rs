//! The facts about a call that the policy looks at: its arguments, its target, its command, and its
//! changes.

use std::borrow::Cow;
use std::path::{Component, Path};
use std::time::Duration;

use serde_json::{Map, Value};
use silcrow_event::CallKind;
use silcrow_tool::PermissionRequest;

use crate::command::{CommandVerdict, JudgedCommand};

/// A call with the facts found about it.
pub(crate) struct CallFacts<'a> {
    pub(crate) request: &'a PermissionRequest<'a>,
    /// The kind of the called thing, even if a tool stands for it.
    kind: CallKind,
    args: Map<String, Value>,
    /// The folder that the tools see, without links.
    pub(crate) root: Option<&'a Path>,
    /// The command that the call runs, if it runs one.
    pub(crate) command: Option<JudgedCommand>,
}

/// The changes of a call, as modes distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEffect {
    /// No changes.
    Reads,
    /// Files in the root, and nothing else.
    ChangesFiles,
    /// It changes the values of a relic.
    ChangesRelic,
    /// It runs further calls, each of which is decided separately, asks a model, or manages a
    /// command that was decided earlier.
    Delegates,
    /// It runs a command of the shell.
    Command,
    /// It sends something to other machines.
    SendsOut,
    /// Unknown changes.
    Changes,
}

impl<'a> CallFacts<'a> {
    pub(crate) fn new(
        request: &'a PermissionRequest<'a>,
        kind: CallKind,
        root: Option<&'a Path>,
    ) -> Self {
        let args: Map<_, _> = serde_json::from_str(request.args).unwrap_or_default();
        let is_shell = kind == CallKind::Tool && request.tool == SHELL;
        let command = args.get(COMMAND).and_then(Value::as_str).filter(|_| is_shell);
        let is_moved = args.get(FOLDER).is_some_and(|folder| !is_root(folder));
        let command = command.map(|text| JudgedCommand::within(text, is_moved));
        Self { request, kind, args, root, command }
    }

    pub(crate) fn effect(&self) -> CallEffect {
        let policy = self.request.policy;
        match self.kind {
            CallKind::Agent | CallKind::Workflow | CallKind::Llm => CallEffect::Delegates,
            CallKind::Tool if self.request.tool == PROCESSES => CallEffect::Delegates,
            _ if self.command.is_some() => CallEffect::Command,
            _ if policy.sends_out => CallEffect::SendsOut,
            _ if policy.read_only => CallEffect::Reads,
            CallKind::Relic => CallEffect::ChangesRelic,
            _ if FILE_TOOLS.contains(&self.request.tool) => CallEffect::ChangesFiles,
            _ => CallEffect::Changes,
        }
    }

    /// Returns whether the tool can enforce that the call changes nothing and connects to nothing.
    pub(crate) const fn can_be_read_only(&self) -> bool {
        self.request.preview.can_be_read_only
    }

    pub(crate) fn verdict(&self) -> Option<&CommandVerdict> {
        self.command.as_ref().map(|command| &command.verdict)
    }

    pub(crate) fn target(&self) -> Option<&str> {
        self.request.preview.target.as_deref()
    }

    /// Returns whether processes that the call starts continue after the call.
    pub(crate) const fn continues(&self) -> bool {
        self.request.preview.outlives_call
    }

    /// Returns the time limit of this very call, if it has one.
    pub(crate) const fn time_limit(&self) -> Option<Duration> {
        self.request.preview.time_limit
    }

    /// Returns an argument as text.
    pub(crate) fn arg(&self, name: &str) -> Option<Cow<'_, str>> {
        self.args.get(name).map(|value| match value {
            Value::String(text) => Cow::Borrowed(&**text),
            other => Cow::Owned(other.to_string()),
        })
    }
}

/// The tool that runs commands, and the argument that has the text of one.
pub(crate) const SHELL: &str = "shell";
const COMMAND: &str = "command";

/// The argument that names the folder in which a command runs.
const FOLDER: &str = "folder";

/// Returns whether a folder is the root itself, as a command that does not move has it.
fn is_root(folder: &Value) -> bool {
    folder.is_null()
        || folder.as_str().is_some_and(|folder| {
            Path::new(folder).components().all(|part| part == Component::CurDir)
        })
}

/// The tool that lists and stops commands that run in the background.
const PROCESSES: &str = "shell_processes";

/// The built-in tools that change files in the root, and nothing else.
pub(crate) const FILE_TOOLS: [&str; 3] = ["file_write", "file_edit", "file_replace"];
