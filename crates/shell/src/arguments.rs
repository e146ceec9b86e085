//! The arguments of a command, as the model writes them.

use std::time::Duration;

use serde::Deserialize;
use silcrow_tool::{ToolArgs, ToolError};

use crate::needs::Needs;

/// The arguments of a call of `shell`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShellArgs {
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) folder: Option<String>,
    /// The time limit, in seconds.
    #[serde(default)]
    timeout: Option<u64>,
    #[serde(default)]
    pub(crate) background: bool,
    /// The doors in the sandbox that the model asks for.
    #[serde(default)]
    pub(crate) needs: Needs,
}

impl ShellArgs {
    pub(crate) fn read(args: ToolArgs<'_>) -> Result<Self, ToolError> {
        let args: Self = args.read()?;
        if args.command.trim().is_empty() {
            return Err(ToolError::new("`command` is empty; write the command that is to run"));
        }
        if args.command.contains('\0') {
            return Err(ToolError::new("`command` has a NUL character, which no command can have"));
        }
        if args.command.len() > LONGEST {
            let words = format!(
                "`command` has {} bytes, and at most {LONGEST} are allowed; write the script to a \
                 file and run that file",
                args.command.len()
            );
            return Err(ToolError::new(words));
        }
        if args.timeout.is_some_and(|seconds| !(1..=MOST.as_secs()).contains(&seconds)) {
            let words = format!(
                "`timeout` is a number of seconds from 1 to {}; for something that runs longer, set \
                 `background` to true",
                MOST.as_secs()
            );
            return Err(ToolError::new(words));
        }
        Ok(args)
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout.map_or(USUAL, Duration::from_secs)
    }
}

pub(crate) const SCHEMA: &str = r#"{"type":"object","properties":{
"command":{"type":"string","minLength":1,"description":"The command line, as typed into bash, such as `cargo test -q`; a long output comes with its beginning and its end, so no pipe into `tail` has to hide a failure."},
"folder":{"type":"string","description":"The folder that it runs in, relative to the root. By default the root itself."},
"timeout":{"type":"integer","minimum":1,"maximum":600,"description":"The seconds after which it is stopped. By default 120."},
"background":{"type":"boolean","description":"Whether it continues to run after this call, as a server does. The call then returns an id for `shell_processes`."},
"needs":{"type":"object","properties":{"git":{"type":"boolean"},"network":{"type":"array","items":{"type":"string"}},"local":{"type":"array","items":{"type":"integer"}},"listen":{"type":"array","items":{"type":"integer"}},"read":{"type":"array","items":{"type":"string"}},"write":{"type":"array","items":{"type":"string"}},"outside":{"type":"string"}},"description":"What the sandbox opens if allowed: git's data, hosts, ports of or for this machine, paths, or all (why)."}},
"required":["command"],"additionalProperties":false}"#;

/// The time limit of a command, unless the model sets one.
pub(crate) const USUAL: Duration = Duration::from_secs(120);
/// The longest time limit that the model may set.
pub(crate) const MOST: Duration = Duration::from_secs(600);
/// The length of the longest command, in bytes. The system takes 128 KiB.
const LONGEST: usize = 100 * 1024;
