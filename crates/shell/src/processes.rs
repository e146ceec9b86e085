//! The tool `shell_processes`: the background commands of `shell`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_sandbox::Sandbox;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::background::{BackgroundCommand, BackgroundCommands, BackgroundState};
use crate::kept::with_outcome;
use crate::output::CAP;
use crate::report::{report, status};
use crate::tool_names::PROCESSES;

/// The tool `shell_processes`, which lists, reads and stops the commands that
/// [`Shell`](crate::Shell) runs in the background. It needs no approval, because it only affects
/// approved commands, and only in the same conversation.
#[derive(Clone, Debug)]
pub struct ShellProcesses {
    sandbox: Arc<Sandbox>,
    background: Arc<BackgroundCommands>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProcessesArgs {
    action: ProcessesAction,
    #[serde(default)]
    id: Option<String>,
    /// The seconds to wait for output.
    #[serde(default)]
    wait: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ProcessesAction {
    List,
    Output,
    Stop,
}

impl ShellProcesses {
    pub(crate) const fn new(sandbox: Arc<Sandbox>, background: Arc<BackgroundCommands>) -> Self {
        Self { sandbox, background }
    }

    pub(crate) fn background(&self) -> &BackgroundCommands {
        &self.background
    }

    async fn run(
        &self,
        args: ToolArgs<'_>,
        context: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let args: ProcessesArgs = args.read()?;
        if let ProcessesAction::List = args.action {
            return Ok(self.listed(context));
        }
        let id = args.id.as_deref().ok_or_else(|| {
            ToolError::new("`id` is missing; it is the id that `shell` returned, such as \"p1\"")
        })?;
        let command = self.background.find(context, id)?;
        if let ProcessesAction::Stop = args.action
            && command.state().ended.is_none()
        {
            command.stop().await;
            // It ended as requested, whatever its status is.
            let mut output = self.read(&command)?;
            output.has_failed = false;
            return Ok(output);
        }
        if let ProcessesAction::Output = args.action {
            let wait = Duration::from_secs(args.wait.unwrap_or(0)).min(LONGEST);
            command.wait_for_news(wait).await;
        }
        self.read(&command)
    }

    fn listed(&self, context: &CallContext) -> ToolOutput {
        let lines: Vec<_> = self.background.list(context).iter().map(line).collect();
        let summary = format!("{} background commands", lines.len());
        let output = ToolOutput::new(summary, lines.concat());
        let output = self.background.with_early_changes(context, output);
        if lines.is_empty() {
            output.with_notice("no command runs in the background")
        } else {
            output
        }
    }

    /// Returns a command's output since it was last read, and forgets a command that has ended.
    fn read(&self, command: &Arc<BackgroundCommand>) -> Result<ToolOutput, ToolError> {
        // The end is set after the last output, so reading it first decides nothing prematurely.
        let BackgroundState { ended, changed, .. } = command.state();
        let (content, truncated) = command.take_unread(ended.is_some());
        let Some(ended) = ended else {
            let is_quiet = content.is_empty();
            let output = ToolOutput::new("running", content).with_truncation(truncated);
            let output = command.with_early_changes(output.with_notice("it is running"));
            return Ok(if is_quiet { output.with_notice("it wrote nothing new") } else { output });
        };
        self.background.forget(command);
        let output = report(&self.sandbox, &ended?, (content, truncated), None);
        Ok(with_outcome(output, changed))
    }
}

impl Tool for ShellProcesses {
    fn name(&self) -> &'static str {
        PROCESSES
    }

    fn description(&self) -> &'static str {
        "Lists the commands that `shell` runs in the background, returns what one has written since it \
         was last read, or stops one with all its processes."
    }

    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { timeout: LONGEST * 2, output_cap: Some(CAP), ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.run(args, context).boxed()
    }
}

fn line((id, command): &(String, Arc<BackgroundCommand>)) -> String {
    let state = match command.state().ended {
        None => "running".to_owned(),
        Some(Ok(outcome)) => status(&outcome),
        Some(Err(_)) => "failed".to_owned(),
    };
    format!("{id}\t{state}\t{}\t{}\n", command.folder, command.command.escape_debug())
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"action":{"enum":["list","output","stop"],"description":"`output` returns what is new since the last time."},
"id":{"type":"string","description":"The id that `shell` returned, such as p1; for `output` and `stop`."},
"wait":{"type":"integer","minimum":0,"maximum":60,"description":"For `output`: the seconds to wait for something new. By default 0."}},
"required":["action"],"additionalProperties":false}"#;

/// The longest time to wait for output.
const LONGEST: Duration = Duration::from_secs(60);
