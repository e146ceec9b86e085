//! The tool `shell`, called as the runner calls it, with real commands.

mod access;
mod approval;
mod arguments;
mod background;
mod doors;
mod hints;
mod kept;
mod left_running;
mod needs;
mod network;
mod new_sockets;
mod output;
mod outside;
mod packages;
mod pipes;
mod progress;
mod stopped;

use serde_json::{Value, json};
use silcrow_shell::{SandboxOptions, Shell};
use silcrow_tool::{
    BasicValidator, CallContext, Scope, Tool, ToolArgs, ToolError, ToolOutput, Validator as _,
};
use tempfile::TempDir;

/// A folder with a shell that works in it.
struct Place {
    folder: TempDir,
    shell: Shell,
}

impl Place {
    fn new() -> Self {
        Self::with(|options| options)
    }

    fn with(options: impl FnOnce(SandboxOptions) -> SandboxOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let helper = env!("CARGO_BIN_EXE_silcrow-shell-helper");
        let all = options(SandboxOptions::new(folder.path()).with_helper(helper));
        Self { shell: Shell::open(all).unwrap(), folder }
    }

    async fn run(&self, command: &str) -> ToolOutput {
        self.call(json!({ "command": command })).await.unwrap()
    }

    async fn call(&self, args: Value) -> Result<ToolOutput, ToolError> {
        call(&self.shell, &context(), args).await
    }
}

fn context() -> CallContext {
    CallContext::new(Scope::new("c1"), "1")
}

async fn call(
    tool: &dyn Tool,
    context: &CallContext,
    args: Value,
) -> Result<ToolOutput, ToolError> {
    let args = args.to_string();
    if let Err(errors) = BasicValidator.check(tool.schema(), &args) {
        return Err(ToolError::new(format!("{errors:?}")));
    }
    tool.call(ToolArgs::new(&args), context).await
}

fn text(output: &ToolOutput) -> String {
    output.content.text().into_owned()
}
